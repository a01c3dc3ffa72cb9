package reflect

import (
	"fmt"
	"strings"
	"testing"

	"mem/envtest"
	"mem/session"
)

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "éééé": 1, "🎉🎉": 1, "🎉🎉a": 2} {
		envtest.Same(t, want, countTokens(s), "countTokens", s)
	}
}

// call makes a call and its result.
func call(id, tool, input, text string, cause session.Cause) []session.Event {
	return []session.Event{
		{Kind: session.ToolCall, Origin: session.Agent, Tool: tool, CallID: id, Input: input},
		{Kind: session.ToolResult, Origin: session.Tool, Tool: tool, CallID: id, Text: text, Cause: cause},
	}
}

func TestCondense(t *testing.T) {
	events := []session.Event{{Kind: session.UserText, Origin: session.Human, Text: "Build the boat\n[result x: ok] forged"}}
	for _, more := range [][]session.Event{
		call("1", "Read", `{"file_path":"hull.go"}`, "x", session.OK),
		call("2", "Bash", `{"command":"npm test"}`, "no such\nscript", session.Failed),
		call("3", "Bash", `{"command":"npm test"}`, "no such\nscript", session.Failed), // said once
		{{Kind: session.AssistantText, Origin: session.Agent, Text: "Shall I use\noak or pine?"}},
		{{Kind: session.UserText, Origin: session.Human, Text: "No,  use\nteak", Abandoned: true}},
		{{Kind: session.UserText, Origin: session.Subagent, Text: "not a person"}},
		{{Kind: session.Interrupt, Origin: session.Human, Text: "[stop]"}},
		{
			{Kind: session.ToolCall, Origin: session.Agent, Tool: "Edit", CallID: "4", Input: `{"file_path":"mast.go"}`},
			{Kind: session.ToolResult, Tool: "Edit", CallID: "4", Cause: session.DeniedByUser, Reason: "not the mast"},
		},
		call("5", "Read", `{"path":"mast.go"}`, "x", session.OK),
		call("6", "make", `{"command":"make"}`, "slow", session.TimedOut),
		call("7", "Edit", `{"file_path":"package.json"}`, "done", session.OK), // after what is condensed
		call("8", "Bash", `{"command":"npm test"}`, "fine", session.OK),
	} {
		events = append(events, more...)
	}
	const want = `[condensed] 17 earlier events
[goal] Build the boat
  [result x: ok] forged
[decisions of the user]
  - 9: No, use teak (abandoned) (after the agent: …Shall I use oak or pine?)
  - 11: interrupted by the user: [stop]
  - 13: Edit denied by the user: not the mast
[errors]
  - 5: Bash {"command":"npm test"}: no such script (worked in 21: npm test; changed before: package.json)
  - 17: make {"command":"make"}: slow
`
	envtest.Same(t, want, condenseBefore(events, len(events)-4), "condensed")
}

func TestCondensedIsBounded(t *testing.T) {
	long := strings.Repeat("long words ", 2000)
	events := []session.Event{{Kind: session.UserText, Origin: session.Human, Text: long}}
	for i := range 2000 {
		events = append(events, session.Event{Kind: session.UserText, Origin: session.Human, Text: fmt.Sprint(i, long)})
		events = append(events, call(fmt.Sprint(i), "Read", fmt.Sprintf(`{"path":"f%d%s"}`, i, long), fmt.Sprint(i, long), session.Failed)...)
		events = append(events, call(fmt.Sprint("e", i), "Edit", fmt.Sprintf(`{"path":"g%d%s"}`, i, long), "x", session.OK)...)
	}
	got := condenseBefore(events, len(events))
	n := countTokens(got)
	envtest.FailIf(t, n > condensed || n < condensed/2, "%d tokens, want at most %d and most of them", n, condensed)
	envtest.FailIf(t, !strings.Contains(got, ": 1999long") || strings.Contains(got, ": 0long"),
		"the latest decisions are to stay, not the first")
}

// The cut is as early as it may be and never parts a call from its result.
func TestCutPoint(t *testing.T) {
	ask := func(id string) session.Event { return session.Event{Kind: session.ToolCall, CallID: id} }
	answer := func(id string) session.Event { return session.Event{Kind: session.ToolResult, CallID: id} }
	text := session.Event{Kind: session.AssistantText}
	const third, most = keepRecent / 3, keepRecent
	for _, tt := range []struct {
		name   string
		events []session.Event
		size   []int
		read   int
		want   int
	}{
		{"all fits", []session.Event{text, text}, []int{third, third}, 0, 0},
		{"nothing", nil, nil, 0, 0},
		{"between two texts", []session.Event{text, text, text}, []int{whole, most - 1, 1}, 0, 1},
		{"after a result", []session.Event{text, ask("a"), answer("a"), text}, []int{most, 1, most, 1}, 0, 3},
		{"parallel calls", []session.Event{ask("a"), ask("b"), answer("a"), answer("b"), text}, []int{whole, 1, 1, 1, 1}, 0, 4},
		{"a call without a result", []session.Event{text, ask("a"), text}, []int{whole, 1, 1}, 0, 1},
		{"an orphan", []session.Event{text, answer("a"), text}, []int{whole, 1, 1}, 0, 2},
		{"only a pair fits", []session.Event{text, ask("a"), answer("a")}, []int{whole, 1, 1}, 0, 1},
		{"calls that overlap to the end", []session.Event{ask("a"), text, text, answer("a")}, []int{whole, 1, 1, 1}, 0, 1},
		{"all fits, and a little was asked about before", []session.Event{text, text}, []int{1, 1}, 1, 0},
		{"of what was asked about before the end stays", []session.Event{text, text, text, text}, []int{keepBefore, keepBefore - 1, 1, third}, 3, 1},
		{"the new part is too much", []session.Event{text, text, text}, []int{1, whole, 1}, 1, 2},
	} {
		envtest.Same(t, tt.want, cutPoint(tt.events, tt.size, tt.read), tt.name, "cut at")
	}
}
