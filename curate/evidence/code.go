package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/fault"
	"mem/project"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// NewCode returns the code in dir, a folder that exists. Paths in the memory begin at the project, so that other
// commands find them; those of other code begin with its name and are not taken for the project's.
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

func (c *Code) skip(path string) {
	if rel := pathBelow(c.Dir, path); rel != "" && rel != "." {
		c.Skip = append(c.Skip, rel)
	}
}

// pathBelow returns the path of something in a folder, with slashes; "" if it is not in it.
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

// CommitAndCut commits the proof and only then removes what is proven from the LEARNINGS.md, if there is one: whatever
// stops it, no block is ever in neither place. Searching the code, which takes time, is over before anything is locked.
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

func (p *Proof) applyTo(r *Report) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (msg repo.Message, err error) {
		*r, msg, err = p.Apply(m)
		return msg, err
	}
}

// ErrCode is wrapped when the files of a code base cannot be listed.
var ErrCode = fault.New(fault.Missing, "the files of the code cannot be listed",
	"git must be there and able to list it; or name another folder with --codebase")

// ListFiles returns the paths of the files in and below dir: relative, with slashes, sorted, without
// duplicates. It lists files that git tracks or does not ignore. It asks git even outside a
// repository, because only git gets its rules quite right. It leaves out nested repositories and
// submodules, but not links. A tracked file may have been deleted.
//
// No configuration of the code base can make git run a program, and no variable misleads it.
func ListFiles(ctx context.Context, dir string) (paths []string, err error) {
	args := []string{"-C", dir, "ls-files", "-z", "-co", "--exclude-standard"}
	if _, ok := project.Find(dir); !ok {
		scratch, failed := os.MkdirTemp("", "mem-code-")
		if failed == nil { // a repository without anything in it, for git to read the ignore rules
			defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
			_, failed = runGit(ctx, "init", "-q", "--bare", scratch)
		}
		if failed != nil {
			return nil, fmt.Errorf("%w: make a scratch repository: %w", ErrCode, failed)
		}
		args = append([]string{"--git-dir=" + scratch, "--work-tree=" + dir}, args...)
	}
	out, err := runGit(ctx, args...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCode, err)
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if len(name) > 0 && name[len(name)-1] != '/' {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// HeadCommit returns the commit that is checked out in dir; "" outside of a repository and before its first commit.
func HeadCommit(ctx context.Context, dir string) string {
	if _, ok := project.Find(dir); !ok {
		return ""
	}
	out, _ := runGit(ctx, "-C", dir, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(out)
}

// Tracks reports whether the repository around a memory root has files of it in its
// own history, so that other people can change them.
func Tracks(ctx context.Context, root string) bool {
	out, err := runGit(ctx, "-C", filepath.Dir(root), "ls-files", "-z", "--", filepath.Base(root))
	return err == nil && len(out) > 0
}

// runGit runs git, which writes nothing of the code base.
func runGit(ctx context.Context, args ...string) (string, error) {
	cmd := gitstore.Command(ctx, "", os.Environ(), append([]string{"--no-optional-locks", "-c", "core.untrackedCache=false"}, args...)...)
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	return gitstore.Run(cmd, "", "ls-files")
}
