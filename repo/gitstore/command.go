package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
)

// settings keep git from running what a repository's configuration names, and let it flush all
// that it writes: mem relies on it. Git before 2.36 flushes packs only, so that objects come in packs, however few
// they are; Flush has the rest.
var settings = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "core.fsync=all", "core.fsyncMethod=fsync",
	"fetch.unpackLimit=1", "fastimport.unpackLimit=1",
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
	if at, err := filepath.Abs(dir); dir != "" && err == nil { // or git takes the project around a memory that it cannot read
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(at))
	}
	return cmd
}

// Run runs a call of git, which gets in to read, and returns what it prints. what is named in errors.
func Run(cmd *exec.Cmd, in, what string) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &said
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return "", fmt.Errorf("git %s: %s: %w", what, line, err)
	}
	return out.String(), nil
}

// EachObject calls f for all objects of the repository in a folder, reachable or not, with what each is called and holds.
func EachObject(ctx context.Context, dir string, environ []string, f func(what string, data []byte)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := Command(ctx, dir, environ, "-c", "safe.bareRepository=all", "cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start git: %w", err)
	}
	out := bufio.NewReaderSize(pipe, 1<<20)
	for {
		head, err := out.ReadString('\n')
		if err == io.EOF {
			break
		}
		var id, kind string
		var size int
		if _, scanned := fmt.Sscan(head, &id, &kind, &size); err != nil || scanned != nil {
			return fmt.Errorf("git cat-file says %q", head)
		}
		data := make([]byte, size+1) // and a line break
		if _, err := io.ReadFull(out, data); err != nil {
			return fmt.Errorf("read object %s: %w", id, err)
		}
		f("object "+kind+" "+id, data[:size])
	}
	if err = cmd.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// Flush makes durable what git wrote, locks too: git flushes no folder, nor its logs, and before version 2.36 of all files only packs.
func Flush(d *disk.Dir) error {
	var folders []string
	err := WalkGit(d.Path(), func(name string, e fs.DirEntry) error {
		if e.IsDir() {
			folders = append(folders, name)
		} else if e.Type().IsRegular() && !strings.HasPrefix(name, gitDir+"/objects/") {
			return d.SyncFile(name)
		}
		return nil
	})
	return errors.Join(err, d.SyncDirs(folders))
}

// WalkGit calls f for what git has in the repository at dir. What is gone meanwhile is left out, and so is what is mem's.
func WalkGit(dir string, f func(name string, e fs.DirEntry) error) error {
	return fs.WalkDir(os.DirFS(dir), gitDir, func(name string, e fs.DirEntry, err error) error {
		if name == PrivateDir {
			return fs.SkipDir
		}
		if err == nil {
			err = f(name, e)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// DropLists removes git's lists of what is in all packs: they name those that are about to go. With all it
// removes whatever git derives from packs and commits, and makes anew.
func DropLists(d *disk.Dir, all bool) error {
	const objects = gitDir + "/objects/"
	names, err := d.ListFolder(objects + "pack")
	var drop []string
	for _, name := range names {
		isList := strings.HasPrefix(name, "multi-pack-index") && !strings.HasSuffix(name, ".lock")
		if isList || all && slices.Contains([]string{".rev", ".bitmap"}, filepath.Ext(name)) {
			drop = append(drop, objects+"pack/"+name)
		}
	}
	if all {
		drop = append(drop, objects+"info/commit-graph", objects+"info/commit-graphs")
	}
	for _, name := range drop {
		err = errors.Join(err, d.RemoveAll(name))
	}
	if len(drop) > 0 {
		err = errors.Join(err, d.SyncDir(objects+"pack"))
	}
	return err
}

// AddRemote says of a remote that key is value: the last value of a key counts. "git config" flushes this file in no
// version, and leaves its lock if it dies.
func AddRemote(dir, remote, key, value string) error {
	return editConfig(dir, func(old string) (string, error) { return setValue(old, "remote", remote, key, value) })
}

// DropRemote takes out all that is said of a remote.
func DropRemote(dir, remote string) error {
	head, isInside := fmt.Sprintf("[remote \"%s\"]", quoted.Replace(remote)), false
	return editConfig(dir, func(old string) (text string, err error) {
		for line := range strings.Lines(old) {
			if start := strings.TrimSpace(line); strings.HasPrefix(start, "[") {
				isInside = start == head
			}
			if !isInside {
				text += line
			}
		}
		return text, nil
	})
}

func editConfig(dir string, edit func(old string) (string, error)) error {
	d, err := disk.Open(dir)
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	defer d.Close()
	return editFile(d, gitDir+"/config", edit)
}
