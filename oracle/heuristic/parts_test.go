package heuristic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/session"
)

// TestProjectOfSession: the files and folders that calls name show the project.
func TestProjectOfSession(t *testing.T) {
	s := newTimeline(expand([]compact{
		{Read: "/home/robin/shop/src/a.go", Out: "x"}, {Read: "/home/robin/shop/src/b/c.go", Out: "x"}, {Bash: "cd /home/robin/shop && ls", Out: "x"},
	}))
	if s.project.Root != "/home/robin/shop" {
		t.Errorf("root = %q", s.project.Root)
	}
}

// TestOrphans: answers without calls and calls without answers are normal.
func TestOrphans(t *testing.T) {
	steps := []session.Event{
		{Kind: "tool_result", CallID: "x", Tool: "Bash", Cause: "failed", Text: "Error: no"},
		{Kind: "tool_call", CallID: "y", Tool: "Bash", Input: `{"command":"make"}`},
		{Kind: "tool_result", CallID: "z", Tool: "Edit", Cause: "denied_by_user", Reason: "never edit generated files by hand", Origin: "tool"},
	}
	m, f := textsOf(Lessons(steps, 8))
	if len(f) != 1 || f[0] != "Never edit generated files by hand" || len(m) != 0 {
		t.Errorf("Lessons = %v, %v", m, f)
	}
}

// TestWeights: a refusal comes before a rule.
func TestWeights(t *testing.T) {
	_, f := textsOf(Lessons(expand([]compact{
		{User: "go"}, {Bash: "make it", Out: "ok"},
		{User: "never commit to main"},
		{Bash: "rm -rf build", Cause: "denied_by_user", Reason: "don't delete the build cache"},
	}), 8))
	if diff := cmp.Diff([]string{"Don't delete the build cache", "Never commit to main"}, f); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// What was built or installed is one lesson, whatever command missed it: the index counts
// lessons with one text, or with one cue and remedy, as the same.
func TestOneCureIsOneLesson(t *testing.T) {
	learn := func(command, missing, cure string) Lesson {
		_, fixes := Lessons(expand([]compact{
			{User: "test it"},
			{Bash: command, Cause: "failed", Out: missing},
			{Bash: cure, Out: "ok"},
			{Bash: command, Out: "12 passed"},
		}), 8)
		if len(fixes) != 1 {
			t.Fatalf("%s: got %d fixes, want 1", command, len(fixes))
		}
		return fixes[0]
	}
	a := learn("pnpm test", "Error: Cannot find module '@shop/core'", "pnpm --filter @shop/core build")
	b := learn("pnpm --filter @shop/web e2e", "Error: Cannot find module '@shop/ui'", "pnpm build")
	if diff := cmp.Diff([2]*Literals{a.Cue, a.Remedy}, [2]*Literals{b.Cue, b.Remedy}); diff != "" {
		t.Errorf("two builds differ in cue or remedy:\n%s", diff)
	}
	a = learn("pnpm test", "sh: vitest: command not found", "pnpm install")
	b = learn("pnpm e2e", "Error: Cannot find package 'playwright'", "pnpm install")
	if a.Text != b.Text {
		t.Errorf("two installs: %q and %q", a.Text, b.Text)
	}
}

// A line that is run again as it was has prepared nothing the second time: what came in between did.
func TestRunAgain(t *testing.T) {
	line := "npm run build && npm test"
	failed := compact{Bash: line, Cause: "failed", Out: "Error: socket hang up"}
	mistakes, fixes := textsOf(Lessons(expand([]compact{{User: "test it"}, failed, {Bash: line, Out: "12 passed"}}), 8))
	if len(mistakes)+len(fixes) > 0 {
		t.Errorf("run again: %q, %q", mistakes, fixes)
	}
	_, fixes = textsOf(Lessons(expand([]compact{{User: "test it"}, failed, {Bash: "docker compose up -d db", Out: "started"}, {Bash: line, Out: "12 passed"}}), 8))
	if len(fixes) != 1 || !strings.HasPrefix(fixes[0], "Run `docker compose up -d db` before `npm test`") {
		t.Errorf("after the database was started: %q", fixes)
	}
}
