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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

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
		if line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); line != "" {
			what += ": " + line
		}
		return "", fmt.Errorf("git %s: %w", what, err)
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
	err := Walk(d.Path(), gitDir, func(name string, e fs.DirEntry) error {
		if e.IsDir() {
			folders = append(folders, name)
		} else if e.Type().IsRegular() && !strings.HasPrefix(name, gitDir+"/objects/") {
			return d.SyncFile(name)
		}
		return nil
	}, PrivateDir)
	return errors.Join(err, d.SyncDirs(folders...))
}

// Walk calls f for what is below top in a folder, but for some folders. What is gone meanwhile is left out.
func Walk(dir, top string, f func(name string, e fs.DirEntry) error, without ...string) error {
	return fs.WalkDir(os.DirFS(dir), top, func(name string, e fs.DirEntry, err error) error {
		if slices.Contains(without, name) {
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
	names, err := d.ListFolder(packDir)
	var drop []string
	for _, name := range names {
		isList := strings.HasPrefix(name, "multi-pack-index") && !strings.HasSuffix(name, ".lock")
		if isList || all && slices.Contains([]string{".rev", ".bitmap"}, filepath.Ext(name)) {
			drop = append(drop, packDir+"/"+name)
		}
	}
	if all {
		drop = append(drop, objectsDir+"/info/commit-graph", objectsDir+"/info/commit-graphs")
	}
	for _, name := range drop {
		err = errors.Join(err, d.RemoveAll(name))
	}
	if len(drop) > 0 {
		err = errors.Join(err, d.SyncDirs(packDir))
	}
	return err
}

// AddRemote sets a key of a remote: the last value of a key counts. It does not use "git config", which never
// flushes this file and leaves its lock behind if it dies.
func AddRemote(d *disk.Dir, remote, key, value string) error {
	return editFile(d, gitDir+"/config", func(old string) (string, error) { return setValue(old, "remote", remote, key, value) })
}

// DropRemote removes all settings of a remote.
func DropRemote(d *disk.Dir, remote string) error {
	head, isInside := fmt.Sprintf("[remote \"%s\"]", quoted.Replace(remote)), false
	return editFile(d, gitDir+"/config", func(old string) (text string, err error) {
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

// PackLockPath is the lock file held by a process that lets git pack, or that must keep it from packing.
const PackLockPath = PrivateDir + "/packing"

const (
	loosePath = PrivateDir + "/loose"
	packDir   = objectsDir + "/pack"
)

// From when on git is asked to pack.
const (
	manyCommits = 50
	manyBytes   = 24 << 20
	fewBytes    = 1 << 20
)

// IsRepackDue reports whether so much was written since git packed last, or so many times as much.
func (s *Store) IsRepackDue(times int) bool {
	l := s.readLoose()
	return l.commits >= times*manyCommits || l.bytes >= int64(times)*manyBytes
}

// IsMostlyLoose reports whether the repository is half as large again as it would be if git packed now: in the background
// that is worth a repack.
func (s *Store) IsMostlyLoose() bool {
	packed := int64(0)
	files, _ := s.d.ListFolder(packDir)
	for _, file := range files {
		if info, err := s.d.Lstat(path.Join(packDir, file)); err == nil {
			packed += info.Size()
		}
	}
	return s.readLoose().bytes > max(packed/2, fewBytes)
}

// A looseNote is what mem notes of its latest commits.
type looseNote struct {
	commits int   // since git packed last
	bytes   int64 // of objects that they wrote
	index   int64 // when mem wrote git's index last, in nanoseconds: another time is git's
}

func (s *Store) readLoose() (l looseNote) {
	text, _ := s.d.ReadFile(loosePath, maxSmall)
	_, _ = fmt.Sscan(string(text), &l.commits, &l.bytes, &l.index) // without it, it is counted anew
	return l
}

func (s *Store) noteLoose(l looseNote) {
	_ = s.d.WriteLoose(loosePath, fmt.Appendln(nil, l.commits, l.bytes, l.index)) // lost, git packs a little later
}

// Repack lets git put the objects together, those that are loose and those of small packs, so that each pack is at
// least twice as large as the next smaller one: a large one is written anew rarely, and there are few. Other
// processes may read and commit meanwhile.
//
// Git flushes the pack but not its name before it removes what it has copied, so here nothing is removed
// before the folder is flushed too. Broken off anywhere, this leaves objects twice at worst.
func (s *Store) Repack(ctx context.Context, now time.Time) (err error) {
	lock, err := s.d.AcquireLock(ctx, PackLockPath, disk.Moment)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if s.d.Exists(PurgePath) {
		return nil // what it takes out must not be copied
	}
	var before []*pack
	s.reopen() // Windows removes no open file
	err = disk.InOrder(
		func() error { return DropLists(s.d, false) },
		func() error { return s.removeUnfinished(now) },
		func() (err error) { before, err = s.listPacks(); return err },
		func() error { return s.makePack(ctx) },
		func() error { return s.d.SyncDirs(packDir) },
		func() error { return s.removeCopied(before) },
		func() error { return s.git(ctx, "prune-packed", "-q") },
	)
	if ctx.Err() == nil {
		s.noteLoose(looseNote{index: s.readLoose().index}) // also where git is not there: it is not asked at each commit
	}
	return err
}

func (s *Store) makePack(ctx context.Context) error {
	err := s.git(ctx, "repack", "-n", "-q", "--geometric=2")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 129 { // before git 2.32
		err = s.git(ctx, "repack", "-n", "-q", "-a")
	}
	return err
}

// git runs git. It takes one processor and bounded memory.
func (s *Store) git(ctx context.Context, args ...string) error {
	all := append([]string{"-c", "pack.threads=1", "-c", "pack.windowMemory=256m"}, args...)
	_, err := Run(Command(ctx, s.d.Path(), os.Environ(), all...), "", args[0])
	return err
}

// maxUnderWay is how long a file of git's may be on its way to become a pack.
const maxUnderWay = 24 * time.Hour

func (s *Store) removeUnfinished(now time.Time) error {
	files, err := s.d.ListFolder(packDir)
	for _, file := range files {
		if strings.HasPrefix(file, "tmp_") || strings.HasPrefix(file, ".tmp-") {
			if info, errInfo := s.d.Lstat(path.Join(packDir, file)); errInfo == nil && now.Sub(info.ModTime()) > maxUnderWay {
				err = errors.Join(err, s.d.Remove(path.Join(packDir, file)))
			}
		}
	}
	return err
}

// removeCopied removes the old packs whose objects are all in one pack made since, except those that a person protects from git.
func (s *Store) removeCopied(before []*pack) error {
	after, err := s.listPacks()
	if err != nil {
		return err
	}
	made := slices.DeleteFunc(after, func(p *pack) bool {
		return slices.ContainsFunc(before, func(old *pack) bool { return old.name == p.name })
	})
	for _, old := range before {
		name := path.Join(packDir, old.name)
		if s.d.Exists(name+".keep") || !slices.ContainsFunc(made, func(in *pack) bool { return holdsAll(in, old) }) {
			continue
		}
		for _, ending := range []string{".pack", ".idx", ".rev", ".bitmap"} {
			if err := s.d.Remove(name + ending); err != nil {
				return err
			}
		}
	}
	return nil
}

func holdsAll(in, of *pack) bool {
	entries, err := of.Entries()
	for err == nil {
		var e *idxfile.Entry
		if e, err = entries.Next(); err == nil {
			if has, _ := in.Contains(e.Hash); !has {
				return false
			}
		}
	}
	return errors.Is(err, io.EOF)
}
