package trace

import (
	"fmt"
	"testing"

	"mem/session"

	"mem/envtest"
)

func TestCopilot(t *testing.T) {
	n := 0
	event := func(typ, data string) string {
		n++
		return fmt.Sprintf(`{"type":%q,"id":"e%d","timestamp":"2026-03-01T10:00:00Z","parentId":null,"data":{%s}}`, typ, n, data)
	}
	start := func(id, tool, command, more string) string {
		return event("tool.execution_start", fmt.Sprintf(`"toolCallId":%q,"toolName":%q,"arguments":{"command":%q}%s`, id, tool, command, more))
	}
	end := func(id, more string) string {
		return event("tool.execution_complete", fmt.Sprintf(`"toolCallId":%q,%s`, id, more))
	}
	s := readSession(t, lines(
		event("session.start", `"sessionId":"c1","copilotVersion":"0.0.407","selectedModel":"m1","context":{"cwd":"/w"}`),
		event("user.message", `"content":"Run the tests"`),
		event("user.message", `"content":"a skill","source":"skill-pdf"`),
		event("assistant.message", `"content":"I run them.","reasoningText":"They come first.","toolRequests":[]`),
		start("t1", "bash", "make", ""), end("t1", `"success":true,"result":{"content":"no rule\n<exited with exit code 2>"}`),
		start("t2", "bash", "ls", ""), end("t2", `"success":true,"result":{"content":"a\n<exited with exit code 0>"}`),
		start("t3", "bash", "rm a", ""), end("t3", `"success":false,"error":{"message":"The user rejected this tool call. User feedback: keep a","code":"rejected"}`),
		start("t4", "bash", "x", `,"parentToolCallId":"t0"`), end("t4", `"success":false,"error":{"message":"no","code":"denied"}`),
		event("abort", `"reason":"user initiated"`),
		event("session.error", `"message":"quota"`),
		event("session.compaction_complete", `"summaryContent":"so far"`),
	))
	envtest.Same(t, []brief{
		{session.UserText, session.Human, "Run the tests"},
		{session.UserText, session.Injected, "a skill"},
		{session.Thinking, session.Agent, "They come first."},
		{session.AssistantText, session.Agent, "I run them."},
		{session.ToolCall, session.Agent, `bash{"command":"make"}`},
		{session.ToolResult, session.Tool, "no rule\n\nCommand exited with code 2"},
		{session.ToolCall, session.Agent, `bash{"command":"ls"}`},
		{session.ToolResult, session.Tool, "a"},
		{session.ToolCall, session.Agent, `bash{"command":"rm a"}`},
		{session.ToolResult, session.Tool, "The user rejected this tool call. User feedback: keep a"},
		{session.ToolCall, session.Subagent, `bash{"command":"x"}`},
		{session.ToolResult, session.Tool, "no"},
		{session.Interrupt, session.Human, ""},
		{session.Failure, session.Injected, "quota"},
		{session.Compaction, session.Injected, "so far"},
	}, briefs(s), "events")
	envtest.FailIf(t, s.ID != "c1" || s.CWD != "/w" || s.Model != "m1" || s.Ignored != 0,
		"%s in %s with %s, %d ignored", s.ID, s.CWD, s.Model, s.Ignored)
	envtest.Same(t, []session.Cause{session.Failed, session.OK, session.DeniedByUser, session.DeniedByRule}, []session.Cause{s.Events[5].Cause, s.Events[7].Cause, s.Events[9].Cause, s.Events[11].Cause}, "causes")
	envtest.Same(t, "keep a", s.Events[9].Reason, "reason")
}
