package input_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/oracle/heuristic/input"
)

func TestParseArguments(t *testing.T) {
	for in, want := range map[string]input.Arguments{
		`{"task_id":"b7","block":true}`:                           {Task: "b7"},
		`{"session_id":7,"chars":""}`:                             {Task: "7"},
		`{"command":["bash","-lc","npm test"]}`:                   {Command: "npm test"},
		`{"cmd":"ls","path":"a"}`:                                 {Command: "ls", File: "a"},
		`{"path":"a.go","edits":[{"oldText":"x","newText":"y"}]}`: {File: "a.go"},
		`{"input":"*** Begin Patch\n*** Update File: a.go\n@@"}`:  {File: "a.go"},
		`nonsense`: {},
		`null`:     {},
	} {
		if diff := cmp.Diff(want, input.ParseArguments(in)); diff != "" {
			t.Errorf("ParseArguments(%s) (-want +got):\n%s", in, diff)
		}
	}
}

func TestReadTask(t *testing.T) {
	for result, want := range map[string]string{
		"Command running in background with ID: b7. Output is being written to: /x": "b7",
		"x\n\nProcess running with session ID 71":                                   "71",
		"<task_id>b7</task_id>\n<status>running</status>":                           "",
	} {
		if name, running := input.ReadTask(result); name != want || !running {
			t.Errorf("ReadTask(%q) = %q, %v", result, name, running)
		}
	}
	if _, running := input.ReadTask("it was running"); running {
		t.Error("prose runs")
	}
	if !input.TaskFailed("<exit_code>2</exit_code>") || input.TaskFailed("<exit_code>0</exit_code>") {
		t.Error("the exit code is not read")
	}
}
