package trace

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/session"

	"mem/envtest"
)

func geminiHead(cwd string) string {
	return fmt.Sprintf(`{"sessionId":"e0c1d2f3-1","projectHash":"%x","startTime":"2026-03-01T10:00:00Z","kind":"main"}`, sha256.Sum256([]byte(cwd)))
}

// geminiLine makes a message of a type; rest is more members, or "".
func geminiLine(typ, id, rest string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-01T10:00:01Z","type":%q%s}`, id, typ, rest)
}

func geminiUser(id, text string) string {
	return geminiLine("user", id, fmt.Sprintf(`,"content":[{"text":%q}]`, text))
}

// geminiCall makes a message with a call and what came of it.
func geminiCall(id, tool, args, status, response string) string {
	return geminiLine("gemini", "g-"+id, fmt.Sprintf(`,"content":"","toolCalls":[{"id":%q,"name":%q,"args":%s,"status":%q,"result":[{"functionResponse":{"id":%[1]q,"response":%[5]s}}]}]`,
		id, tool, args, status, response))
}

func openFixture(t *testing.T, name string) *session.Session {
	t.Helper()
	doc, err := Open("../fixtures/traces/" + name)
	envtest.StopIf(t, err != nil || doc.Session == nil, "%v %v", doc, err)
	info, err := os.Stat(doc.Session.Path)
	envtest.NoError(t, err)
	check(t, doc.Session, info.Size())
	return doc.Session
}

func TestGemini(t *testing.T) {
	s := openFixture(t, "gemini.jsonl")
	const shell = `run_shell_command`
	envtest.Same(t, []brief{
		{session.UserText, session.Injected, "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n- **Workspace Directories:**\n  - /w\n</session_context>"},
		{session.UserText, session.Human, "Please run the tests in @Makefile"},
		{session.Thinking, session.Agent, "Tests: They come first."},
		{session.AssistantText, session.Agent, "I run the tests."},
		{session.ToolCall, session.Agent, shell + `{"command":"make test"}`},
		{session.ToolResult, session.Tool, "gen.txt: no such file\nmake: *** [Makefile:2: test] Error 1\n\nCommand exited with code 2"},
		{session.ToolCall, session.Agent, shell + `{"command":"make gen && make test"}`},
		{session.ToolResult, session.Tool, "3 passed"},
		{session.UserText, session.Injected, "<hook_context>From an earlier session: x</hook_context>"},
		{session.ToolCall, session.Agent, `write_file{"file_path":"a.txt","content":"x"}`},
		{session.ToolResult, session.Tool, "[Operation Cancelled] Reason: User denied execution."},
		{session.UserText, session.Human, "Never write a.txt by hand, run make gen"},
		{session.ToolCall, session.Human, shell + `{"command":"ls nowhere"}`},
		{session.ToolResult, session.Tool, "ls: cannot access 'nowhere': No such file or directory\n\nCommand exited with code 2"},
		{session.UserText, session.Human, "Look there instead"},
		{session.AssistantText, session.Agent, "I look there."},
		{session.UserText, session.Injected, "<hook_context>notes</hook_context>"},
		{session.UserText, session.Human, "That is all"},
		{session.Compaction, session.Injected, "<state_snapshot>\n<overall_goal>Run the tests.</overall_goal>\n</state_snapshot>"},
	}, briefs(s), "events")
	for i, e := range s.Events {
		envtest.Same(t, i == 14 || i == 15, e.Abandoned, "event", i, "abandoned")
	}
	envtest.FailIf(t, s.Agent != "gemini" || s.CWD != "/w" || s.Model != "gemini-3.8-flash" || s.Ignored+s.Skipped != 0,
		"%s in %s with %s, %d ignored, %d skipped", s.Agent, s.CWD, s.Model, s.Ignored, s.Skipped)
}

func TestGeminiDocument(t *testing.T) {
	s := openFixture(t, "gemini-old.json")
	envtest.Same(t, []brief{
		{session.UserText, session.Human, "Run the tests"},
		{session.ToolCall, session.Agent, `run_shell_command{"command":"make test"}`},
		{session.ToolResult, session.Tool, "no rule to make target\n\nCommand exited with code 2"},
		{session.Failure, session.Injected, "[API Error: quota exceeded]"},
		{session.AssistantText, session.Agent, "There is no such rule."},
	}, briefs(s), "events")
	envtest.FailIf(t, s.ID != "7c1d" || s.Ignored+s.Skipped != 0 || s.Truncated,
		"id %s, %d ignored, %d skipped, truncated %v", s.ID, s.Ignored, s.Skipped, s.Truncated)
}

func TestGeminiOutcomes(t *testing.T) {
	output := func(s string) string { return fmt.Sprintf(`{"output":%q}`, s) }
	failed := func(s string) string { return fmt.Sprintf(`{"error":%q}`, s) }
	for _, tt := range []struct {
		name, tool, args, status, response string
		text                               string
		cause                              session.Cause
		edited                             bool
	}{
		{"a command", "run_shell_command", "{}", "success", output("Output: fine\nProcess Group PGID: 7"), "fine", session.OK, false},
		{"nothing printed", "run_shell_command", "{}", "success", output("Output: (empty)\nExit Code: 1\nProcess Group PGID: 7"), "Command exited with code 1", session.Failed, false},
		{"a file that tells of an exit code", "run_shell_command", "{}", "success", output("Output: a\nExit Code: 3\nb\nProcess Group PGID: 7"), "a\nExit Code: 3\nb", session.OK, false},
		{"no exit code", "read_file", "{}", "success", output("x\nExit Code: 3"), "x\nExit Code: 3", session.OK, false},
		{"a time limit", "run_shell_command", "{}", "success", output("Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."), "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.", session.TimedOut, false},
		{"stopped half-way", "run_shell_command", "{}", "success", output("Command was cancelled by user before it could complete."), "Command was cancelled by user before it could complete.", session.Cancelled, false},
		{"an error", "replace", "{}", "error", failed("Could not find it"), "Could not find it", session.Failed, false},
		{"a hook", "replace", "{}", "error", failed("Tool execution blocked: not here"), "Tool execution blocked: not here", session.BlockedByHook, false},
		{"a policy", "replace", "{}", "error", failed("Tool execution denied by policy."), "Tool execution denied by policy.", session.DeniedByRule, false},
		{"a denial", "replace", "{}", "cancelled", failed("[Operation Cancelled] Reason: User denied execution."), "[Operation Cancelled] Reason: User denied execution.", session.DeniedByUser, false},
		{"a later call of a denied one", "replace", "{}", "cancelled", failed("[Operation Cancelled] Reason: User cancelled operation"), "[Operation Cancelled] Reason: User cancelled operation", session.Cancelled, false},
		{"edited", "write_file", `{"modified_by_user":true}`, "success", output("written"), "written", session.OK, true},
	} {
		s := readSession(t, lines(geminiHead("/w"), geminiCall("c1", tt.tool, tt.args, tt.status, tt.response)))
		if e := s.Events[len(s.Events)-1]; e.Text != tt.text || e.Cause != tt.cause || e.Edited != tt.edited || e.CallID != "c1" {
			t.Errorf("%s: %q by %q, edited %v", tt.name, e.Text, e.Cause, e.Edited)
		}
	}
}

// The CLI writes the conversation again, under new ids, when a request was cancelled. What
// a person said once counts once, also in a session of which the middle is not read.
func TestGeminiWordsCountOnce(t *testing.T) {
	files := geminiLine("user", "u0", `,"content":[{"text":"Look at @a"},{"text":"\n--- Content from referenced files ---"},{"text":"Always use spaces"}]`)
	context := geminiLine("user", "x1", `,"content":[{"text":"<session_context>\nx\n</session_context>"},{"text":"Use tabs"}]`)
	set := `{"$set":{"messages":[` + context + `,` + geminiUser("x2", "never seen here") + `]}}`
	s := readSession(t, lines(geminiHead("/w"), files, geminiUser("u1", "Use tabs"), geminiLine("info", "i", `,"content":"Request cancelled."`),
		context, set, geminiUser("u2", "Use tabs"), geminiUser("u2", "Use tabs")))
	var human []string
	interrupts := 0
	for _, e := range s.Events {
		if e.Kind == session.UserText && e.Origin == session.Human {
			human = append(human, e.ID)
		}
		if e.Kind == session.Interrupt {
			interrupts++
		}
	}
	envtest.Same(t, []string{"u0", "u1", "u2"}, human, "words of the person")
	envtest.Same(t, 1, interrupts)
	// A session of an older version that is resumed begins with all that was said.
	old := geminiUser("u1", "Use tabs") + `,` + geminiLine("gemini", "g1", `,"content":"OK"`)
	s = readSession(t, lines(geminiHead("/w"), geminiUser("x0", "<session_context>\nx\n</session_context>"), `{"$set":{"messages":[`+old+`]}}`,
		`{"$set":{"messages":[`+old+`,`+geminiUser("u2", "yes")+`]}}`, geminiUser("u2", "yes"), geminiUser("u3", "yes")))
	envtest.Same(t, []string{"x0", "u1", "g1", "u2", "u3"}, ids(s), "ids of what was resumed")
	if e := s.Events[1]; e.Origin != session.Human || s.Events[3].Origin != session.Human {
		t.Errorf("the person's words are by %q", e.Origin)
	}
}

// Ids are the same however much of the file is there, so that a session that is read again is read from where it was.
func TestGeminiSubagentAndIDs(t *testing.T) {
	all := lines(strings.Replace(geminiHead("/w"), `"main"`, `"subagent"`, 1), geminiUser("u1", "Look for x"), geminiCall("c1", "glob", "{}", "success", `{"output":"x.go"}`))
	s := readSession(t, all)
	envtest.Same(t, []string{"u1", "c1", "c1/result"}, ids(s), "ids")
	envtest.FailIf(t, s.Events[0].Origin != session.Subagent || s.Events[1].Origin != session.Subagent,
		"a sub-agent's words are by %q and %q", s.Events[0].Origin, s.Events[1].Origin)
}

func TestFindGemini(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "app")
	chats := filepath.Join(home, ".gemini/tmp/app/chats")
	file := put(t, 1, lines(geminiHead(project), geminiUser("u1", "x")), chats, "session-2026-03-01T10-00-e0c1d2f3.jsonl")
	put(t, 2, lines(geminiHead(project), geminiUser("u1", "x")), chats, "e0c1d2f3-1", "sub.jsonl")
	put(t, 3, lines(geminiHead("/elsewhere"), geminiUser("u1", "x")), home, ".gemini/tmp/other/chats/session-2026-03-01T10-00-aaaaaaaa.jsonl")
	put(t, 0, project, home, ".gemini/tmp/app/.project_root")
	put(t, 0, "/elsewhere", home, ".gemini/tmp/other/.project_root")
	places := DefaultPlaces("/nowhere", func(name string) string { return map[string]string{"GEMINI_CLI_HOME": home}[name] })
	got, err := FindLatest(places, sessionsOf(project))
	envtest.FailIf(t, got.Path != file || got.Agent != "gemini" || err != nil, "FindLatest = %+v, %v", got, err)
	if got, err := FindByID(places, "gemini", "e0c1d2f3-1"); got != file || err != nil {
		t.Errorf("FindByID = %s, %v", got, err)
	}
	list := ListSessions(places, sessionsOf(project))
	envtest.FailIf(t, len(list) != 1 || list[0].Path != file || list[0].Agent != "gemini", "ListSessions = %+v", list)
	doc, err := Open(file)
	envtest.FailIf(t, err != nil || doc.Session.CWD != project, "Open = %+v, %v", doc.Session, err)
}
