package agent_test

import (
	"testing"

	"mem/agent"
	"mem/envtest"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, agent, event, data string
		want                     agent.Payload
	}{
		{"Claude Code stops", "claude", "", `{"session_id":"s1","transcript_path":"/h/.claude/projects/-p/s1.jsonl","cwd":"/p","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done."}`,
			agent.Payload{Agent: "claude", Event: "Stop", Moment: agent.Rest, Session: "s1", Path: "/h/.claude/projects/-p/s1.jsonl", CWD: "/p"}},
		{"Claude Code starts", "claude", "", `{"session_id":"s1","transcript_path":"/t","cwd":"/p","hook_event_name":"SessionStart","source":"compact","model":"m"}`,
			agent.Payload{Agent: "claude", Event: "SessionStart", Moment: agent.Begin, Session: "s1", Path: "/t", CWD: "/p", Source: "compact"}},
		{"a prompt", "claude", "Stop", `{"hook_event_name":"UserPromptSubmit","prompt":"fix it","session_id":7}`,
			agent.Payload{Agent: "claude", Event: "UserPromptSubmit", Moment: agent.Prompt, Prompt: "fix it"}},
		{"Claude Code's turn fails", "claude", "", `{"session_id":"s1","hook_event_name":"StopFailure","error":"rate_limit","error_details":"429"}`,
			agent.Payload{Agent: "claude", Event: "StopFailure", Moment: agent.Rest, Session: "s1", Output: "rate_limit", Failed: true}},
		{"an event that says nothing to mem", "claude", "", `{"session_id":"s1","cwd":"/p","hook_event_name":"CwdChanged","old_cwd":"/p","new_cwd":"/q"}`,
			agent.Payload{Agent: "claude", Event: "CwdChanged", Session: "s1", CWD: "/p"}},
		{"Codex is interrupted", "codex", "", `{"session_id":"c1","transcript_path":"/c.jsonl","cwd":"/p","hook_event_name":"Interrupt","turn_id":"t"}`,
			agent.Payload{Agent: "codex", Event: "Interrupt", Moment: agent.Rest, Session: "c1", Path: "/c.jsonl", CWD: "/p"}},
		{"Codex without a transcript", "codex", "", `{"session_id":"c1","transcript_path":null,"cwd":"/p","hook_event_name":"Stop","turn_id":"t"}`,
			agent.Payload{Agent: "codex", Event: "Stop", Moment: agent.Rest, Session: "c1", CWD: "/p"}},
		{"Codex's notify", "codex", "", `{"type":"agent-turn-complete","thread-id":"c2","turn-id":"t","cwd":"/p","input-messages":["x"]}`,
			agent.Payload{Agent: "codex", Event: "agent-turn-complete", Moment: agent.Rest, Session: "c2", CWD: "/p"}},
		{"pi", "pi", "agent_end", `{"session_file":"/s.jsonl","session_id":"p1","cwd":"/p"}`,
			agent.Payload{Agent: "pi", Event: "agent_end", Moment: agent.Rest, Session: "p1", Path: "/s.jsonl", CWD: "/p"}},
		{"a command to come", "claude", "", `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"}}`,
			agent.Payload{Agent: "claude", Event: "PreToolUse", Moment: agent.Before, Session: "s1", Tool: "Bash", Input: `{"command":"make"}`}},
		{"a command that ran", "claude", "", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"a","stderr":"b","isImage":false}}`,
			agent.Payload{Agent: "claude", Event: "PostToolUse", Moment: agent.After, Session: "s1", Tool: "Bash", Input: `{}`, Output: "a\nb"}},
		{"a command that the person stopped", "claude", "", `{"session_id":"s1","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"stopped","is_interrupt":true}`,
			agent.Payload{Agent: "claude", Event: "PostToolUseFailure", Moment: agent.After, Session: "s1", Tool: "Bash", Input: `{}`, Output: "stopped"}},
		{"a command that failed", "claude", "", `{"session_id":"s1","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"Exit code 2"}`,
			agent.Payload{Agent: "claude", Event: "PostToolUseFailure", Moment: agent.After, Session: "s1", Tool: "Bash", Input: `{}`, Output: "Exit code 2", Failed: true}},
		{"a tool of Codex", "codex", "", `{"session_id":"c1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":"out"}`,
			agent.Payload{Agent: "codex", Event: "PostToolUse", Moment: agent.After, Session: "c1", Tool: "Bash", Output: "out"}},
		{"a tool of pi", "pi", "", `{"session_id":"p1","hook_event_name":"tool_result","tool_name":"bash","tool_response":[{"type":"text","text":"out"}],"is_error":true}`,
			agent.Payload{Agent: "pi", Event: "tool_result", Moment: agent.After, Session: "p1", Tool: "bash", Output: "out", Failed: true}},
		{"a prompt of Gemini CLI's", "gemini", "", `{"session_id":"g1","transcript_path":"/g.jsonl","cwd":"/p","hook_event_name":"BeforeAgent","prompt":"<hook_context>notes</hook_context>\n\nfix it"}`,
			agent.Payload{Agent: "gemini", Event: "BeforeAgent", Moment: agent.Prompt, Session: "g1", Path: "/g.jsonl", CWD: "/p", Prompt: "fix it"}},
		{"a command of Gemini CLI's", "gemini", "", `{"session_id":"g1","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{},"tool_response":{"llmContent":"<untrusted_context>\nOutput: out\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>","returnDisplay":"out"}}`,
			agent.Payload{Agent: "gemini", Event: "AfterTool", Moment: agent.After, Session: "g1", Tool: "run_shell_command", Input: `{}`, Output: "out\n\nCommand exited with code 2", Failed: true}},
		{"Gemini CLI clears", "gemini", "", `{"session_id":"g2","hook_event_name":"SessionStart","source":"clear"}`,
			agent.Payload{Agent: "gemini", Event: "SessionStart", Session: "g2", Source: "clear"}},
		{"Gemini CLI rests", "gemini", "", `{"session_id":"g1","hook_event_name":"AfterAgent","prompt_response":"done"}`,
			agent.Payload{Agent: "gemini", Event: "AfterAgent", Moment: agent.Rest, Session: "g1"}},
		{"Copilot's session", "copilot", "", `{"hook_event_name":"SessionStart","session_id":"g1","timestamp":"2026-11-28T00:57:00.004Z","cwd":"/p","source":"new","initial_prompt":"fix it"}`,
			agent.Payload{Agent: "copilot", Event: "SessionStart", Moment: agent.Begin, Session: "g1", CWD: "/p", Source: "new"}},
		{"Copilot's command", "copilot", "", `{"hook_event_name":"PostToolUse","session_id":"g1","cwd":"/p","tool_name":"Bash","tool_input":{"command":"make"},"tool_result":{"result_type":"success","text_result_for_llm":"out\n<shellId: 0 completed with exit code 1>"}}`,
			agent.Payload{Agent: "copilot", Event: "PostToolUse", Moment: agent.After, Session: "g1", CWD: "/p", Tool: "Bash", Input: `{"command":"make"}`, Output: "out\n<shellId: 0 completed with exit code 1>"}},
		{"Qwen Code's command", "qwen", "", `{"session_id":"q1","transcript_path":"/q.jsonl","cwd":"/p","hook_event_name":"PostToolUseFailure","tool_name":"run_shell_command","tool_input":{},"error":"Command: make\nDirectory: (root)\nOutput: out\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: 7","is_interrupt":false}`,
			agent.Payload{Agent: "qwen", Event: "PostToolUseFailure", Moment: agent.After, Session: "q1", Path: "/q.jsonl", CWD: "/p", Tool: "run_shell_command", Input: `{}`, Output: "out\n\nCommand exited with code 2", Failed: true}},
		{"Droid's command", "factory", "", `{"sessionId":"f1","transcriptPath":"/f.jsonl","cwd":"/p","permissionMode":"off","hookEventName":"PostToolUse","tool_name":"Execute","tool_input":{"command":"make"},"tool_response":"out"}`,
			agent.Payload{Agent: "factory", Event: "PostToolUse", Moment: agent.After, Session: "f1", Path: "/f.jsonl", CWD: "/p", Tool: "Execute", Input: `{"command":"make"}`, Output: "out"}},
		{"Cline's task", "cline", "", `{"clineVersion":"3.36","hookName":"TaskStart","taskId":"t1","workspaceRoots":["/p","/q"],"taskStart":{"taskMetadata":{"taskId":"t1","initialTask":"fix it"}}}`,
			agent.Payload{Agent: "cline", Event: "TaskStart", Moment: agent.Begin, Session: "t1", CWD: "/p"}},
		{"Cline's prompt", "cline", "", `{"hookName":"UserPromptSubmit","taskId":"t1","workspaceRoots":["/p"],"userPromptSubmit":{"prompt":"fix it","attachments":[]}}`,
			agent.Payload{Agent: "cline", Event: "UserPromptSubmit", Moment: agent.Prompt, Session: "t1", CWD: "/p", Prompt: "fix it"}},
		{"Cline's command", "cline", "", `{"hookName":"PostToolUse","taskId":"t1","workspaceRoots":["/p"],"postToolUse":{"toolName":"execute_command","parameters":{"command":"make"},"result":"out","success":true,"executionTimeMs":7}}`,
			agent.Payload{Agent: "cline", Event: "PostToolUse", Moment: agent.After, Session: "t1", CWD: "/p", Tool: "execute_command", Input: `{"command":"make"}`, Output: "out"}},
		{"Kiro's session", "kiro", "", `{"hook_event_name":"agentSpawn","cwd":"/p"}`, agent.Payload{Agent: "kiro", Event: "agentSpawn", Moment: agent.Begin, CWD: "/p"}},
		{"Kimi's prompt", "kimi", "", `{"hook_event_name":"UserPromptSubmit","session_id":"k1","session_title":"x","client_type":"kimi_code_cli","cwd":"/p","prompt":"fix it"}`,
			agent.Payload{Agent: "kimi", Event: "UserPromptSubmit", Moment: agent.Prompt, Session: "k1", CWD: "/p", Prompt: "fix it"}},
		{"a result of another shape", "claude", "", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_response":7}`,
			agent.Payload{Agent: "claude", Event: "PostToolUse", Moment: agent.After, Session: "s1"}},
		{"an event from the future", "claude", "", `{"hook_event_name":"MoonRise"}`,
			agent.Payload{Agent: "claude", Event: "MoonRise"}},
		{"nothing but an event", "pi", "session_shutdown", "", agent.Payload{Agent: "pi", Event: "session_shutdown", Moment: agent.Rest}},
		{"cut off", "claude", "", `{"session_id":"s1","hook_event_name":"Stop","transcript_path":"/t","last_assistant_message":"Do`,
			agent.Payload{Agent: "claude", Event: "Stop", Moment: agent.Rest, Session: "s1", Path: "/t"}},
		{"damaged, with an event", "claude", "Stop", `{"session_id":`, agent.Payload{Agent: "claude", Event: "Stop", Moment: agent.Rest}},
	} {
		got, err := agent.ParsePayload(tt.agent, tt.event, []byte(tt.data))
		envtest.FailIf(t, err != nil, "%s: %v", tt.name, err)
		envtest.Same(t, tt.want, got, tt.name)
	}
	for _, data := range []string{"", "{}", "[]", "not JSON", `{"hook_event_name":7}`} {
		_, err := agent.ParsePayload("claude", "", []byte(data))
		envtest.FailIf(t, err == nil, "Parse(%q) = %v, want an error", data, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("", []byte(`{"hook_event_name":"Stop","session_id":"s"}`))
	f.Add("agent_end", []byte(`{"type":["x"],"cwd":{}}`))
	f.Fuzz(func(t *testing.T, event string, data []byte) {
		p, err := agent.ParsePayload("claude", event, data)
		envtest.FailIf(t, err == nil && p.Event == "", "an event without a name of %q", data)
	})
}
