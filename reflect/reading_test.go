package reflect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// numbered is a session of n events, a minute apart.
func numbered(n int) *session.Session {
	s := &session.Session{Agent: "pi", ID: "s1"}
	for i := range n {
		s.Events = append(s.Events, session.Event{ID: fmt.Sprint("e", i), Time: noon.Add(time.Duration(i) * time.Minute), Kind: session.UserText, Origin: session.Human, Text: "x"})
	}
	return s
}

func ids(events []session.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, e.ID)
	}
	return strings.Join(out, " ")
}

func unread(known Traces, s *session.Session) (events []session.Event) {
	for _, i := range known.findUnread(Identity(s), s) {
		events = append(events, s.Events[i])
	}
	return events
}

func TestUnread(t *testing.T) {
	mark := *newMark(numbered(3), noon)
	renamed := numbered(5)
	for i := range renamed.Events {
		renamed.Events[i].ID = fmt.Sprint("new", i)
	}
	for _, tt := range []struct {
		name string
		s    *session.Session
		mark facts.Mark
		want string
	}{
		{"never read", numbered(2), facts.Mark{}, "e0 e1"},
		{"nothing new", numbered(3), mark, ""},
		{"more", numbered(5), mark, "e3 e4"},
		{"rewritten: time decides", renamed, mark, "new3 new4"},
		{"rewritten, nothing later", &session.Session{Events: renamed.Events[:3]}, mark, ""},
		{"rewritten, no times", renamed, facts.Mark{Last: "gone"}, "new0 new1 new2 new3 new4"},
		{"shorter than it was", numbered(2), mark, ""},
	} {
		envtest.Same(t, tt.want, ids(eventsAfter(tt.s.Events, tt.mark)), tt.name, "unread")
	}
}

// How far a session was read is told by time rather than by the number of its
// events: of a long one only the end is seen, and that may hold fewer.
func TestFurther(t *testing.T) {
	was := facts.Mark{Last: "e", At: noon, Events: 9}
	for _, tt := range []struct {
		name string
		mark facts.Mark
		want bool
	}{
		{"later, more", facts.Mark{Last: "f", At: noon.Add(time.Second), Events: 10}, true},
		{"later, fewer", facts.Mark{Last: "f", At: noon.Add(time.Second), Events: 3}, true},
		{"earlier, more", facts.Mark{Last: "f", At: noon.Add(-time.Second), Events: 10}, false},
		{"more at once", facts.Mark{Last: "f", At: noon, Events: 10}, true},
		{"just as far", facts.Mark{Last: "f", At: noon, Events: 9}, true},
	} {
		m := newTraces(facts.Traces{Marks: map[string]facts.Mark{"s": was}})
		m.TakeMark("s", tt.mark)
		envtest.Same(t, tt.want, m.Marks["s"].Last == "f", tt.name, "taken over")
	}
}

// Resuming may go on in a new file, into which the history is copied.
func TestUnreadOfCopiedHistory(t *testing.T) {
	const line = `{"timestamp":"2026-02-03T%s:00Z","type":%q,"payload":{%s}}` + "\n"
	read := func(id, rest string) *session.Session {
		doc, err := trace.Read(strings.NewReader(fmt.Sprintf(line, "12:00", "session_meta", `"id":"`+id+`","cwd":"/w"`) + rest))
		envtest.NoError(t, err)
		return doc.Session
	}
	said := func(at, text string) string {
		return fmt.Sprintf(line, at, "event_msg", `"type":"user_message","message":"`+text+`"`)
	}
	first := read("c1", said("12:01", "one")+said("12:02", "two"))
	marks := newTraces(facts.Traces{Marks: map[string]facts.Mark{Identity(first): *newMark(first, noon)}})
	copied := fmt.Sprintf(line, "13:00", "session_meta", `"id":"c1"`) + said("13:00", "one") + said("13:00", "two")
	resumed := read("c2", copied+said("13:01", "three")+said("13:02", "two"))
	envtest.FailIf(t, len(resumed.Events) != 4 || ids(unread(marks, resumed)) != ids(resumed.Events[2:]),
		"unread = %q of %q, want the last two", ids(unread(marks, resumed)), ids(resumed.Events))
	nothing := read("c3", copied)
	envtest.FailIf(t, len(unread(marks, nothing)) != 0, "a copy has %d new events", len(unread(marks, nothing)))
	stranger := read("c4", said("13:00", "one")+said("13:00", "two"))
	envtest.FailIf(t, len(unread(marks, stranger)) != 2, "a session that goes on from none is not new")
	marks.Marks[Identity(resumed)] = *newMark(resumed, noon)
	grown := read("c2", copied+said("13:01", "three")+said("13:02", "two")+said("13:03", "four"))
	envtest.Same(t, grown.Events[4].ID, ids(unread(marks, grown)), "unread")
	fork := numbered(4)
	fork.ID, fork.Parent = "s2", "/home/me/.pi/agent/sessions/--w--/2026-02-03T12-00-00-000Z_s1.jsonl"
	marks.Marks["pi:s1"] = *newMark(numbered(3), noon)
	envtest.Same(t, "e3", ids(unread(marks, fork)), "a fork of pi")
	entry := `{"type":"message","id":"e%d","parentId":"e%d","timestamp":"2026-02-03T12:0%[1]d:00.000Z","message":{"role":"user","content":"x"}}` + "\n"
	doc, err := trace.Read(strings.NewReader(`{"type":"session","version":3,"id":"s3","timestamp":"2026-02-03T12:02:30.000Z","cwd":"/w","parentSession":"/x_s1.jsonl"}` + "\n" +
		fmt.Sprintf(entry, 0, 9) + fmt.Sprintf(entry, 1, 0) + fmt.Sprintf(entry, 3, 1)))
	envtest.NoError(t, err)
	early := doc.Session // which left s1 after its second event of three
	envtest.Same(t, "e3", ids(unread(marks, early)), "a fork from an earlier point")
	early.Parent = "s0"
	envtest.Same(t, "e0 e1 e3", ids(unread(marks, early)), "a fork of an unread session")
	again := numbered(4) // a fork of a fork of what was read, and no file tells of it
	again.ID, again.Events[2].ID = "s9", "0a1b2c3d"
	marks.take("pi:s8", facts.Mark{Last: "0a1b2c3d", Events: 3})
	envtest.Same(t, "e3", ids(unread(marks, again)), "a fork of a fork")
}

func TestIdentity(t *testing.T) {
	s := numbered(2)
	envtest.Same(t, "pi:s1", Identity(s), "Identity")
	s.Path = "/somewhere/else"
	envtest.Same(t, "pi:s1", Identity(s), "the identity depends on the path")
	s.ID = ""
	a := Identity(s)
	s.CWD = "/other"
	b := Identity(s)
	envtest.FailIf(t, a == b || !strings.HasPrefix(a, "pi:at-"), "without an id: %q and %q", a, b)
	envtest.Same(t, "pi:", Identity(&session.Session{Agent: "pi"}), "of nothing")
	envtest.FailIf(t, HashParts("a", "bc") == HashParts("ab", "c"), "HashParts mixes up its parts")
}

func TestCleanID(t *testing.T) {
	long := strings.Repeat("x", 500)
	for in, want := range map[string]string{
		"": "", "r-1": "r-1", " a\n b\u200b ": "a-b", "AKIA" + strings.Repeat("FAKE", 4): "[redacted:aws-access-key]", long: "r-" + HashParts(long),
	} {
		envtest.Same(t, want, cleanID(in), "cleanID", in)
	}
}

func TestTracesFile(t *testing.T) {
	m := repo.BlankMemory(noon, repo.Options{})
	const file = `{"version":1,"traces":{"pi:a":{"last":"e1","at":"2026-02-03T12:00:00Z","events":2,"read":"2026-02-03T12:00:00Z"}},"reflections":["r-1"],"more":{"kept":[1.0]}}`
	envtest.NoError(t, m.WriteFile(repo.TracesPath, []byte(file)))
	tr, err := readTraces(m.ReadFile)
	envtest.NoError(t, err)
	envtest.FailIf(t, !tr.Covers("r-1", "", nil) || tr.Covers("", "", nil) || tr.Covers("r-2", "", nil),
		"Covers is wrong about reflections")
	tr.Read(facts.Fact{Kind: facts.Reflection, ID: "r-2", Trace: "pi:b", Mark: &facts.Mark{Last: "e9", At: noon, Events: 9, Read: noon}})
	tr.Read(facts.Fact{Kind: facts.Reflection, ID: "r-3"})
	data, err := tr.Encode()
	envtest.NoError(t, err)
	want := `{
  "version": 1,
  "traces": {
    "pi:a": {
      "last": "e1",
      "at": "2026-02-03T12:00:00Z",
      "events": 2,
      "read": "2026-02-03T12:00:00Z"
    },
    "pi:b": {
      "last": "e9",
      "at": "2026-02-03T12:00:00Z",
      "events": 9,
      "read": "2026-02-03T12:00:00Z"
    }
  },
  "reflections": [
    "r-1",
    "r-2",
    "r-3"
  ],
  "more": {
    "kept": [
      1.0
    ]
  }
}
`
	envtest.Same(t, want, string(data), repo.TracesPath)
	for bad, is := range map[string]error{"{": facts.ErrTraces, `{"version":2}`: index.ErrNewerVersion, `[]`: facts.ErrTraces, `{"traces":[]}`: facts.ErrTraces} {
		envtest.NoError(t, m.WriteFile(repo.TracesPath, []byte(bad)))
		_, err := readTraces(m.ReadFile)
		envtest.Wraps(t, is, err, bad, "ReadFile")
	}
	envtest.NoError(t, m.WriteFile(repo.TracesPath, []byte(`{"version":1,"traces":null}`)))
	tr, err = readTraces(m.ReadFile)
	envtest.FailIf(t, err != nil || tr.Marks == nil, "ReadFile = %+v, %v", tr, err)
}

func TestTracesAreBounded(t *testing.T) {
	const maxMarks, maxReflections = 500, 1000
	tr := noTraces()
	for i := range 1500 {
		mark := &facts.Mark{Read: noon.Add(time.Duration(i) * time.Second)}
		tr.Read(facts.Fact{Kind: facts.Reflection, ID: fmt.Sprint("r-", i), Trace: fmt.Sprintf("pi:%04d", i), Mark: mark})
	}
	tr.Bound()
	envtest.FailIf(t, len(tr.Marks) != maxMarks || len(tr.Reflections) != maxReflections,
		"%d marks, %d reflections", len(tr.Marks), len(tr.Reflections))
	if _, ok := tr.Marks["pi:0999"]; ok || !tr.Covers("r-1499", "", nil) || !tr.Covers("r-500", "", nil) || tr.Covers("r-499", "", nil) {
		t.Error("the latest ones were not kept")
	}
	_, ok := tr.Marks["pi:1000"]
	envtest.FailIf(t, !ok, "the latest marks were not kept")
}

func TestCovers(t *testing.T) {
	at := func(n int) facts.Mark { return *newMark(numbered(n), noon) }
	for _, tt := range []struct {
		name       string
		have, mine facts.Mark
		want       bool
	}{
		{"never read", facts.Mark{}, at(3), false},
		{"read just as far", at(3), at(3), true},
		{"read further", at(5), at(3), true},
		{"read less far", at(2), at(3), false},
		{"rewritten and shorter, but later", facts.Mark{Last: "old", At: noon, Events: 50}, at(3), false},
		{"rewritten and shorter, and earlier", facts.Mark{Last: "old", At: noon.Add(time.Hour), Events: 50}, at(3), true},
	} {
		tr := noTraces()
		if tt.have.Last != "" {
			tr.Marks["pi:s1"] = tt.have
		}
		envtest.Same(t, tt.want, tr.Covers("", "pi:s1", &tt.mine), tt.name, "Covers")
	}
	nameless := newTraces(facts.Traces{Marks: map[string]facts.Mark{"": at(3)}})
	envtest.FailIf(t, nameless.Covers("", "", nil), "a reflection without a trace is passed")
}
