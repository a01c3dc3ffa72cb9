package heuristic

import (
	"testing"

	"mem/envtest"
	"mem/session"
)

// TestOrphans: answers without calls and calls without answers are normal.
func TestOrphans(t *testing.T) {
	steps := []session.Event{
		{Kind: "tool_result", CallID: "x", Tool: "Bash", Cause: "failed", Text: "Error: no"},
		{Kind: "tool_call", CallID: "y", Tool: "Bash", Input: `{"command":"make"}`},
		{Kind: "tool_result", CallID: "z", Tool: "Edit", Cause: "denied_by_user", Reason: "never edit generated files by hand", Origin: "tool"},
	}
	got := textsOf(Lessons(steps, "", 8))
	envtest.FailIf(t, len(got) != 1 || got[0] != "Never edit generated files by hand", "Lessons = %v", got)
}
