package reflect_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
	"mem/session"
	"mem/trace"
)

// A shift is a worker with a clock that tests move.
type shift struct {
	queue.Worker
	now   time.Time
	slept time.Duration
}

func newShift(o oracle.Oracle) *shift {
	s := &shift{now: noon}
	s.Worker = queue.Worker{
		Reflector: reflect.Reflector{Oracles: []oracle.Oracle{o}},
		Now:       func() time.Time { return s.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			s.slept, s.now = s.slept+d, s.now.Add(d)
			return nil
		},
	}
	return s
}

// run works off the queue of root.
func (s *shift) run(t *testing.T, root *repo.Root) {
	t.Helper()
	envtest.NoError(t, s.Run(t.Context(), root))
}

// putOff queues what is new in a session.
func putOff(t *testing.T, root *repo.Root, at time.Time, s *session.Session) {
	t.Helper()
	reason, err := queue.Defer(root.Queue, root, s, reflect.Options{Now: at})
	envtest.StopIf(t, reason != "" && reason != reflect.Waits || err != nil, "%v %v", reason, err)
}

// left are the sessions in the queue of root.
func left(t *testing.T, root *repo.Root) []queue.Waiting {
	t.Helper()
	list, err := queue.ListWaiting(root)
	envtest.NoError(t, err)
	return list
}

func TestWorker(t *testing.T) {
	root := newRoot(t)
	o := saying(oneFix)
	s := newShift(o)
	putOff(t, root, noon, talk("s1", "one", "two"))
	s.run(t, root)
	envtest.Same(t, map[string]int{"Read the log first": 1}, hits(t, root), "hits")
	list := left(t, root)
	envtest.FailIf(t, len(list) != 0, "left: %+v", list)
	w := queue.ReadWork(root)
	envtest.FailIf(t, !w.Done.Equal(noon) || len(w.Tries) != 0, "work = %+v", w)
	for _, events := range []int{1, 2} {
		reason, err := queue.Defer(root.Queue, root, talk("s1", []string{"one", "two"}[:events]...), reflect.Options{Now: noon})
		envtest.FailIf(t, reason != reflect.NothingNew || err != nil,
			"the first %d events again: %q, %v", events, reason, err)
	}
	putOff(t, root, noon, talk("s1", "one", "two", "three"))
	s.run(t, root)
	last := o.asked[len(o.asked)-1]
	envtest.FailIf(t, len(last.Events) != 3 || last.Events[2].Text != "three", "asked about %+v", last.Events)
}

// A session is queued at each of its turns: it is asked about once, when it
// has been quiet for a while, and the queue does not grow.
func TestWorkerGathersTurns(t *testing.T) {
	root := newRoot(t)
	o := saying(oneFix)
	s := newShift(o)
	s.Quiet = 5 * time.Second
	for i := range 4 {
		putOff(t, root, noon.Add(time.Duration(i)*time.Second), talk("s1", []string{"a", "b", "c", "d"}[:i+1]...))
	}
	putOff(t, root, noon.Add(-time.Hour), talk("s2", "long ago"))
	s.run(t, root)
	envtest.FailIf(t, len(o.asked) != 2 || len(o.asked[0].Events) != 1 || len(o.asked[1].Events) != 4,
		"asked %d times", len(o.asked))
	envtest.Same(t, 8*time.Second, s.slept, "waited")
}

// While a model is down nothing is lost and the queue is kept small; the
// model is asked less and less often.
func TestWorkerWaitsForModel(t *testing.T) {
	root := newRoot(t)
	var down error = errors.New("503 overloaded")
	o := &asker{name: "model", f: func(oracle.Request) (string, error) { return oneFix, down }}
	s := newShift(o)
	var at []time.Duration
	for s.now.Sub(noon) < 7*24*time.Hour {
		before := len(o.asked)
		s.run(t, root)
		if len(o.asked) > before {
			at = append(at, s.now.Sub(noon))
		}
		n := int(s.now.Sub(noon)/(12*time.Hour)) + 1
		putOff(t, root, s.now, talk("s1", strings.Split(strings.Repeat("word ", n), " ")...))
		s.now = s.now.Add(time.Minute)
		list := left(t, root)
		envtest.StopIf(t, len(list) > 2, "%d jobs for one session", len(list))
		if s.now.Sub(noon) > 90*time.Minute {
			s.now = s.now.Add(3 * time.Hour) // a week is long
		}
	}
	m := time.Minute
	envtest.Same(t, []time.Duration{m, 2 * m, 6 * m, 22 * m, 86 * m}, at[:5], "asked at")
	if list := left(t, root); len(list) == 0 || list[0].Aside || list[0].Failure != "no oracle (model: 503 overloaded)" {
		t.Fatalf("left: %+v", list)
	}
	down = nil
	s.now = s.now.Add(6 * time.Hour)
	s.run(t, root)
	envtest.FailIf(t, len(left(t, root)) != 0 || hits(t, root)["Read the log first"] != 1,
		"left %+v, hits %v", left(t, root), hits(t, root))
}

func TestWorkerSpent(t *testing.T) {
	root := newRoot(t)
	s := newShift(failing(fmt.Errorf("3 of 3 calls today: %w", oracle.ErrSpent)))
	putOff(t, root, noon, talk("s1", "x"))
	s.run(t, root)
	midnight := time.Date(2026, 2, 4, 0, 0, 0, 0, time.UTC)
	list := left(t, root)
	envtest.FailIf(t, len(list) != 1 || list[0].Failure != "budget spent" || !list[0].Retry.Equal(midnight), "left: %+v", list)
}

// A session that does harm is tried five times, set aside and named; the
// others go on.
func TestWorkerPoison(t *testing.T) {
	for _, c := range []struct {
		name, why string
		f         func(oracle.Request) (string, error)
	}{
		{"a panic", "a defect in mem: boom", func(oracle.Request) (string, error) { panic("boom") }},
		{"no answer to use", "bad answer (model: the answer holds no lessons in the form asked for)", func(oracle.Request) (string, error) { return "well", nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			poison := true
			o := &asker{name: "model", f: func(r oracle.Request) (string, error) {
				if poison && (isRepair(r) || r.Events[0].Text == "poison") {
					return c.f(r)
				}
				return oneFix, nil
			}}
			s := newShift(o)
			putOff(t, root, noon, talk("bad", "poison"))
			for i := range 6 { // an answer that cannot be used may be the model's doing at first
				if list := left(t, root); i > 0 && i < 5 && (len(list) != 1 || list[0].Aside || list[0].Tries != i) {
					t.Fatalf("after %d tries: %+v", i, list)
				}
				putOff(t, root, s.now, talk(fmt.Sprint("good", i), "x"))
				s.run(t, root)
				s.now = s.now.Add(6 * time.Hour)
			}
			envtest.Same(t, 6, hits(t, root)["Read the log first"], "hits", hits(t, root))
			list := left(t, root)
			envtest.StopIf(t, len(list) != 1 || !list[0].Aside || list[0].Session != "bad" || list[0].Failure != c.why,
				"left: %+v", list)
			asked := len(o.asked)
			if s.run(t, root); len(o.asked) != asked {
				t.Error("asked about a session that was set aside")
			}
			poison = false
			n, err := queue.RetryAll(root)
			envtest.StopIf(t, n != 1 || err != nil, "%v %v", n, err)
			if s.run(t, root); len(left(t, root)) != 0 || hits(t, root)["Read the log first"] != 7 {
				t.Errorf("left %+v, hits %v", left(t, root), hits(t, root))
			}
		})
	}
}

// A model that answers no session, as it is not logged in, sets none aside.
func TestWorkerLoggedOut(t *testing.T) {
	root := newRoot(t)
	s := newShift(saying("Please run /login"))
	putOff(t, root, noon, talk("s1", "x"))
	putOff(t, root, noon, talk("s2", "y"))
	for range 12 {
		s.run(t, root)
		s.now = s.now.Add(6 * time.Hour)
	}
	list := left(t, root)
	n, why := queue.TellFailed(root)
	again, _ := queue.TellFailed(root)
	if len(list) != 2 || list[0].Aside || list[1].Aside || list[0].Tries != 12 || n != 2 || again != 0 || why != list[0].Failure {
		t.Fatalf("left: %+v, failed: %d, then %d, %s", list, n, again, why)
	}
	s.Reflector.Oracles = []oracle.Oracle{saying(oneFix)}
	if s.run(t, root); len(left(t, root)) != 0 || hits(t, root)["Read the log first"] != 2 {
		t.Errorf("left %+v, hits %v", left(t, root), hits(t, root))
	}
}

// A session that ended is asked about at once, also by a worker that rests already; one that
// goes on when it was quiet, with what it answers in front, once.
func TestWorkerAtTheEnd(t *testing.T) {
	root := newRoot(t)
	o := saying(oneFix, `{"lessons":[{"text":"Read the log first","events":[1]},{"text":"Ask about the port","events":[1,3]}]}`)
	s := newShift(o)
	s.Quiet = 10 * time.Minute
	end := func(at time.Time, said ...string) {
		_, err := queue.Defer(root.Queue, root, talk("s1", said...), reflect.Options{Now: at, Over: true})
		envtest.FailIf(t, err != nil, "%v", err)
	}
	s.Sleep = func(_ context.Context, d time.Duration) error {
		if s.slept += d; s.slept == 4*time.Second {
			end(s.now, "one", "two")
		}
		s.now = s.now.Add(d)
		return nil
	}
	putOff(t, root, noon, talk("s1", "one", "two")) // the end says no more than the rest before it
	s.run(t, root)
	envtest.StopIf(t, len(o.asked) != 1 || s.slept != 4*time.Second || len(left(t, root)) != 0,
		"asked %d times after %s; left %+v", len(o.asked), s.slept, left(t, root))
	putOff(t, root, s.now, talk("s1", "one", "two", "not there"))
	s.run(t, root)
	if len(o.asked) != 2 || s.slept != 10*time.Minute+4*time.Second || !strings.Contains(o.asked[1].Prompt, "[2 user, human] two\n[new from here on") {
		t.Errorf("asked %d times after %s: %+v", len(o.asked), s.slept, o.asked[1:])
	}
	envtest.Same(t, map[string]int{"Read the log first": 1, "Ask about the port": 1}, hits(t, root), "hits")
}

// A session that went well after all takes its earlier self along.
func TestWorkerTidiesAside(t *testing.T) {
	root := newRoot(t)
	s := newShift(&asker{name: "model", f: func(oracle.Request) (string, error) { panic("boom") }})
	putOff(t, root, noon, talk("s1", "x"))
	for range 5 {
		s.run(t, root)
		s.now = s.now.Add(6 * time.Hour)
	}
	list := left(t, root)
	envtest.StopIf(t, len(list) != 1 || !list[0].Aside, "left: %+v", list)
	s.Reflector.Oracles = []oracle.Oracle{saying(oneFix)}
	putOff(t, root, s.now, talk("s1", "x", "y"))
	s.run(t, root)
	list = left(t, root)
	envtest.FailIf(t, len(list) != 0, "left: %+v", list)
}

// What cannot be read as a job is set aside at once, with the reason.
func TestWorkerUnreadableJob(t *testing.T) {
	for _, bad := range []string{"", "null", "{}", `{"trace":"pi:s"`, `{"trace":"pi:s","mark":{"events":1}}`, "\x00\xff"} {
		root := newRoot(t)
		_, err := root.DeferJob(noon, "key", []byte(bad))
		envtest.NoError(t, err)
		newShift(saying(oneFix)).run(t, root)
		if list := left(t, root); len(list) != 1 || !list[0].Aside || !strings.HasPrefix(list[0].Failure, "it cannot be read") {
			t.Errorf("%q: %+v", bad, list)
		}
	}
}

// A worker that is told to stop, or dies, leaves the session in the queue.
func TestWorkerDies(t *testing.T) {
	root := newRoot(t)
	putOff(t, root, noon, talk("s1", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	s := newShift(&asker{name: "model", f: func(oracle.Request) (string, error) { cancel(); return "", ctx.Err() }})
	envtest.Wraps(t, context.Canceled, s.Run(ctx, root), "Run")
	list := left(t, root)
	envtest.FailIf(t, len(list) != 1 || list[0].Tries != 0 || list[0].Failure != "", "told to stop: %+v", list)
	// One that dies gets no further than the question; its try is noted by then.
	for i := range 3 {
		s := newShift(&asker{name: "model", f: func(oracle.Request) (string, error) {
			for _, try := range queue.ReadWork(root).Tries {
				if try.N != i+1 || try.Bad != i+1 || try.Why != "the process that read it died" || !try.Next.After(noon) {
					t.Errorf("a try that is not noted: %+v", try)
				}
			}
			panic("gone")
		}})
		s.now = noon.Add(time.Duration(i) * 24 * time.Hour)
		s.run(t, root)
	}
}

// There is one worker at a time, and who sees it may rely on it.
func TestWorkerAlone(t *testing.T) {
	root := newRoot(t)
	putOff(t, root, noon, talk("s1", "x"))

	s := newShift(&asker{name: "model", f: func(oracle.Request) (string, error) {
		envtest.FailIf(t, !root.IsWorking(), "no worker seems to run")
		envtest.Wraps(t, repo.ErrLocked, newShift(saying(oneFix)).Run(t.Context(), root), "a second worker")
		return oneFix, nil
	}})
	s.run(t, root)
	envtest.FailIf(t, root.IsWorking(), "a worker seems to run")
}

// The agent writes its file a little late, or deletes it, or starts it anew:
// what was queued counts, and what is there on top.
func TestWorkerReadsFileAgain(t *testing.T) {
	line := func(id, parent, text string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%s,"sessionId":"s1","cwd":"/p","timestamp":"2026-02-03T12:00:0%s.000Z","message":{"role":"user","content":%q}}`+"\n", id, parent, id, text)
	}
	one, two, three := line("1", "null", "the first"), line("2", `"1"`, "the second"), line("3", `"2"`, "the third")
	other := strings.ReplaceAll(line("4", "null", "elsewhere"), "s1", "s2")
	for _, c := range []struct {
		name, now string
		want      string
	}{
		{"the same", one + two, "the first the second"},
		{"more", one + two + three, "the first the second the third"},
		{"deleted", "", "the first the second"},
		{"shorter", one, "the first the second"},
		{"another session", other, "the first the second"},
		{"damaged", "{", "the first the second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			file := filepath.Join(t.TempDir(), "s1.jsonl")
			envtest.NoError(t, os.WriteFile(file, []byte(one+two), 0o600))
			doc, err := trace.Open(file)
			envtest.NoError(t, err)
			putOff(t, root, noon, doc.Session)
			envtest.NoError(t, os.WriteFile(file, []byte(c.now), 0o600))
			if c.now == "" {
				envtest.NoError(t, os.Remove(file))
			}
			o := saying(oneFix)
			newShift(o).run(t, root)
			var said []string
			for _, s := range o.asked[0].Events {
				said = append(said, s.Text)
			}
			envtest.Same(t, c.want, strings.Join(said, " "), "asked about")
		})
	}
}

// Of a session whose file lasts the queue says where it is: what is in it when a worker comes counts, wherever it is by then.
func TestWorkerFindsFile(t *testing.T) {
	root, home := newRoot(t), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir()) // so that a file in the other one lasts
	line := `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s1","cwd":"/p","timestamp":"2026-02-03T12:00:00.000Z","message":{"role":"user","content":"the first"}}` + "\n"
	old, now := filepath.Join(home, "s1.jsonl"), filepath.Join(home, ".claude", "projects", "-p", "s1.jsonl")
	envtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(now), 0o700), os.WriteFile(old, []byte(line), 0o600)))
	doc, err := trace.Open(old)
	envtest.NoError(t, err)
	putOff(t, root, noon, doc.Session)
	reason, err := queue.Defer(root.Queue, root, doc.Session, reflect.Options{Now: noon})
	envtest.FailIf(t, reason != reflect.Waits || err != nil, "again: %q, %v", reason, err)
	o := saying(oneFix)
	s := newShift(o)
	envtest.NoError(t, os.Rename(old, now))
	s.run(t, root)
	if list := left(t, root); len(o.asked) != 0 || len(list) != 1 || list[0].Session != "s1" || !strings.HasPrefix(list[0].Failure, "its file is gone: ") {
		t.Errorf("asked %d times, left %+v", len(o.asked), list)
	}
	line += strings.NewReplacer(`"uuid":"1"`, `"uuid":"2"`, "null", `"1"`, "first", "second").Replace(line)
	envtest.NoError(t, os.WriteFile(now, []byte(line), 0o600))
	s.Places, s.now = trace.DefaultPlaces(home, func(string) string { return "" }), noon.Add(time.Hour)
	if s.run(t, root); len(o.asked) != 1 || len(o.asked[0].Events) != 2 || len(left(t, root)) != 0 {
		t.Errorf("asked about %+v, left %+v", o.asked, left(t, root))
	}
}

// The queue holds no secrets, and no other user may read it.
func TestDeferIsSafe(t *testing.T) {
	root := newRoot(t)
	putOff(t, root, noon, talk("s1", "use ghp_"+strings.Repeat("a1B2c3", 6)+" here"))
	names, err := root.ListWaiting()
	envtest.StopIf(t, err != nil || len(names) != 1, "%v %v", names, err)
	path := filepath.Join(root.Path(), ".git/mem/spool", names[0])
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "ghp_") || !strings.Contains(string(data), "[redacted:github-token]") {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestSweepDefer stops the queueing of a session, and the work on it, at each
// change: the session is acknowledged or not there, and a worker afterwards
// counts it exactly once. What is queued is what the session says, or where its file is.
func TestSweepDefer(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir()) // so that a file in the other one lasts
	template := filepath.Join(base, "root")
	if r, err := repo.Create(t.Context(), template, repo.Options{}); err != nil || r.Close() != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "s1.jsonl")
	const line = `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s1","cwd":"/p","timestamp":"2026-02-03T12:00:00.000Z","message":{"role":"user","content":"x"}}` + "\n"
	envtest.NoError(t, os.WriteFile(file, []byte(line), 0o600))
	doc, err := trace.Open(file)
	envtest.NoError(t, err)
	for _, m := range []struct {
		name    string
		session *session.Session
		plan    disktest.Plan
	}{
		{"kill", talk("s1", "x"), disktest.Plan{}},
		{"kill, of a file", doc.Session, disktest.Plan{}},
		{"ENOSPC once", doc.Session, disktest.Plan{Err: syscall.ENOSPC}},
		{"EIO from there on", talk("s1", "x"), disktest.Plan{Err: syscall.EIO, Forever: true}},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for n, seen := 1, true; seen; n += envtest.Step(7) {
				seen = sweepDefer(t, template, filepath.Join(base, m.name, fmt.Sprint(n)), m.session, m.plan, n)
			}
		})
	}
}

// sweepDefer stops at the nth change, in a copy of a root, and reports whether there is one.
func sweepDefer(t *testing.T, template, dir string, s *session.Session, plan disktest.Plan, n int) bool {
	t.Helper()
	envtest.NoError(t, os.CopyFS(filepath.Join(dir, "root"), os.DirFS(template)))
	open := func(opts repo.Options) *repo.Root {
		opts.Queue = filepath.Join(dir, "state", "queue", "one")
		root, err := repo.Open(filepath.Join(dir, "root"), opts)
		envtest.NoError(t, err)
		t.Cleanup(func() { root.Close() })
		return root
	}
	work := func(root *repo.Root, at time.Time) error {
		s := newShift(saying(oneFix))
		s.now = at
		return s.Run(t.Context(), root)
	}
	plan.At = n
	root := open(repo.Options{Fault: plan.Fault, LockWait: time.Millisecond})
	_, err := queue.Defer(root.Queue, root, s, reflect.Options{Now: noon})
	isQueued := err == nil
	if isQueued {
		_ = work(root, noon)
	}
	if plan.Seen() < n {
		envtest.FailIf(t, n < 10, "only %d changes", n)
		return false
	}
	root = open(repo.Options{LockWait: time.Second})
	if err := disk.Await(t.Context(), 10*time.Second, func() error { return work(root, noon.Add(23*time.Hour)) }); err != nil { // another test's child may have a hold on the lock
		t.Errorf("change %d: %v", n, err)
	}
	got := hits(t, root)["Read the log first"]
	envtest.FailIf(t, got > 1 || isQueued && got != 1 || len(left(t, root)) != 0,
		"change %d: queued %v, %d hits, left %+v", n, isQueued, got, left(t, root))
	return true
}
