package inspect

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore"
)

// askFsck asks git fsck about the memory in a folder and returns what it complains about, and
// apart from it what only concerns the lists that git derives from packs and commits.
// Unless deep, it does not read the content of files. The error may be exec.ErrNotFound.
func askFsck(ctx context.Context, dir string, deep bool) (problems, stale []string, err error) {
	all, err := runFsck(ctx, dir, deep)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	problems, err = runFsck(ctx, dir, deep, "-c", "core.multiPackIndex=false", "-c", "core.commitGraph=false", "-c", "pack.readReverseIndex=false")
	return problems, slices.DeleteFunc(all, func(line string) bool { return slices.Contains(problems, line) }), err
}

func runFsck(ctx context.Context, dir string, deep bool, args ...string) (problems []string, err error) {
	args = append(args, "fsck", "--no-dangling", "--no-progress")
	if deep {
		args = append(args, "--strict")
	} else {
		args = append(args, "--connectivity-only")
	}
	cmd := gitstore.Command(ctx, dir, os.Environ(), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, exec.ErrNotFound
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "notice:") {
			problems = append(problems, line)
		}
	}
	if err != nil && len(problems) == 0 {
		problems = append(problems, err.Error())
	}
	return problems, ctx.Err()
}

// findReadOnly returns the files and folders that each commit changes and this user cannot write to.
func findReadOnly(dir string) (names []string) {
	for _, name := range []string{".", "core", ".git", ".git/objects", ".git/refs/heads", ".git/mem", ".git/mem/lock"} {
		if err := disk.CheckWrite(filepath.Join(dir, filepath.FromSlash(name))); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			names = append(names, name)
		}
	}
	return names
}

// findLeft returns leftovers of a program that died, relative to the memory: the locks of git and since when, which keep everything from
// being committed, files under a name of mem's own that were never put in place, and versions of files that mem put aside, which
// only a person can judge. What is younger than since may be in use, and is left out.
func findLeft(dir string, since time.Time) (locks, temps, rescued []string) {
	for _, folder := range []string{".", ".git", ".git/info", ".git/mem", ".git/mem/tmp", ".git/mem/rescue", ".git/refs/heads", ".git/logs/refs/heads", "core", "daily", "monthly", "rules", "patterns", "learnings"} {
		entries, _ := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || e.IsDir() || info.ModTime().After(since) {
				continue
			}
			switch path := strings.TrimPrefix(folder+"/"+e.Name(), "./"); {
			case strings.HasPrefix(path, ".git/mem/rescue/"):
				rescued = append(rescued, path)
			case strings.HasPrefix(path, ".git/mem/tmp/"), strings.HasPrefix(e.Name(), ".mem-") && strings.HasSuffix(path, "~"):
				temps = append(temps, path)
			case strings.HasPrefix(path, ".git/") && strings.HasSuffix(path, ".lock") && !strings.HasPrefix(path, ".git/mem/"):
				locks = append(locks, path+" since "+info.ModTime().UTC().Format(time.RFC3339))
			}
		}
	}
	return locks, temps, rescued
}
