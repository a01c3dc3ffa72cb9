package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

	"mem/repo/disk"
)

// PackLockPath is the file whose lock has who lets git pack, or must not have it pack now.
const PackLockPath = PrivateDir + "/packing"

const (
	loosePath = PrivateDir + "/loose"
	packDir   = objectsDir + "/pack"
)

// From when on git is asked to pack.
const (
	manyCommits = 50
	manyBytes   = 24 << 20
)

// IsRepackDue reports whether so much was written since git packed last, or so many times as much.
func (s *Store) IsRepackDue(times int) bool {
	l := s.readLoose()
	return l.commits >= times*manyCommits || l.bytes >= int64(times)*manyBytes
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
	err = s.repack(ctx, now)
	if ctx.Err() == nil {
		s.noteLoose(looseNote{index: s.readLoose().index}) // also where git is not there: it is not asked at each commit
	}
	return err
}

func (s *Store) repack(ctx context.Context, now time.Time) error {
	var before []pack
	return disk.InOrder(
		func() error { return DropLists(s.d, false) },
		func() error { return s.removeUnfinished(now) },
		func() (err error) { before, err = s.listPacks(); return err },
		func() error { return s.makePack(ctx) },
		func() error { return s.d.SyncDir(packDir) },
		func() error { return s.removeCopied(before) },
		func() error { return s.git(ctx, "prune-packed", "-q") },
	)
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

// removeUnfinished removes what a git that died left of packs.
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

// removeCopied removes the packs whose objects are all in one that was made since, but for those that a person keeps from git.
func (s *Store) removeCopied(before []pack) error {
	after, err := s.listPacks()
	if err != nil {
		return err
	}
	made := slices.DeleteFunc(after, func(p pack) bool {
		return slices.ContainsFunc(before, func(old pack) bool { return old.name == p.name })
	})
	for _, old := range before {
		name := path.Join(packDir, old.name)
		if s.d.Exists(name+".keep") || !slices.ContainsFunc(made, func(in pack) bool { return holdsAll(in, old) }) {
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

// holdsAll reports whether all objects of a pack are in another.
func holdsAll(in, of pack) bool {
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
