package input_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/oracle/heuristic/input"
)

func TestCutInputStillTells(t *testing.T) {
	for in, want := range map[string]input.Arguments{
		`{"command":"npm test \"x\" && ec`:                        {Command: `npm test "x" && ec`},
		`{"file_path":"/a/b.go","old_string":"x…[cut]…`:           {File: "/a/b.go"},
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
