package reflect_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/trace"
)

// busy calls f while another process holds the root.
func busy(t *testing.T, root *repo.Root, f func()) {
	t.Helper()
	other, err := repo.Open(root.Path(), repo.Options{})
	envtest.NoError(t, err)
	defer other.Close()
	_, err = other.Settle(t.Context(), noon, func(*repo.Memory) (repo.Message, error) {
		f()
		return repo.Message{}, nil
	})
	envtest.NoError(t, err)
}

func TestQueue(t *testing.T) {
	root := newRoot(t)
	r := reflect.Reflector{Oracles: []oracle.Oracle{saying(oneFix)}}
	session, _, err := r.ReflectOn(t.Context(), look(t, root), talk("s1", "read the log first"), reflect.Options{Now: noon})
	envtest.NoError(t, err)
	named, _ := r.TakeFinished(&trace.Finished{ID: "r-named", Stated: trace.Stated{Fixes: plain("By name")}}, reflect.Options{Now: noon.Add(time.Minute)})
	nameless, _ := r.TakeFinished(&trace.Finished{Stated: trace.Stated{Mistakes: plain("without a name")}}, reflect.Options{Now: noon.Add(2 * time.Minute), Label: "manual"})
	busy(t, root, func() {
		for _, p := range []*reflect.Pending{nameless, named, session, session} {
			out, err := reflect.CommitPending(t.Context(), root, p)
			envtest.FailIf(t, err != nil || !errors.Is(out.Queued, repo.ErrLocked), "Apply = %+v, %v", out, err)
		}
		n, err := root.Drain(t.Context(), reflect.JobKind, reflect.ReadJob, nil)
		envtest.FailIf(t, n != 0 || !reflect.IsPostponed(err), "drained %d while it is held, %v", n, err)
	})
	jobs, err := root.ListJobs()
	if err != nil || len(jobs) != 3 { // the same reflection twice is one job
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	bad, err := root.AddJob(noon.Add(time.Hour), []byte("not a job"))
	envtest.NoError(t, err)
	var warned []string
	for i, want := range []int{3, 0} {
		n, err := root.Drain(t.Context(), reflect.JobKind, reflect.ReadJob, func(s string) { warned = append(warned, s) })
		envtest.FailIf(t, n != want || err != nil, "drain %d: %d, %v; want %d", i, n, err, want)
	}
	envtest.FailIf(t, len(warned) != 2 || !strings.Contains(warned[0], bad), "warned %q", warned)
	if jobs, err := root.ListJobs(); err != nil || len(jobs) != 1 || jobs[0].Name != bad {
		t.Errorf("queue %v, %v", jobs, err)
	}
	envtest.Same(t, map[string]int{"Read the log first": 1, "By name": 1, "Avoid: without a name": 1}, hits(t, root),
		"hits")
	envtest.Same(t, []string{
		"chore(memory): 2026-02-03 manual: Avoid: without a name (+1)", "chore(memory): 2026-02-03 task: By name (+1)",
		"chore(memory): 2026-02-03 task: Read the log first (+1)", "chore(memory): initialize memory repository",
	}, subjects(t, root), "commits")

	// A crash between the commit and the removal of the job: it is drained
	// again, and counts for nothing.
	for _, j := range jobs {
		at, err := time.Parse("20060102T150405.000000000Z", j.Name[:len("20060102T150405.000000000Z")])
		envtest.NoError(t, err)
		_, err = root.AddJob(at, j.Data)
		envtest.NoError(t, err)
	}
	_, err = root.Drain(t.Context(), reflect.JobKind, reflect.ReadJob, func(string) {})
	envtest.NoError(t, err)
	envtest.Same(t, map[string]int{"Read the log first": 1, "By name": 1, "Avoid: without a name": 1}, hits(t, root),
		"hits after draining again")
	m := look(t, root)
	envtest.FailIf(t, !m.Index.UpdatedAt.Equal(noon.Add(2*time.Minute)), "updated %v", m.Index.UpdatedAt)
}

// A second call while the first one's lessons still wait adds nothing once
// both are counted.
func TestQueueThenReflect(t *testing.T) {
	root := newRoot(t)
	busy(t, root, func() { learn(t, root, saying(oneFix), talk("s1", "read the log first")) })
	learn(t, root, saying(oneFix), talk("s1", "read the log first"))
	_, err := root.Drain(t.Context(), reflect.JobKind, reflect.ReadJob, func(string) {})
	envtest.NoError(t, err)
	envtest.Same(t, map[string]int{"Read the log first": 1}, hits(t, root), "hits")
}
