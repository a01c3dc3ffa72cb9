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
