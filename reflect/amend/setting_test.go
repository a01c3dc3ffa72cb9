package amend_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/reflect/amend"
	"mem/session"
)

// readOf is a session that reads a file of scripts.
func readOf(file string, cause session.Cause, lines ...string) (events []session.Event) {
	text := "     1→{\n"
	for i, line := range lines {
		text += fmt.Sprintf("    %d→    %s\n", i+2, line)
	}
	return []session.Event{
		{Kind: session.ToolCall, Tool: "Read", CallID: file, Input: fmt.Sprintf(`{"file_path":%q}`, "/home/ada/harbour/"+file)},
		{Kind: session.ToolResult, CallID: file, Text: text, Cause: cause},
		{Kind: session.ToolCall, Tool: "Read", CallID: "m", Input: `{"file_path":"/home/ada/harbour/main.ts"}`},
	}
}

// TestReadSettings: what the scripts of a project name, if they agree.
func TestReadSettings(t *testing.T) {
	test := `"test:env": "vault run --space tide --stage ci -- bun run test",`
	both := []amend.Setting{{"package.json", "vault", "--space", "tide"}, {"package.json", "vault", "--stage", "ci"}}
	for _, tt := range []struct {
		name   string
		events []session.Event
		want   []amend.Setting
	}{
		{"shown", readOf("package.json", session.OK, `"name": "tide",`, test), both},
		{"said again", readOf("package.json", session.OK, test, `"build": "vault run --space=tide -- make -j 4"`), both},
		{"they differ", readOf("package.json", session.OK, test, `"dev": "vault run --space tide --stage dev -- vite --port 3000"`), both[:1]},
		{"what was selected", readOf("package.json", session.OK, `"web": "pnpm build --filter web"`), nil},
		{"not read", readOf("package.json", session.Failed, test), nil},
		{"another file", readOf("notes.json", session.OK, test), nil},
	} {
		if diff := cmp.Diff(tt.want, amend.ReadSettings(tt.events)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestRenew: a lesson goes by a file if it has all the values of its scripts, and then
// takes those of later.
func TestRenew(t *testing.T) {
	old := []amend.Setting{{"package.json", "vault", "--space", "tide"}, {"package.json", "vault", "--stage", "ci"}}
	now := []amend.Setting{{"package.json", "vault", "--space", "ebb"}, {"package.json", "vault", "--stage", "ci"}}
	for _, tt := range []struct{ text, source, renewed string }{
		{"Run `vault login --space tide --stage ci` before `vault run`", "package.json", "Run `vault login --space ebb --stage ci` before `vault run`"},
		{"Add `--space` to `vault login --space=tide`", "package.json", "Add `--space` to `vault login --space=ebb`"},
		{"Run `vault login --space tide --stage dev` first", "", ""},
		{"Run `keys login --space tide` first", "", "Run `keys login --space tide` first"},
		{"The space of --space tide is full", "", "The space of --space tide is full"},
	} {
		if got := amend.FindSource(tt.text, old); got != tt.source {
			t.Errorf("%q goes by %q", tt.text, got)
		}
		if got := amend.Renew(tt.text, "package.json", now); tt.renewed != "" && got != tt.renewed {
			t.Errorf("renewed: %q", got)
		}
		if got := amend.Renew(tt.text, "web/package.json", now); got != tt.text {
			t.Errorf("of another file: %q", got)
		}
	}
}
