package agent_test

import (
	"strings"
	"testing"

	"mem/agent"
	"mem/envtest"
)

func TestAnswer(t *testing.T) {
	const start = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a <b> & \"c\"\n"}}` + "\n"
	for _, tt := range []struct{ agent, in, want string }{
		{"claude", `{"hook_event_name":"SessionStart"}`, start},
		{"codex", `{"hook_event_name":"session_start"}`, start},
		{"claude", `{"hook_event_name":"UserPromptSubmit"}`, strings.Replace(start, "SessionStart", "UserPromptSubmit", 1)},
		{"codex", `{"hook_event_name":"SubagentStart"}`, strings.Replace(start, "SessionStart", "SubagentStart", 1)},
		{"pi", `{"hook_event_name":"before_agent_start"}`, "a <b> & \"c\"\n"},
		{"claude", `{"hook_event_name":"Stop"}`, ""},
		{"claude", `{"hook_event_name":"PreToolUse"}`, strings.Replace(start, "SessionStart", "PreToolUse", 1)},
		{"claude", `{"hook_event_name":"PostToolUseFailure"}`, strings.Replace(start, "SessionStart", "PostToolUseFailure", 1)},
		{"codex", `{"hook_event_name":"PostToolUse"}`, strings.Replace(start, "SessionStart", "PostToolUse", 1)},
		{"pi", `{"hook_event_name":"tool_result"}`, "a <b> & \"c\"\n"},
		{"pi", `{"hook_event_name":"agent_end"}`, ""},
		{"claude", `{"hook_event_name":"before_agent_start"}`, ""},
		{"emacs", `{"hook_event_name":"SessionStart"}`, ""},
	} {
		p, err := agent.ParsePayload(tt.agent, "", []byte(tt.in))
		envtest.NoError(t, err)
		got, beside := p.FormatAnswer("a <b> & \"c\"\n", "")
		envtest.FailIf(t, got != tt.want || beside != "", "%s %s: Answer = %q, want %q", tt.agent, tt.in, got, tt.want)
		got, _ = p.FormatAnswer("", "")
		envtest.FailIf(t, got != "", "%s %s: Answer to nothing = %q", tt.agent, tt.in, got)
	}
}

// Where an agent has a place for it the person is shown a line, also where the agent is told nothing.
func TestAnswerWithLine(t *testing.T) {
	for _, tt := range []struct{ agent, event, want, beside, lone string }{
		{"claude", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"told"},"systemMessage":"line"}`, "", `{"systemMessage":"line"}`},
		{"codex", "post_tool_use", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"told"},"systemMessage":"line"}`, "", `{"systemMessage":"line"}`},
		{"gemini", "AfterTool", `{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"told"},"systemMessage":"line"}`, "", `{"systemMessage":"line"}`},
		{"qwen", "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"told"}}`, "", ""},
		{"factory", "SessionStart", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"told"},"systemMessage":"line"}`, "", `{"systemMessage":"line"}`},
		{"pi", "tool_result", "told", "line", ""},
		{"opencode", "before_agent_start", "told", "line", ""},
		{"copilot", "PostToolUse", `{"message":"line","type":"progress"}` + "\n" + `{"additionalContext":"told"}`, "", `{"message":"line","type":"progress"}`},
		{"cline", "PreToolUse", `{"cancel":false,"contextModification":"told"}`, "", ""},
		{"kiro", "SessionStart", "told", "", ""},
		{"kimi", "UserPromptSubmit", "told", "", ""},
		{"kimi", "SessionStart", "", "", ""},
		{"claude", "Stop", "", "", ""},
		{"cursor", "SessionStart", "", "", ""},
	} {
		p := agent.Payload{Agent: tt.agent, Event: tt.event}
		if got, beside := p.FormatAnswer("told", "line"); strings.TrimSpace(got) != tt.want || beside != tt.beside {
			t.Errorf("%s %s: Answer = %q, %q, want %q, %q", tt.agent, tt.event, got, beside, tt.want, tt.beside)
		}
		if got, beside := p.FormatAnswer("", "line"); strings.TrimSpace(got) != tt.lone || beside != tt.beside {
			t.Errorf("%s %s: Answer of the line = %q, %q, want %q", tt.agent, tt.event, got, beside, tt.lone)
		}
	}
}

// A character of the agents is one of JavaScript.
func TestAnswerIsBounded(t *testing.T) {
	p := agent.Payload{Agent: "claude", Event: "SessionStart", Moment: agent.Begin}
	for text, fits := range map[string]bool{
		strings.Repeat("x", agent.MaxAnswer):     true,
		strings.Repeat("é", agent.MaxAnswer):     true,
		strings.Repeat("x", agent.MaxAnswer+1):   false,
		strings.Repeat("🐙", agent.MaxAnswer/2):   true,
		strings.Repeat("🐙", agent.MaxAnswer/2+1): false,
	} {
		envtest.Same(t, fits, p.IsRead(text), "an answer of", len(text), "bytes: fits")
	}
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"hook_event_name":"Stop"}`, ""},
		{`{"hook_event_name":"Stop","agent_id":"a"}`, ""},
		{`{"hook_event_name":"Stop","session_id":"s"}`, "claude s"},
		{`{"hook_event_name":"Stop","session_id":"s","agent_id":"a"}`, "claude s a"},
	} {
		p, err := agent.ParsePayload("claude", "", []byte(tt.in))
		got := p.ReaderKey()
		envtest.FailIf(t, got != tt.want || err != nil, "%s: Key = %q, %v, want %q", tt.in, got, err, tt.want)
	}
}
