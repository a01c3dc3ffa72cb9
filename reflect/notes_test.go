package reflect

import (
	"testing"

	"mem/envtest"
	"mem/session"
)

// TestListNoted finds what an agent noted itself, in a shell and by MCP.
func TestListNoted(t *testing.T) {
	var events []session.Event
	for _, c := range [][2]string{
		{"Bash", `{"command":"cd web && mem learn --domain process --tags=go,tests \"Run make gen before tests: they read it\""}`},
		{"exec_command", `{"cmd":"bash -lc 'mem learn Use pnpm'"}`},
		{"mcp__mem__learn", `{"text":"Ports above 9000 are ours","domain":"technical"}`},
		{"Bash", `{"command":"mem learn - <notes.txt; mem list; learn \"nothing\""}`},
		{"Read", `{"file_path":"learn.md"}`},
		{"learn", `{"text":"of another tool"}`},
	} {
		events = append(events, session.Event{Kind: session.ToolCall, Tool: c[0], Input: c[1]})
	}
	events = append(events, session.Event{Kind: session.ToolResult, Tool: "Bash", Text: "mem learn \"said by a result\""})
	want := []string{"process Run make gen before tests: they read it", "Use pnpm", "Ports above 9000 are ours"}
	envtest.Same(t, want, listNoted(events))
}
