// Package preview shows what a planned change does to the files of a memory.
package preview

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"mem/index"
	"mem/index/withheld"
	"mem/render"
	"mem/repo"
)

// A FileDiff is what a planned change does to one file.
type FileDiff struct {
	Path string
	Diff []byte
}

// Compare returns how files of the memory that view reads differ from a planned one: first
// what sessions read and people decide on, such as rules, and the views last.
func Compare(view func() (*repo.Memory, error), after *repo.Memory, paths []string) (list []FileDiff, err error) {
	before, err := view()
	if err != nil {
		return nil, err
	}
	hidden := withheld.WordsOf(before.Index)
	for _, path := range slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) }) {
		old, wasThere, err := readIfAny(before, path)
		if err != nil {
			return nil, err
		}
		now, isThere, err := readIfAny(after, path)
		if err != nil {
			return nil, err
		}
		text := diff.Diff("a/"+path, old, "b/"+path, now)
		list = append(list, FileDiff{Path: path, Diff: hideAround(hidden, formatPatch(path, text, wasThere, isThere))})
	}
	return list, nil
}

// rank says how early a file is shown.
func rank(path string) int {
	top, _, _ := strings.Cut(path, "/")
	switch {
	case slices.Contains([]string{"rules", "context", "memories"}, top):
		return 0
	case path == repo.IndexPath:
		return 2
	case path == render.CorePath || path == render.LongTermPath || path == "patterns/index.md":
		return 3
	}
	return 1
}

// formatPatch gives a diff the head that git gives it.
func formatPatch(path string, text []byte, wasThere, isThere bool) []byte {
	from, to, mode := "a/"+path, "b/"+path, ""
	switch {
	case wasThere == isThere && len(text) == 0:
		return nil
	case !wasThere:
		from, mode = "/dev/null", "new file mode 100644\n"
	case !isThere:
		to, mode = "/dev/null", "deleted file mode 100644\n"
	}
	head := fmt.Sprintf("diff --git a/%s b/%[1]s\n%s", path, mode)
	if at := bytes.Index(text, []byte("\n@@ ")); at >= 0 {
		head += fmt.Sprintf("--- %s\n+++ %s\n", from, to) + string(text[at+1:])
	}
	return []byte(head)
}

// hideAround drops the lines around a change that say a withheld lesson: they were
// not asked for.
func hideAround(hidden *withheld.Words, text []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if line[0] != ' ' || hidden.StatusOf(string(line)) == index.Active {
			kept = append(kept, line...)
		}
	}
	return kept
}

// readIfAny reads a file, and reports whether it is there.
func readIfAny(m *repo.Memory, path string) (data []byte, exists bool, err error) {
	data, err = m.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}
