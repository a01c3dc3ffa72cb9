package repo_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mem/repo"

	"mem/envtest"
)

// Of notes that several processes add to at once, none is lost.
func TestAmend(t *testing.T) {
	r := create(t, repo.Options{})
	path := r.Path()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			own, err := repo.Open(path, repo.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			for range 5 {
				err := repo.ErrLocked
				for errors.Is(err, repo.ErrLocked) {
					err = own.AmendNote(repo.NoteTold, func(old []byte) []byte { return append(old, 'x') })
				}
				envtest.FailIf(t, err != nil, "%v", err)
			}
		})
	}
	all.Wait()
	data, err := r.ReadNote(repo.NoteTold)
	envtest.FailIf(t, err != nil || !bytes.Equal(data, bytes.Repeat([]byte("x"), 20)), "%q, %v; want 20 times x", data, err)
}

func TestDefer(t *testing.T) {
	r := create(t, repo.Options{})
	list := func(f func() ([]string, error)) []string {
		t.Helper()
		names, err := f()
		envtest.NoError(t, err)
		return names
	}
	late, err := r.DeferJob(t0.Add(time.Second), "b", []byte("late"))
	envtest.NoError(t, err)
	for range 2 { // the same at the same moment is one job
		_, err := r.DeferJob(t0, "a", []byte("early"))
		envtest.NoError(t, err)
	}
	early := list(r.ListWaiting)[0]
	envtest.Same(t, []string{early, late}, list(r.ListWaiting), "Waiting")
	key, at := repo.JobKey(early), repo.JobTime(early)
	envtest.FailIf(t, key != "a" || !at.Equal(t0), "%s is %q at %s", early, key, at)
	jobs, err := r.ListJobs()
	envtest.FailIf(t, err != nil || len(jobs) != 0, "Queue = %v, %v", jobs, err)
	data, err := r.ReadJob(early)
	envtest.FailIf(t, err != nil || string(data) != "early", "Deferred = %q, %v", data, err)
	for range 2 { // another process may have been faster
		envtest.NoError(t, r.RemoveJob(early))
	}
	_, err = r.ReadJob(early)
	envtest.Wraps(t, fs.ErrNotExist, err, "Deferred of a finished job")
	_, err = r.DeferJob(t0, "big", make([]byte, 33<<20))
	envtest.Wraps(t, repo.ErrJobSize, err, "Defer of 33 MB")
	for _, odd := range []string{"", "x", "x.session", "2026-b.session", "-.session"} {
		if !repo.JobTime(odd).IsZero() {
			t.Errorf("JobTime(%q) = %s", odd, repo.JobTime(odd))
		}
		_ = repo.JobKey(odd) // must not panic
	}
}

// One process at a time works on the queue, and others see that.
func TestWork(t *testing.T) {
	r := create(t, repo.Options{})
	envtest.FailIf(t, r.IsWorking(), "a worker runs")
	lock, err := r.LockWork(t.Context())
	envtest.NoError(t, err)
	_, err = r.LockWork(t.Context())
	envtest.FailIf(t, !errors.Is(err, repo.ErrLocked) || !r.IsWorking(), "a second worker: %v", err)
	err = lock.Release()
	envtest.FailIf(t, err != nil || r.IsWorking(), "after release: %v", err)
}

// What a callback writes while something waits is one fact, for the branch and for the memory as the person knows it.
func TestMonthBesideWhatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mem")
	opts := quick()
	r, err := repo.Create(t.Context(), path, opts)
	envtest.NoError(t, err)
	defer r.Close()
	settle(t, r, learn("Use the cache"))
	envtest.NoError(t, os.MkdirAll(filepath.Join(path, "context"), 0o700))
	envtest.NoError(t, os.WriteFile(filepath.Join(path, "context", "a.md"), []byte("Of another person\n"), 0o600))
	git(t, path, "add", "context/a.md")
	git(t, path, "commit", "-qm", "theirs")
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		envtest.FailIf(t, m.CountWaiting() == 0, "nothing waits")
		return repo.Message{Subject: "month"}, m.WriteFile("monthly/2026-02.md", []byte("Of a month\n"))
	})
	list := func(tip string) string { return git(t, path, "ls-tree", "-r", "--name-only", tip, "core/log") }
	envtest.Same(t, list("HEAD"), list("refs/worktree/mem-known"), "of the branch, and known")
}
