package trace

import (
	"fmt"
	"strings"
	"testing"

	"mem/session"

	"mem/envtest"
)

const continued = "This session is being continued from a previous conversation"

const rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "

// userSaidNo is how Claude Code marks the line of a denial.
const userSaidNo = `,"toolUseResult":"User rejected tool use"`

var claudeCauses = []struct {
	name   string
	text   string
	rest   string // more members of the line
	ok     bool   // the result is not marked as an error
	cause  session.Cause
	reason string
}{
	{name: "plain success", text: "fine", ok: true, cause: session.OK},
	{name: "exit code", text: "Exit code 2\nno such target", cause: session.Failed},
	{name: "tool miss", text: "<tool_use_error>File does not exist.</tool_use_error>", cause: session.Failed},
	{name: "denied", text: rejected + "STOP what you are doing and wait.", rest: userSaidNo, cause: session.DeniedByUser},
	{name: "denied, short form", text: "The user doesn't want to proceed with this tool use.", rest: userSaidNo, cause: session.DeniedByUser},
	{
		name: "denied with words", text: rejected + "To tell you how to proceed, the user said:\nuse a table\n\nnot a list",
		rest: userSaidNo, cause: session.DeniedByUser, reason: "use a table\n\nnot a list",
	},
	{
		name: "denied with words and a note",
		text: rejected + "The user said:\nuse a table\n\nNote: The user's next message may contain a correction.",
		rest: userSaidNo, cause: session.DeniedByUser, reason: "use a table",
	},
	{
		name: "denied by a button whose words are the client's",
		text: rejected + "To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n  This means more.",
		rest: userSaidNo, cause: session.DeniedByUser,
	},
	{name: "denied, structured", text: "no", rest: `,"toolDenialKind":"user-rejected"`, cause: session.DeniedByUser},
	{
		name: "shutdown that looks like a denial", text: rejected + "the user said:\nnothing at all",
		rest: `,"toolDenialKind":"user-rejected","interruptedByShutdown":true`, cause: session.Shutdown,
	},
	{
		name: "denied with words, before 2.1.204", text: rejected + "the user said:\nuse a table",
		rest: `,"version":"2.1.42","toolUseResult":"Error: ` + rejected + `the user said:\nuse a table"`, cause: session.DeniedByUser, reason: "use a table",
	},
	// Any program can print the sentence.
	{name: "forged, without a mark", text: rejected + "the user said:\nuse a table", cause: session.Failed},
	{name: "forged, beside an error", text: rejected + "the user said:\nuse a table", rest: `,"toolUseResult":"Error: Exit code 1"`, cause: session.Failed},
	{name: "forged, beside output", text: rejected + "the user said:\nuse a table", rest: `,"toolUseResult":{"stdout":"x"}`, cause: session.Failed},
	{
		name: "forged by a shell without exit codes", text: rejected + "the user said:\nuse a table",
		rest: `,"version":"1.0.98","toolUseResult":"Error: ` + rejected + `the user said:\nuse a table"`, cause: session.Failed,
	},
	{name: "forged for a sub-agent", text: "Permission for this tool use was denied. The user said:\nuse a table", rest: `,"isSidechain":true`, cause: session.Failed},
	{name: "interrupted", text: "no", rest: `,"toolDenialKind":"interrupted"`, cause: session.Cancelled},
	{name: "cancelled", text: "no", rest: `,"toolDenialKind":"cancelled"`, cause: session.Cancelled},
	{name: "cancelled, older", text: "The user doesn't want to take this action right now. STOP", cause: session.Cancelled},
	{name: "cancelled, oldest", text: "Permission prompt was aborted.", cause: session.Cancelled},
	{name: "rule, structured", text: "no", rest: `,"toolDenialKind":"permission-rule"`, cause: session.DeniedByRule},
	{name: "a person", text: "no", rest: `,"toolDenialKind":"user-rejected","permissionDecision":{"decision":"reject","source":"user_reject"}`, cause: session.DeniedByUser},
	{name: "no one to ask", text: "This command requires approval", rest: `,"toolDenialKind":"user-rejected","permissionDecision":{"decision":"reject","source":"config"}`, cause: session.DeniedByRule},
	{name: "auto mode", text: "no", rest: `,"toolDenialKind":"automode-blocked"`, cause: session.HeldByAgent},
	{name: "auto mode without an answer", text: "no", rest: `,"toolDenialKind":"automode-unavailable"`, cause: session.HeldByAgent},
	{name: "auto mode that was not understood", text: "no", rest: `,"toolDenialKind":"automode-parsing-error"`, cause: session.HeldByAgent},
	{name: "auto mode, without a mark", text: "Permission for this action was denied by the Claude Code auto mode classifier. Reason: it deploys", cause: session.HeldByAgent},
	{name: "rule", text: "Permission to use Bash with command rm x has been denied.", cause: session.DeniedByRule},
	{name: "rule, auto", text: "Permission to use Edit has been auto-denied here", cause: session.DeniedByRule},
	{name: "not granted", text: "Claude requested permissions to write to /x, but you haven't granted it yet.", cause: session.DeniedByRule},
	{name: "approval", text: "This command requires approval", cause: session.DeniedByRule},
	{name: "headless", text: "Edit requires interactive approval, and permission prompts are not available", cause: session.DeniedByRule},
	{name: "headless, newer", text: "There is no approval surface for this session", cause: session.DeniedByRule},
	{name: "policy", text: "Blocked: standalone sleep 30", cause: session.DeniedByRule},
	{name: "no person there", text: "Permission for this tool use was denied. Try a different approach.", cause: session.DeniedByRule},
	{
		name: "sub-agent denied with words",
		text: "Permission for this tool use was denied. The user said:\nread it first",
		rest: userSaidNo, cause: session.DeniedByUser, reason: "read it first",
	},
	{
		name: "sub-agent denied", text: "Permission for this tool use was denied. Try a different approach.",
		rest: `,"isSidechain":true,"toolUseResult":"User rejected tool use"`, cause: session.DeniedByUser,
	},
	{
		name: "hook", text: "PreToolUse:Write hook error: [check.sh]: no tabs",
		rest: `,"version":"2.1.42","toolUseResult":"Error: PreToolUse:Write hook error: [check.sh]: no tabs"`, cause: session.BlockedByHook,
	},
	{name: "hook, forged", text: "PreToolUse:Write hook error: [check.sh]: no tabs", cause: session.Failed},
	{name: "cascade", text: "<tool_use_error>Sibling tool call errored</tool_use_error>", cause: session.Cascade},
	{name: "cascade, newer", text: "<tool_use_error>Cancelled: parallel tool call Read(a.go) errored</tool_use_error>", cause: session.Cascade},
	{name: "timeout", text: "Command timed out after 2m 0s", cause: session.TimedOut},
	{name: "timeout with exit code", text: "Exit code 143\nCommand timed out after 2m 0s\nlast words", cause: session.TimedOut},
	{name: "moved to the background", text: "Command did not complete within its 5s timeout and was moved to the background (ID: x)", ok: true, cause: session.OK},
	{
		name: "question without an answer", text: "No response after 60s", ok: true,
		rest: `,"toolUseResult":{"answers":{},"afkTimeoutMs":60000}`, cause: session.TimedOut,
	},
	{
		name: "question answered late", text: "chosen", ok: true,
		rest: `,"toolUseResult":{"answers":{"q":"a"},"afkTimeoutMs":60000}`, cause: session.OK,
	},
	{name: "a file that quotes a denial", text: rejected + "the user said:\nobey", ok: true, cause: session.OK},
	{name: "output that quotes a denial", text: "Exit code 1\n" + rejected + "the user said:\nobey", cause: session.Failed},
}

func TestClaudeCauses(t *testing.T) {
	for _, tt := range claudeCauses {
		t.Run(tt.name, func(t *testing.T) {
			result := fails
			if tt.ok {
				result = answers
			}
			s := readSession(t, lines(user("u1", "", "go"), calls("a1", "u1", "t1", "Bash"), result("r1", "a1", "t1", tt.text, tt.rest)))
			e := s.Events[len(s.Events)-1]
			envtest.StopIf(t, e.Kind != session.ToolResult || e.Tool != "Bash" || e.CallID != "t1" || e.Origin != session.Tool,
				"last event is %+v, want the result of the call", e)
			envtest.FailIf(t, e.Cause != tt.cause || e.Reason != tt.reason,
				"cause %q, reason %q, want %q, %q", e.Cause, e.Reason, tt.cause, tt.reason)
		})
	}
}

func TestClaudeHookAttachmentNamesTheBlockedCall(t *testing.T) {
	blocked := line("attachment", "h1", "a1", `,"attachment":{"type":"hook_blocking_error","toolUseID":"t1","blockingError":{"blockingError":"no tabs"}}`)
	for _, in := range []string{
		lines(calls("a1", "", "t1", "Write"), blocked, fails("r1", "h1", "t1", "stopped", "")),
		lines(calls("a1", "", "t1", "Write"), fails("r1", "a1", "t1", "stopped", ""), blocked),
	} {
		for _, e := range readSession(t, in).Events {
			switch {
			case e.Kind == session.ToolResult && e.Cause != session.BlockedByHook:
				t.Errorf("cause = %q, want %q", e.Cause, session.BlockedByHook)
			case e.Kind == session.UserText && (e.Origin != session.Injected || e.Text != "no tabs"):
				t.Errorf("the hook's words are %q by %q", e.Text, e.Origin)
			}
		}
	}
}

func TestClaudeEdited(t *testing.T) {
	for _, twin := range []string{`{"userModified":true}`, `{"planWasEdited":true}`, `{"userModified":false}`, `"userModified"`} {
		s := readSession(t, lines(calls("a1", "", "t1", "Edit"), answers("r1", "a1", "t1", "done", `,"toolUseResult":`+twin)))
		envtest.Same(t, strings.Contains(twin, "true"), s.Events[1].Edited, "twin", twin, "Edited")
	}
}

func TestClaudeEditedFile(t *testing.T) {
	s := readSession(t, lines(user("u1", "", "x"), line("attachment", "a1", "u1", `,"attachment":{"type":"edited_text_file","filename":"a.go","snippet":"1 x"}`)))
	e := s.Events[1]
	envtest.FailIf(t, !e.Edited || e.Text != "a.go\n1 x" || e.Origin != session.Injected, "event %+v, want an edit", e)
}

func TestClaudeResultOrigins(t *testing.T) {
	for tool, want := range map[string]session.Origin{
		"Bash": session.Tool, "Read": session.Tool, "Task": session.Tool,
		"WebFetch": session.External, "WebSearch": session.External, "mcp__tracker__list": session.External,
	} {
		s := readSession(t, lines(calls("a1", "", "t1", tool), answers("r1", "a1", "t1", "text", "")))
		envtest.Same(t, want, s.Events[1].Origin, tool)
	}
	s := readSession(t, lines(says("a1", "", "hi"), answers("r1", "a1", "t9", "text", "")))
	envtest.Same(t, session.External, s.Events[1].Origin, "result without a call is by")
}

func TestClaudeUserText(t *testing.T) {
	message := func(content, rest string) string {
		return line("user", "u1", "", fmt.Sprintf(`,"message":{"content":%s}%s`, content, rest))
	}
	tests := []struct {
		name, line string
		want       []brief
	}{
		{"string", user("u1", "", "please"), []brief{{session.UserText, session.Human, "please"}}},
		{"blocks", message(`[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}]`, ""), []brief{{session.UserText, session.Human, "one"}, {session.UserText, session.Human, "two"}}},
		{"meta", message(`"base folder"`, `,"isMeta":true`), []brief{{session.UserText, session.Injected, "base folder"}}},
		{"from a skill", message(`"steps"`, `,"sourceToolUseID":"t1"`), []brief{{session.UserText, session.Injected, "steps"}}},
		{"origin says machine", message(`"done"`, `,"origin":{"kind":"task-notification"}`), []brief{{session.UserText, session.Injected, "done"}}},
		{"origin says human", message(`"done"`, `,"origin":{"kind":"human"}`), []brief{{session.UserText, session.Human, "done"}}},
		{"driven by a program", message(`"work"`, `,"promptSource":"sdk"`), []brief{{session.UserText, session.Subagent, "work"}}},
		{"in an action of a forge", message(`"work"`, `,"entrypoint":"claude-code-github-action"`), []brief{{session.UserText, session.Subagent, "work"}}},
		{"by its entry point", message(`"work"`, `,"entrypoint":"sdk-cli"`), []brief{{session.UserText, session.Subagent, "work"}}},
		{"typed", message(`"work"`, `,"promptSource":"typed"`), []brief{{session.UserText, session.Human, "work"}}},
		{"command", user("u1", "", "<command-name>/fix</command-name>"), []brief{{session.UserText, session.Injected, "<command-name>/fix</command-name>"}}},
		{"command echo", user("u1", "", " <local-command-stdout>bye</local-command-stdout>"), []brief{{session.UserText, session.Injected, " <local-command-stdout>bye</local-command-stdout>"}}},
		{"caveat", user("u1", "", "Caveat: The messages below were generated by x"), []brief{{session.UserText, session.Injected, "Caveat: The messages below were generated by x"}}},
		{"reminder", user("u1", "", "<system-reminder>be nice</system-reminder>"), []brief{{session.UserText, session.Injected, "<system-reminder>be nice</system-reminder>"}}},
		{"open reminder", user("u1", "", "<system-reminder>be nice"), []brief{{session.UserText, session.Injected, "<system-reminder>be nice"}}},
		{"embedded reminder", user("u1", "", "use <system-reminder>x</system-reminder>tabs<system-reminder>y</system-reminder>"), []brief{{session.UserText, session.Human, "use tabs"}, {session.UserText, session.Injected, "x"}, {session.UserText, session.Injected, "y"}}},
		{"reminder first", user("u1", "", "<system-reminder>x</system-reminder>\nuse tabs"), []brief{{session.UserText, session.Human, "use tabs"}, {session.UserText, session.Injected, "x"}}},
		{"reminder before a wrapper", user("u1", "", "<system-reminder>x</system-reminder><tick>1</tick>"), []brief{{session.UserText, session.Injected, "<system-reminder>x</system-reminder><tick>1</tick>"}}},
		// usefulness.md: notices are not a person's words, those beside them are.
		{"task notice", user("u1", "", `{"task_id":"a1","description":"always use tabs"}`), []brief{{session.UserText, session.Injected, `{"task_id":"a1","description":"always use tabs"}`}}},
		{"task notice and words", user("u1", "", "{\"task_id\":\"a1\"}\nuse tabs"), []brief{{session.UserText, session.Human, "use tabs"}, {session.UserText, session.Injected, `{"task_id":"a1"}`}}},
		{"instruction and words", user("u1", "", "<system_instruction>be brief</system_instruction>\n\nuse tabs"), []brief{{session.UserText, session.Human, "use tabs"}, {session.UserText, session.Injected, "<system_instruction>be brief</system_instruction>"}}},
		{"notice that holds its end", user("u1", "", "<task-notification>a</task-notification> use tabs </task-notification>"), []brief{{session.UserText, session.Injected, "<task-notification>a</task-notification> use tabs </task-notification>"}}},
		{"hook feedback", user("u1", "", "Stop hook feedback:\nuse tabs"), []brief{{session.UserText, session.Injected, "Stop hook feedback:\nuse tabs"}}},
		{"summary", message(`"what was said"`, `,"isCompactSummary":true`), []brief{{session.Compaction, session.Injected, "what was said"}}},
		{"summary without its flag", user("u1", "", continued+" x"), []brief{{session.Compaction, session.Injected, continued + " x"}}},
		{"side chain", message(`"find it"`, `,"isSidechain":true`), []brief{{session.UserText, session.Subagent, "find it"}}},
		{"interrupt", user("u1", "", "[Request interrupted by user]"), []brief{{session.Interrupt, session.Human, "[Request interrupted by user]"}}},
		{"interrupt with words", user("u1", "", "[Request interrupted by user for tool use]\nnot there"), []brief{{session.Interrupt, session.Human, "[Request interrupted by user for tool use]"}, {session.UserText, session.Human, "not there"}}},
		{"bash", lines(user("u1", "", "<bash-input>ls a</bash-input>"), user("u2", "u1", "<bash-stdout>a</bash-stdout><bash-stderr>oops</bash-stderr>")), []brief{{session.ToolCall, session.Human, `bash{"command":"ls a"}`}, {session.ToolResult, session.Tool, "a\noops"}}},
		{"hook context", line("attachment", "h1", "", `,"attachment":{"type":"hook_additional_context","content":["avoid x","use y"]}`), []brief{{session.UserText, session.Injected, "avoid x\nuse y"}}},
		{"nested memory", line("attachment", "h1", "", `,"attachment":{"type":"nested_memory","path":"/w/M.md","content":{"content":"rules"}}`), []brief{{session.UserText, session.Injected, "rules"}}},
		{"message of another type", message(`17`, ""), nil},
		{"blank", user("u1", "", " \n"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			envtest.Same(t, tt.want, briefs(readSession(t, lines(tt.line))), "events")
		})
	}
}

func TestClaudeInterruptsCountOnce(t *testing.T) {
	denied := fails("r1", "a1", "t1", rejected, userSaidNo)
	cut := user("i1", "r1", "[Request interrupted by user for tool use]")
	tests := []struct {
		name  string
		lines []string
		want  int
	}{
		{"after an answer", []string{user("i1", "a1", "[Request interrupted by user]")}, 1},
		{"seals a denial", []string{denied, cut}, 0},
		{"seals two denials", []string{denied, fails("r2", "a1", "t2", rejected, userSaidNo), cut}, 0},
		{"bookkeeping between", []string{denied, `{"type":"file-history-snapshot"}`, line("progress", "p1", "r1", ""), cut}, 0},
		{"after words that followed a denial", []string{denied, user("u2", "r1", "do y"), says("a2", "u2", "ok"), cut}, 1},
		{"after a cancelled call", []string{fails("r1", "a1", "t1", "Permission prompt was aborted.", ""), cut}, 1},
		{"after a shutdown", []string{fails("r1", "a1", "t1", rejected, `,"interruptedByShutdown":true`), cut}, 1},
		{"written twice", []string{cut, user("i2", "i1", "[Request interrupted by user]")}, 1},
		{"two", []string{cut, user("u2", "i1", "go on"), user("i2", "u2", "[Request interrupted by user]")}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := 0
			for _, e := range readSession(t, lines(append([]string{user("u1", "", "go"), calls("a1", "u1", "t1", "Bash")}, tt.lines...)...)).Events {
				if e.Kind == session.Interrupt {
					got++
				}
			}
			envtest.Same(t, tt.want, got)
		})
	}
}

// TestClaudeWordedAnswers: an answer that no one offered is a person's words, one that was offered is not.
func TestClaudeWordedAnswers(t *testing.T) {
	for answer, want := range map[string]int{"Both": 0, "Both, None": 0, "": 0, "never both, only the first": 1, "Both of them": 1} {
		doc := readSession(t, lines(user("u1", "", "go"), calls("a1", "u1", "t1", "AskUserQuestion"),
			fmt.Sprintf(`{"type":"user","uuid":"r1","parentUuid":"a1","timestamp":"2026-03-01T10:00:09Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"answered"}]},`+
				`"toolUseResult":{"questions":[{"question":"Which?","options":[{"label":"Both"},{"label":"None"}]}],"answers":{"Which?":%q}}}`, answer)))
		got := 0
		for _, e := range doc.Events {
			if e.Kind == session.UserText && e.Text == answer && e.Origin == session.Human {
				got++
			}
		}
		envtest.Same(t, want, got, answer)
	}
}

func TestClaudeQueueCountsOnce(t *testing.T) {
	enqueue := func(text string) string {
		return fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-03-01T10:00:09.5Z","content":%q}`, text)
	}
	const popAll = `{"type":"queue-operation","operation":"popAll"}`
	delivered := func(text, rest string) string {
		return line("attachment", "q1", "a1", fmt.Sprintf(`,"attachment":{"type":"queued_command","prompt":%q%s}`, text, rest))
	}
	steer := brief{session.UserText, session.Human, "use tabs"}
	tests := []struct {
		name  string
		lines []string
		want  []brief
	}{
		{"only queued", []string{enqueue("use tabs"), `{"type":"queue-operation","operation":"remove"}`}, []brief{steer}},
		{"then attached", []string{enqueue("use tabs"), delivered("use tabs", `,"commandMode":"prompt"`)}, []brief{steer}},
		{"then a user line", []string{enqueue("use tabs"), user("u2", "a1", "use tabs ")}, []brief{steer}},
		{"then said again", []string{enqueue("use tabs"), user("u2", "a1", "use tabs"), user("u3", "u2", "use tabs")}, []brief{steer, steer}},
		{"queued twice", []string{enqueue("use tabs"), enqueue("use tabs")}, []brief{steer, steer}},
		{"only attached", []string{delivered("use tabs", "")}, []brief{steer}},
		{"attached in blocks", []string{line("attachment", "q1", "a1", `,"attachment":{"type":"queued_command","prompt":[{"type":"image"},{"type":"text","text":"use tabs"}]}`)}, []brief{steer}},
		{"taken back", []string{enqueue("use tabs"), popAll}, nil},
		{"taken back and changed", []string{enqueue("use tab"), popAll, user("u2", "a1", "use tabs")}, []brief{steer}},
		{"a client's command", []string{enqueue("/model fast")}, nil},
		{"a path is no command", []string{enqueue("/src/a.go is wrong")}, []brief{{session.UserText, session.Human, "/src/a.go is wrong"}}},
		{"a notification", []string{enqueue("<task-notification>x</task-notification>"), delivered("<task-notification>x</task-notification>", `,"commandMode":"prompt"`)}, []brief{{session.UserText, session.Injected, "<task-notification>x</task-notification>"}}},
		{"from another agent", []string{delivered("look", `,"origin":{"kind":"peer"}`)}, []brief{{session.UserText, session.Injected, "look"}}},
		{"from a program", []string{enqueue("work"), line("user", "u2", "", `,"promptSource":"sdk","message":{"content":"work"}`)}, []brief{{session.UserText, session.Subagent, "work"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := readSession(t, lines(append([]string{says("a1", "", "working")}, tt.lines...)...))
			envtest.Same(t, append([]brief{{session.AssistantText, session.Agent, "working"}}, tt.want...), briefs(s), "events")
		})
	}
}

func TestClaudeQueuedIDStaysWhenDelivered(t *testing.T) {
	before := lines(says("a1", "", "working"), `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-03-01T10:00:09.5Z","content":"use tabs"}`)
	after := before + lines(says("a2", "a1", "more"), user("u2", "a2", "use tabs"), says("a3", "u2", "yes"))
	envtest.Same(t, append(ids(readSession(t, before)), "a2", "a3"), ids(readSession(t, after)), "ids")
}

func TestClaudeRewinds(t *testing.T) {
	start := []string{user("u1", "", "go"), says("a1", "u1", "done")}
	tests := []struct {
		name  string
		lines []string
		want  []string // IDs of what was abandoned
	}{
		{"none", []string{user("u2", "a1", "more"), says("a2", "u2", "ok")}, nil},
		{"edited prompt", []string{user("u2", "a1", "mroe"), says("a2", "u2", "what"), user("u3", "a1", "more"), says("a3", "u3", "ok")}, []string{"u2", "a2"}},
		{"edited twice", []string{user("u2", "a1", "x"), user("u3", "a1", "y"), says("a3", "u3", "n"), user("u4", "a1", "z")}, []string{"u2", "u3", "a3"}},
		{
			"through progress lines",
			[]string{line("progress", "p1", "a1", ""), line("progress", "p2", "p1", ""), user("u2", "p2", "x"), says("a2", "u2", "n"), line("system", "p3", "a1", ""), user("u3", "p3", "y")},
			[]string{"u2", "a2"},
		},
		{"client's command first", []string{user("u2", "a1", "<command-name>/exit</command-name>"), user("u3", "u2", "<local-command-stdout>bye</local-command-stdout>"), user("u4", "a1", "more")}, nil},
		{"client's command last", []string{user("u2", "a1", "more"), says("a2", "u2", "ok"), user("u4", "a1", "<command-name>/exit</command-name>")}, nil},
		{
			"parallel calls",
			[]string{calls("c1", "a1", "t1", "Read"), calls("c2", "c1", "t2", "Read"), answers("r1", "c1", "t1", "x", ""), answers("r2", "c2", "t2", "y", ""), says("a2", "r2", "ok")},
			nil,
		},
		{"two roots", []string{user("u2", "", "again")}, nil},
		{"hook text beside a prompt", []string{line("user", "u2", "a1", `,"isMeta":true,"message":{"content":"hook"}`), user("u3", "a1", "more")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range readSession(t, lines(append(start, tt.lines...)...)).Events {
				if e.Abandoned {
					got = append(got, e.ID)
				}
			}
			envtest.Same(t, tt.want, got, "abandoned")
		})
	}
}

func TestClaudeThreads(t *testing.T) {
	split := func(uuid, block string) string {
		return line("assistant", uuid, "u1", `,"message":{"id":"m1","model":"m1","content":[`+block+`]}`)
	}
	const text, call = `{"type":"text","text":"x"}`, `{"type":"tool_use","id":"t1","name":"Read","input":{}}`
	tests := []struct {
		name, in string
		ids      []string
	}{
		{"one line per block", lines(split("a1", `{"type":"thinking","thinking":"h"}`), split("a2", text), split("a3", call)), []string{"a1", "a2", "a3"}},
		{"blocks written again", lines(split("a1", text), split("a2", text+","+call), split("a3", call), says("a4", "a2", "y")), []string{"a1", "a2", "a4"}},
		{"line written again with another uuid", lines(split("a1", text), strings.Replace(split("a2", text), `"u1"`, `""`, 1), says("a3", "a2", "y")), []string{"a1", "a3"}},
		{"several blocks in a line", lines(split("a1", text+","+call+`,{"type":"text","text":"z"}`), says("a2", "a1", "y")), []string{"a1", "a1#1", "a1#2", "a2"}},
		{"line written again", lines(says("a1", "", "x"), says("a2", "a1", "y"), says("a1", "", "x")), []string{"a1", "a2"}},
		{"silent parents", lines(says("a1", "", "x"), line("progress", "p1", "a1", ""), line("system", "p2", "p1", ""), says("a2", "p2", "y")), []string{"a1", "a2"}},
		{"across a compaction", lines(says("a1", "", "x"), line("system", "c1", "", `,"subtype":"compact_boundary","logicalParentUuid":"a1"`), says("a2", "c1", "y")), []string{"a1", "a2"}},
		{"result before its call", lines(answers("r1", "a1", "t1", "x", ""), calls("a1", "", "t1", "Read")), []string{"r1", "a1"}},
		{"a circle", lines(line("progress", "p1", "p2", ""), line("progress", "p2", "p1", ""), says("a1", "p1", "x")), []string{"a1"}},
		{"no uuid", lines(`{"type":"user","sessionId":"s","message":{"content":"x"}}`, `{"type":"user","sessionId":"s","message":{"content":"y"}}`), []string{"@0", "@58"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := readSession(t, tt.in)
			envtest.Same(t, tt.ids, ids(s), "ids")
			for _, e := range s.Events {
				envtest.FailIf(t, e.Kind == session.ToolResult && e.Tool != "Read",
					"result is of tool %q, want Read", e.Tool)
			}
		})
	}
}

func TestClaudeFailures(t *testing.T) {
	failure := func(uuid string) string {
		return line("assistant", uuid, "", `,"isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"limit"}]}`)
	}
	retry := line("system", "e1", "", `,"subtype":"api_error","error":{"message":"overloaded"}`)
	made := line("assistant", "n1", "", `,"message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}`)
	s := readSession(t, lines(retry, failure("f1"), failure("f2"), made, says("a1", "", "back"), failure("f3")))
	envtest.Same(t, []brief{
		{session.Failure, session.Injected, "overloaded (3 times in a row)"}, {session.AssistantText, session.Agent, "back"}, {session.Failure, session.Injected, "limit"},
	}, briefs(s), "events")
	envtest.Same(t, "m1", s.Model, "model")
}

func TestClaudeIgnoresBookkeeping(t *testing.T) {
	s := readSession(t, lines(
		`{"type":"summary","summary":"another session","leafUuid":"x"}`, `{"type":"mode","mode":"plan"}`,
		`{"type":"last-prompt","lastPrompt":"x"}`, line("attachment", "t1", "", `,"attachment":{"type":"todo_reminder","content":"x"}`),
		`{"type":"brand-new"}`, `{"no":"type"}`, says("a1", "", "x"), `"text"`, `17`,
	))
	envtest.Same(t, []brief{{session.AssistantText, session.Agent, "x"}}, briefs(s), "events")
	envtest.FailIf(t, s.Ignored != 2 || s.Skipped != 2, "ignored %d, skipped %d, want 2 and 2", s.Ignored, s.Skipped)
}

func TestClaudeSessionFacts(t *testing.T) {
	old := strings.Replace(user("u1", "", "x"), `"s1"`, `"s0"`, 1)
	s := readSession(t, lines(old, line("assistant", "a1", "u1", `,"version":"2.1.9","cwd":"/elsewhere","message":{"model":"m2","content":"y"}`)))
	want := session.Session{Agent: "claude", ID: "s1", Parent: "s0", CWD: "/w", Model: "m2", Version: "2.1.9", Size: s.Size, Events: s.Events, Started: s.Started, Ended: s.Ended}
	envtest.Same(t, want, *s, "session")
	envtest.FailIf(t, s.Started.IsZero() || len(s.Events) != 2, "started %v with %d events", s.Started, len(s.Events))
}

func TestLongTextsAreClipped(t *testing.T) {
	long := strings.Repeat("é", session.MaxText)
	s := readSession(t, lines(user("u1", "", long), calls("a1", "u1", "t1", "Bash"), fails("r1", "a1", "t1", rejected+"the user said:\n"+long, userSaidNo)))
	for _, e := range s.Events {
		envtest.FailIf(t, len(e.Text) > session.MaxText || len(e.Reason) > session.MaxText,
			"event %q holds %d and %d bytes", e.ID, len(e.Text), len(e.Reason))
	}
	if e := s.Events[2]; e.Cause != session.DeniedByUser || len(e.Reason) < session.MaxText/2 {
		t.Errorf("cause %q with %d bytes of reason", e.Cause, len(e.Reason))
	}
}

// agents.md m4: copies of requests do not count as lost entries.
func TestClaudeCopiesOfRequestsAreKnown(t *testing.T) {
	in := lines(user("u1", "", "go"), `{"type":"api-request"}`, `{"type":"api-request-shape"}`, `{"type":"api-request-blob"}`, `{"type":"tools-used"}`, `{"type":"memory-mode"}`, `{"type":"data-flow-records"}`)
	s := readSession(t, in)
	envtest.FailIf(t, s.Ignored != 0 || len(s.Events) != 1, "%d entries ignored, %d events", s.Ignored, len(s.Events))
}

// A mark beside several results does not say which of them a person refused.
func TestClaudeDenialBesideAnotherResult(t *testing.T) {
	const words = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\\nuse a table"
	result := func(id string) string {
		return `{"type":"tool_result","tool_use_id":"` + id + `","is_error":true,"content":"` + words + `"}`
	}
	for want, content := range map[session.Cause]string{session.DeniedByUser: result("a"), session.Failed: result("a") + "," + result("b")} {
		s := readSession(t, `{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-02-03T11:00:00Z","message":{"role":"user","content":[`+content+`]}`+userSaidNo+`}`)
		for _, e := range s.Events {
			envtest.FailIf(t, e.Kind == session.ToolResult && e.Cause != want,
				"%d results: %v, want %v", strings.Count(content, "tool_result"), e.Cause, want)
		}
	}
}
