package heuristic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/session"
)

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
