package repo_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/repo"
)

// A walk over many commits that need a look says so before.
func TestLongWalkIsAnnounced(t *testing.T) {
	for commits, want := range map[int]int{20: 0, 400: 1} {
		var said []string
		r, err := repo.Open(makeHistory(t, 2, commits), repo.Options{Warn: func(s string) { said = append(said, s) }})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		settle(t, r, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
		if len(said) != want || want > 0 && !strings.HasPrefix(said[0], "looking at 1") {
			t.Errorf("%d commits: %q", commits, said)
		}
	}
}

// makeHistory makes a memory of so many lessons, and so many commits on top that git
// made, each tenth a merge.
func makeHistory(b testing.TB, lessons, commits int) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "m")
	r, err := repo.Create(b.Context(), dir, repo.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	now := t0
	count := func(ix *index.Index, n int) {
		now = now.Add(time.Minute)
		ix.Apply(index.Reflection{ID: fmt.Sprintf("r-%s", now.Format("060102150405")), Fixes: []index.Lesson{{Text: fmt.Sprintf("lesson number %d of many", n)}}}, now)
	}
	ix := &index.Index{}
	if _, err := r.Settle(b.Context(), now, func(m *repo.Memory) (repo.Message, error) {
		for i := range lessons {
			count(m.Index, i)
		}
		ix = m.Index.Clone()
		return repo.Message{Subject: "start"}, nil
	}); err != nil {
		b.Fatal(err)
	}
	load := func(data []byte) *index.Index {
		ix, _, err := codec.Load(data, t0)
		if err != nil {
			b.Fatal(err)
		}
		return ix
	}
	var stream bytes.Buffer
	tip, mark := strings.TrimSpace(runGit(b, dir, "", "rev-parse", "HEAD")), 0
	add := func(ix *index.Index, message string, parents ...string) (id string, data []byte) {
		ix.Normalize()
		if data, err = codec.Encode(ix); err != nil {
			b.Fatal(err)
		}
		mark++
		fmt.Fprintf(&stream, "commit refs/heads/new\nmark :%d\ncommitter a <a@example.com> %d +0000\ndata %d\n%s\nfrom %s\n", mark, now.Unix(), len(message), message, parents[0])
		for _, p := range parents[1:] {
			fmt.Fprintf(&stream, "merge %s\n", p)
		}
		fmt.Fprintf(&stream, "M 100644 inline core/index.json\ndata %d\n%s\n", len(data), data)
		return fmt.Sprintf(":%d", mark), data
	}
	before, err := codec.Encode(ix)
	if err != nil {
		b.Fatal(err)
	}
	for i := range commits {
		var data []byte
		if i%10 != 9 {
			count(ix, i%lessons)
			tip, data = add(ix, "learn", tip)
		} else {
			side := load(before)
			count(side, i%lessons)
			theirs, sideData := add(side, "learn elsewhere", tip)
			count(ix, (i+1)%lessons)
			ours, mine := add(ix, "learn here", tip)
			ix = merge.Indexes(load(before), load(mine), load(sideData))
			tip, data = add(ix, "merge", ours, theirs)
		}
		ix, before = load(data), data
	}
	runGit(b, dir, stream.String(), "fast-import", "--quiet", "--force")
	runGit(b, dir, "", "reset", "-q", "--hard", "new")
	return dir
}

func runGit(b testing.TB, dir, stdin string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}
