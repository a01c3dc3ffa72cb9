package runs

import (
	"strings"
	"testing"

	"mem/oracle/heuristic"
	"mem/session"
)

// TestJudgeCue tells sessions in which a command ran well from those in which it failed
// as a lesson says, and from those that say neither.
func TestJudgeCue(t *testing.T) {
	cue := heuristic.Literals{Command: "npm build", Error: "cannot find module '…'"}
	const missing = "Error: Cannot find module 'left-pad'"
	step := func(command, out string, cause session.Cause) []session.Event {
		return []session.Event{
			{Kind: session.AssistantText, Origin: session.Agent, Text: "Now the build."},
			{Kind: session.ToolCall, CallID: command, Tool: "Bash", Input: `{"command":"` + command + `"}`},
			{Kind: session.ToolResult, CallID: command, Tool: "Bash", Text: out, Cause: cause, Origin: session.Tool},
		}
	}
	for name, c := range map[string]struct {
		events        []session.Event
		clean, failed bool
	}{
		"ran well":         {step("npm run build", "done", session.OK), true, false},
		"behind others":    {step("cd web && npm run build", "done", session.OK), true, false},
		"failed so":        {step("npm run build", missing, session.Failed), false, true},
		"failed otherwise": {step("npm run build", "error TS2304: Cannot find name 'x'", session.Failed), false, false},
		"both":             {append(step("npm run build", missing, session.Failed), step("npm run build --force", "done", session.OK)...), true, true},
		"another command":  {step("npm test", missing, session.Failed), false, false},
		"hidden":           {step("npm run build | grep -c warning", "0", session.OK), false, false},
		"filtered":         {step("npm run build 2>&1 | tail -3", "done", session.OK), true, false},
		"failed, filtered": {step("npm run build 2>&1 | tail -3", missing, session.OK), false, true},
		"not allowed":      {step("npm run build", "no", session.DeniedByUser), false, false},
		"in background":    {step("npm run build", "Command running in background with ID: 1", session.OK), false, false},
		"no answer":        {step("npm run build", "", session.OK)[:2], false, false},
		"nothing":          {nil, false, false},
	} {
		if clean, failed := judgeCue(heuristic.ListRuns(c.events), cue, "npm ci --prefer-offline"); clean != c.clean || failed != c.failed {
			t.Errorf("%s: clean %t, failed %t; want %t, %t", name, clean, failed, c.clean, c.failed)
		}
	}
	// Of a program with many commands that one of them went well says nothing about another.
	for command, want := range map[string]bool{"npm: npm run build": false, "npm: npm ci": false, "npm: npm": false, "npm: npx build": false, "psql: psql -l": true, "psql: psql": true} {
		program, command, _ := strings.Cut(command, ": ")
		if clean, _ := judgeCue(heuristic.ListRuns(step(command, "done", session.OK)), heuristic.Literals{Command: program}, "npm ci --prefer-offline"); clean != want {
			t.Errorf("a lesson about %s, and %q: clean %t, want %t", program, command, clean, want)
		}
	}
	if _, failed := judgeCue(heuristic.ListRuns(step("npm run build", missing, session.Failed)), heuristic.Literals{Command: "npm", Error: cue.Error}, ""); !failed {
		t.Error("a lesson about npm, and the error of one of its commands: it did not fail")
	}
	if clean, failed := judgeCue(heuristic.ListRuns(step("npm run build", "done", session.OK)), heuristic.Literals{}, ""); clean || failed {
		t.Error("a lesson about nothing ran")
	}
}
