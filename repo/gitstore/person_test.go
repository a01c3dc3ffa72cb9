package gitstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo/disk"
)

// begun is a store with one commit, and the next one begun, which puts b.txt.
func begun(t *testing.T, fault disk.Fault) (s *Store, dir string, publish func() error) {
	t.Helper()
	_, dir = fresh(t)
	d, err := disk.Files{Fault: fault}.Open(dir)
	envtest.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	s, err = Open(d, false, func(msg string) { t.Errorf("warning: %s", msg) })
	envtest.NoError(t, err)
	envtest.NoError(t, commitFile(t, s, "a.txt", "one\n", "one"))
	tx, err := s.Begin(t.Context(), time.Second)
	envtest.NoError(t, err)
	return s, dir, func() error { return publishFile(t, tx, "b.txt", "two\n", "two") }
}

// TestPersonIsNotHeldUp is that git finds no lock of mem's while mem thinks, and while it waits for the disk.
func TestPersonIsNotHeldUp(t *testing.T) {
	dir, flushes := "", 0
	_, dir, publish := begun(t, func(op disk.Op) error {
		if strings.HasPrefix(op.Kind, "sync") && dir != "" {
			flushes++
			for _, lock := range []string{"index.lock", "refs/heads/main.lock"} {
				_, err := os.Lstat(filepath.Join(dir, ".git", lock))
				envtest.FailIf(t, err == nil, "%s is there while %s is flushed", lock, op.Path)
			}
		}
		return nil
	})
	envtest.Write(t, "mine\n", dir, "c.txt")
	git(t, dir, "status") // which writes the index, too, if it need be
	err := publish()
	envtest.FailIf(t, err != nil || flushes < 10, "Publish = %v, with %d flushes", err, flushes)
	envtest.Same(t, "?? c.txt\n", git(t, dir, "status", "--porcelain"), "git status")
}

// TestStagedMeanwhile lets a person stage, commit and begin something while mem is about to commit: the attempt
// is lost, and the next one keeps what the person did.
func TestStagedMeanwhile(t *testing.T) {
	for name, person := range map[string]func(t *testing.T, dir string){
		"add":    func(t *testing.T, dir string) { git(t, dir, "add", "c.txt") },
		"remove": func(t *testing.T, dir string) { git(t, dir, "rm", "-q", "--cached", "a.txt") },
		"commit": func(t *testing.T, dir string) { git(t, dir, "add", "."); git(t, dir, "commit", "-qm", "c") },
		"branch": func(t *testing.T, dir string) { git(t, dir, "checkout", "-qb", "other") },
		"merge": func(t *testing.T, dir string) {
			envtest.Write(t, git(t, dir, "rev-parse", "HEAD"), dir, ".git/MERGE_HEAD")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir, publish := begun(t, nil)
			envtest.Write(t, "mine\n", dir, "c.txt")
			person(t, dir)
			before := git(t, dir, "status", "--porcelain") + git(t, dir, "ls-files", "-s", "a.txt", "c.txt")
			envtest.Wraps(t, ErrLost, publish(), "Publish")
			envtest.FailIf(t, s.d.Exists(journalPath) || s.d.Exists(indexPath+lockEnding),
				"the attempt left something behind")
			envtest.NoError(t, s.d.Remove(".git/MERGE_HEAD"))
			envtest.NoError(t, commitFile(t, s, "b.txt", "two\n", "two"))
			envtest.Same(t, before, git(t, dir, "status", "--porcelain")+git(t, dir, "ls-files", "-s", "a.txt", "c.txt"),
				"the person had   and has")
			envtest.Same(t, "two\n\nb.txt\n", git(t, dir, "show", "--name-only", "--format=%s"), "the commit")
		})
	}
}

// TestPersonGoesFirst has a person's git at work when mem begins, and when it has just staged something that
// it is about to commit.
func TestPersonGoesFirst(t *testing.T) {
	s, dir := fresh(t)
	envtest.Write(t, "", dir, ".git/index.lock")
	given := time.AfterFunc(50*time.Millisecond, func() { os.Remove(filepath.Join(dir, ".git", "index.lock")) })
	if err := commitFile(t, s, "a.txt", "one\n", "one"); err != nil || given.Stop() {
		t.Errorf("Publish = %v, before git gave its lock back", err)
	}
	waited := func() time.Duration {
		start := time.Now()
		err := s.leaveRoom(t.Context(), time.Second)
		envtest.FailIf(t, err != nil, "%v", err)
		return time.Since(start)
	}
	s.IsCrowded = true
	took := waited()
	envtest.FailIf(t, took > room/2, "mem's own index was waited for, for %v", took)
	envtest.Write(t, "mine\n", dir, "c.txt")
	git(t, dir, "add", "c.txt")
	info, err := os.Stat(filepath.Join(dir, ".git", "index"))
	envtest.NoError(t, err)
	if waited(); time.Since(info.ModTime()) < room {
		t.Errorf("git was left no room: its index is as young as %v", time.Since(info.ModTime()))
	}
	later := time.Now().Add(time.Hour)
	envtest.NoError(t, os.Chtimes(filepath.Join(dir, ".git", "index"), later, later))
	took = waited()
	envtest.FailIf(t, took < room || took > 10*room, "a time to come was waited for, for %v", took)
	s.IsCrowded = false
	took = waited()
	envtest.FailIf(t, took > room/2, "no other process wants to commit, and %v were waited for", took)
}

// TestGitAtWorkAtTheEnd takes git's lock once mem has given it back: mem does without what git does for itself.
func TestGitAtWorkAtTheEnd(t *testing.T) {
	dir, lock := "", ""
	_, dir, publish := begun(t, func(op disk.Op) error {
		if op.Kind == "syncdir" && strings.HasSuffix(op.Path, "refs/heads") && dir != "" {
			lock = filepath.Join(dir, ".git", "index.lock")
			return os.WriteFile(lock, nil, 0o600)
		}
		return nil
	})
	envtest.NoError(t, publish())
	err := os.Remove(lock)
	envtest.StopIf(t, err != nil, "the lock of another process is gone: %v", err)
	envtest.Same(t, "", git(t, dir, "status", "--porcelain"), "git status")
}

// TestPersonWithoutPause has a program that stages something whenever mem is about to commit: in the end mem
// goes first.
func TestPersonWithoutPause(t *testing.T) {
	s, dir := fresh(t)
	for n := range maxLost + 1 {
		tx, err := s.Begin(t.Context(), time.Second)
		envtest.NoError(t, err)
		envtest.Write(t, strings.Repeat("mine\n", n+1), dir, "c.txt")
		_, errGit := tryGit(dir, "add", "c.txt")
		if isLast := n == maxLost; errors.Is(publishFile(t, tx, "a.txt", "one\n", "one"), ErrLost) == isLast || (errGit != nil) != isLast {
			t.Errorf("attempt %d: git add = %v", n, errGit)
		}
	}
	envtest.FailIf(t, s.lost != 0 || s.d.Exists(indexPath+lockEnding),
		"%d attempts count as lost after one that was not", s.lost)
}

// TestSetBack lets "git reset" end that began before mem's commit: it sets the branch back to what it saw.
func TestSetBack(t *testing.T) {
	dir, isDone := "", false
	s, dir, publish := begun(t, func(op disk.Op) error {
		if op.Kind == "syncdir" && strings.HasSuffix(op.Path, "refs/heads") && dir != "" && !isDone {
			isDone = true
			git(t, dir, "reset", "-q", "--hard", "HEAD~")
		}
		return nil
	})
	err := publish()
	envtest.StopIf(t, !errors.Is(err, ErrLost) || !isDone, "Publish = %v, want ErrLost", err)
	envtest.NoError(t, s.Recover(t.Context(), time.Second))
	envtest.Same(t, "one\n", git(t, dir, "log", "--format=%s")+git(t, dir, "status", "--porcelain"), "git has")
	envtest.NoError(t, commitFile(t, s, "b.txt", "two\n", "two"))
	envtest.Same(t, "two\none\n", git(t, dir, "log", "--format=%s")+git(t, dir, "status", "--porcelain"), "git has")
}

// TestSetBackLater is TestSetBack for a reset that ends after mem said that it is done: the next commit takes up
// what was lost, with what a person made of the files since.
func TestSetBackLater(t *testing.T) {
	s, dir := fresh(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		envtest.Write(t, text, dir, "c.txt")
		git(t, dir, "add", "c.txt")
		git(t, dir, "commit", "-qm", text)
		envtest.NoError(t, commitFile(t, s, "a.txt", text, text))
	}
	tip := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "read-tree", "-u", "--reset", "HEAD~3")
	git(t, dir, "update-ref", "-m", "reset: moving to HEAD", "HEAD", "HEAD~3")
	envtest.Write(t, "mine\n", dir, "c.txt")
	envtest.NoError(t, commitFile(t, s, "b.txt", "b\n", "b"))
	envtest.Same(t, tip, git(t, dir, "rev-parse", "HEAD~"), "the commit is on")
	envtest.Same(t, " M c.txt\nthree\n", git(t, dir, "status", "--porcelain")+git(t, dir, "show", "HEAD:a.txt"),
		"git has")
}
