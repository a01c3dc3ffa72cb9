package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"mem/envtest"
	"mem/fault"
	"mem/repo/disk"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var git, tryGit = envtest.Git, envtest.TryGit

// fresh makes a repository with mem's own hands and opens it.
func fresh(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	envtest.NoError(t, Init(t.Context(), d, time.Second))
	s, err := Open(d, false, func(msg string) { t.Errorf("warning: %s", msg) })
	envtest.NoError(t, err)
	return s, dir
}

// commitFile commits one file and returns the error of Publish.
func commitFile(t *testing.T, s *Store, name, text, subject string) error {
	t.Helper()
	tx, err := s.Begin(t.Context(), time.Second)
	envtest.NoError(t, err)
	return publishFile(t, tx, name, text, subject)
}

// publishFile is commitFile for a commit that was begun.
func publishFile(t *testing.T, tx *Tx, name, text, subject string) error {
	t.Helper()
	s, before := tx.Store, File{}
	tip, err := s.FindBlob(tx.Tree, name)
	if err == nil {
		before, err = tx.Look(name, tip, true)
	}
	if err != nil {
		t.Fatal(errors.Join(err, tx.Abort()))
	}
	blob := HashOf(KindBlob, []byte(text))
	tx.Keep(blob, Hash{}, []byte(text))
	tree, err := tx.EditTree(tx.Tree, map[string]Hash{name: blob})
	envtest.NoError(t, err)
	who := By{Author: Identity{Name: "m", Email: "m@x"}, Committer: Identity{Name: "m", Email: "m@x"}}
	c := Commit{Tree: tree, By: who, When: time.Unix(1e9, 0), Message: subject}
	if !tx.Head.Tip.IsZero() {
		c.Parents = []Hash{tx.Head.Tip}
	}
	h := tx.AddCommit(c)
	return tx.Publish(t.Context(), Publication{
		Tip: h, Puts: []Put{{Path: name, Data: []byte(text), Blob: blob, Before: before.Blob}}, Subject: subject, Who: who, When: c.When,
	})
}

func TestReflog(t *testing.T) {
	s, dir := fresh(t)
	for _, subject := range []string{"one", "two"} {
		envtest.NoError(t, commitFile(t, s, "a/b.txt", subject+"\n", subject))
	}
	for _, ref := range []string{"HEAD", "main"} {
		got := git(t, dir, "reflog", "show", "--date=unix", "--format=%H %gd %gn %ge %gs", ref)
		first, second := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD~")), strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
		want := fmt.Sprintf("%s %s@{1000000000} m m@x mem: two\n%s %s@{1000000000} m m@x mem: one\n", second, ref, first, ref)
		envtest.Same(t, want, got, "reflog of", ref)
	}
	out := git(t, dir, "status", "--porcelain") + git(t, dir, "diff-files") + git(t, dir, "diff-index", "--cached", "HEAD")
	envtest.FailIf(t, out != "", "work tree, index and tip differ:\n%s", out)
	git(t, dir, "fsck", "--strict", "--no-dangling")
}

// TestUnlinkableDisk commits on a disk that knows no second names for files.
func TestUnlinkableDisk(t *testing.T) {
	_, dir := fresh(t)
	d, err := disk.Files{Fault: func(op disk.Op) error {
		if op.Kind == "link" {
			return errors.ErrUnsupported
		}
		return nil
	}}.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	s, err := Open(d, false, func(string) {})
	envtest.NoError(t, err)
	for _, text := range []string{"one\n", "two\n"} {
		envtest.NoError(t, commitFile(t, s, "a.txt", text, "x"))
	}
	envtest.Same(t, "two\n", git(t, dir, "show", "HEAD:a.txt")+git(t, dir, "status", "--porcelain"),
		"after two commits")
	for _, pattern := range []string{"*.lock", "refs/heads/*.lock", "mem/tmp/*"} {
		left, _ := filepath.Glob(filepath.Join(dir, ".git", pattern))
		envtest.FailIf(t, len(left) > 0, "left behind: %q", left)
	}
}

// TestStaleLocks tells the locks of a dead process of ours from those of
// others.
func TestStaleLocks(t *testing.T) {
	s, dir := fresh(t)
	envtest.NoError(t, commitFile(t, s, "a.txt", "one\n", "x"))
	locks := []string{filepath.Join(dir, ".git", "index.lock"), filepath.Join(dir, ".git", "refs", "heads", "main.lock")}
	for _, lock := range locks {
		envtest.NoError(t, os.Link(filepath.Join(dir, filepath.FromSlash(proofPath)), lock))
	}
	envtest.NoError(t, s.Recover(t.Context(), time.Second))
	envtest.NoError(t, commitFile(t, s, "a.txt", "two\n", "x"))
	for _, lock := range locks {
		// Beside it, what a process of ours left that died before it had a lock.
		left := filepath.Join(dir, ".git", "mem", "tmp", "1-"+filepath.Base(lock))
		envtest.NoError(t, errors.Join(os.WriteFile(lock, nil, 0o600), os.WriteFile(left, nil, 0o600)))
		envtest.NoError(t, s.Recover(t.Context(), time.Second))
		_, err := os.Stat(lock)
		envtest.FailIf(t, err != nil, "the lock of another process was removed: %v", err)
		_, err = os.Stat(left)
		envtest.Wraps(t, os.ErrNotExist, err, "what a dead process left is there")
		envtest.NoError(t, os.Remove(lock))
	}
}

// A commit puts no file of git's own, whatever it is asked for.
func TestGitsOwnFiles(t *testing.T) {
	s, _ := fresh(t)
	for _, name := range []string{".git/config", ".GIT/config", "a/.git/x"} {
		envtest.Wraps(t, fs.ErrInvalid, commitFile(t, s, name, "x\n", "x"), name)
	}
}

func TestForeignIndexLock(t *testing.T) {
	s, dir := fresh(t)
	envtest.Write(t, "", dir, ".git/index.lock")
	_, err := s.Begin(t.Context(), 20*time.Millisecond)
	if !errors.Is(err, disk.ErrLocked) || !strings.Contains(err.Error(), "index.lock is held by another git process since 2") {
		t.Errorf("Begin = %v, want disk.ErrLocked with the file and its age", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".git", "mem", "tmp", "*"))
	envtest.FailIf(t, len(left) > 0, "left behind: %q", left)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Begin(ctx, time.Minute)
	envtest.Wraps(t, context.Canceled, err, "Begin")
}

// TestFindKind: to ask for what is not here does not make the store a damaged one.
func TestFindKind(t *testing.T) {
	s, dir := fresh(t)
	envtest.NoError(t, commitFile(t, s, "a.txt", "a", "x"))
	git(t, dir, "tag", "-a", "-m", "x", "v1")
	for rev, want := range map[string]Kind{"HEAD": KindCommit, "HEAD^{tree}": KindTree, "v1": plumbing.TagObject} {
		h, _ := ParseHash(strings.TrimSpace(git(t, dir, "rev-parse", rev)))
		envtest.Same(t, want, s.FindKind(h), "FindKind", rev)
	}
	got := s.FindKind(Hash{1})
	envtest.FailIf(t, got.Valid() || s.damaged, "FindKind() of nothing = %q, damaged: %t", got, s.damaged)
}

// TestRepackedMeanwhile reads objects whose pack, as the store knows it, git has
// replaced.
func TestRepackedMeanwhile(t *testing.T) {
	s, dir := fresh(t)
	for i := range 4 {
		envtest.NoError(t, commitFile(t, s, "a.txt", fmt.Sprint(i), "x"))
		git(t, dir, "repack", "-adq")
		s.trees = map[Hash][]entry{}
		s.reopen() // which lists the packs with the first read
		head, err := s.ReadHead()
		envtest.NoError(t, err)
		tip, err := s.ReadCommit(head.Tip)
		envtest.NoError(t, err)
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "p") // a pack with other objects has another name
		git(t, dir, "repack", "-adq")
		_, err = s.ListFiles(tip.Tree, nil)
		envtest.FailIf(t, err != nil, "after repack %d: %v", i, err)
	}
}

func TestRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"bare":             func(t *testing.T, dir string) { git(t, dir, "config", "core.bare", "true") },
		"core.worktree":    func(t *testing.T, dir string) { git(t, dir, "config", "core.worktree", t.TempDir()) },
		"objectformat":     func(t *testing.T, dir string) { git(t, dir, "config", "extensions.objectFormat", "sha256") },
		"refstorage":       func(t *testing.T, dir string) { git(t, dir, "config", "extensions.refStorage", "reftable") },
		"weird":            func(t *testing.T, dir string) { git(t, dir, "config", "extensions.weird", "1") },
		"version 2":        func(t *testing.T, dir string) { git(t, dir, "config", "core.repositoryformatversion", "2") },
		"borrows":          func(t *testing.T, dir string) { envtest.Write(t, "/x\n", dir, ".git/objects/info/alternates") },
		"linked work tree": func(t *testing.T, dir string) { replaceGit(t, dir, "gitdir: /x\n") },
		"everybody may":    func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, ".git"), 0o777) },
		"own core.worktree": func(t *testing.T, dir string) {
			envtest.Write(t, "[core]\n\tworktree = /x\n", dir, ".git/config.worktree")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := fresh(t)
			spoil(t, dir)
			_, err := Open(s.d, false, nil)
			envtest.Wraps(t, ErrUnsupported, err, "Open")
		})
	}
}

// TestRefusedFromBirth has repositories as git makes them in forms that mem does not know, and one whose branch
// is only another name of a second one. None of them is damaged.
func TestRefusedFromBirth(t *testing.T) {
	for _, c := range []struct {
		said string
		make func(t *testing.T, dir string) error
	}{
		{"SHA-1", func(t *testing.T, dir string) error {
			_, err := tryGit(dir, "init", "-q", "--object-format=sha256")
			envtest.Write(t, "one\n", dir, "a.txt")
			return errors.Join(err, commitAll(dir))
		}},
		{"branches that are files", func(t *testing.T, dir string) error {
			_, err := tryGit(dir, "init", "-q", "--ref-format=reftable")
			envtest.Write(t, "one\n", dir, "a.txt")
			return errors.Join(err, commitAll(dir))
		}},
		{"main is only another name of other", func(t *testing.T, dir string) error {
			git(t, dir, "init", "-q", "-b", "other")
			envtest.Write(t, "one\n", dir, "a.txt")
			err := commitAll(dir)
			git(t, dir, "symbolic-ref", "refs/heads/main", "refs/heads/other")
			git(t, dir, "symbolic-ref", "HEAD", "refs/heads/main")
			return err
		}},
	} {
		t.Run(c.said, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.make(t, dir); err != nil {
				t.Skipf("git cannot make it: %v", err) // such as one before 2.45
			}
			d, err := disk.Open(dir)
			envtest.NoError(t, err)
			defer d.Close()
			before := git(t, dir, "rev-parse", "HEAD")
			s, err := Open(d, false, nil)
			if err == nil {
				_, err = s.Peek()
				errWrite := s.Recover(t.Context(), time.Second)
				envtest.FailIf(t, !errors.Is(errWrite, ErrUnsupported), "Recover = %v, want ErrUnsupported", errWrite)
			}
			if !errors.Is(err, ErrUnsupported) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("it is opened with %v, want ErrUnsupported and %q", err, c.said)
			}
			envtest.Same(t, before, git(t, dir, "rev-parse", "HEAD"), "HEAD")
		})
	}
}

func commitAll(dir string) error {
	_, err := tryGit(dir, "add", ".")
	_, err2 := tryGit(dir, "commit", "-qm", "one")
	return errors.Join(err, err2)
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	envtest.NoError(t, os.Chmod(path, mode))
}

// replaceGit puts a file in the place of the folder .git.
func replaceGit(t *testing.T, dir, text string) {
	t.Helper()
	git := filepath.Join(dir, ".git")
	envtest.NoError(t, os.Rename(git, git+"-real"))
	envtest.Write(t, text, dir, ".git")
}

func TestDamagedRefs(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"empty ref":    func(t *testing.T, dir string) { envtest.Write(t, "", dir, ".git/refs/heads/main") },
		"short ref":    func(t *testing.T, dir string) { envtest.Write(t, "abc\n", dir, ".git/refs/heads/main") },
		"no ref":       func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, ".git/refs/heads/main")) },
		"empty HEAD":   func(t *testing.T, dir string) { envtest.Write(t, "", dir, ".git/HEAD") },
		"garbage HEAD": func(t *testing.T, dir string) { envtest.Write(t, "ref: ../../x\n", dir, ".git/HEAD") },
		"no HEAD":      func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, ".git/HEAD")) },
		"no ref, no log": func(t *testing.T, dir string) {
			envtest.Write(t, `{"ref":"refs/heads/main","old":"`+strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))+`","new":"1"}`, dir, ".git/mem/journal")
			os.Remove(filepath.Join(dir, ".git/refs/heads/main"))
			os.RemoveAll(filepath.Join(dir, ".git/logs"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := fresh(t)
			envtest.NoError(t, commitFile(t, s, "a.txt", "one\n", "x"))
			spoil(t, dir)
			err, ofHead := s.Recover(t.Context(), time.Second), strings.HasSuffix(name, "HEAD")
			if hint := fault.Hint(err); !errors.Is(err, ErrDamaged) || strings.Contains(hint, "'ref: refs/heads/main' into .git/HEAD") != ofHead {
				t.Errorf("Recover = %v, want ErrDamaged; the hint is %q", err, hint)
			}
		})
	}
}
