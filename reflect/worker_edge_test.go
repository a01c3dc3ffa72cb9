package reflect_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect/queue"
	"mem/repo"
	"mem/session"
)

// A session whose every reading kills the worker is set aside, too.
func TestWorkerDiesEachTime(t *testing.T) {
	root := newRoot(t)
	putOff(t, root, noon, talk("s1", "x"))
	s := newShift(&asker{name: "model"})
	for i := range 6 {
		s.now = noon.Add(time.Duration(i) * 6 * time.Hour)
		var note []byte
		s.Reflector.Oracles = []oracle.Oracle{&asker{name: "model", f: func(oracle.Request) (string, error) {
			envtest.FailIf(t, i == 5, "asked a sixth time")
			var err error
			note, err = root.ReadNote(repo.NoteWork)
			envtest.FailIf(t, err != nil, "%v", err)
			return "", errors.New("503")
		}}}
		s.run(t, root)
		if note == nil {
			continue
		}
		if err := root.KeepNote(repo.NoteWork, note); err != nil { // as if it had got no further
			t.Fatal(err)
		}
	}
	if list := left(t, root); len(list) != 1 || !list[0].Aside || list[0].Failure != "the process that read it died" {
		t.Errorf("left: %+v", list)
	}
	s.Reflector.Oracles = []oracle.Oracle{saying(oneFix)}
	n, err := queue.RetryAll(root)
	envtest.StopIf(t, n != 1 || err != nil, "%v %v", n, err)
	if s.run(t, root); len(left(t, root)) != 0 {
		t.Errorf("left: %+v", left(t, root))
	}
}

// A clock that was set back delays nothing, neither for a session's rest
// nor for its next try.
func TestWorkerClockSetBack(t *testing.T) {
	root := newRoot(t)
	year := noon.AddDate(1, 0, 0)
	putOff(t, root, year, talk("s1", "x"))
	s := newShift(failing(errors.New("503")))
	s.Quiet = 5 * time.Second
	s.now = year.Add(time.Minute)
	s.run(t, root)
	putOff(t, root, year, talk("s2", "y"))
	s.now = noon
	due, err := queue.IsDue(root, noon)
	envtest.FailIf(t, !due || err != nil, "due: %v, %v", due, err)
	s.Reflector.Oracles = []oracle.Oracle{saying(oneFix)}
	if s.run(t, root); len(left(t, root)) != 0 || s.slept != 0 {
		t.Errorf("left: %+v after %s", left(t, root), s.slept)
	}
}

// The table for hooks that an older mem left is a worker's business, or hooks are silent until something is learned.
func TestWorkerRenewsCues(t *testing.T) {
	root := newRoot(t)
	learn(t, root, saying(oneFix), talk("s1", "x"))
	old := filepath.Join(root.Path(), ".git/mem/cues")
	envtest.NoError(t, os.WriteFile(old, []byte("mem cues 5 1@2, 00000000\n"), 0o600))
	due, err := queue.IsDue(root, noon)
	envtest.FailIf(t, !due || err != nil, "due: %v, %v", due, err)
	learn(t, root, saying(oneFix), talk("s2", "y"))
	if due, err := queue.IsDue(root, noon); due || err != nil || root.ReadCues() == nil {
		t.Errorf("due again: %v, %v; cues: %q", due, err, root.ReadCues())
	}
}

// Who queues a session while the worker is about to leave sees its lock, and
// starts no other one: the session is the leaving worker's, even if it rests.
func TestWorkerLeavesNobodyBehind(t *testing.T) {
	root := newRoot(t)
	putOff(t, root, noon.Add(-time.Hour), talk("s1", "x"))
	s := newShift(saying(oneFix))
	s.Quiet = 5 * time.Second
	late := false
	s.Now = func() time.Time {
		if names, err := root.ListWaiting(); err == nil && len(names) == 0 && !late && root.IsWorking() && queue.ReadWork(root).Done.Equal(noon) {
			late = true
			defer putOff(t, root, s.now, talk("s2", "y"))
		}
		return s.now
	}
	s.run(t, root)
	list := left(t, root)
	envtest.FailIf(t, !late || len(list) != 0, "late %v, left: %+v", late, list)
}

// A core/traces.json that cannot be read, as an editor may leave one, stops nothing: the last commit has it.
func TestUnreadableTraces(t *testing.T) {
	root := newRoot(t)
	envtest.NoError(t, os.WriteFile(filepath.Join(root.Path(), "core", "traces.json"), []byte("<<<<<<< HEAD\n"), 0o600))
	putOff(t, root, noon, talk("s1", "x"))
	s := newShift(saying(oneFix))
	if s.run(t, root); len(left(t, root)) != 0 || hits(t, root)["Read the log first"] != 1 {
		t.Errorf("left %+v, hits %v", left(t, root), hits(t, root))
	}
}

// Of a session that is long, or was rewritten, a later job may hold no more
// than the end: what only the earlier one has is asked about as well, and the
// later one goes on from there.
func TestWorkerKeepsWhatIsGone(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(s *session.Session)
		want []string
	}{
		{"cut", func(s *session.Session) { s.Events = s.Events[2:] }, []string{"a b c", "c d e"}},
		{"rewritten", func(s *session.Session) {
			s.Events = s.Events[2:]
			s.Events[0].ID, s.Events[0].Text = "summary", "summed up"
		}, []string{"a b c", "summed up d e"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := newRoot(t)
			o := saying(oneFix)
			s := newShift(o)
			putOff(t, root, noon, talk("s1", "a", "b", "c"))
			whole := talk("s1", "a", "b", "c", "d", "e")
			tt.end(whole)
			putOff(t, root, noon.Add(time.Second), whole)
			s.now = noon.Add(time.Minute)
			s.run(t, root)
			var said []string
			for _, req := range o.asked {
				var texts []string
				for _, s := range req.Events {
					texts = append(texts, s.Text)
				}
				said = append(said, strings.Join(texts, " "))
			}
			if diff := cmp.Diff(tt.want, said); diff != "" || len(left(t, root)) != 0 {
				t.Errorf("asked about (-want +got):\n%s\nleft %+v", diff, left(t, root))
			}
		})
	}
}

// While a session waits for a model its turns go on: now and then a worker is
// needed that makes the queue small, even if no oracle can be asked.
func TestDueWithManyTurns(t *testing.T) {
	root := newRoot(t)
	s := newShift(failing(errors.New("503")))
	putOff(t, root, noon, talk("s1", "w0"))
	s.run(t, root)
	var words []string
	for i := range 40 {
		words = append(words, fmt.Sprint("w", i))
		s.now = s.now.Add(time.Second)
		putOff(t, root, s.now, talk("s1", words...))
		due, err := queue.IsDue(root, s.now)
		envtest.NoError(t, err)
		if due {
			s.run(t, root)
		}
	}
	if list := left(t, root); len(list) > 8 || list[0].Tries != 1 {
		t.Errorf("%d jobs for one session, tried %d times", len(list), list[0].Tries)
	}
}

// What a person says to try again stays so, whatever a worker is at.
func TestRetryWhileAtWork(t *testing.T) {
	root := newRoot(t)
	s := newShift(failing(errors.New("503")))
	putOff(t, root, noon, talk("s1", "x"))
	s.run(t, root)
	putOff(t, root, noon, talk("s2", "y"))
	asked := 0
	s.Reflector.Oracles = []oracle.Oracle{&asker{name: "model", f: func(oracle.Request) (string, error) {
		if asked++; asked == 1 {
			_, err := queue.RetryAll(root)
			envtest.FailIf(t, err != nil, "%v", err)
		}
		return oneFix, nil
	}}}
	if s.run(t, root); asked != 2 || len(left(t, root)) != 0 {
		t.Errorf("asked %d times, left %+v", asked, left(t, root))
	}
}
