package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"mem/fault"
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

// Prove searches the code for the lessons, and then commits what that proves as
// CommitAndCut does or, in a dry run, only works it out.
func (p *Proof) Prove(ctx context.Context, root *repo.Root, now time.Time) (r Report, err error) {
	m, err := root.View(now)
	if err != nil {
		return r, err
	}
	p.Code.skip(p.Learnings.path)
	if p.Code.Files, err = ListFiles(ctx, p.Code.Dir); err != nil {
		return r, err
	}
	p.Code.Commit = HeadCommit(ctx, p.Code.Dir)
	if p.Survey, err = Search(ctx, p.Code, LessonsToProve(m.Index, p.Learnings.Blocks)); err != nil {
		return r, err
	}
	if p.DryRun {
		_, err = m.Preview(p.applyTo(&r))
	} else {
		r, err = p.CommitAndCut(ctx, root, now)
	}
	r.Files, r.Codebase, r.Status = p.Survey.Files, p.Code.Dir, "nothing"
	switch {
	case p.DryRun && (r.Proven || len(r.Removed) > 0):
		r.Status = "planned"
	case r.Proven || r.Cut > 0: // a commit else is of a person's edits
		r.Status = "proved"
	}
	return r, err
}

// ErrNotCut is wrapped when the lessons are committed, but their blocks are
// still in the LEARNINGS.md. The next run removes them.
var ErrNotCut = fault.New(fault.Later, "the proven lessons are kept, but their blocks are still in the file",
	"run the command again once the file can be written to")

// CommitAndCut commits the proof and only then removes what is proven from the
// LEARNINGS.md, if there is one: whatever stops it, no block is ever in neither
// place. Searching the code, which takes time, is over before anything is locked.
func (p *Proof) CommitAndCut(ctx context.Context, root *repo.Root, now time.Time) (r Report, err error) {
	commit, err := root.Settle(ctx, now, p.applyTo(&r))
	if err != nil {
		return Report{}, err
	}
	if r.Commit, r.Subject = commit.ID, commit.Subject; len(r.gone) == 0 {
		return r, nil
	}
	if r.Cut, err = p.Learnings.cut(r.gone); err != nil {
		return r, fmt.Errorf("%w: %w", ErrNotCut, err)
	}
	return r, nil
}

// applyTo returns Apply as a callback that notes in r what it did.
func (p *Proof) applyTo(r *Report) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (msg repo.Message, err error) {
		*r, msg, err = p.Apply(m)
		return msg, err
	}
}
