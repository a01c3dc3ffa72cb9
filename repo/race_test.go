package repo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mem/facts"
	"mem/index"
	"mem/repo"

	"mem/envtest"
)

// hits is a callback that counts one lesson, each call in a commit of its own.
func hits(id string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "The same lesson for all"}}})
		return repo.Message{Subject: "chore(memory): task", Trailers: []repo.Trailer{{Key: "Mem-Reflection", Value: id}}}, nil
	}
}

// writer counts the lesson n times through a root of its own, which it makes if there is none.
func writer(ctx context.Context, dir, name string, n int) error {
	for i := range n {
		r, err := repo.Create(ctx, dir, repo.Options{LockWait: time.Minute})
		if err != nil {
			return err
		}
		_, err = r.Settle(ctx, t0, hits(fmt.Sprint(name, "-", i)))
		if closed := r.Close(); err != nil || closed != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// counters returns the hits of the lesson in every commit, or in those that rev-list selects, oldest first.
func counters(t *testing.T, dir string, which ...string) []int {
	t.Helper()
	var list []int
	for _, commit := range strings.Fields(git(t, dir, append([]string{"rev-list", "--reverse", "HEAD"}, which...)...)) {
		ix, _, err := index.Load([]byte(git(t, dir, "show", commit+":"+repo.IndexPath)), t0)
		envtest.StopIf(t, err != nil, "commit %s: %v", commit, err)
		n := 0
		for _, it := range ix.Items {
			n += it.Hits
		}
		list = append(list, n)
	}
	return list
}

// writers runs several writers on one root and returns when all are done.
func writers(t *testing.T, dir string, many, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			envtest.Wraps(t, nil, writer(t.Context(), dir, fmt.Sprint(i), each))
		})
	}
	wg.Wait()
}

func TestWritersAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".mem")
	writers(t, dir, 8, 10)
	got := counters(t, dir)
	envtest.Same(t, 81, len(got))
	for i, n := range got {
		envtest.Same(t, i, n, got)
	}
	envtest.Wraps(t, nil, clean(dir))
}

// TestBranchMovedMeanwhile moves the branch while a callback is at work. Settle
// builds on the other commit; it does not replace it.
func TestBranchMovedMeanwhile(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("One"))
	calls, other := 0, ""
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		if calls++; calls == 1 {
			other = strings.TrimSpace(git(t, r.Path(), "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "other"))
			git(t, r.Path(), "update-ref", "refs/heads/main", other)
		}
		return learn("Two")(m)
	})
	envtest.Same(t, 2, calls, "the callback was called")
	git(t, r.Path(), "merge-base", "--is-ancestor", other, "HEAD")
	sound(t, r.Path())
}

// TestFileEditedMeanwhile has a person who saves a tracked file again and again: each
// time the commit would hold what is no longer there, and is made anew.
func TestFileEditedMeanwhile(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("One"))
	envtest.Write(t, "0\n", r.Path(), "notes.txt")
	git(t, r.Path(), "add", "notes.txt")
	git(t, r.Path(), "-c", "user.name=p", "-c", "user.email=p@x", "commit", "-qm", "notes")
	envtest.Write(t, "1\n", r.Path(), "notes.txt")
	calls := 0
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		if calls++; calls <= 10 {
			envtest.Write(t, strings.Repeat("x\n", calls), r.Path(), "notes.txt")
		}
		return learn("Two")(m)
	})
	envtest.Same(t, 11, calls, "the callback was called")
	envtest.Same(t, strings.Repeat("x\n", 10), git(t, r.Path(), "show", "HEAD:notes.txt"), "the commit holds")
	sound(t, r.Path())
}

// TestReaderOvertaken lets a commit overtake a reader: what the reader looks at
// afterwards belongs to the commit that it began with, and is not an edit.
func TestReaderOvertaken(t *testing.T) {
	dir := t.TempDir()
	prepared(t, dir)
	r, err := repo.Open(dir, repo.Options{})
	envtest.NoError(t, err)
	defer r.Close()
	m, err := r.View(t0)
	envtest.NoError(t, err)
	const day = "daily/2026-02-03.md"
	before := read(t, filepath.Join(dir, filepath.FromSlash(day)))
	for _, id := range []string{"x", "y"} {
		envtest.NoError(t, count(t.Context(), dir, repo.Options{}, id))
	}
	data, err := m.ReadFile(day)
	envtest.FailIf(t, err != nil || string(data) != before, "the journal reads %q, %v; it was %q", data, err, before)
	edits, _, err := r.ListEdits()
	envtest.FailIf(t, err != nil || len(edits) > 0, "%q count as edited by hand, %v", edits, err)
	envtest.Write(t, "mine\n", dir, day)
	if edits, _, err = r.ListEdits(); err != nil || len(edits) != 1 || edits[0] != day {
		t.Errorf("%q count as edited by hand, %v, want %s", edits, err, day)
	}
}

// TestReadersBesideWriter reads while a writer makes roots and writes to them:
// no reader takes what the writer puts there for an edit, or for damage.
func TestReadersBesideWriter(t *testing.T) {
	base := t.TempDir()
	for i := range 20 {
		dir := filepath.Join(base, fmt.Sprint(i))
		done := make(chan error, 1)
		go func() {
			var err error
			for k := 0; k < 4 && err == nil; k++ {
				err = count(t.Context(), dir, repo.Options{}, fmt.Sprint(k))
			}
			done <- err
		}()
		for reading := true; reading; {
			select {
			case err := <-done:
				envtest.NoError(t, err)
				reading = false
			default:
			}
			err := (scenario{}).seen(dir, nil)
			envtest.FailIf(t, err != nil, "root %d: %v", i, err)
		}
	}
}

// TestLockFileRemoved lets a person remove the file of mem's lock again and
// again. A command may then fail, but none that succeeds may be lost.
func TestLockFileRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".mem")
	envtest.NoError(t, writer(t.Context(), dir, "first", 1))
	done := make(chan struct{})
	var wg, person sync.WaitGroup
	person.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				_ = os.Remove(filepath.Join(dir, ".git", "mem", "lock"))
			}
		}
	})
	var mu sync.Mutex
	acknowledged := 1
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 {
				if writer(t.Context(), dir, fmt.Sprint(w, "/", i), 1) == nil {
					mu.Lock()
					acknowledged++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	close(done)
	person.Wait()
	envtest.NoError(t, writer(t.Context(), dir, "last", 1))
	got := counters(t, dir)
	if last := got[len(got)-1]; last < acknowledged+1 || last != len(got)-1 {
		t.Errorf("%d hits in %d commits, %d were acknowledged", last, len(got), acknowledged+1)
	}
	envtest.Wraps(t, nil, clean(dir))
}
