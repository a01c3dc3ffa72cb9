package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mem/repo"
)

// maxTries is how often a LEARNINGS.md is read again that another program keeps
// changing.
const maxTries = 5

// ErrNotCut is wrapped when the lessons are committed, but their blocks are
// still in the LEARNINGS.md. The next run removes them.
var ErrNotCut = errors.New("the proven lessons are kept, but their blocks are still in the file")

// A Done is what CommitAndCut did.
type Done struct {
	Status   string `json:"status"`   // "proved", "nothing", or "planned" in a dry run
	Codebase string `json:"codebase"` // that was searched
	Report
	Files  int         `json:"files"` // searched
	Commit repo.Commit `json:"-"`     // of the proof or, if that changed nothing, of a person's edits
	Proven bool        `json:"-"`     // the proof changed the memory
	Cut    int         `json:"-"`     // blocks removed from the LEARNINGS.md
}

// CommitAndCut commits the proof and only then removes what is proven from the
// LEARNINGS.md, if there is one: whatever stops it, no block is ever in neither
// place. Searching the code, which takes time, is over before anything is locked.
func (p *Proof) CommitAndCut(ctx context.Context, root *repo.Root, now time.Time, file *repo.SharedFile) (Done, error) {
	var d Done
	commit, err := root.Settle(ctx, now, p.applyTo(&d))
	if err != nil {
		return Done{}, err
	}
	d.Commit = commit
	if file == nil || len(d.gone) == 0 {
		return d, nil
	}
	if d.Cut, err = cutFile(ctx, file, d.gone); err != nil {
		return d, fmt.Errorf("%w: %w", ErrNotCut, err)
	}
	return d, nil
}

// applyTo returns Apply as a callback that notes in d what it did.
func (p *Proof) applyTo(d *Done) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (msg repo.Message, err error) {
		d.Report, msg, err = p.Apply(m)
		d.Proven = msg.Subject != ""
		return msg, err
	}
}

// cutFile removes the blocks with these keys from a file that agents append to
// meanwhile, and returns how many it removed.
func cutFile(ctx context.Context, file *repo.SharedFile, keys map[string]bool) (n int, err error) {
	for range maxTries {
		old, err := file.Read()
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		data := CutBlocks(old, keys)
		if bytes.Equal(old, data) {
			return 0, nil
		}
		err = file.Replace(ctx, old, data)
		if err == nil {
			return len(ReadBlocks(old)) - len(ReadBlocks(data)), nil
		}
		if !errors.Is(err, repo.ErrChanged) {
			return 0, err
		}
	}
	return 0, repo.ErrChanged
}
