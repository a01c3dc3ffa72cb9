package gitstore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// TestTreeOrder edits trees with names that sort differently as files and as
// folders, and compares with what git makes of the same files.
func TestTreeOrder(t *testing.T) {
	names := []string{"a", "a.b", "a-b", "a0", "b/c", "b.c", "b-c", "b0", "x/y/z", "x/y.z", "x/y-z", "x-y", "ü/ö", "Z", "z/a/b/c/d"}
	random := rand.New(rand.NewPCG(3, 4))
	s, dir := fresh(t)
	w, err := s.Begin(t.Context(), time.Second)
	envtest.NoError(t, err)
	defer w.Abort()
	var tree Hash
	held := map[string]Hash{}
	for step := range 60 {
		edits := map[string]Hash{}
		for range 1 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			if random.IntN(3) == 0 {
				edits[name] = Hash{}
				delete(held, name)
				continue
			}
			content := fmt.Append(nil, random.IntN(5))
			blob := HashOf(KindBlob, content)
			w.Keep(blob, Hash{}, content)
			edits[name] = blob
			held[name] = blob
		}
		tree, err = w.EditTree(tree, edits)
		envtest.NoError(t, err)
		want := gitTree(t, dir, held)
		envtest.StopIf(t, tree.String() != want, "step %d: tree of %v is %s, git says %s", step, held, tree, want)
	}
}

// gitTree lets git make a tree of files, none of which need exist.
func gitTree(t *testing.T, dir string, files map[string]Hash) string {
	t.Helper()
	if len(files) == 0 {
		return Hash{}.String()
	}
	index := filepath.Join(t.TempDir(), "index")
	var lines []string
	for name, blob := range files {
		lines = append(lines, fmt.Sprintf("100644 %s 0\t%s", blob, name))
	}
	slices.Sort(lines)
	t.Setenv("GIT_INDEX_FILE", index)
	update := exec.Command("git", "-C", dir, "update-index", "--add", "--index-info")
	update.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := update.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out := git(t, dir, "write-tree", "--missing-ok")
	envtest.NoError(t, os.Unsetenv("GIT_INDEX_FILE"))
	return strings.TrimSpace(out)
}

// TestTreeKeepsOthers edits a tree with entries of every mode.
func TestTreeKeepsOthers(t *testing.T) {
	s, dir := fresh(t)
	envtest.Write(t, "#!/bin/sh\n", dir, "run.sh")
	envtest.Write(t, "x\n", dir, "d/plain")
	chmod(t, filepath.Join(dir, "run.sh"), 0o700)
	if err := os.Symlink("d/plain", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	git(t, dir, "add", ".")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,module")
	git(t, dir, "commit", "-qm", "start")
	before := git(t, dir, "ls-tree", "-r", "HEAD")
	envtest.NoError(t, commitFile(t, s, "d/new", "new\n", "x"))
	envtest.NoError(t, commitFile(t, s, "run.sh", "#!/bin/sh\necho\n", "x"))
	after := git(t, dir, "ls-tree", "-r", "HEAD")
	for line := range strings.Lines(before) {
		envtest.FailIf(t, !strings.Contains(line, "run.sh") && !strings.Contains(after, line),
			"lost or changed: %s", line)
	}
	envtest.FailIf(t, !strings.Contains(after, "100755 blob"), "the executable bit was lost:\n%s", after)
}

func TestCommitOfEarlyTime(t *testing.T) {
	envtest.Same(t, "a <b> 0 +0000", Signature(Identity{Name: "a", Email: "b"}, t0.AddDate(-200, 0, 0)),
		"signature = , git knows no time before 1970")
}

func TestTrailers(t *testing.T) {
	c := Commit{Message: "subject\n\nKey: not this\n\n+ Lesson: not this\n\nA: 1\nA: 2\nB-c: x: y\nno trailer: \n"}
	got := c.Trailers()
	envtest.Same(t, "map[A:[1 2] B-c:[x: y]]", fmt.Sprint(got), "Trailers", got)
}
