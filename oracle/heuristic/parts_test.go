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

// TestNeverEver: a sentence that breaks off forbids nothing.
func TestNeverEver(t *testing.T) {
	m, f := textsOf(Lessons(expand([]compact{{User: "x"}, {Say: "y"}, {User: "never ever ever"}}), 8))
	if len(m)+len(f) != 0 {
		t.Errorf("Lessons = %v, %v, want none", m, f)
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
	if len(m) != 1 || m[0] != "editing generated files by hand" || len(f) != 0 {
		t.Errorf("Lessons = %v, %v", m, f)
	}
}

// TestWeights: a refusal comes before a rule, and that before a correction.
func TestWeights(t *testing.T) {
	m, _ := textsOf(Lessons(expand([]compact{
		{User: "go"}, {Bash: "make it", Out: "ok"},
		{User: "please don't add emojis to commit messages"}, {Say: "ok"},
		{User: "never commit to main"},
		{Bash: "rm -rf build", Cause: "denied_by_user", Reason: "don't delete the build cache"},
	}), 8))
	want := []string{"deleting the build cache", "committing to main", "adding emojis to commit messages"}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
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
