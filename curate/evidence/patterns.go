package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mem/curate/evidence/expertise"
	"mem/guard"
	"mem/index"
	"mem/repo"
)

// GivePattern gives a lesson the evidence that another program found for it, and
// reports whether it proves the lesson. The next run of mem prove counts anew.
func GivePattern(it *index.Item, p expertise.Pattern, now time.Time) bool {
	if it.Status != index.Active || it.Kind != index.Learning || !isProof(p.Files) {
		return false
	}
	if it.Evidence == nil {
		it.Change(now, func(it *index.Item) {
			it.Evidence = &index.Evidence{Files: p.Files, At: p.At, Before: it.Confidence}
			if paths := guard.Line(guard.Scrub(p.Evidence)); paths != "" {
				it.Evidence.Paths = strings.Split(paths, ", ")
			}
			it.Confidence = strongerOf(it.Confidence, strongerOf(p.Confidence, confidenceFor(p.Files)))
		})
	}
	return true
}

// JoinLists adds lists of other programs to that of the memory, with the ids of the
// lessons that their patterns are.
func JoinLists(m *repo.Memory, lists []*expertise.List, ids map[string]string) error {
	if len(ids) == 0 {
		return nil
	}
	data, err := m.ReadFile(expertise.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, err := expertise.ReadList(data)
	for _, list := range lists {
		if err == nil {
			all.Join(list, ids)
		}
	}
	if err == nil {
		data, err = all.Encode()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", expertise.Path, err)
	}
	return m.WriteFile(expertise.Path, data)
}
