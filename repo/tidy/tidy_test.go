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
	"mem/repo/tidy"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var now = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// fresh makes a root with a commit, as if after so many commits of so many bytes.
func fresh(t *testing.T, commits, bytes int) *repo.Root {
	t.Helper()
	root, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	commit(t, root, "a")
	note := fmt.Sprintln(commits, bytes)
	if err := os.WriteFile(filepath.Join(root.Path(), ".git/mem/loose"), []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func commit(t *testing.T, root *repo.Root, text string) {
	t.Helper()
	if _, err := root.Settle(t.Context(), now, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "learn(coding): a"}, m.WriteFile("learnings/coding/a.md", []byte(text+"\n"))
	}); err != nil {
		t.Fatal(err)
	}
}

// countLoose counts the objects that are not packed, as git does.
func countLoose(t *testing.T, root *repo.Root) string {
	t.Helper()
	n, _, _ := strings.Cut(git(t, root.Path(), "count-objects"), " ")
	return n
}

// Git packs once there is enough, and not before; what it did is said.
func TestPack(t *testing.T) {
	for _, tt := range []struct {
		commits, bytes int
		want           bool
	}{{49, 24<<20 - 1, false}, {50, 0, true}, {1, 24 << 20, true}} {
		root := fresh(t, tt.commits, tt.bytes)
		before := countLoose(t, root)
		if tidy.IsDue(root) != tt.want || before == "0" {
			t.Errorf("%+v: due: %t, %s objects", tt, !tt.want, before)
		}
		if err := tidy.Pack(t.Context(), root, now); err != nil {
			t.Fatal(err)
		}
		after, said := countLoose(t, root), tidy.Look(root).Describe()
		if !tt.want && (after != before || said != "") || tt.want && (after != "0" || !strings.HasSuffix(said, " on 2026-02-03") || tidy.IsDue(root)) {
			t.Errorf("%+v: of %s objects %s are left, and it said %q", tt, before, after, said)
		}
		commit(t, root, "b")
		git(t, root.Path(), "fsck", "--strict")
	}
}

// Where no worker comes to it, a commit lets git pack.
func TestPackWithoutWorker(t *testing.T) {
	root := fresh(t, 98, 0)
	commit(t, root, "b")
	if countLoose(t, root) == "0" {
		t.Error("packed after 99 commits")
	}
	commit(t, root, "c")
	if n := countLoose(t, root); n != "0" || root.ReadLoose().Commits != 0 {
		t.Errorf("%s objects are not packed; %+v", n, root.ReadLoose())
	}
}

// Without git it is said so, and not tried again before there is more.
func TestPackWithoutGit(t *testing.T) {
	root := fresh(t, 50, 0)
	t.Setenv("PATH", t.TempDir())
	if err := tidy.Pack(t.Context(), root, now); err != nil {
		t.Fatal(err)
	}
	if said := tidy.Look(root).Describe(); !strings.Contains(said, "on 2026-02-03 git did not make it smaller") || tidy.IsDue(root) {
		t.Errorf("%s; due: %t", said, tidy.IsDue(root))
	}
	commit(t, root, "b")
}
