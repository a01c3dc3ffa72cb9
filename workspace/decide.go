package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"mem/curate"
	"mem/curate/ingest"
	"mem/guard"
	"mem/reflect"
	"mem/repo"
	"mem/repo/disk"
)

// ErrEditor means that the editor failed. What it was to edit is as it was.
var ErrEditor = errors.New("the editor failed")

// Queues are all queues, in the order in which people are shown them.
var Queues = curate.Queues{curate.RuleQueue{}, ingest.Queue{}, curate.LessonQueue{}}

// Decide carries out what a person decided about a proposal, in one commit.
func (w *Workspace) Decide(ctx context.Context, dryRun bool, d curate.Decision) (Changed, error) {
	changed, err := w.Change(ctx, dryRun, func(m *repo.Memory) (repo.Message, error) { return Queues.Decide(m, d) })
	changed.Call(Status(d.Verb))
	return changed, err
}

// ScanMemory looks at everything that was learned for patterns, and returns the memory
// with those it found, as ViewForCaller does, and the rules that it wrote without asking. With dryRun
// nothing is written. When the memory cannot be changed now it is returned as it
// stands.
func (w *Workspace) ScanMemory(ctx context.Context, dryRun bool) (m *repo.Memory, applied []curate.Found, err error) {
	if dryRun {
		if m, err = w.ViewRoot(); err == nil {
			_, err = m.Preview(w.Detector.ScanAll)
			w.fitForCaller(m)
		}
		return m, nil, err
	}
	w.AllowAutoApply()
	_, err = w.Change(ctx, false, w.Detector.ScanAll)
	if reflect.IsPostponed(err) || errors.Is(err, disk.ErrWrite) {
		w.Note("%s; nothing new was looked for", guard.Line(err.Error()))
	} else if err != nil {
		return nil, nil, err
	}
	applied = slices.DeleteFunc(slices.Clone(w.Detector.Found), func(f curate.Found) bool { return f.Rule == "" })
	w.Detector.AutoApply = nil
	if m, err = w.ViewRoot(); err == nil {
		w.fitForCaller(m)
	}
	return m, applied, err
}

// MaxText bounds what a person writes of a proposal, in bytes.
const MaxText = 1 << 20

// EditProposal opens what is proposed with open, a person's editor, and takes
// back what the person made of it. The status is "edited", or Nothing if the person
// changed nothing. What cannot be taken back is kept, and the error says where.
func (w *Workspace) EditProposal(ctx context.Context, id string, dryRun bool, open func(ctx context.Context, path string) error) (Changed, error) {
	m, err := w.ViewRoot()
	if err != nil {
		return Changed{}, err
	}
	p, err := Queues.FindPending(m, id)
	if err != nil {
		return Changed{}, err
	}
	draft := p.Draft()
	path, err := writeDraft(draft)
	if err != nil {
		return Changed{}, fmt.Errorf("write the draft of %s: %w", id, disk.AsWriteError(err))
	}
	failed := open(ctx, path)
	text, err := readDraft(path)
	switch {
	case err != nil:
		return Changed{}, cmp.Or(failed, fmt.Errorf("%w: %w", ErrEditor, err))
	case bytes.Equal(text, draft): // nothing to keep
		return Changed{Status: Nothing}, errors.Join(failed, os.Remove(path))
	case ctx.Err() != nil:
		w.Note("what you wrote is in %s", path)
		return Changed{}, ctx.Err()
	case failed != nil:
		return Changed{}, fmt.Errorf("%w; what you wrote is in %s", failed, path)
	}
	var changed Changed
	d, err := p.ReadDraft(text)
	if err == nil {
		changed, err = w.Decide(ctx, dryRun, d)
	}
	if err != nil {
		return changed, fmt.Errorf("%w; what you wrote is in %s", err, path)
	}
	return changed, os.Remove(path)
}

// writeDraft writes a draft where an editor can open it.
func writeDraft(draft []byte) (path string, err error) {
	f, err := os.CreateTemp("", "mem-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.Write(draft)
	return f.Name(), errors.Join(err, f.Close())
}

// readDraft returns the draft as the editor left it.
func readDraft(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it left no file")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > MaxText:
		return nil, fmt.Errorf("%s is not a regular file of at most %d MiB", path, MaxText>>20)
	}
	return os.ReadFile(path)
}
