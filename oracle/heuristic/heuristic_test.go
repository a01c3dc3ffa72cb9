package heuristic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mem/index"
	"mem/session"

	"mem/envtest"
)

// A session with one resolution, one correction and one refusal.
func sample() []session.Event {
	return expand([]compact{
		{User: "add zod"},
		{Bash: "npm test", Cause: "failed", Out: "Error: Cannot find module './dist/index.js'"},
		{Bash: "npm run build", Out: "built"},
		{Bash: "npm test", Out: "ok"},
		{Bash: "npm install zod", Cause: "denied_by_user", Reason: "no, use pnpm"},
		{User: "never edit files under gen/"},
	})
}

// textsOf returns what lessons say.
func textsOf(lessons []index.Lesson) (f []string) {
	for _, l := range lessons {
		if l.Op == Once && l.Remedy.IsZero() { // nothing helped yet
			continue
		}
		f = append(f, l.Text)
	}
	return f
}

func TestLessons(t *testing.T) {
	fixes := textsOf(Lessons(sample(), "", 8))
	wantFixes := []string{
		"Use `pnpm` instead of `npm`",
		"Never edit files under `gen/`",
		"Run `npm run build` before `npm test`: otherwise it fails with `Error: Cannot find module './dist/index.js'`",
	}
	envtest.Same(t, wantFixes, fixes, "fixes")
}

func TestSignature(t *testing.T) {
	failed, refused := index.Literals{Command: "rtk run test", Error: "no such script"}, index.Literals{Command: "git push"}
	got := []string{Signature(failed), Signature(refused), Signature(index.Literals{Tool: "Bash"})}
	envtest.Same(t, []string{"no such script\x00rtk", "ask\x00git push", ""}, got)
}

func TestLessonsLimit(t *testing.T) {
	for max, want := range map[int]int{-1: 0, 0: 0, 1: 1, 8: 3} {
		envtest.Same(t, want, len(Lessons(sample(), "", max)), max)
	}
	got := Lessons(nil, "", 8)
	envtest.FailIf(t, got != nil, "Lessons(nil) = %v, want nothing", got)
}

func TestLessonsAreDeterministicAndLeaveStepsAlone(t *testing.T) {
	for _, c := range loadCases(t, "positives.json") {
		steps := expand(c.Steps)
		first := textsOf(Lessons(steps, "", 8))
		for range 3 {
			envtest.Same(t, first, textsOf(Lessons(steps, "", 8)), c.Name)
		}
		envtest.Same(t, expand(c.Steps), steps, c.Name)
	}
}

func TestEqualLessonsMerge(t *testing.T) {
	steps := expand([]compact{
		{User: "x"}, {Say: "y"},
		{User: "never edit files under gen/"}, {Say: "y"},
		{User: "I said: never edit the files under gen/ please!"},
		{Bash: "python a.py", Cause: "failed", Out: "bash: python: command not found"}, {Bash: "python3 a.py", Out: "ok"},
		{Bash: "python a.py", Cause: "failed", Out: "bash: python: command not found"}, {Bash: "python3 a.py", Out: "ok"},
	})
	got := textsOf(Lessons(steps, "", 8))
	envtest.FailIf(t, len(got) != 2, "got %v, want two", got)
}

// TestHugeSession keeps the rules away from quadratic work.
func TestHugeSession(t *testing.T) {
	var cs []compact
	for i := range 500 {
		cs = append(cs,
			compact{Bash: fmt.Sprintf("npm run step%d", i%7), Cause: "failed", Out: strings.Repeat("noise\n", 300) + "Error: listen EADDRINUSE"},
			compact{Edit: fmt.Sprintf("/srv/app/src/f%d.go", i), Old: "a", New: "b", Out: "ok"},
			compact{User: fmt.Sprintf("no, never do thing %d like that, use tool%d instead of it", i, i)})
	}
	check(t, textsOf(Lessons(expand(cs), "", 8)), 8)
}

// check fails unless the lessons keep the promises of Lessons.
func check(t *testing.T, lessons []string, max int) {
	t.Helper()
	envtest.FailIf(t, len(lessons) > max, "%d lessons, want at most %d", len(lessons), max)
	for _, l := range lessons {
		switch {
		case !utf8.ValidString(l), strings.ContainsAny(l, "\n\r\x00\x1b"):
			t.Errorf("not clean text: %q", l)
		case utf8.RuneCountInString(l) > maxText:
			t.Errorf("%d characters: %q", utf8.RuneCountInString(l), l)
		case strings.TrimSpace(l) == "":
			t.Errorf("empty: %q", l)
		case strings.Count(l, "`")%2 != 0:
			t.Errorf("open backtick: %q", l)
		}
	}
}

func FuzzLessons(f *testing.F) {
	for _, file := range []string{"positives.json", "negatives.json"} {
		for _, c := range loadCases(f, file) {
			b, err := json.Marshal(expand(c.Steps))
			envtest.NoError(f, err)
			f.Add(b, 8)
		}
	}
	f.Add([]byte(`[{"Kind":"tool_call","Tool":"Bash","Input":"{\"command\":\"a '\\\\\"}"},{"Kind":"tool_result"}]`), 3)
	f.Add([]byte("go\n`\nok\nno, use `\nno, `\nno `"), 3)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		var steps []session.Event
		if json.Unmarshal(b, &steps) != nil {
			// Anything but a list of events is taken for a conversation instead.
			for i, l := range strings.Split(string(b), "\n") {
				kinds := []session.Kind{session.UserText, session.ToolCall, session.ToolResult, session.Interrupt, session.AssistantText}
				origins := []session.Origin{session.Human, session.Agent, session.Tool, session.External, session.Subagent}
				steps = append(steps, session.Event{
					ID: fmt.Sprint(i), Kind: kinds[i%len(kinds)], Origin: origins[i%len(origins)], Tool: "Bash", CallID: fmt.Sprint(i / 2),
					Input: `{"command":"` + l, Text: l, Cause: []session.Cause{session.OK, session.Failed, session.DeniedByUser}[len(l)%3], Reason: l, Edited: len(l)%2 == 0,
				})
			}
		}
		check(t, textsOf(Lessons(steps, "", limit)), max(0, limit))
	})
}
