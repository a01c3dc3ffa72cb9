package heuristic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/session"
)

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
