package tidy_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo"
	"mem/repo/gitstore/object"
	"mem/repo/tidy"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var now = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func git(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// fresh makes a root with n full packs.
func fresh(t *testing.T, n int) *repo.Root {
	t.Helper()
	root, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	addPacks(t, root, 0, n)
	return root
}

func addPacks(t *testing.T, root *repo.Root, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		blob := git(t, root.Path(), fmt.Sprint("blob ", i), "hash-object", "-w", "--stdin")
		git(t, root.Path(), blob+"\n", "pack-objects", "-q", ".git/objects/pack/pack")
	}
	git(t, root.Path(), "", "prune-packed")
}

// pack asks git and returns how many packs are full after it, and what status says.
func pack(t *testing.T, root *repo.Root) (packs int, said string) {
	t.Helper()
	if err := tidy.Pack(t.Context(), root, now); err != nil {
		t.Fatal(err)
	}
	s := tidy.Look(root)
	return s.Packs, s.Describe()
}

// Git puts packs together once there are many, leaves the open one alone, and loses nothing.
func TestPack(t *testing.T) {
	root := fresh(t, 1)
	if n, said := pack(t, root); n != 1 || said != "" || tidy.IsDue(root) {
		t.Errorf("of 1 pack %d were left, and it said %q", n, said)
	}
	addPacks(t, root, 1, 8)
	if !tidy.IsDue(root) {
		t.Error("8 packs start no worker")
	}
	if said := tidy.Look(root).Describe(); !strings.HasPrefix(said, "8 full packs") {
		t.Errorf("before: %q", said)
	}
	if n, said := pack(t, root); n != 1 || !strings.HasSuffix(said, " on 2026-02-03") {
		t.Errorf("of 8 packs %d were left, and it said %q", n, said)
	}
	for i := range 8 {
		if blob := git(t, root.Path(), fmt.Sprint("blob ", i), "hash-object", "--stdin"); git(t, root.Path(), "", "cat-file", "-p", blob) != fmt.Sprint("blob ", i) {
			t.Errorf("blob %d is gone", i)
		}
	}
	git(t, root.Path(), "", "fsck", "--strict")
	if _, err := root.Settle(t.Context(), now, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "chore(memory): day"}, m.WriteFile("daily/2026-01-01.md", []byte("a\n"))
	}); err != nil {
		t.Error(err)
	}
}

// What an older mem, or git, left in files of their own is packed too.
func TestPackLoose(t *testing.T) {
	root := fresh(t, 0)
	for i, n := 0, 0; n < 4; i++ {
		blob := fmt.Sprint("blob ", i)
		if h := object.HashOf(object.KindBlob, []byte(blob)); h[0] == 0x17 { // one folder of 256 is counted
			n++
			if tidy.IsDue(root) {
				t.Errorf("due with %d", n)
			}
			git(t, root.Path(), blob, "hash-object", "-w", "--stdin")
		}
	}
	if n, said := pack(t, root); n != 1 || tidy.IsDue(root) {
		t.Errorf("%d packs; %s", n, said)
	}
}

// Without git it is said what waits, and not tried again before there is more.
func TestPackWithoutGit(t *testing.T) {
	root := fresh(t, 8)
	t.Setenv("PATH", t.TempDir())
	if n, said := pack(t, root); n != 8 || !strings.Contains(said, "8 full packs") || !strings.Contains(said, "did not") {
		t.Errorf("%d packs; %s", n, said)
	}
	if tidy.IsDue(root) {
		t.Error("it is tried again at once")
	}
}
