package repo_test

import (
	"fmt"
	"strings"
	"testing"

	"mem/repo"

	"mem/envtest"
)

// rootAfter makes a root with a commit, as if after so many commits of so many bytes.
func rootAfter(t *testing.T, commits, bytes int) *repo.Root {
	t.Helper()
	root, err := repo.Create(t.Context(), t.TempDir(), repo.Options{})
	envtest.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	commitText(t, root, "a")
	envtest.Write(t, fmt.Sprintln(commits, bytes), root.Path(), ".git/mem/loose")
	return root
}

func commitText(t *testing.T, root *repo.Root, text string) {
	t.Helper()
	_, err := root.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "learn(coding): a"}, m.WriteFile("learnings/coding/a.md", []byte(text+"\n"))
	})
	envtest.NoError(t, err)
}

// countLoose counts the objects that are not packed, as git does.
func countLoose(t *testing.T, root *repo.Root) string {
	t.Helper()
	n, _, _ := strings.Cut(git(t, root.Path(), "count-objects"), " ")
	return n
}

// Git packs once there is enough, and not before; where that went well nothing is said.
func TestPack(t *testing.T) {
	for _, tt := range []struct {
		commits, bytes int
		want           bool
	}{{49, 1 << 20, false}, {50, 0, true}, {1, 1<<20 + 1, true}} {
		root := rootAfter(t, tt.commits, tt.bytes)
		before := countLoose(t, root)
		envtest.FailIf(t, root.IsPackDue() != tt.want || before == "0", "%+v: due: %t, %s objects", tt, !tt.want, before)
		envtest.NoError(t, root.Pack(t.Context(), t0))
		after, said := countLoose(t, root), repo.ReadValue[repo.Packing](root, repo.NotePacked).Failed
		envtest.FailIf(t, said != "" || !tt.want && after != before || tt.want && (after != "0" || root.IsPackDue()),
			"%+v: of %s objects %s are left, and it said %q", tt, before, after, said)
		commitText(t, root, "b")
		git(t, root.Path(), "fsck", "--strict")
	}
}

// Where no worker comes to it, a commit lets git pack.
func TestPackWithoutWorker(t *testing.T) {
	root := rootAfter(t, 98, 0)
	commitText(t, root, "b")
	envtest.FailIf(t, countLoose(t, root) == "0", "packed after 99 commits")
	commitText(t, root, "c")
	envtest.Same(t, "0", countLoose(t, root))
}

// Without git it is said so, and not tried again before there is more.
func TestPackWithoutGit(t *testing.T) {
	root := rootAfter(t, 50, 0)
	t.Setenv("PATH", t.TempDir())
	envtest.NoError(t, root.Pack(t.Context(), t0))
	if said := repo.ReadValue[repo.Packing](root, repo.NotePacked).Failed; !strings.Contains(said, "on 2026-02-03 git did not pack the history") || root.IsPackDue() {
		t.Errorf("%s; due: %t", said, root.IsPackDue())
	}
	commitText(t, root, "b")
}
