package heuristic

import (
	"testing"

	"mem/session"
)

// TestOrphans: answers without calls and calls without answers are normal.
func TestOrphans(t *testing.T) {
	steps := []session.Event{
		{Kind: "tool_result", CallID: "x", Tool: "Bash", Cause: "failed", Text: "Error: no"},
		{Kind: "tool_call", CallID: "y", Tool: "Bash", Input: `{"command":"make"}`},
		{Kind: "tool_result", CallID: "z", Tool: "Edit", Cause: "denied_by_user", Reason: "never edit generated files by hand", Origin: "tool"},
	}
	if got := textsOf(Lessons(steps, 8)); len(got) != 1 || got[0] != "Never edit generated files by hand" {
		t.Errorf("Lessons = %v", got)
	}
}
