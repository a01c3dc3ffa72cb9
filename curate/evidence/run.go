package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"mem/repo"
	"mem/repo/disk"
)

// NewCode returns the code in dir, a folder that exists. Paths in the memory
// begin at the project, so that other commands find them; those of other code
// begin with its name and are not taken for the project's.
func NewCode(dir, project, memory string) (c Code, err error) {
	if c.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return c, fmt.Errorf("find the code: %w", err)
	}
	c.skip(memory)
	switch rel := pathBelow(project, c.Dir); rel {
	case ".":
	case "":
		c.Name = filepath.Base(c.Dir) + ":"
	default:
		c.Name = rel + "/"
	}
	return c, nil
}

// skip leaves something out, if it is in the code.
func (c *Code) skip(path string) {
	if rel := pathBelow(c.Dir, path); rel != "" && rel != "." {
		c.Skip = append(c.Skip, rel)
	}
}

// pathBelow returns the path of something in a folder, with slashes; "" if it is
// not in it.
func pathBelow(folder, path string) string {
	for _, p := range []*string{&folder, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Learnings are the blocks of a LEARNINGS.md. The zero value is none.
type Learnings struct {
	Blocks []Block
	Empty  bool // there is a text, but no block in it

	path  string
	files disk.Files
}

// ReadLearnings reads the LEARNINGS.md at path. A missing one wraps fs.ErrNotExist.
func ReadLearnings(path string, files disk.Files) (Learnings, error) {
	data, err := files.ReadShared(path)
	if err != nil {
		return Learnings{}, err
	}
	return Learnings{ReadBlocks(data), len(data) > 0 && len(splitParts(data)) == 1, path, files}, nil
}

// cut removes the blocks with these keys from the file, and returns how many it removed.
func (l *Learnings) cut(keys map[string]bool) (n int, err error) {
	err = l.files.EditShared(l.path, func(old []byte) []byte {
		data := CutBlocks(old, keys)
		n = len(ReadBlocks(old)) - len(ReadBlocks(data))
		return data
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return n, err
}

// A Run proves the lessons of a memory by a code base.
type Run struct {
	Code      Code // without Files and Commit
	Learnings Learnings
	DryRun    bool // only find out what would change
}

// Prove searches the code for the lessons, and then commits what that proves as
// Proof.CommitAndCut does or, in a dry run, only works it out.
func (r *Run) Prove(ctx context.Context, root *repo.Root, now time.Time) (d Done, err error) {
	m, err := root.View(now)
	if err != nil {
		return d, err
	}
	r.Code.skip(r.Learnings.path)
	if r.Code.Files, err = ListFiles(ctx, r.Code.Dir); err != nil {
		return d, err
	}
	r.Code.Commit = HeadCommit(ctx, r.Code.Dir)
	survey, err := Search(ctx, r.Code, LessonsToProve(m.Index, r.Learnings.Blocks))
	if err != nil {
		return d, err
	}
	p := &Proof{survey, r.Learnings}
	if r.DryRun {
		_, err = m.Preview(p.applyTo(&d))
	} else {
		d, err = p.CommitAndCut(ctx, root, now)
	}
	d.Files, d.Codebase, d.Status = survey.Files, r.Code.Dir, "nothing"
	switch {
	case r.DryRun && (d.Proven || len(d.Removed) > 0):
		d.Status = "planned"
	case d.Proven || d.Cut > 0: // a commit else is of a person's edits
		d.Status = "proved"
	}
	return d, err
}

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
func (p *Proof) CommitAndCut(ctx context.Context, root *repo.Root, now time.Time) (Done, error) {
	var d Done
	commit, err := root.Settle(ctx, now, p.applyTo(&d))
	if err != nil {
		return Done{}, err
	}
	d.Commit = commit
	if len(d.gone) == 0 {
		return d, nil
	}
	if d.Cut, err = p.Learnings.cut(d.gone); err != nil {
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
