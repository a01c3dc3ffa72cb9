package reflect_test

import (
	"fmt"
	"testing"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
)

// curing is a session in which a command fails, and works after another one.
func curing(t *testing.T, id, cure string) *transcript {
	tr := newTranscript("claude", id)
	tr.user("See whether all is well, and install the packages before the tests.")
	tr.call("Bash", map[string]any{"command": "npm test"}, "Error: Cannot find module 'zod'", true)
	tr.call("Bash", map[string]any{"command": cure}, "added 90 packages", false)
	tr.call("Bash", map[string]any{"command": "npm test"}, "ok 12 tests passed", false)
	return tr
}

// TestCandidates: what two sessions show is a lesson, with a model and without.
func TestCandidates(t *testing.T) {
	const ci = "Run `npm ci` before `npm test`: otherwise it fails with `Error: Cannot find module 'zod'`"
	none, own := saying(`{"lessons":[],"none":[]}`), saying(`{"lessons":[{"text":"Install the packages before the tests","events":[1],"cue":{"command":"npm","error":"Error: Cannot find module 'zod'"}}]}`)
	for _, tt := range []struct {
		name    string
		oracle  oracle.Oracle // of the second session
		between func(*index.Item)
		third   string
		want    string
	}{
		{"rules", oracle.Rules, nil, "", ci + " ×2  \n"},
		{"a model that finds nothing", none, nil, "", ci + " ×2  \n"},
		{"a model that says it in its own words", own, nil, "", "Install the packages before the tests ×2  \n"},
		{"another cure in a third session", oracle.Rules, nil, "npm install", ci + " ×3  \n"},
		{"a person retires it", oracle.Rules, func(it *index.Item) { it.Status = index.Retired }, "npm ci", ci + " ×2 retired \n"},
		{"a person words it", oracle.Rules, func(it *index.Item) { it.SetText("Install first") }, "npm ci", "Install first ×3  \n"},
	} {
		root := newRoot(t)
		learn(t, root, oracle.Rules, curing(t, "s1", "npm ci").read(t))
		learn(t, root, tt.oracle, curing(t, "s2", "npm ci").read(t))
		_, err := root.Settle(t.Context(), noon, func(m *repo.Memory) (repo.Message, error) {
			if tt.between != nil {
				m.Index.Items[0].Change(tt.between)
			}
			return repo.Message{Subject: "x"}, nil
		})
		envtest.NoError(t, err)
		if tt.third != "" {
			learn(t, root, oracle.Rules, curing(t, "s3", tt.third).read(t))
		}
		envtest.Same(t, tt.want, state(t, root), tt.name)
	}
}

// TestAgainOfCandidate: a model that says that its session shows a candidate, too, makes it a lesson.
func TestAgainOfCandidate(t *testing.T) {
	root := newRoot(t)
	learn(t, root, oracle.Rules, curing(t, "s1", "npm ci").read(t))
	known, err := reflect.ListCandidates(look(t, root))
	envtest.NoError(t, err)
	again := saying(`{"lessons":[{"op":"again","of":"L1","text":"x","events":[1]}]}`)
	r := reflect.Reflector{Oracles: []oracle.Oracle{again}, LookAround: func(string) ([]reflect.Known, []string) {
		return []reflect.Known{{Text: known[0].Text, Candidate: &known[0].Lesson}}, nil
	}}
	p, reason, err := r.ReflectOn(t.Context(), look(t, root), talk("s2", "run `npm ci` before `npm test`, otherwise it fails: Error: Cannot find module 'zod'"), reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || p == nil, "%v %v", reason, err)
	_, err = reflect.CommitPending(t.Context(), root, p)
	envtest.NoError(t, err)
	it := look(t, root).Index.Items[0]
	envtest.Same(t, fmt.Sprint(true, 1, index.Active, "npm ci"),
		fmt.Sprint(it.Text == known[0].Text, it.Hits, it.Status, it.Remedy.Command))
	left, err := reflect.ListCandidates(look(t, root))
	envtest.FailIf(t, err != nil || len(left) > 0, "%+v is a lesson, %v", left, err)
}

// TestRefusedTwice: what a person refuses without a word is a lesson once another session shows it.
func TestRefusedTwice(t *testing.T) {
	root := newRoot(t)
	for i, want := range []string{"", "Ask before `npm publish` ×2  \n", "Ask before `npm publish` ×3  \n"} {
		tr := newTranscript("claude", fmt.Sprint("refused-", i))
		tr.user("Release it.")
		tr.deny("Bash", map[string]any{"command": "cd web && npm publish --tag next"}, "")
		learn(t, root, oracle.Rules, tr.read(t))
		envtest.Same(t, want, state(t, root), "after", i+1)
	}
}

// TestRulesAfterOutside: rules find what a session shows that had read something from outside before.
func TestRulesAfterOutside(t *testing.T) {
	events := []session.Event{
		{ID: "1", Kind: session.UserText, Origin: session.Human, Text: "go on"},
		{ID: "2", Kind: session.ToolCall, Origin: session.Agent, Tool: "Bash", CallID: "a", Input: `{"command":"cat -A a.go | head"}`},
		{ID: "3", Kind: session.ToolResult, Origin: session.Tool, Tool: "Bash", CallID: "a", Cause: session.Failed, Text: "cat: illegal option -- A"},
		{ID: "4", Kind: session.AssistantText, Origin: session.Agent, Text: "This needs `od`, because cat has no such flag on macOS. Let me see."},
		{ID: "5", Kind: session.ToolCall, Origin: session.Agent, Tool: "Bash", CallID: "b", Input: `{"command":"od -c a.go"}`},
		{ID: "6", Kind: session.ToolResult, Origin: session.Tool, Tool: "Bash", CallID: "b", Text: "x"},
	}
	g := &reflect.Reading{Events: events, Outside: true}
	p, reason, err := reflect.Reflector{Oracles: []oracle.Oracle{oracle.Rules}}.AskAbout(t.Context(), g)
	envtest.FailIf(t, err != nil || reason != "" && reason != reflect.NothingToSay,
		"AskAbout = %+v, %q, %v", p, reason, err)
}

func TestManySessionsWithoutALessonStayRead(t *testing.T) {
	root, marks := newRoot(t), map[string]facts.Mark{}
	for i := range 2000 {
		marks[fmt.Sprint("pi:", i)] = facts.Mark{Events: 1, Read: noon}
	}
	envtest.NoError(t, root.KeepValue(repo.NoteMarks, marks))
	envtest.NoError(t, reflect.NoteRead(root, reflect.Head{Trace: "pi:new", Mark: &facts.Mark{Events: 1, Read: noon}}))
	if tr, err := reflect.TracesOf(root); err != nil || len(tr.Marks) != 2001 {
		t.Errorf("%d marks, %v", len(tr.Marks), err)
	}
}
