package shell_test

import (
	"testing"

	"mem/oracle/heuristic/shell"

	"mem/envtest"
)

func TestParseArguments(t *testing.T) {
	for in, want := range map[string]shell.Arguments{
		`{"command":["bash","-lc","npm test"]}`:                   {Command: "npm test"},
		`{"cmd":"ls","path":"a"}`:                                 {Command: "ls", File: "a"},
		`{"path":"a.go","edits":[{"oldText":"x","newText":"y"}]}`: {File: "a.go"},
		`{"input":"*** Begin Patch\n*** Update File: a.go\n@@"}`:  {File: "a.go"},
		`nonsense`: {},
		`null`:     {},
	} {
		envtest.Same(t, want, shell.ParseArguments(in), in)
	}
}

func TestIsRunning(t *testing.T) {
	for result, want := range map[string]bool{
		"Command running in background with ID: b7. Output is being written to: /x": true,
		"x\n\nProcess running with session ID 71":                                   true,
		"<task_id>b7</task_id>\n<status>running</status>":                           true,
		"it was running": false,
	} {
		envtest.Same(t, want, shell.IsRunning(result), result)
	}
}
