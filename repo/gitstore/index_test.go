package gitstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo/disk"
)

// indexes makes a repository whose index real git wrote in a certain way.
var indexes = map[string]func(t *testing.T, dir string){
	"version 2": func(*testing.T, string) {},
	"version 3": func(t *testing.T, dir string) { git(t, dir, "update-index", "--skip-worktree", "b.txt") },
	"version 4": func(t *testing.T, dir string) { git(t, dir, "update-index", "--index-version", "4") },
	"intent to add": func(t *testing.T, dir string) {
		envtest.Write(t, "new\n", dir, "new.txt")
		git(t, dir, "add", "-N", "new.txt")
	},
	"version 4, marked": func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--index-version", "4")
		git(t, dir, "update-index", "--skip-worktree", "b.txt")
	},
	"untracked cache": func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--untracked-cache")
		git(t, dir, "status")
	},
	"no checksum": func(t *testing.T, dir string) {
		git(t, dir, "config", "index.skipHash", "true")
		git(t, dir, "update-index", "--force-write-index")
	},
	"long name, marked": func(t *testing.T, dir string) {
		long := strings.Repeat("long/", 900) + "x"
		git(t, dir, "update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(git(t, dir, "rev-parse", "HEAD:d.txt"))+","+long)
		git(t, dir, "update-index", "--skip-worktree", "--", long)
	},
	"conflict resolved": func(t *testing.T, dir string) {
		conflict(t, dir)
		envtest.Write(t, "resolved\n", dir, "b.txt")
		git(t, dir, "add", "b.txt")
	},
}

// conflict leaves a conflict in b.txt without any of the files that mark a
// merge.
func conflict(t *testing.T, dir string) {
	envtest.Write(t, "mine\n", dir, "b.txt")
	git(t, dir, "stash", "-q")
	envtest.Write(t, "theirs\n", dir, "b.txt")
	git(t, dir, "commit", "-qam", "theirs")
	_, err := tryGit(dir, "stash", "pop")
	envtest.StopIf(t, err == nil, "git found no conflict")
}

// staged makes a repository with some files in git's index.
func staged(t *testing.T) string {
	t.Helper()
	_, dir := fresh(t)
	for _, name := range []string{"a.txt", "b.txt", "d/e/f.txt", "d/e/fa.txt", "d.txt", "d/" + strings.Repeat("long", 50) + ".txt", "ü.txt"} {
		envtest.Write(t, name+"\n", dir, name)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "start")
	return dir
}

// entries lists the index as git sees it, one file a line, but for some files.
func entries(t *testing.T, dir string, but ...string) []string {
	t.Helper()
	var list []string
	for entry := range strings.SplitSeq(git(t, dir, "ls-files", "-s", "-v", "-z"), "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		keep := entry != ""
		for _, b := range but {
			keep = keep && name != b
		}
		if keep {
			list = append(list, entry)
		}
	}
	return list
}

func encode(t *testing.T, x *indexFile) []byte {
	t.Helper()
	data, err := x.Encode()
	envtest.NoError(t, err)
	return data
}

// TestIndexOfCommit commits next to entries of all kinds, which stay.
func TestIndexOfCommit(t *testing.T) {
	for name, prepare := range indexes {
		t.Run(name, func(t *testing.T) {
			dir := staged(t)
			prepare(t, dir)
			envtest.Write(t, "staged\n", dir, "zz.txt")
			git(t, dir, "add", "zz.txt")
			s := reopen(t, dir)
			before, status := entries(t, dir, "a.txt"), git(t, dir, "status", "--porcelain")
			envtest.NoError(t, commitFile(t, s, "a.txt", "changed\n", "x"))
			envtest.NoError(t, commitFile(t, s, "d/e/g.txt", "new\n", "x"))
			envtest.Same(t, before, entries(t, dir, "a.txt", "d/e/g.txt"), "other entries")
			envtest.Same(t, status, git(t, dir, "status", "--porcelain"), "status")
			envtest.Same(t, "a.txt\nd/e/g.txt\n", git(t, dir, "diff", "--name-only", "HEAD~2", "HEAD"),
				"the commits changed")
			git(t, dir, "fsck", "--strict", "--no-dangling")
		})
	}
}

func reopen(t *testing.T, dir string) *Store {
	t.Helper()
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	s, err := Open(d, false, func(msg string) { t.Errorf("warning: %s", msg) })
	envtest.NoError(t, err)
	return s
}

// TestHiddenFile looks at a file that a person told git to leave out of the
// work tree: it is not gone.
func TestHiddenFile(t *testing.T) {
	dir := staged(t)
	git(t, dir, "update-index", "--skip-worktree", "b.txt")
	envtest.NoError(t, os.Remove(filepath.Join(dir, "b.txt")))
	s := reopen(t, dir)
	tx, err := s.Peek()
	envtest.NoError(t, err)
	tip, err := s.FindBlob(tx.Tree, "b.txt")
	envtest.NoError(t, err)
	f, err := tx.Look("b.txt", tip, true)
	envtest.FailIf(t, err != nil || f.Blob != tip || string(f.Data) != "b.txt\n",
		"Look = %+v, %v, want the file of the tip", f, err)
}

func TestIndexLeftAlone(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"split": func(t *testing.T, dir string) { git(t, dir, "update-index", "--split-index") },
		"sparse": func(t *testing.T, dir string) {
			git(t, dir, "sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
		},
		"merged": conflict,
	} {
		t.Run(name, func(t *testing.T) {
			dir := staged(t)
			prepare(t, dir)
			tx, err := reopen(t, dir).Peek()
			envtest.NoError(t, err)
			envtest.Wraps(t, ErrBusy, tx.checkBusy(""), "Busy")
		})
	}
}

func TestDamagedIndexFile(t *testing.T) {
	dir := staged(t)
	data := []byte(envtest.Read(t, dir, ".git", "index"))
	for n := range data {
		_, err := decodeIndex(data[:n])
		envtest.StopIf(t, err == nil, "parseIndex took the first %d of %d bytes", n, len(data))
	}
	_, err := decodeIndex(append(bytes.Clone(data[:20]), data[21:]...))
	envtest.Wraps(t, ErrDamaged, err, "parseIndex")
}

func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decodeIndex(data)
		if err != nil {
			return
		}
		_, err = decodeIndex(encode(t, x))
		envtest.FailIf(t, err != nil, "what was written cannot be read: %v", err)
	})
}

// What git's index proves unchanged is not read, unless the index is as old as the file.
func TestPeekTrustsIndex(t *testing.T) {
	dir := staged(t)
	at := filepath.Join(dir, "b.txt")
	long := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	set := func(content string, changed time.Time) {
		envtest.NoError(t, errors.Join(os.WriteFile(at, []byte(content), 0o600), os.Chtimes(at, changed, changed)))
	}
	var tip Hash
	look := func() File {
		t.Helper()
		s := reopen(t, dir)
		tx, err := s.Peek()
		envtest.NoError(t, err)
		tip, err = s.FindBlob(tx.Tree, "b.txt")
		envtest.NoError(t, err)
		f, err := tx.Look("b.txt", tip, false)
		envtest.NoError(t, err)
		return f
	}
	set("b.txt\n", long)
	git(t, dir, "update-index", "--refresh")
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell when a file's node changed")
	}
	f := look()
	envtest.FailIf(t, f.Blob != tip || f.Data != nil, "Look = %+v, want a file that need not be read", f)
	envtest.NoError(t, os.Chtimes(filepath.Join(dir, ".git", "index"), long, long))
	f = look()
	envtest.FailIf(t, f.Blob != tip || f.Data == nil, "Look = %+v, want a file that was read: it is as young as the index", f)
}
