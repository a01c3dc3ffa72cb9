package reflect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// asker is an oracle made of a function that keeps what it was asked.
type asker struct {
	name  string
	asked []oracle.Request
	f     func(oracle.Request) (string, error)
}

func (a *asker) Name() string { return a.name }

func (a *asker) Ask(_ context.Context, r oracle.Request) (string, error) {
	a.asked = append(a.asked, r)
	return a.f(r)
}

// saying answers with these texts in turn, the last one for ever.
func saying(answers ...string) *asker {
	return &asker{name: "scripted", f: func(oracle.Request) (string, error) {
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return answer, nil
	}}
}

func failing(err error) *asker {
	return &asker{name: "failing", f: func(oracle.Request) (string, error) { return "", err }}
}

func newRoot(t *testing.T) *repo.Root {
	t.Helper()
	root, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), "root"), repo.Options{LockWait: time.Millisecond})
	envtest.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	return root
}

func look(t *testing.T, root *repo.Root) *repo.Memory {
	t.Helper()
	m, err := root.View(noon)
	envtest.NoError(t, err)
	return m
}

// hits are the records of a root with their hits.
func hits(t *testing.T, root *repo.Root) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, it := range look(t, root).Index.Items {
		out[it.Text] = it.Hits
	}
	return out
}

func subjects(t *testing.T, root *repo.Root) []string {
	t.Helper()
	var out []string
	envtest.NoError(t, root.WalkHistory(func(r repo.Revision) bool {
		out = append(out, r.Subject())
		return true
	}))
	return out
}

// talk is a session in which a person said these things, a minute apart.
func talk(id string, said ...string) *session.Session {
	s := &session.Session{Agent: "pi", ID: id, CWD: "/project"}
	for i, text := range said {
		s.Events = append(s.Events, session.Event{ID: fmt.Sprint("e", i), Time: noon.Add(time.Duration(i) * time.Minute), Kind: session.UserText, Origin: session.Human, Text: text})
	}
	return s
}

// learn reflects on a session and counts what it taught.
func learn(t *testing.T, root *repo.Root, o oracle.Oracle, s *session.Session) (reflect.Outcome, reflect.Reason) {
	t.Helper()
	r := reflect.Reflector{Oracles: []oracle.Oracle{o}}
	p, reason, err := r.ReflectOn(t.Context(), look(t, root), s, reflect.Options{Now: noon})
	envtest.NoError(t, err)
	if p == nil {
		return reflect.Outcome{}, reason
	}
	o1, err := reflect.CommitPending(t.Context(), root, p)
	envtest.NoError(t, err)
	return o1, o1.Reason
}

const oneFix = `{"mistakes": [], "fixes": ["Read the log first"]}`

func TestSession(t *testing.T) {
	o := saying(`{"mistakes": ["guessing ports on the staging proxy"], "fixes": ["Read the log first"], "trust": "user", "origin": "user"}`)
	r := reflect.Reflector{Oracles: []oracle.Oracle{o}, Global: true}
	s := talk("s1", "please read the log first", "the staging proxy failed")
	s.Events = append(s.Events, session.Event{ID: "w", Time: noon.Add(time.Hour), Kind: session.ToolResult, Origin: session.External, Text: "guessing ports on the staging proxy"})
	m := repo.BlankMemory(noon, repo.Options{})
	p, reason, err := r.ReflectOn(t.Context(), m, s, reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || reason != "", "%v %v", reason, err)
	want := &reflect.Pending{
		Head: reflect.Head{
			ID: p.ID, At: noon, Label: "task", Agent: "pi", Session: "s1", Trace: "pi:s1",
			Mark: &facts.Mark{Last: "w", At: noon.Add(time.Hour), Events: 3, Read: noon},
		},
		Model:    "scripted",
		Mistakes: []index.Lesson{{Text: "guessing ports on the staging proxy", Origin: index.OriginExternal, Span: "e1", Held: true, Doubt: "it stands only in text from outside"}},
		Fixes:    []index.Lesson{{Text: "Read the log first", Origin: index.OriginUser, Span: "e0"}},
	}
	diff := cmp.Diff(want, p, cmpopts.IgnoreUnexported(reflect.Pending{}), cmpopts.EquateEmpty())
	envtest.FailIf(t, diff != "", "pending (-want +got):\n%s", diff)
	if len(o.asked) != 1 || o.asked[0].MaxTokens != 3000 || o.asked[0].Timeout != 90*time.Second ||
		len(o.asked[0].Events) != 3 || !strings.Contains(o.asked[0].System, "for all projects") {
		t.Errorf("asked %+v", o.asked)
	}
	envtest.Same(t, reflect.Prepare(s.Events), o.asked[0].Events, "asked about")
	var out reflect.Outcome
	commit, err := m.Preview(func(m *repo.Memory) (msg repo.Message, err error) {
		out, msg, err = p.CountInto(m)
		return msg, err
	})
	envtest.NoError(t, err)
	diff = cmp.Diff([]reflect.Counted{
		{Text: "Read the log first", Kind: index.Learning, Hits: 1, New: true},
		{Text: "Avoid: guessing ports on the staging proxy", Kind: index.AntiPattern, Status: index.Quarantined, Doubt: "it stands only in text from outside", Hits: 1, New: true},
	}, out.Lessons, cmpopts.IgnoreFields(reflect.Counted{}, "ID"))
	envtest.FailIf(t, diff != "", "outcome (-want +got):\n%s", diff)
	envtest.FailIf(t, commit.Subject != "chore(memory): 2026-02-03 task: Read the log first (+2)" || commit.ID != "",
		"commit %+v", commit)
}

func TestReasons(t *testing.T) {
	unavailable := errors.New("no program")
	for _, tt := range []struct {
		name    string
		oracles []*asker
		session *session.Session
		want    reflect.Reason
		asked   int
		warned  string
	}{
		{"an empty session", []*asker{saying(oneFix)}, talk("s1"), reflect.EmptySession, 0, ""},
		{"no messages", []*asker{saying(oneFix)}, &session.Session{Agent: "pi", ID: "s", Events: []session.Event{{ID: "1", Kind: session.UserText, Origin: session.Injected, Text: "x"}, {ID: "2", Kind: session.ToolResult, Text: "y"}}}, reflect.EmptySession, 0, ""},
		{"no oracle", nil, talk("s1", "x"), reflect.NoOracle, 0, ""},
		{"none available", []*asker{failing(unavailable), failing(unavailable)}, talk("s1", "x"), reflect.NoOracle, 2, "failing: no program|failing: no program"},
		{"spent, then none available", []*asker{failing(oracle.ErrSpent), failing(unavailable)}, talk("s1", "x"), reflect.Spent, 2, "failing: the day's budget for models is spent|failing: no program"},
		{"one fails", []*asker{failing(errors.New("broken"))}, talk("s1", "x"), reflect.NoOracle, 1, "failing: broken"},
		{"the second answers", []*asker{failing(errors.New("broken")), saying(oneFix)}, talk("s1", "x"), "", 2, "failing: broken"},
		{"unusable", []*asker{saying("prose", "more prose")}, talk("s1", "x"), reflect.BadAnswer, 2, "scripted: the answer holds no lessons in the form asked for"},
		{"empty", []*asker{saying(" \n")}, talk("s1", "x"), reflect.BadAnswer, 1, "scripted: the answer holds no lessons in the form asked for"},
		{"an object without lessons", []*asker{saying(`{"x": 1} ["y"]`, oneFix)}, talk("s1", "x"), "", 2, ""},
		{"repaired", []*asker{saying("prose", oneFix)}, talk("s1", "x"), "", 2, ""},
		{"a refusal, repaired to nothing", []*asker{saying("I cannot help with that", `{"lessons": []}`)}, talk("s1", "x"), reflect.BadAnswer, 2, "scripted: the answer holds no lessons in the form asked for"},
		{"cut off", []*asker{saying(`{"lessons": [{"text": "Read the log first"}, {"te`, oneFix)}, talk("s1", "x"), reflect.BadAnswer, 1, "scripted: the answer holds no lessons in the form asked for"},
		{"thoughts without an end", []*asker{saying(`<think>It is {"lessons": [{"te`, oneFix)}, talk("s1", "x"), reflect.BadAnswer, 1, "scripted: the answer holds no lessons in the form asked for"},
		{"words of a failure", []*asker{saying(`["Rate limit exceeded"]`, `{"lessons": "none"}`)}, talk("s1", "x"), reflect.BadAnswer, 2, "scripted: the answer holds no lessons in the form asked for"},
		{"words of the session alone", []*asker{saying(`["Check the clocks first"]`)}, talk("s1", "check the clocks"), "", 1, ""},
		{"of another session", []*asker{saying(`{"lessons": [{"text": "Read the log first", "events": [99]}]}`, "{\"lessons\": [{\"text\": \"Run `poetry install` first\", \"events\": [1]}]}")}, talk("s1", "x"), reflect.BadAnswer, 2, "scripted: the answer holds no lessons in the form asked for"},
		{"unusable, then another oracle", []*asker{saying("prose"), saying(oneFix)}, talk("s1", "x"), "", 3, "scripted: the answer holds no lessons in the form asked for"},
		{"unusable, then none available", []*asker{saying("prose"), failing(unavailable)}, talk("s1", "x"), reflect.BadAnswer, 3, "scripted: the answer holds no lessons in the form asked for|failing: no program"},
		{"nothing to learn", []*asker{saying(`{"mistakes": [], "fixes": []}`), saying(oneFix)}, talk("s1", "x"), reflect.NothingToSay, 2, ""},
		{"nothing to learn, then a lesson", []*asker{saying(`{"mistakes": [], "fixes": []}`, oneFix)}, talk("s1", "x"), "", 2, ""},
		{"nothing to learn in the form asked for", []*asker{saying(`{"lessons": []}`, oneFix)}, talk("s1", "x"), reflect.NothingToSay, 1, ""},
		{"nothing but what is left out", []*asker{saying(`{"mistakes": ["\u200b"], "fixes": []}`)}, talk("s1", "x"), reflect.NothingToSay, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var warned []string
			r := reflect.Reflector{Warn: func(s string) { warned = append(warned, s) }}
			for _, o := range tt.oracles {
				r.Oracles = append(r.Oracles, o)
			}
			p, reason, err := r.ReflectOn(t.Context(), repo.BlankMemory(noon, repo.Options{}), tt.session, reflect.Options{Now: noon})
			envtest.FailIf(t, err != nil || reason != tt.want || (p == nil) != (tt.want != ""),
				"Session = %+v, %q, %v; want the reason %q", p, reason, err, tt.want)
			asked := 0
			for _, o := range tt.oracles {
				asked += len(o.asked)
				for i, r := range o.asked {
					envtest.Same(t, i > 0, isRepair(r), "request", i, "is a repair")
				}
			}
			envtest.Same(t, tt.asked, asked, "asked times")
			envtest.Same(t, tt.warned, strings.Join(warned, "|"), "warnings")
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := (reflect.Reflector{Oracles: []oracle.Oracle{failing(context.Canceled)}}).ReflectOn(ctx, repo.BlankMemory(noon, repo.Options{}), talk("s1", "x"), reflect.Options{})
	envtest.Wraps(t, context.Canceled, err, "cancelled")
}

// Nothing that goes to an oracle holds a secret, on the way of a repair
// neither.
func TestNoSecretLeaves(t *testing.T) {
	secret := "AKIA" + strings.Repeat("FAKE", 4)
	o := saying("prose with "+secret, `{"mistakes": [], "fixes": ["Never commit `+secret+`"]}`)
	s := talk("s1", "use "+secret, "now")
	p, _, err := reflect.Reflector{Oracles: []oracle.Oracle{o}}.ReflectOn(t.Context(), repo.BlankMemory(noon, repo.Options{}), s, reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || len(o.asked) != 2, "%v %v", err, len(o.asked))
	for _, r := range o.asked {
		all := fmt.Sprintf("%+v", r)
		envtest.FailIf(t, strings.Contains(all, secret), "the request holds the secret: %s", all)
	}
	data, err := json.Marshal(p)
	envtest.FailIf(t, err != nil || strings.Contains(string(data), secret), "pending %s, %v", data, err)
	envtest.FailIf(t, !strings.Contains(s.Events[0].Text, secret), "the session was changed")
}

// A session is read on from where it was read before, and a retry, another
// copy and another machine add nothing.
func TestWatermark(t *testing.T) {
	root := newRoot(t)
	o := saying(oneFix, `{"mistakes": [], "fixes": ["Something else"]}`)
	first, _ := learn(t, root, o, talk("s1", "one", "two"))
	envtest.StopIf(t, len(first.Lessons) != 1, "outcome %+v", first)
	_, reason := learn(t, root, o, talk("s1", "one", "two"))
	envtest.FailIf(t, reason != reflect.NothingNew || len(o.asked) != 1, "again: %q after %d requests", reason, len(o.asked))
	second, _ := learn(t, root, o, talk("s1", "one", "two", "three"))
	if len(o.asked) != 2 || !strings.Contains(o.asked[1].Prompt, "[2 user, human] two\n[new from here on") || !strings.Contains(o.asked[1].Prompt, "three") {
		t.Errorf("asked for more than what is new, behind what it answers: %+v", o.asked[1:])
	}
	envtest.FailIf(t, second.ID == first.ID, "another span has the same id")
	// The agent rewrote the file, with other ids.
	rewritten := talk("s1", "summary", "two", "three", "four")
	for i := range rewritten.Events {
		rewritten.Events[i].ID = fmt.Sprint("new", i)
	}
	learn(t, root, o, rewritten)
	if last := o.asked[len(o.asked)-1].Prompt; len(o.asked) != 3 || !strings.Contains(last, "three\n[new from here on") || !strings.Contains(last, "four") {
		t.Errorf("after the file was rewritten: %s", last)
	}
	envtest.Same(t, map[string]int{"Read the log first": 1, "Something else": 2}, hits(t, root), "hits")

	// Another machine read the same span and got other words for it.
	other := newRoot(t)
	same, _ := learn(t, other, saying(`{"mistakes": [], "fixes": ["In other words"]}`), talk("s1", "one", "two"))
	envtest.Same(t, first.ID, same.ID, "the same span is here and there")
	p := &reflect.Pending{Head: reflect.Head{ID: same.ID, At: noon, Label: "task"}, Fixes: []index.Lesson{{Text: "In other words"}}}
	out, err := reflect.CommitPending(t.Context(), root, p)
	envtest.FailIf(t, err != nil || out.Reason != reflect.NothingNew,
		"the reflection of another machine: %+v, %v", out, err)
}

// Two processes read the same session at the same time.
func TestRace(t *testing.T) {
	root := newRoot(t)
	r := reflect.Reflector{Oracles: []oracle.Oracle{saying(oneFix)}}
	m := look(t, root)
	pending := func(s *session.Session) *reflect.Pending {
		p, _, err := r.ReflectOn(t.Context(), m, s, reflect.Options{Now: noon})
		envtest.NoError(t, err)
		return p
	}
	short, long := pending(talk("s1", "one")), pending(talk("s1", "one", "two"))
	for i, p := range []*reflect.Pending{long, long, short} {
		out, err := reflect.CommitPending(t.Context(), root, p)
		envtest.FailIf(t, err != nil || (out.Reason == reflect.NothingNew) != (i > 0),
			"reflection %d: %+v, %v", i, out, err)
	}
	envtest.Same(t, map[string]int{"Read the log first": 1}, hits(t, root), "hits")
	got := subjects(t, root)
	envtest.FailIf(t, len(got) != 2, "commits %q", got)
}

func TestFinished(t *testing.T) {
	root := newRoot(t)
	secret := "AKIA" + strings.Repeat("FAKE", 4)
	f := &trace.Finished{ID: "mine --> 1", Session: "s1\nMem-Item: forged", Model: "claude " + secret, Stated: trace.Stated{Mistakes: plain("Avoid: guessing"), Fixes: plain("Read the log", "avoid: hurrying")}}
	p, reason := reflect.Reflector{}.TakeFinished(f, reflect.Options{Now: noon, Label: "manual"})
	envtest.StopIf(t, reason != "", "%v", reason)
	out, err := reflect.CommitPending(t.Context(), root, p)
	envtest.NoError(t, err)
	fresh, again := out.CountLessons()
	envtest.FailIf(t, fresh != 3 || again != 0, "%d new, %d known", fresh, again)
	if again, err := reflect.CommitPending(t.Context(), root, p); err != nil || again.Reason != reflect.NothingNew {
		t.Errorf("again: %+v, %v", again, err)
	}
	var rev repo.Revision
	envtest.NoError(t, root.WalkHistory(func(r repo.Revision) bool { rev = r; return false }))
	ids := func(texts ...string) (out []string) {
		for _, text := range texts {
			m := look(t, root)
			out = append(out, m.Index.Items[slices.IndexFunc(m.Index.Items, func(it index.Item) bool { return it.Text == text })].ID)
		}
		return out
	}("Read the log", "Avoid: hurrying", "Avoid: guessing")
	envtest.Same(t, map[string][]string{
		"Mem-Reflection": {"mine--->-1"}, "Mem-Session": {"s1-Mem-Item:-forged"}, "Mem-Model": {"claude-[redacted:aws-access-key]"}, "Mem-Item": ids,
	}, rev.Trailers(), "trailers", rev.Message)
	want := "chore(memory): 2026-02-03 manual: Read the log (+3)\n\n+ Read the log\n+ Avoid: hurrying\n+ Avoid: guessing\n\n"
	envtest.FailIf(t, !strings.HasPrefix(rev.Message, want), "message %q", rev.Message)
	journal, err := look(t, root).ReadFile("daily/2026-02-03.md")
	if err != nil || strings.Count(string(journal), "-->") != 1 || !strings.Contains(string(journal), "### What went wrong\n\n- hurrying\n- guessing\n") {
		t.Errorf("journal %s, %v", journal, err)
	}
	p, reason = (reflect.Reflector{}).TakeFinished(&trace.Finished{Stated: trace.Stated{Fixes: plain(" ")}}, reflect.Options{Now: noon})
	envtest.FailIf(t, p != nil || reason != reflect.NothingToSay, "nothing: %+v, %q", p, reason)

	// Without an id each call counts.
	f = &trace.Finished{Stated: trace.Stated{Fixes: plain("Read the log")}}
	for n := 2; n < 4; n++ {
		p, _ := reflect.Reflector{}.TakeFinished(f, reflect.Options{Now: noon})
		_, err := reflect.CommitPending(t.Context(), root, p)
		envtest.NoError(t, err)
		envtest.Same(t, n, hits(t, root)["Read the log"], "hits")
		envtest.Same(t, "chore(memory): 2026-02-03 task: Read the log (×1)", subjects(t, root)[0], "subject")
	}
}

// A reflection brings as many lessons a side as it may.
func TestMaxLessons(t *testing.T) {
	var texts []string
	for _, c := range "abcdefghijk" {
		texts = append(texts, "Lesson "+string(c))
	}
	for most, want := range map[int]int{0: 8, 3: 3, -1: 8, 50: 11} {
		p, _ := reflect.Reflector{MaxLessons: most}.TakeFinished(&trace.Finished{Stated: trace.Stated{Fixes: plain(texts...)}}, reflect.Options{Now: noon})
		envtest.Same(t, want, len(p.Fixes), "MaxLessons", most, "lessons")
	}
}

// A list of traces that cannot be read keeps a reflection from being counted.
func TestDamagedTraces(t *testing.T) {
	m := repo.BlankMemory(noon, repo.Options{})
	for bad, is := range map[string]error{"{": facts.ErrTraces, `{"version":2}`: index.ErrNewerVersion, `{"traces":[]}`: facts.ErrTraces} {
		envtest.NoError(t, m.WriteFile(repo.TracesPath, []byte(bad)))
		_, _, err := (&reflect.Pending{Fixes: []index.Lesson{{Text: "x"}}}).CountInto(m)
		envtest.Wraps(t, is, err, bad)
		envtest.StopIf(t, len(m.Index.Items) > 0, "counted all the same")
	}
}
