package agent

import (
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxAnswer is how long a text may be that a hook hands to its agent, in
// characters as JavaScript counts them: Claude Code puts what is longer into a
// file and shows its beginning alone.
const MaxAnswer = 10_000

// spoken are the events at which an agent takes a text for its model, in the
// spelling that it wants back.
var spoken = map[string]string{
	"sessionstart": "SessionStart", "subagentstart": "SubagentStart", "userpromptsubmit": "UserPromptSubmit",
}

// answer is what Claude Code and Codex read. Codex fails a hook that says
// anything else than its schema has, so that there is nothing more.
type answer struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// Answer is what the hook prints so that the agent's model reads a text; "" if
// the agent would not read it, or there is too much of it.
func (p Payload) Answer(text string) string {
	if text == "" || p.Moment != Begin && p.Moment != Prompt || len(utf16.Encode([]rune(text))) > MaxAnswer {
		return ""
	}
	var a answer
	switch p.Agent {
	case Pi:
		return text
	case Claude, Codex:
		a.Output.Event, a.Output.Context = spoken[fold(p.Event)], text
	}
	if a.Output.Event == "" {
		return ""
	}
	data, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// Anew reports whether what the session was told before is gone: it was
// compacted or cleared, or goes on in a new process. Claude Code keeps what a
// hook said at the start out of the session's file; the others keep it there.
func (p Payload) Anew() bool {
	return p.Source == "compact" || p.Source == "clear" || p.Source == "resume" && p.Agent == Claude
}

// Key names whoever reads the answer: a session, or an agent within it; "" if
// the agent did not say.
func (p Payload) Key() string {
	if p.Session == "" {
		return ""
	}
	return p.Agent + " " + p.Session + strings.TrimRight(" "+p.Subagent, " ")
}
