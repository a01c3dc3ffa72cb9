package evidence

import (
	"context"
	"errors"
	"fmt"
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
	for name := range strings.SplitSeq(out, "\x00") {
		if len(name) > 0 && name[len(name)-1] != '/' {
			paths = append(paths, name)
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
	out, _ := runGit(ctx, "-C", dir, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(out)
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
func runGit(ctx context.Context, args ...string) (string, error) {
	cmd := gitconfig.Command(ctx, "", os.Environ(), append([]string{"--no-optional-locks", "-c", "core.untrackedCache=false"}, args...)...)
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	return gitconfig.Run(cmd, "", "ls-files")
}
