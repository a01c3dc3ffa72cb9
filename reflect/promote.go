package reflect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mem/oracle"
	"mem/reflect/candidate"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/repo/private"
)

// Promote counts again what past sessions show, and makes a lesson of each candidate that two sessions show and the index
// lacks, in one commit each: no third session has to come. It returns how many. A second call finds none.
func Promote(ctx context.Context, root *repo.Root, past []*Pending, now time.Time) (n int, err error) {
	if len(past) > 0 {
		if err = CheckCandidates(root); err == nil {
			err = CountAgain(root, past)
		}
	}
	m, errView := root.View(now)
	if err != nil || errView != nil {
		return 0, cmp.Or(err, errView)
	}
	table := private.ReadTable[candidate.Candidate](root.Area, private.NoteCandidates)
	for _, l := range ListCandidates(root, m.Index) {
		key := candidate.KeyOf(l.Cue)
		c := table[key]
		if !c.IsLesson() {
			continue
		}
		s := c.Last()
		o, err := CommitPending(ctx, root, &Pending{
			ID: "r-" + watermark.HashParts(s.Reflection, key), At: s.At, Label: "task", Session: s.Session, Trace: s.Trace, Model: oracle.Code,
			Shown: map[string]candidate.Candidate{key: c},
		})
		if err != nil {
			return n, err
		}
		fresh, _ := o.CountLessons()
		n += fresh
	}
	return n, nil
}

// ErrCandidates is wrapped when the list of candidates is there and cannot be read.
var ErrCandidates = errors.New("the list of candidates cannot be read")

// CheckCandidates says why the list of candidates of a root cannot be read. It wraps ErrCandidates.
func CheckCandidates(root *repo.Root) error {
	_, err := root.ReadNote(private.NoteCandidates)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrCandidates, err)
}
