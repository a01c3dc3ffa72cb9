package gitconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/repo/disk"
)

// settings keep git from running what a repository's configuration names, and let it flush all
// that it writes: mem relies on it. Git before 2.36 flushes packs only.
var settings = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "core.fsync=all", "core.fsyncMethod=fsync",
}

// Command is a call of git in a folder. Each call that mem makes comes from here, so that none
// writes without flushing. Variables of git's own in environ are left out.
func Command(ctx context.Context, dir string, environ []string, args ...string) *exec.Cmd {
	all := []string{"-C", dir}
	for _, setting := range settings {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.Env = append(slices.DeleteFunc(slices.Clone(environ), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }), "LC_ALL=C")
	return cmd
}

// Edit lets "git config" edit a repository's configuration. It edits a copy, under mem's lock: git flushes
// this file in no version, and leaves its lock if it dies.
func Edit(ctx context.Context, dir string, args ...string) (err error) {
	d, err := disk.Open(dir)
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	defer d.Close()
	lock, err := (*disk.Lock)(nil), d.MkdirAll(gitDir+"/mem")
	if err == nil {
		lock, err = d.AcquireLock(ctx, gitDir+"/mem/lock", lockWait)
	}
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	const name, temp = gitDir + "/config", gitDir + "/mem/tmp/git-config"
	old, err := d.ReadFile(name, maxConfig)
	if err != nil {
		return fmt.Errorf("read git configuration: %w", err)
	}
	if err := errors.Join(d.Remove(temp+".lock"), d.WriteLoose(temp, old)); err != nil {
		return err
	}
	args = append([]string{"config", "--file", filepath.Join(d.Path(), filepath.FromSlash(temp))}, args...)
	if out, err := Command(ctx, dir, os.Environ(), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git config: %s: %w", strings.TrimSpace(string(out)), err)
	}
	data, err := d.ReadFile(temp, maxConfig)
	if err == nil {
		err = errors.Join(d.ReplaceIf(name, old, data), d.Remove(temp))
	}
	return err
}

const lockWait = 10 * time.Second
