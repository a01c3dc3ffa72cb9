package runs_test

import (
	"fmt"
	"testing"

	"mem/index"
	"mem/reflect/runs"
	"mem/session"
)

// TestFindAgain: a failure that a lesson is about came again where a command of its program shows
// it; also where the command's end was hidden.
func TestFindAgain(t *testing.T) {
	ix := &index.Index{Items: []index.Item{
		{ID: "m-env", Text: "To test, run `bun run test:env`", Cue: &index.Literals{Command: "bun run test", Error: "error: missing depth_url"}, Remedy: &index.Literals{Command: "bun run test:env"}},
		{ID: "m-core", Text: "Run `bun run build` first: otherwise it fails with `error: Cannot find module '@acme/core'`", Cue: &index.Literals{Command: "bun test", Error: "error: cannot find module '…'"}},
		{ID: "m-plain", Text: "Start the server first", Cue: &index.Literals{Command: "bun run smoke", Error: "error: nothing answered"}},
		{ID: "m-gone", Text: "Old", Status: index.Retired, Cue: &index.Literals{Command: "bun run test", Error: "error: missing depth_url"}},
	}}
	const env, core, plain = "error: Missing DEPTH_URL", "error: Cannot find module '@acme/core' from 'a.ts'", "error: nothing answered"
	for _, tt := range []struct {
		name, command, out string
		cause              session.Cause
		want               string
	}{
		{"the same command", "bun run test", env, session.Failed, "map[m-env:r]"},
		{"other arguments", "bun test src/depth.test.ts", env, session.Failed, "map[m-env:r]"},
		{"its end was hidden", "bun run test 2>&1 | tail -5", env, session.OK, "map[m-env:r]"},
		{"the cure itself", "bun run test:env", env, session.Failed, "map[]"},
		{"another program", "npm run test", env, session.Failed, "map[]"},
		{"a file that is printed", "cat bun.log", env, session.OK, "map[]"},
		{"another error", "bun run test", "error: no such table: depth", session.Failed, "map[]"},
		{"the module that it names", "bun test", core, session.Failed, "map[m-core:r]"},
		{"another module", "bun test", "error: Cannot find module 'left-pad' from 'a.ts'", session.Failed, "map[]"},
		{"it names nothing", "bun run smoke", plain, session.Failed, "map[m-plain:r]"},
		{"behind a wrapper", "rtk bun test", plain, session.Failed, "map[m-plain:r]"},
	} {
		events := []session.Event{
			{ID: "c", Kind: session.ToolCall, CallID: "1", Tool: "Bash", Input: fmt.Sprintf(`{"command":%q}`, tt.command)},
			{ID: "r", Kind: session.ToolResult, CallID: "1", Tool: "Bash", Text: tt.out, Cause: tt.cause},
		}
		if got := fmt.Sprint(runs.FindAgain(ix, events)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		events[1].Origin = session.External
		if got := runs.FindAgain(ix, events); len(got) > 0 {
			t.Errorf("%s, from outside: %v", tt.name, got)
		}
	}
}
