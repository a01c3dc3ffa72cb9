package hint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/index/cue"
	"mem/recall/hint"
)

func TestListKeys(t *testing.T) {
	const noModule = "error: Cannot find module 'zod' from 'src/a.ts'"
	sign := cue.ForError("error: cannot find module '…'")
	for _, tt := range []struct {
		name string
		call hint.Call
		want []cue.Key
	}{
		{"a command to come", hint.Call{Tool: "Bash", Input: `{"command":"cd api && CI=1 go test -race ./..."}`},
			[]cue.Key{cue.ForCommand("go test -race"), cue.ForCommand("go test")}},
		{"one with flags", hint.Call{Tool: "Bash", Input: `{"command":"fly deploy --remote-only --app=shop"}`}, []cue.Key{
			cue.ForCommand("fly deploy --remote-only --app"), cue.ForCommand("fly deploy --remote-only"), cue.ForCommand("fly deploy --app"), cue.ForCommand("fly deploy"),
		}},
		{"one that failed", hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: "Exit code 1\n" + noModule, Over: true, Failed: true},
			[]cue.Key{sign, cue.ForFailure("bun test")}},
		{"one whose end was hidden", hint.Call{Tool: "exec_command", Input: `{"cmd":"bun test 2>&1 | tail -5"}`, Output: noModule, Over: true}, []cue.Key{sign}},
		{"one that worked", hint.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true}, nil},
		{"one that does not tell", hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: noModule, Over: true, Unsure: true}, []cue.Key{sign}},
		{"one that looked for it", hint.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true, Unsure: true}, nil},
		{"another tool that failed", hint.Call{Tool: "mcp__x__y", Output: noModule, Over: true, Failed: true}, []cue.Key{sign}},
		{"a file", hint.Call{Tool: "Edit", Input: `{"file_path":"/p/src/gen/a.go"}`}, []cue.Key{cue.ForPath("src/gen/a.go"), cue.ForPath("src/gen"), cue.ForPath("src")}},
		{"a file elsewhere", hint.Call{Tool: "Write", Input: `{"file_path":"/q"}`}, []cue.Key{cue.ForPath("/q")}},
		{"a patch", hint.Call{Tool: "apply_patch", Input: `{"command":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"}`}, []cue.Key{cue.ForPath("a.go")}},
		{"a file that was changed", hint.Call{Tool: "Edit", Input: `{"file_path":"/p/a.go"}`, Over: true}, nil},
		{"not JSON", hint.Call{Tool: "Bash", Input: `{"command":`}, nil},
	} {
		if diff := cmp.Diff(tt.want, hint.ListKeys(tt.call, "/p")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestLongOutput: the end of a long output counts, where most programs say what went wrong.
func TestLongOutput(t *testing.T) {
	c := hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: strings.Repeat("all is well\n", 100_000) + "error: Cannot find module 'zod'", Over: true, Failed: true}
	if keys := hint.ListKeys(c, ""); len(keys) == 0 || keys[0] != cue.ForError("error: cannot find module '…'") {
		t.Errorf("ListKeys = %q", keys)
	}
}
