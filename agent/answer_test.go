package agent_test

import (
	"strings"
	"testing"

	"mem/agent"
)

func TestAnswer(t *testing.T) {
	const start = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a <b> & \"c\"\n"}}` + "\n"
	for _, tt := range []struct{ agent, in, want string }{
		{agent.Claude, `{"hook_event_name":"SessionStart"}`, start},
		{agent.Codex, `{"hook_event_name":"session_start"}`, start},
		{agent.Claude, `{"hook_event_name":"UserPromptSubmit"}`, strings.Replace(start, "SessionStart", "UserPromptSubmit", 1)},
		{agent.Codex, `{"hook_event_name":"SubagentStart"}`, strings.Replace(start, "SessionStart", "SubagentStart", 1)},
		{agent.Pi, `{"hook_event_name":"before_agent_start"}`, "a <b> & \"c\"\n"},
		{agent.Claude, `{"hook_event_name":"Stop"}`, ""},
		{agent.Claude, `{"hook_event_name":"PreToolUse"}`, strings.Replace(start, "SessionStart", "PreToolUse", 1)},
		{agent.Claude, `{"hook_event_name":"PostToolUseFailure"}`, strings.Replace(start, "SessionStart", "PostToolUseFailure", 1)},
		{agent.Codex, `{"hook_event_name":"PostToolUse"}`, strings.Replace(start, "SessionStart", "PostToolUse", 1)},
		{agent.Pi, `{"hook_event_name":"tool_result"}`, "a <b> & \"c\"\n"},
		{agent.Pi, `{"hook_event_name":"agent_end"}`, ""},
		{agent.Claude, `{"hook_event_name":"before_agent_start"}`, ""},
		{"emacs", `{"hook_event_name":"SessionStart"}`, ""},
	} {
		p, err := agent.ParsePayload(tt.agent, "", []byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.FormatAnswer("a <b> & \"c\"\n", ""); got != tt.want {
			t.Errorf("%s %s: Answer = %q, want %q", tt.agent, tt.in, got, tt.want)
		}
		if got := p.FormatAnswer("", ""); got != "" {
			t.Errorf("%s %s: Answer to nothing = %q", tt.agent, tt.in, got)
		}
		shown := tt.want // the line stands elsewhere
		if !p.AnswersInText() {
			shown = strings.Replace(tt.want, "}}\n", `},"systemMessage":"mem ▸ use x"}`+"\n", 1)
		}
		if got := p.FormatAnswer("a <b> & \"c\"\n", "mem ▸ use x"); got != shown {
			t.Errorf("%s %s: Answer with a line = %q", tt.agent, tt.in, got)
		}
	}
}

// A person is shown a line also where there is nothing to tell the agent.
func TestAnswerOfLine(t *testing.T) {
	p := agent.Payload{Agent: agent.Gemini, Event: "SessionStart", Moment: agent.Begin}
	if got, want := p.FormatAnswer("", "mem ▸ learned 1"), `{"systemMessage":"mem ▸ learned 1"}`+"\n"; got != want {
		t.Errorf("Answer = %q, want %q", got, want)
	}
}

// A character of the agents is one of JavaScript.
func TestAnswerIsBounded(t *testing.T) {
	p := agent.Payload{Agent: agent.Claude, Event: "SessionStart", Moment: agent.Begin}
	for text, fits := range map[string]bool{
		strings.Repeat("x", agent.MaxAnswer):     true,
		strings.Repeat("é", agent.MaxAnswer):     true,
		strings.Repeat("x", agent.MaxAnswer+1):   false,
		strings.Repeat("🐙", agent.MaxAnswer/2):   true,
		strings.Repeat("🐙", agent.MaxAnswer/2+1): false,
	} {
		if got := p.FormatAnswer(text, ""); (got != "") != fits {
			t.Errorf("an answer of %d bytes: fits %v, want %v", len(text), got != "", fits)
		}
	}
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"hook_event_name":"Stop"}`, ""},
		{`{"hook_event_name":"Stop","agent_id":"a"}`, ""},
		{`{"hook_event_name":"Stop","session_id":"s"}`, "claude s"},
		{`{"hook_event_name":"Stop","session_id":"s","agent_id":"a"}`, "claude s a"},
	} {
		p, err := agent.ParsePayload(agent.Claude, "", []byte(tt.in))
		if got := p.ReaderKey(); got != tt.want || err != nil {
			t.Errorf("%s: Key = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
}
