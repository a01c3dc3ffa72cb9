package record

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/oracle"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// ListNoted returns the lessons that the agent noted itself in a session: with mem learn in a shell, or by
// the tool of mem mcp. Values of flags stand before the text; what came by standard input is not known.
func ListNoted(events []session.Event) (texts []string) {
	for _, e := range events {
		switch isMem := strings.Contains(e.Tool, "mem") && strings.HasSuffix(e.Tool, "learn"); {
		case e.Kind != session.ToolCall:
		case input.ClassOf(e.Tool) == input.Shell && strings.Contains(e.Input, "learn"):
			texts = append(texts, listNotes(input.ParseArguments(e.Input).Command)...)
		case isMem: // such as mcp__mem__learn
			var l struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal([]byte(e.Input), &l, oracle.LenientJSON()) // what is not JSON says nothing
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// listNotes returns what a command line notes.
func listNotes(command string) (texts []string) {
	for _, s := range shell.Parse(command).Parts {
		args := slices.DeleteFunc(s.Arguments(), func(a string) bool { return strings.HasPrefix(a, "-") })
		if s.Program == "mem" && len(args) > 1 && args[0] == "learn" {
			texts = append(texts, strings.Join(args[1:], " "))
		}
	}
	return texts
}
