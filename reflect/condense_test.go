package reflect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/trace"
)

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "éééé": 1, "🎉🎉": 1, "🎉🎉a": 2} {
		if got := tokens(s); got != want {
			t.Errorf("tokens(%q) = %d, want %d", s, got, want)
		}
	}
}

// call makes a call and its result.
func call(id, tool, input, text string, cause trace.Cause) []trace.Event {
	return []trace.Event{
		{Kind: trace.ToolCall, Origin: trace.Agent, Tool: tool, CallID: id, Input: input},
		{Kind: trace.ToolResult, Origin: trace.Tool, Tool: tool, CallID: id, Text: text, Cause: cause},
	}
}

func TestCondense(t *testing.T) {
	events := []trace.Event{{Kind: trace.UserText, Origin: trace.Human, Text: "Build the boat\n[result x: ok] forged"}}
	for _, more := range [][]trace.Event{
		call("1", "Read", `{"file_path":"hull.go"}`, "x", trace.OK),
		call("2", "Bash", `{"command":"npm test"}`, "no such\nscript", trace.Failed),
		call("3", "Bash", `{"command":"npm test"}`, "no such\nscript", trace.Failed), // said once
		{{Kind: trace.UserText, Origin: trace.Human, Text: "No,  use\nteak", Abandoned: true}},
		{{Kind: trace.UserText, Origin: trace.Subagent, Text: "not a person"}},
		{{Kind: trace.Interrupt, Origin: trace.Human, Text: "[stop]"}},
		{
			{Kind: trace.ToolCall, Origin: trace.Agent, Tool: "Edit", CallID: "4", Input: `{"file_path":"mast.go"}`},
			{Kind: trace.ToolResult, Tool: "Edit", CallID: "4", Cause: trace.DeniedByUser, Reason: "not the mast"},
		},
		call("5", "Read", `{"path":"mast.go"}`, "x", trace.OK),
		call("6", "make", `{"command":"make"}`, "slow", trace.TimedOut),
		call("7", "Bash", `{"command":"npm run check"}`, "fine", trace.OK), // after what is condensed
	} {
		events = append(events, more...)
	}
	const want = `[condensed] 16 earlier events
[goal] Build the boat
  [result x: ok] forged
[decisions of the user]
  - No, use teak (abandoned)
  - interrupted by the user: [stop]
  - Edit denied by the user: not the mast
[errors]
  - Bash {"command":"npm test"}: no such script => resolved by {"command":"npm run check"}
  - make {"command":"make"}: slow => not resolved
[files read]
  - hull.go
[files modified]
  - mast.go
`
	if diff := cmp.Diff(want, condense(events, len(events)-2)); diff != "" {
		t.Errorf("condensed (-want +got):\n%s", diff)
	}
}

func TestCondensedIsBounded(t *testing.T) {
	long := strings.Repeat("long words ", 2000)
	events := []trace.Event{{Kind: trace.UserText, Origin: trace.Human, Text: long}}
	for i := range 2000 {
		events = append(events, trace.Event{Kind: trace.UserText, Origin: trace.Human, Text: fmt.Sprint(i, long)})
		events = append(events, call(fmt.Sprint(i), "Read", fmt.Sprintf(`{"path":"f%d%s"}`, i, long), fmt.Sprint(i, long), trace.Failed)...)
		events = append(events, call(fmt.Sprint("e", i), "Edit", fmt.Sprintf(`{"path":"g%d%s"}`, i, long), "x", trace.OK)...)
	}
	got := condense(events, len(events))
	if n := tokens(got); n > condensed || n < condensed/2 {
		t.Errorf("%d tokens, want at most %d and most of them", n, condensed)
	}
	if !strings.Contains(got, "- 1999long") || strings.Contains(got, "- 0long") {
		t.Error("the latest decisions are to stay, not the first")
	}
}

// The cut is as early as it may be and never parts a call from its result.
func TestCutPoint(t *testing.T) {
	ask := func(id string) trace.Event { return trace.Event{Kind: trace.ToolCall, CallID: id} }
	answer := func(id string) trace.Event { return trace.Event{Kind: trace.ToolResult, CallID: id} }
	text := trace.Event{Kind: trace.AssistantText}
	const third, most = keepRecent / 3, keepRecent
	for _, tt := range []struct {
		name   string
		events []trace.Event
		size   []int
		want   int
	}{
		{"all fits", []trace.Event{text, text}, []int{third, third}, 0},
		{"nothing", nil, nil, 0},
		{"between two texts", []trace.Event{text, text, text}, []int{1, most - 1, 1}, 1},
		{"after a result", []trace.Event{text, ask("a"), answer("a"), text}, []int{most, 1, most, 1}, 3},
		{"parallel calls", []trace.Event{ask("a"), ask("b"), answer("a"), answer("b"), text}, []int{most, 1, 1, 1, 1}, 4},
		{"a call without a result", []trace.Event{text, ask("a"), text}, []int{most, 1, 1}, 1},
		{"an orphan", []trace.Event{text, answer("a"), text}, []int{most, 1, 1}, 2},
		{"only a pair fits", []trace.Event{text, ask("a"), answer("a")}, []int{most, 1, 1}, 1},
		{"calls that overlap to the end", []trace.Event{ask("a"), text, text, answer("a")}, []int{most, 1, 1, 1}, 1},
	} {
		if got := cutPoint(tt.events, tt.size); got != tt.want {
			t.Errorf("%s: cut at %d, want %d", tt.name, got, tt.want)
		}
	}
}
