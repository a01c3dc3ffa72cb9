package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo"
)

// settleUntilDone counts the lesson n times, as writer does, but waits while a person is on another branch.
func settleUntilDone(ctx context.Context, dir, name string, n int) error {
	for i := range n {
		for {
			r, err := repo.Open(dir, repo.Options{LockWait: time.Minute})
			if err != nil {
				return err
			}
			_, err = r.Settle(ctx, t0, hits(fmt.Sprint(name, "-", i)))
			if err = errors.Join(err, r.Close()); err == nil {
				break
			}
			if !errors.Is(err, repo.ErrBusy) && !errors.Is(err, repo.ErrLost) && !errors.Is(err, repo.ErrLocked) {
				return fmt.Errorf("%s: %w", name, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// A gitUser is a person who uses git beside writers, and tries once more what git refuses.
type gitUser struct {
	t            *testing.T
	dir          string
	all, refused int
	notes        map[string]string // that were committed, and what they hold if no call was refused
}

// do calls git, and says whether it did it. That mem was first to take in what was edited is no refusal.
func (p *gitUser) do(args ...string) bool {
	p.all++
	said := ""
	for range 2 {
		out, err := plainGit(p.dir, args...)
		if err == nil || strings.Contains(out+err.Error(), "nothing to commit") {
			return err == nil && !strings.Contains(out, "No local changes")
		}
		said += fmt.Sprintln(out, err)
		time.Sleep(100 * time.Millisecond)
	}
	p.refused++
	p.t.Logf("git %q was refused: %s", args, said)
	return false
}

// work is what a person does in a while: a note is committed, another is put off and taken up again, a branch
// is made and left.
func (p *gitUser) work(n int) {
	note, refused := fmt.Sprintf("notes/%d.txt", n), p.refused
	envtest.Write(p.t, "one\n", p.dir, note)
	if !p.do("add", note) {
		return
	}
	if p.do("commit", "-q", "-m", note); p.refused == refused {
		p.notes[note] = ""
	}
	envtest.Write(p.t, "two\n", p.dir, note)
	if p.do("stash", "-q") {
		if list, err := plainGit(p.dir, "stash", "list"); err == nil && list != "" {
			p.do("stash", "pop", "-q")
		}
	}
	p.do("checkout", "-q", "-b", fmt.Sprint("other-", n))
	for p.t.Context().Err() == nil && !p.do("checkout", "-q", "-") {
	}
	if p.refused == refused {
		p.notes[note] = "two\n"
	}
}

// TestPersonBesideWriters lets a person use git while many commit: of twenty calls of git, nineteen do what was
// asked for at the first or the second try, and nothing of what either did is lost.
func TestPersonBesideWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".mem")
	envtest.NoError(t, writer(t.Context(), dir, "first", 1))
	git(t, dir, "config", "user.name", "p")
	git(t, dir, "config", "user.email", "p@x")
	many, each, share := 6, 12, 3 // a machine under load may be slow: fewer are asked for
	if envtest.IsWhole() {
		many, share = 24, 20
	}
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			envtest.Wraps(t, nil, settleUntilDone(t.Context(), dir, fmt.Sprint(i), each))
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	p := &gitUser{t: t, dir: dir, notes: map[string]string{}}
	for n, working := 0, true; working; n++ {
		p.work(n)
		select {
		case <-done:
			working = false
		case <-time.After(300 * time.Millisecond):
		}
	}
	t.Logf("%d of %d calls of git were refused", p.refused, p.all)
	envtest.FailIf(t, p.refused*share > p.all, "%d of %d calls of git were refused", p.refused, p.all)
	envtest.NoError(t, settleUntilDone(t.Context(), dir, "last", 1)) // takes in what was edited last
	if got := counters(t, dir); got[len(got)-1] != many*each+2 {
		t.Errorf("%d hits, want %d; git's log of the branch:\n%s", got[len(got)-1], many*each+2, read(t, filepath.Join(dir, ".git/logs/refs/heads/main")))
	}
	for note, want := range p.notes {
		git(t, dir, "cat-file", "-e", "HEAD:"+note)
		if text := read(t, filepath.Join(dir, note)); want != "" && text != want { // or staged: by a pop that was tried twice
			t.Errorf("%s is %q", note, text)
		}
	}
	_, err := os.Stat(filepath.Join(dir, ".git", "index.lock"))
	envtest.Wraps(t, os.ErrNotExist, err, "git's lock")
	git(t, dir, "fsck", "--strict", "--no-dangling")
	envtest.Same(t, "", git(t, dir, "status", "--porcelain", "--", ".", ":!notes"), "git status is not clean")
}
