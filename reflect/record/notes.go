package record

import (
	"strings"

	"github.com/go-json-experiment/json"

	"mem/oracle"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// takesValue are the flags of mem learn behind which a word stands that is no part of the lesson.
const takesValue = " --domain --tags --confidence --severity --root --now "

// ListNoted returns the lessons that the agent noted itself in a session: with mem learn in a shell, or by
// the tool of mem mcp. What mem was handed on standard input is not known.
func ListNoted(events []session.Event) (texts []string) {
	for _, e := range events {
		switch {
		case e.Kind != session.ToolCall || !strings.Contains(e.Tool+e.Input, "learn"):
		case input.ClassOf(e.Tool) == input.Shell:
			for _, s := range shell.Parse(input.ParseArguments(e.Input).Command).Parts {
				if args := s.Arguments(); s.Program == "mem" && len(args) > 0 && args[0] == "learn" {
					texts = append(texts, readNote(args[1:])...)
				}
			}
		case strings.Contains(e.Tool, "mem") && strings.HasSuffix(e.Tool, "learn"): // such as mcp__mem__learn
			var l struct {
				Text string `json:"text"`
			}
			if json.Unmarshal([]byte(e.Input), &l, oracle.LenientJSON()) == nil && l.Text != "" {
				texts = append(texts, l.Text)
			}
		}
	}
	return texts
}

// readNote returns the text among the arguments of mem learn; nothing if there is none.
func readNote(args []string) []string {
	var text []string
	for i := 0; i < len(args); i++ {
		switch isFlag := strings.HasPrefix(args[i], "-"); {
		case isFlag && strings.Contains(takesValue, " "+args[i]+" "):
			i++
		case !isFlag:
			text = append(text, args[i])
		}
	}
	if len(text) == 0 {
		return nil
	}
	return []string{strings.Join(text, " ")}
}
