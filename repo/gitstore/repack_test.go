package gitstore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo/disk"
)

// packs returns the files in the folder of packs with an ending.
func packs(t *testing.T, dir, ending string) []string {
	t.Helper()
	return glob(t, dir, "pack/*"+ending)
}

// loose returns the files of objects that are not packed.
func loose(t *testing.T, dir string) []string { t.Helper(); return glob(t, dir, "??/*") }

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".git/objects", pattern))
	envtest.NoError(t, err)
	return files
}

// text is a file as it grows.
func text(n int) string {
	var lines strings.Builder
	for i := range n + 40 {
		fmt.Fprintf(&lines, "- lesson %s of day %d\n", HashOf(KindBlob, []byte{byte(i)}), i)
	}
	return lines.String()
}

// commitTexts commits a file as it grows, from one version to before another.
func commitTexts(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		envtest.NoError(t, commitFile(t, s, "a.txt", text(i), fmt.Sprint(i)))
	}
}

// checkTexts checks that git and the store, as it is and anew, read every version.
func checkTexts(t *testing.T, s *Store, dir string, n int) {
	t.Helper()
	git(t, dir, "fsck", "--strict", "--full")
	commits := strings.Fields(git(t, dir, "rev-list", "--reverse", "HEAD"))
	envtest.StopIf(t, len(commits) != n, "%d commits, want %d", len(commits), n)
	for range 2 {
		for i, c := range commits {
			h, _ := ParseHash(strings.TrimSpace(git(t, dir, "rev-parse", c+":a.txt")))
			got, err := s.ReadBlob(h)
			envtest.FailIf(t, err != nil || string(got) != text(i), "version %d: %d bytes, %v", i, len(got), err)
		}
		s.reopen()
	}
}

// TestPackNames: git reads a pack of any name, and makes some that are not called pack-.
func TestPackNames(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 3)
	for range 2 { // it packs, and removes what is packed at the next time
		git(t, dir, "maintenance", "run", "--task=loose-objects")
	}
	commitTexts(t, s, 3, 6)
	git(t, dir, "repack", "-dq")
	for _, p := range packs(t, dir, "") {
		if base := filepath.Base(p); strings.HasPrefix(base, "pack-") {
			envtest.NoError(t, os.Rename(p, filepath.Join(filepath.Dir(p), "pack-mine"+filepath.Ext(p))))
		}
	}
	left := append(loose(t, dir), packs(t, dir, ".idx")...)
	envtest.StopIf(t, len(left) != 2, "%v", left)
	s.reopen()
	checkTexts(t, s, dir, 6)
}

// TestRepack checks that objects are files of their own, as git makes them, until git packs them, and that few
// packs are left of many.
func TestRepack(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 20)
	made := loose(t, dir)
	n := len(made)
	envtest.StopIf(t, n != 60 || len(packs(t, dir, "")) != 0, "20 commits made %d objects", n)
	if info, err := os.Stat(made[0]); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o400 {
		t.Errorf("%s is %v, %v", made[0], info.Mode(), err)
	}
	if n := s.readLoose(); n.commits != 20 || n.bytes == 0 || s.IsRepackDue(1) {
		t.Errorf("%+v was counted", n)
	}
	for i := 20; i <= 80; i += 4 {
		if i > 20 {
			git(t, dir, "multi-pack-index", "write")
		}
		envtest.NoError(t, s.Repack(t.Context(), time.Now()))
		left := loose(t, dir)
		envtest.StopIf(t, len(left) > 0, "loose after it: %v", left)
		git(t, dir, "fsck", "--strict")
		commitTexts(t, s, i, i+4)
	}
	all := packs(t, dir, ".pack")
	envtest.FailIf(t, len(all) > 5, "%d packs", len(all))
	envtest.Same(t, 4, s.readLoose().commits, "commits were counted since")
	checkTexts(t, s, dir, 84)
	commitTexts(t, s, 84, 134)
	envtest.FailIf(t, !s.IsRepackDue(1) || s.IsRepackDue(2), "after 54 commits git is not asked, or late")
}

// TestRepackLeavesAlone checks what is taken away beside loose objects, and what is not.
func TestRepackLeavesAlone(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 4)
	git(t, dir, "repack", "-dq")
	old := packs(t, dir, ".pack")[0]
	commitTexts(t, s, 4, 8)
	git(t, dir, "repack", "-dq")
	mine := slices.DeleteFunc(packs(t, dir, ".pack"), func(p string) bool { return p == old })[0]
	envtest.Write(t, "mine\n", dir, ".git/objects/pack/"+strings.TrimSuffix(filepath.Base(mine), ".pack")+".keep")
	left := []string{"tmp_pack_x", ".tmp-1-pack-x.pack"}
	for _, name := range append(left, "tmp_pack_y", "x.txt") {
		envtest.Write(t, "x", dir, ".git/objects/pack/"+name)
	}
	for _, name := range left {
		envtest.NoError(t, os.Chtimes(filepath.Join(dir, ".git/objects/pack", name), time.Unix(1, 0), time.Unix(1, 0)))
	}
	for _, to := range []int{12, 13} {
		commitTexts(t, s, to/13*4+8, to)
		envtest.NoError(t, s.Repack(t.Context(), time.Now()))
	}
	names, err := os.ReadDir(filepath.Join(dir, ".git/objects/pack"))
	envtest.NoError(t, err)
	var others []string
	for _, e := range names {
		if !strings.HasPrefix(e.Name(), "pack-") {
			others = append(others, e.Name())
		}
	}
	envtest.FailIf(t, !slices.Equal(others, []string{"tmp_pack_y", "x.txt"}), "left: %q", others)
	if all := packs(t, dir, ".pack"); len(all) != 2 || !slices.Contains(all, mine) || len(packs(t, dir, ".keep")) != 1 {
		t.Errorf("packs: %q, a person keeps %s", all, mine)
	}
	remove(t, packs(t, dir, "_y")[0])
	checkTexts(t, s, dir, 13)
}

// dying is a git that dies at a call: before it did anything, after it, or with half a pack left. One of the calls may
// be to a git that is too old for an option.
const dying = `#!/bin/sh
n=$(($(cat %[1]s/n)-1))
echo $n >%[1]s/n
case "$(cat %[1]s/how) $*" in old*--geometric*) exit 129;; esac
[ $n -eq 0 ] || exec %[2]s "$@"
case $(cat %[1]s/how) in
after) %[2]s "$@";;
half) : >"$2/.git/objects/pack/tmp_pack_half";;
esac
exit 137
`

// TestRepackBrokenOff lets git die wherever it is called, or be too old, or not there: no lesson is missing, and what
// is committed next is there.
func TestRepackBrokenOff(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("this needs git and a shell", err)
	}
	bin, path := t.TempDir(), os.Getenv("PATH")
	envtest.Write(t, fmt.Sprintf(dying, bin, real), bin, "git")
	chmod(t, filepath.Join(bin, "git"), 0o700)
	for _, how := range []string{"before", "after", "half", "old", "locked", "none"} {
		for call := range 3 {
			t.Run(fmt.Sprint(how, " at ", call+1), func(t *testing.T) {
				s, dir := fresh(t)
				commitTexts(t, s, 0, 5)
				envtest.NoError(t, s.Repack(t.Context(), time.Now()))
				commitTexts(t, s, 5, 10)
				envtest.Write(t, how, bin, "how")
				envtest.Write(t, fmt.Sprint(call+1), bin, "n")
				t.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
				isWell := how == "old" || call == 2
				switch how {
				case "locked":
					lock, err := s.d.AcquireLock(context.Background(), PackLockPath, 0)
					envtest.NoError(t, err)
					envtest.Wraps(t, disk.ErrLocked, s.Repack(t.Context(), time.Now()), "beside another one")
					envtest.NoError(t, lock.Release())
					envtest.Write(t, "0", bin, "n")
					isWell = true
				case "none":
					t.Setenv("PATH", t.TempDir())
					isWell = false
				case "old":
					envtest.Write(t, "0", bin, "n")
				}
				err := s.Repack(t.Context(), time.Now())
				envtest.FailIf(t, (err == nil) != isWell, "Repack = %v", err)
				t.Setenv("PATH", path)
				commitTexts(t, s, 10, 11)
				checkTexts(t, s, dir, 11)
				err = s.Repack(t.Context(), time.Now())
				envtest.FailIf(t, err != nil, "%v", err)
				n := len(packs(t, dir, ".pack"))
				envtest.FailIf(t, n > 2 || len(loose(t, dir)) > 0, "%d packs", n)
				checkTexts(t, s, dir, 11)
			})
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	envtest.NoError(t, os.Remove(path))
}

// TestPackOfMany commits more objects than get a file each, most of them versions of one file, while git packs anew what
// the branch leads to before it leads to them.
func TestPackOfMany(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 99, 100)
	d, err := disk.Files{Fault: func(op disk.Op) error {
		if strings.Contains(op.Path+" "+op.To, ".git/refs/heads/main") {
			git(t, dir, "repack", "-adq")
		}
		return nil
	}}.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	s, err = Open(d, false, func(msg string) { t.Errorf("warning: %s", msg) })
	envtest.NoError(t, err)
	tx, err := s.Begin(t.Context(), time.Second)
	envtest.NoError(t, err)
	p, random, tree, now := Publication{Tip: tx.Head.Tip}, rand.New(rand.NewPCG(1, 2)), tx.Tree, []byte(text(99))
	was := HashOf(KindBlob, now)
	for i := range maxDepth + 10 {
		at := random.IntN(len(now)/2) + i*len(now)/100
		now = slices.Concat(now[:at], fmt.Append(nil, strings.Repeat("new ", i*random.IntN(9)), i), now[at+random.IntN(80):], []byte("more\n"))
		if i == 3 {
			now = []byte(text(99)) // again, as it was before
		}
		blob := HashOf(KindBlob, now)
		tx.Keep(blob, was, now)
		tree, err = tx.EditTree(tree, map[string]Hash{"a.txt": blob, fmt.Sprint("log/", i): blob})
		envtest.NoError(t, err)
		p.Tip, was = tx.AddCommit(Commit{Tree: tree, Parents: []Hash{p.Tip}, Message: fmt.Sprint(i), When: t0}), blob
	}
	_, err = tx.Look("a.txt", Hash{}, false)
	envtest.NoError(t, err)
	p.Puts = []Put{{Path: "a.txt", Blob: was, Data: now}}
	made := maps.Clone(s.made)
	envtest.NoError(t, tx.Publish(t.Context(), p))
	git(t, dir, "fsck", "--strict", "--full")
	envtest.Same(t, 0, len(packs(t, dir, ".keep")))
	list := packs(t, dir, "idx")
	envtest.Same(t, 2, len(list))
	if n := strings.Count(git(t, dir, append([]string{"verify-pack", "-v"}, list...)...), "chain length"); n < maxDepth/2 || n > maxDepth || len(loose(t, dir)) > 3 {
		t.Errorf("chains of %d lengths, %d loose objects", n, len(loose(t, dir)))
	}
	for h, o := range made {
		if kind, data, err := s.readAny(h); err != nil || kind != o.kind || string(data) != string(o.content) {
			t.Errorf("%s %s: %s, %d bytes, %v", o.kind, h, kind, len(data), err)
		}
	}
}
