package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/fault"
	"mem/project"
	"mem/repo/gitstore"
)

// ErrCode is wrapped when the files of a code base cannot be listed.
var ErrCode = fault.New(fault.Missing, "the files of the code cannot be listed",
	"git must be there and able to list it; or name another folder with --codebase")

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
		scratch, done, err := emptyGit(ctx)
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
func emptyGit(ctx context.Context) (dir string, done func() error, err error) {
	if dir, err = os.MkdirTemp("", "mem-code-"); err == nil {
		_, err = runGit(ctx, "init", "-q", "--bare", dir)
	}
	if done = func() error { return os.RemoveAll(dir) }; err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a scratch repository: %w", err), done())
	}
	return dir, done, nil
}

// runGit runs git, which writes nothing of the code base.
func runGit(ctx context.Context, args ...string) (string, error) {
	cmd := gitstore.Command(ctx, "", os.Environ(), append([]string{"--no-optional-locks", "-c", "core.untrackedCache=false"}, args...)...)
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	return gitstore.Run(cmd, "", "ls-files")
}
