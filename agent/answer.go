package agent

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxAnswer is the longest text that a hook hands to its agent, in characters as
// JavaScript counts them: Claude Code puts a longer one into a file and shows only
// its beginning.
const MaxAnswer = 10_000

// answerEvent returns an event at which an agent takes a text for its model, in the
// spelling that it wants back; "" for the other events.
func answerEvent(event string) string {
	return map[string]string{
		"sessionstart": "SessionStart", "subagentstart": "SubagentStart", "userpromptsubmit": "UserPromptSubmit",
	}[foldEvent(event)]
}

// answer is what Claude Code and Codex read. Codex fails a hook that prints anything
// beyond its schema.
type answer struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// FormatAnswer returns what the hook prints so that the agent's model reads a text;
// "" if the agent would not read it, or it is too long.
func (p Payload) FormatAnswer(text string) string {
	if text == "" || p.Moment != Begin && p.Moment != Prompt || len(utf16.Encode([]rune(text))) > MaxAnswer {
		return ""
	}
	if p.Agent == Pi {
		return text
	}
	var a answer
	a.Output.Event, a.Output.Context = answerEvent(p.Event), text
	if a.Output.Event == "" || !slices.Contains(Agents, p.Agent) {
		return ""
	}
	data, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// StartsAnew reports whether what the session was shown before is gone: it was
// compacted or cleared, or goes on in a new process. Claude Code keeps the text of a
// hook out of the session's file; the others keep it there.
func (p Payload) StartsAnew() bool {
	return p.Source == "compact" || p.Source == "clear" || p.Source == "resume" && p.Agent == Claude
}

// ReaderKey names the reader of the answer: a session, or an agent within it; "" if
// it is not known.
func (p Payload) ReaderKey() string {
	if p.Session == "" {
		return ""
	}
	return p.Agent + " " + p.Session + strings.TrimRight(" "+p.Subagent, " ")
}
