// Package code lists and reads the files of the code that lessons are looked for in.
package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/project"
	"mem/repo/disk"
	"mem/repo/gitstore/gitconfig"
)

// ErrCode is wrapped when the files of a code base cannot be listed.
var ErrCode = errors.New("the files of the code cannot be listed")

// ListFiles returns the paths of the files in and below dir, relative and with
// slashes, sorted, each once: those that git tracks and those that it does not
// ignore. Git itself decides, inside of a repository and outside, because only git
// gets its rules quite right. Repositories inside of the one around dir,
// submodules among them, are left out; links are not, and what is tracked may be
// gone.
//
// No configuration of the code base can make git run a program, and no variable
// misleads it.
func ListFiles(ctx context.Context, dir string) (paths []string, err error) {
	args := []string{"-C", dir, "ls-files", "-z", "-co", "--exclude-standard"}
	if _, ok := project.Find(dir); !ok {
		scratch, done, err := emptyGit()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCode, err)
		}
		defer func() { err = errors.Join(err, done()) }()
		args = append([]string{"--git-dir=" + scratch, "--work-tree=" + dir}, args...)
	}
	out, err := runGit(ctx, args...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCode, err)
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 && name[len(name)-1] != '/' {
			paths = append(paths, string(name))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// HeadCommit returns the commit that is checked out in dir; "" outside of
// a repository and before its first commit.
func HeadCommit(ctx context.Context, dir string) string {
	if _, ok := project.Find(dir); !ok {
		return ""
	}
	out, err := runGit(ctx, "-C", dir, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Tracks reports whether the repository around a memory root has files of it in its
// own history, so that other people can change them.
func Tracks(ctx context.Context, root string) bool {
	out, err := runGit(ctx, "-C", filepath.Dir(root), "ls-files", "-z", "--", filepath.Base(root))
	return err == nil && len(out) > 0
}

// emptyGit makes a repository without anything in it, for git to read the
// ignore rules of a folder that is in none, and returns what removes it.
func emptyGit() (dir string, done func() error, err error) {
	dir, err = os.MkdirTemp("", "mem-code-")
	if err != nil {
		return "", nil, fmt.Errorf("make a scratch repository: %w", err)
	}
	done = func() error { return os.RemoveAll(dir) }
	for _, folder := range []string{"objects", "refs"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	err = errors.Join(err, disk.Files{}.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a scratch repository: %w", err), done())
	}
	return dir, done, nil
}

// runGit runs git to read.
func runGit(ctx context.Context, args ...string) ([]byte, error) {
	cmd := gitconfig.Command(ctx, "", os.Environ(), append([]string{"--no-optional-locks", "-c", "core.untrackedCache=false"}, args...)...)
	if cmd.Err != nil {
		return nil, fmt.Errorf("find git: %w", cmd.Err)
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("git: %s: %w", strings.TrimPrefix(line, "fatal: "), err)
	}
	return out, nil
}

// A Reader reads the files of a code base. It is used by one goroutine.
type Reader struct {
	d   *disk.Dir
	buf []byte
}

// NewReader reads files of at most limit bytes in and below dir.
func NewReader(dir string, limit int) (*Reader, error) {
	d, err := disk.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open code: %w", err)
	}
	return &Reader{d: d, buf: make([]byte, limit+1)}, nil
}

// Read returns the content of a regular file, valid until the next Read. It is
// nil if the file is gone, larger than the limit, a folder, a link, or behind one.
func (c *Reader) Read(path string) ([]byte, error) {
	if !disk.IsPortable(path) {
		return nil, nil
	}
	f, err := c.d.StreamFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrLink), errors.Is(err, fs.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	n, err := io.ReadFull(f, c.buf)
	closed := f.Close()
	switch {
	case err == nil: // there is more than the limit
		return nil, closed
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return c.buf[:n:n], closed
}

// Close releases the code base.
func (c *Reader) Close() error { return c.d.Close() }
