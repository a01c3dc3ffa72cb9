package trace

import (
	"fmt"
	"strings"
	"testing"

	"mem/session"

	"mem/envtest"
)

const codexHead = `{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/w","cli_version":"0.135.0","source":"cli"}}`

// codexLine makes a line with an envelope.
func codexLine(typ, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-03-01T10:00:01Z","type":%q,"payload":{%s}}`, typ, payload)
}

func codexItem(typ, rest string) string {
	return codexLine("response_item", fmt.Sprintf(`"type":%q%s`, typ, rest))
}

func codexEvent(typ, rest string) string {
	return codexLine("event_msg", fmt.Sprintf(`"type":%q%s`, typ, rest))
}

func codexMessage(role, text string) string {
	return codexItem("message", fmt.Sprintf(`,"role":%q,"content":[{"type":"input_text","text":%q}]`, role, text))
}

// codexUser makes the two lines of a prompt.
func codexUser(text string) string {
	return codexMessage("user", text) + "\n" + codexSaid(text)
}

func codexSaid(text string) string {
	return codexEvent("user_message", fmt.Sprintf(`,"message":%q`, text))
}

func TestCodexOutcomes(t *testing.T) {
	exec := func(code int, out string) string {
		return fmt.Sprintf("Chunk ID: ab\nWall time: 0.1 seconds\nProcess exited with code %d\nOriginal token count: 3\nOutput:\n%s\n", code, out)
	}
	tests := []struct {
		name  string
		out   string // JSON, or text
		text  string
		cause session.Cause
	}{
		{"text", "fine", "fine", session.OK},
		{"exec", exec(0, "fine"), "fine", session.OK},
		{"exec that failed", exec(2, "no rule"), "no rule\n\nCommand exited with code 2", session.Failed},
		{"a file that speaks of a failure", exec(0, "Process exited with code 3"), "Process exited with code 3", session.OK},
		{"a file that speaks of a denial", exec(0, "exec command rejected by user"), "exec command rejected by user", session.OK},
		{"a failed command that prints a denial", exec(1, "patch rejected by user"), "patch rejected by user\n\nCommand exited with code 1", session.Failed},
		{"no head", "Output:\nx", "Output:\nx", session.OK},
		{"still running", "Chunk ID: ab\nProcess running with session ID 7\nOutput:\nx", "x\n\nProcess running with session ID 7", session.OK},
		{"shell", "Exit code: 1\nWall time: 2 seconds\nOutput:\nbad", "bad\n\nCommand exited with code 1", session.Failed},
		{"old shell", `{"output":"bad\n","metadata":{"exit_code":3,"duration_seconds":0.1}}`, "bad\n\nCommand exited with code 3", session.Failed},
		{"old shell without output", `{"output":"","metadata":{"exit_code":0}}`, "", session.OK},
		{"JSON that a tool printed", `{"output":7}`, `{"output":7}`, session.OK},
		{"object", `#{"content":"bad","success":false}`, "bad", session.Failed},
		{"object that went well", `#{"content":"good","success":true}`, "good", session.OK},
		{"list", `#[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]`, "a\nb", session.OK},
		{"denied", "exec command rejected by user", "exec command rejected by user", session.DeniedByUser},
		{"patch denied", "patch rejected by user", "patch rejected by user", session.DeniedByUser},
		{"denied, wrapped", `exec_command failed for x: CreateProcess { message: "Rejected(\"rejected by user\")" }`, `exec_command failed for x: CreateProcess { message: "Rejected(\"rejected by user\")" }`, session.DeniedByUser},
		{"guardian", "This action was rejected due to unacceptable risk.", "This action was rejected due to unacceptable risk.", session.DeniedByRule},
		{"sandbox", "failed in sandbox: denied", "failed in sandbox: denied", session.DeniedByRule},
		{"aborted", "aborted", "aborted", session.Cancelled},
		{"aborted by a person", "aborted by user after 3.1s", "aborted by user after 3.1s", session.Cancelled},
		{"aborted, with a head", "Wall time: 3 seconds\naborted by user", "aborted by user", session.Cancelled},
		{"out of time", "command timed out after 1000 milliseconds\npartial", "command timed out after 1000 milliseconds\npartial", session.TimedOut},
		{"out of time, with a code", exec(124, "partial"), "partial", session.TimedOut},
		{"patch", "apply_patch verification failed: no such line", "apply_patch verification failed: no such line", session.Failed},
	}
	for _, tt := range tests {
		out, isJSON := strings.CutPrefix(tt.out, "#")
		if !isJSON {
			out = fmt.Sprintf("%q", tt.out)
		}
		s := readSession(t, lines(codexHead, codexItem("function_call", `,"name":"shell","arguments":"{}","call_id":"k"`),
			codexItem("function_call_output", `,"call_id":"k","output":`+out)))
		if e := s.Events[1]; e.Text != tt.text || e.Cause != tt.cause || e.Tool != "shell" || e.Origin != session.Tool {
			t.Errorf("%s: %q, %q by %q, want %q, %q", tt.name, e.Text, e.Cause, e.Origin, tt.text, tt.cause)
		}
	}
}

func TestCodexPrompts(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []brief
	}{
		{"item and event", codexUser("x"), []brief{{session.UserText, session.Human, "x"}}},
		{"event first", lines(codexSaid("x"), codexMessage("user", "x")), []brief{{session.UserText, session.Human, "x"}}},
		{"the same twice", lines(codexUser("x"), codexUser("x")), []brief{{session.UserText, session.Human, "x"}, {session.UserText, session.Human, "x"}}},
		{"no events in the file", codexMessage("user", "x"), []brief{{session.UserText, session.Human, "x"}}},
		{
			"an item of its own in a file with events", lines(codexMessage("user", "from the client"), codexUser("x")),
			[]brief{{session.UserText, session.Injected, "from the client"}, {session.UserText, session.Human, "x"}},
		},
		{
			"wrappers", lines(codexMessage("user", "<environment_context>e</environment_context>"), codexMessage("user", " # AGENTS.md instructions for /w"),
				codexMessage("user", "<turn_aborted>\nx"), codexMessage("developer", "rules"), codexSaid("<user_instructions>u")),
			[]brief{
				{session.UserText, session.Injected, "<environment_context>e</environment_context>"}, {session.UserText, session.Injected, " # AGENTS.md instructions for /w"},
				{session.UserText, session.Injected, "rules"},
			},
		},
		{
			"an editor", codexUser("# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix it\n"),
			[]brief{{session.UserText, session.Human, "fix it"}},
		},
		{
			"a command of the person",
			codexMessage("user", "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nno\n</result>\n</user_shell_command>"),
			[]brief{{session.ToolCall, session.Human, `shell{"command":"ls"}`}, {session.ToolResult, session.Tool, "no\n\nCommand exited with code 2"}},
		},
		{
			"replies", lines(codexEvent("agent_message", `,"message":"a"`), codexMessage("assistant", "a"), codexMessage("assistant", "a")),
			[]brief{{session.AssistantText, session.Agent, "a"}, {session.AssistantText, session.Agent, "a"}},
		},
	}
	for _, tt := range tests {
		s := readSession(t, lines(codexHead, tt.in))
		envtest.Same(t, tt.want, briefs(s), tt.name)
		check(t, s, 1<<40)
	}
}

func TestCodexStops(t *testing.T) {
	denied := lines(codexItem("function_call", `,"name":"shell","arguments":"{}","call_id":"k"`),
		codexItem("function_call_output", `,"call_id":"k","output":"exec command rejected by user"`))
	for _, tt := range []struct {
		name, in string
		want     int
	}{
		{"a person", codexEvent("turn_aborted", `,"reason":"interrupted"`), 1},
		{"another turn", codexEvent("turn_aborted", `,"reason":"replaced"`), 0},
		{"a budget", codexEvent("turn_aborted", `,"reason":"budget_limited"`), 0},
		{"written twice", lines(codexEvent("turn_aborted", `,"reason":"interrupted"`), codexEvent("turn_aborted", `,"reason":"interrupted"`)), 1},
		{"two, with words between", lines(codexEvent("turn_aborted", `,"reason":"interrupted"`), codexUser("x"), codexEvent("turn_aborted", `,"reason":"interrupted"`)), 2},
		{"after a denial", denied + codexEvent("turn_aborted", `,"reason":"interrupted"`), 0},
	} {
		n := 0
		for _, e := range readSession(t, lines(codexHead, tt.in)).Events {
			if e.Kind == session.Interrupt {
				n++
			}
		}
		envtest.Same(t, tt.want, n, tt.name)
	}
}

func TestCodexRollback(t *testing.T) {
	back := func(n string) string { return codexEvent("thread_rolled_back", `,"num_turns":`+n) }
	turns := lines(codexMessage("user", "from the client"), codexUser("a"), codexMessage("assistant", "1"), codexUser("b"), codexMessage("assistant", "2"))
	for _, tt := range []struct{ name, in, left string }{
		{"none", turns, ""},
		{"one", turns + back("1") + "\n" + codexUser("c"), "b 2"},
		{"two", turns + back("2") + "\n" + codexUser("c"), "a 1 b 2"},
		{"more than there are", turns + back("9") + "\n" + codexUser("c"), "a 1 b 2"},
		{"twice", turns + back("1") + "\n" + codexUser("c") + "\n" + back("1") + "\n" + codexUser("d"), "b 2 c"},
		{"nothing", turns + back("0"), ""},
		{"nonsense", turns + back(`"x"`), ""},
		{"a request of nothing", codexUser("# Context from my IDE setup:\n## My request for Codex:\n") + "\n" + back("1"), ""},
	} {
		var left []string
		s := readSession(t, lines(codexHead, tt.in))
		for _, e := range s.Events {
			if e.Abandoned {
				left = append(left, e.Text)
			}
		}
		envtest.Same(t, tt.left, strings.Join(left, " "), tt.name)
		check(t, s, 1<<40)
	}
}

func TestCodexSessionFacts(t *testing.T) {
	s := readSession(t, lines(codexHead, strings.Replace(codexHead, `"c1"`, `"c0"`, 1), codexLine("turn_context", `"cwd":"/v","model":"m2"`), codexUser("x"),
		codexLine("token_usage_record", ""), codexLine("news", ""), codexItem("news", ""), codexEvent("news", "")))
	want := session.Session{Agent: "codex", ID: "c1", CWD: "/w", Model: "m2", Parent: "c0", Version: "0.135.0", Ignored: 3, Size: s.Size, Events: s.Events, Started: s.Started, Ended: s.Ended}
	envtest.Same(t, &want, s, "session")
	sub := readSession(t, lines(strings.Replace(codexHead, `"cli"`, `{"subagent":"review"}`, 1), codexUser("x"), codexMessage("assistant", "y")))
	envtest.Same(t, []brief{{session.UserText, session.Subagent, "x"}, {session.AssistantText, session.Subagent, "y"}}, briefs(sub), "a sub-agent's session")
	mcp := readSession(t, lines(codexHead, codexItem("function_call", `,"name":"find","namespace":"mcp__web","arguments":"{}","call_id":"k"`),
		codexItem("function_call_output", `,"call_id":"k","output":"x"`), codexEvent("mcp_tool_call_end", `,"call_id":"k","result":{"Err":"no"}`)))
	if e := mcp.Events[1]; e.Tool != "mcp__web__find" || e.Origin != session.External || e.Cause != session.Failed {
		t.Errorf("result of %q from %q, %q; want an external one that failed", e.Tool, e.Origin, e.Cause)
	}
}

// With the models of today the calls are programs of the model's, and only what Codex
// tells the person says which commands these ran (as 0.169 writes it). What they print
// may be from anywhere. A command that the model called itself is told twice.
func TestCodexCodeMode(t *testing.T) {
	ran := func(id, command, more string) string {
		return codexEvent("item_completed", fmt.Sprintf(`,"turn_id":"t","item":{"type":"CommandExecution","id":%q,"process_id":"4","command":["/bin/bash","-lc",%q],"cwd":"file:///w"%s}`, id, command, more))
	}
	const exited = `,"source":"unified_exec_startup","status":"failed","aggregated_output":"no gen.txt\n","exit_code":2`
	shell := brief{session.ToolCall, session.Agent, `shell{"command":["/bin/bash","-lc","make test"]}`}
	for _, tt := range []struct {
		name string
		in   string
		want []brief
	}{
		{"a program", lines(
			codexItem("custom_tool_call", `,"id":"c","status":"completed","call_id":"k","name":"exec","namespace":"functions","input":"text(await tools.exec_command({cmd:\"make test\"}))"`),
			ran("exec-1", "make test", exited),
			codexItem("custom_tool_call_output", `,"call_id":"k","output":[{"type":"input_text","text":"Script completed\nOutput:\n"},{"type":"input_text","text":"{\"exit_code\":2}"}]`)), []brief{
			{session.ToolCall, session.Agent, `code_mode{"input":"text(await tools.exec_command({cmd:\"make test\"}))"}`},
			shell, {session.ToolResult, session.Tool, "no gen.txt\n\nCommand exited with code 2"},
			{session.ToolResult, session.External, "Script completed\nOutput:\n\n{\"exit_code\":2}"},
		}},
		{"more of it", lines(codexItem("function_call", `,"name":"wait","namespace":"functions","arguments":"{}","call_id":"k"`), codexItem("function_call_output", `,"call_id":"k","output":"page"`)),
			[]brief{{session.ToolCall, session.Agent, "code_mode{}"}, {session.ToolResult, session.External, "page"}}},
		{"waiting for an agent", lines(codexItem("function_call", `,"name":"wait","arguments":"{}","call_id":"k"`), codexItem("function_call_output", `,"call_id":"k","output":"done"`)),
			[]brief{{session.ToolCall, session.Agent, "wait{}"}, {session.ToolResult, session.Tool, "done"}}},
		{"a call", lines(codexItem("function_call", `,"name":"exec_command","arguments":"{\"cmd\":\"make test\"}","call_id":"k"`),
			ran("k", "make test", exited), codexItem("function_call_output", `,"call_id":"k","output":"Process exited with code 2\nOutput:\nno gen.txt\n"`)),
			[]brief{{session.ToolCall, session.Agent, `exec_command{"cmd":"make test"}`}, {session.ToolResult, session.Tool, "no gen.txt\n\nCommand exited with code 2"}}},
		{"declined", ran("exec-1", "make test", `,"status":"declined","aggregated_output":"exec command rejected by user","exit_code":-1`),
			[]brief{shell, {session.ToolResult, session.Tool, "exec command rejected by user"}}},
		{"of the person", ran("exec-1", "make test", `,"source":"user_shell","status":"completed","exit_code":0`), nil},
		{"something else", codexEvent("item_completed", `,"item":{"type":"AgentMessage","id":"m","content":[]}`), nil},
	} {
		s := readSession(t, lines(codexHead, tt.in))
		envtest.Same(t, tt.want, briefs(s), tt.name)
		check(t, s, 1<<40)
		envtest.FailIf(t, tt.name == "declined" && s.Events[1].Cause != session.DeniedByUser,
			"declined: %+v", s.Events)
	}
	twice := readSession(t, lines(codexHead, ran("exec-1", "a", exited), ran("exec-2", "b", exited)))
	ids := ids(twice)
	envtest.FailIf(t, len(ids) != 4 || ids[0] == ids[2], "two commands: %q", ids)
}

// A session that goes on in a new file has the history copied, and written at
// another time. What was there before keeps its ids.
func TestCodexCopiesKeepIDs(t *testing.T) {
	turn := lines(codexUser("x"), codexMessage("assistant", "same"), codexUser("x"), codexMessage("assistant", "same"))
	first := readSession(t, lines(codexHead, turn))
	copied := strings.ReplaceAll(turn, "10:00:01Z", "11:00:00Z")
	second := readSession(t, lines(strings.Replace(codexHead, `"c1"`, `"c2"`, 1), codexHead, copied, codexUser("new")))
	envtest.FailIf(t, second.ID != "c2" || second.Parent != "c1",
		"session %q from %q, want c2 from c1", second.ID, second.Parent)
	envtest.Same(t, ids(first), ids(second)[:len(first.Events)], "ids")
}

// What a program prompts is no person's word, nor what a session says that goes on from such a run.
func TestCodexHeadless(t *testing.T) {
	for _, tt := range []struct {
		name, heads string
		want        session.Origin
	}{
		{"a person", codexHead, session.Human},
		{"codex exec", strings.Replace(codexHead, `"cli"}`, `"exec"}`, 1), session.Subagent},
		{"by MCP", strings.Replace(codexHead, `"cli"}`, `"mcp"}`, 1), session.Subagent},
		{"a fork of codex exec", lines(codexHead, strings.Replace(strings.Replace(codexHead, `"cli"}`, `"exec"}`, 1), `"c1"`, `"c0"`, 1)), session.Subagent},
	} {
		s := readSession(t, lines(tt.heads, codexUser("Always use pnpm")))
		for _, e := range s.Events {
			envtest.FailIf(t, e.Kind == session.UserText && e.Origin != tt.want,
				"%s: origin %v, want %v", tt.name, e.Origin, tt.want)
		}
		envtest.FailIf(t, len(s.Events) == 0, "%s: no events", tt.name)
	}
}
