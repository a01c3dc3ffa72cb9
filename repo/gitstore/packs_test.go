package gitstore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// packs returns the files in the folder of packs with an ending.
func packs(t *testing.T, dir, ending string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// text is a file as it grows.
func text(n int) string {
	var lines strings.Builder
	for i := range n + 40 {
		fmt.Fprintf(&lines, "- lesson %s of day %d\n", object.HashOf(object.KindBlob, []byte{byte(i)}), i)
	}
	return lines.String()
}

// commitTexts commits a file as it grows, from one version to before another.
func commitTexts(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := commitFile(t, s, "a.txt", text(i), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// checkTexts checks that git and a new store read every version.
func checkTexts(t *testing.T, s *Store, dir string, n int) {
	t.Helper()
	git(t, dir, "fsck", "--strict", "--full")
	commits := strings.Fields(git(t, dir, "rev-list", "--reverse", "HEAD"))
	if len(commits) != n {
		t.Fatalf("%d commits, want %d", len(commits), n)
	}
	s.objects.Reopen()
	for i, c := range commits {
		if got := git(t, dir, "show", c+":a.txt"); got != text(i) {
			t.Errorf("git reads another version %d", i)
		}
		h, _ := object.ParseHash(strings.TrimSpace(git(t, dir, "rev-parse", c+":a.txt")))
		if got, err := s.ReadBlob(h); err != nil || string(got) != text(i) {
			t.Errorf("version %d: %d bytes, %v", i, len(got), err)
		}
	}
}

// TestOnePack checks that what many commits wrote is in few packs, of which one is kept, and that
// git may pack them in between.
func TestOnePack(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 20)
	if all, kept := packs(t, dir, ".pack"), packs(t, dir, ".keep"); len(all) != 1 || len(kept) != 1 {
		t.Fatalf("20 commits made %d packs, %d of them kept", len(all), len(kept))
	}
	if loose := packs(t, dir, "/../??/*"); len(loose) != 0 {
		t.Errorf("loose objects: %v", loose)
	}
	commitTexts(t, s, 20, 60)
	if all, kept := packs(t, dir, ".pack"), packs(t, dir, ".keep"); len(all) < 2 || len(all) > 4 || len(kept) != 1 {
		t.Fatalf("60 commits made %d packs, %d of them kept", len(all), len(kept))
	}
	checkTexts(t, s, dir, 60)
	git(t, dir, "gc", "-q", "--prune=now")
	commitTexts(t, s, 60, 64)
	git(t, dir, "repack", "-dq", "--geometric=2")
	commitTexts(t, s, 64, 70)
	git(t, dir, "repack", "-adfq")
	commitTexts(t, s, 70, 72)
	if all, kept := packs(t, dir, ".pack"), packs(t, dir, ".keep"); len(all) > 3 || len(kept) != 1 {
		t.Errorf("%d packs, %d of them kept", len(all), len(kept))
	}
	checkTexts(t, s, dir, 72)
}

// TestContentBefore checks that what a file is said to have been is not believed: a delta against
// something else would be a damaged object.
func TestContentBefore(t *testing.T) {
	s, dir := fresh(t)
	was, other := []byte("what the tip holds\n"), []byte("what another holds\n")
	old := object.HashOf(object.KindBlob, was)
	for name, give := range map[string]func(w *Writer, content []byte) Put{
		"expected": func(w *Writer, content []byte) Put { w.Expect(old, content); return Put{} },
		"put":      func(_ *Writer, content []byte) Put { return Put{Was: content} },
		"read": func(_ *Writer, content []byte) Put {
			put(t, dir, "a.txt", string(content))
			return Put{Path: "a.txt"}
		},
		"read with many others": func(w *Writer, content []byte) Put {
			put(t, dir, "a.txt", string(content))
			w.opened = maxOpened
			return Put{Path: "a.txt"}
		},
	} {
		for _, content := range [][]byte{was, other} {
			w := s.NewWriter()
			got := w.contentBefore(give(w, content), old)()
			if isIt := bytes.Equal(content, was); isIt != bytes.Equal(got, was) || !isIt && got != nil {
				t.Errorf("%s, given %q: %q", name, content, got)
			}
		}
	}
}

// TestManyFolders checks that old contents are read beside a commit that opens more folders than
// are kept open: none may be closed that another file is about to be made in.
func TestManyFolders(t *testing.T) {
	s, dir := fresh(t)
	for version := range 4 {
		tx, err := s.Begin(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		w, blobs := s.NewWriter(), map[string]object.Hash{}
		var puts []Put
		for i := range 200 {
			p := Put{Path: fmt.Sprintf("context/f%03d/a.md", i), Data: []byte(text(version) + fmt.Sprint(i))}
			p.Blob = object.HashOf(object.KindBlob, p.Data)
			tip, err := s.FindBlob(tx.Tree, p.Path)
			if err != nil {
				t.Fatal(err)
			}
			before, err := tx.Look(p.Path, tip, false)
			if err != nil {
				t.Fatal(err)
			}
			p.Before = before.Blob
			w.Keep(p.Blob, p.Data)
			puts, blobs[p.Path] = append(puts, p), p.Blob
		}
		tree, err := w.EditTree(tx.Tree, blobs)
		if err != nil {
			t.Fatal(err)
		}
		c := object.Commit{Tree: tree, By: object.By{Author: object.Identity{Name: "m", Email: "m@x"}}, When: time.Unix(1e9, 0), Message: "many"}
		if !tx.Head.Tip.IsZero() {
			c.Parents = []object.Hash{tx.Head.Tip}
		}
		tip, err := w.AddCommit(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Publish(t.Context(), w, Publication{Tip: tip, Puts: puts, Subject: "many", Who: c.By, When: c.When}); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "fsck", "--strict", "--full")
}

// TestKeepFiles checks that the file that keeps git from the open pack is mem's own: also beside one of
// another program, where the pack keeps its name, and on a disk without hard links.
func TestKeepFiles(t *testing.T) {
	check := func(t *testing.T, dir string) {
		t.Helper()
		kept := slices.DeleteFunc(packs(t, dir, ".keep"), func(name string) bool { return filepath.Base(name) == ".keep" })
		if len(kept) != 1 {
			t.Fatalf("kept: %v", kept)
		}
		if said, err := os.ReadFile(kept[0]); err != nil || !strings.HasPrefix(string(said), "mem:") {
			t.Errorf("%s says %q, %v", kept[0], said, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, TempDir, ".mem-*")); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	}
	t.Run("another's", func(t *testing.T) {
		s, dir := fresh(t)
		commitTexts(t, s, 0, 2)
		for _, kept := range packs(t, dir, ".keep") {
			remove(t, kept)
		}
		put(t, dir, ".git/objects/pack/.keep", "")
		commitTexts(t, s, 2, 6)
		check(t, dir)
	})
	t.Run("same name", func(t *testing.T) {
		s, dir := fresh(t)
		commitTexts(t, s, 0, 3)
		git(t, dir, "reset", "-q", "--hard", "HEAD~")
		commitTexts(t, s, 2, 3)
		check(t, dir)
		checkTexts(t, s, dir, 3)
	})
	t.Run("no hard links", func(t *testing.T) {
		_, dir := fresh(t)
		d, err := disk.Files{Fault: func(op disk.Op) error {
			if op.Kind == "link" {
				return syscall.EPERM
			}
			return nil
		}}.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		s, err := Open(d, false, func(said string) { t.Error(said) })
		if err != nil {
			t.Fatal(err)
		}
		commitTexts(t, s, 0, 4)
		check(t, dir)
		checkTexts(t, s, dir, 4)
	})
}

// TestNothingNew moves the branch to a commit that is there, as when another's is taken over: no
// object is new, and none may go.
func TestNothingNew(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 3)
	old := git(t, dir, "rev-parse", "HEAD~")
	git(t, dir, "update-ref", "refs/heads/other", "HEAD")
	git(t, dir, "reset", "-q", "--hard", strings.TrimSpace(old))
	tx, err := s.Begin(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := object.ParseHash(strings.TrimSpace(git(t, dir, "rev-parse", "other")))
	if err := tx.Publish(t.Context(), s.NewWriter(), Publication{Tip: other, Subject: "taken over", Who: object.By{Committer: object.Identity{Name: "m", Email: "m@x"}}, When: time.Unix(1e9, 0)}); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "reset", "-q", "--hard")
	checkTexts(t, s, dir, 3)
}

// TestPackTakenMeanwhile reads objects whose pack the store knows and a commit replaced.
func TestPackTakenMeanwhile(t *testing.T) {
	s, dir := fresh(t)
	commitTexts(t, s, 0, 3)
	reader, err := Open(s.d, false, s.Warn)
	if err != nil {
		t.Fatal(err)
	}
	head, err := reader.ReadHead()
	if err != nil {
		t.Fatal(err)
	}
	tip, err := reader.ReadCommit(head.Tip)
	if err != nil {
		t.Fatal(err)
	}
	commitTexts(t, s, 3, 5)
	files, err := reader.ListFiles(tip.Tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := reader.ReadBlob(files["a.txt"]); err != nil || string(got) != text(2) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	checkTexts(t, s, dir, 5)
}

// TestLeftPacks commits where a crash left packs of mem's in every state.
func TestLeftPacks(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, dir, old string){
		"the pack before":                 func(*testing.T, string, string) {},
		"the pack before without index":   func(t *testing.T, dir, old string) { remove(t, old+".idx") },
		"an index without its pack":       func(t *testing.T, dir, old string) { remove(t, old+".pack") },
		"a mark alone":                    func(t *testing.T, dir, old string) { remove(t, old+".pack"); remove(t, old+".idx") },
		"a mark that a person made":       func(t *testing.T, dir, old string) { put(t, dir, ".git/objects/pack/pack-1.keep", "mine") },
		"a commit of git on top":          func(t *testing.T, dir, old string) { git(t, dir, "commit", "-q", "--allow-empty", "-m", "p") },
		"a commit that never was, packed": func(t *testing.T, dir, old string) { git(t, dir, "reset", "-q", "--hard", "HEAD~2") },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := fresh(t)
			s.Warn = func(string) {}
			commitTexts(t, s, 0, 3)
			old := strings.TrimSuffix(packs(t, dir, ".pack")[0], ".pack")
			saved := map[string][]byte{}
			for _, ending := range []string{".pack", ".idx", ".keep"} {
				data, err := os.ReadFile(old + ending)
				if err != nil {
					t.Fatal(err)
				}
				saved[old+ending] = data
			}
			commitTexts(t, s, 3, 5)
			for path, data := range saved {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			leave(t, dir, old)
			commits := strings.Fields(git(t, dir, "rev-list", "HEAD"))
			s, err := Open(s.d, false, s.Warn)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				if err := commitFile(t, s, "b.txt", text(i), "x"); err != nil {
					t.Fatal(err)
				}
			}
			git(t, dir, "fsck", "--strict")
			if now := strings.Fields(git(t, dir, "rev-list", "HEAD")); !slices.Equal(now[2:], commits) {
				t.Errorf("the history is %v, want two more than %v", now, commits)
			}
			if kept := packs(t, dir, ".keep"); len(kept)-len(packs(t, dir, "-1.keep")) != 1 {
				t.Errorf("kept: %v", kept)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
