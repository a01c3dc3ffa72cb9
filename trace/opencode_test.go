package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mem/session"
	"mem/trace/jsonl"

	"mem/envtest"
)

func TestOpencode(t *testing.T) {
	s := openFixture(t, "opencode.json")
	envtest.Same(t, []brief{
		{session.UserText, session.Human, "Please run the tests"},
		{session.Thinking, session.Agent, "The tests come first."},
		{session.ToolCall, session.Agent, `bash{"command":"make test"}`},
		{session.ToolResult, session.Tool, "gen.txt: no such file\n\nCommand exited with code 2"},
		{session.ToolCall, session.Agent, `bash{"command":"make gen && make test"}`},
		{session.ToolResult, session.Tool, "3 passed"},
		{session.ToolCall, session.Agent, `write{"filePath":"a.txt","content":"x"}`},
		{session.ToolResult, session.Tool, "The user rejected permission to use this specific tool call with the following feedback: run make gen instead"},
		{session.ToolCall, session.Human, `bash{"command":"ls nowhere"}`},
		{session.ToolResult, session.Tool, "ls: cannot access 'nowhere'"},
		{session.UserText, session.Human, "Read the Makefile"},
		{session.UserText, session.Injected, "Called the Read tool with the following input: {}"},
		{session.AssistantText, session.Agent, "I read it."},
		{session.Interrupt, session.Human, ""},
		{session.Compaction, session.Injected, "## Goal\nRun the tests."},
		{session.UserText, session.Human, "Try something else"},
		{session.AssistantText, session.Agent, "Something else."},
		{session.Failure, session.Injected, "APIError: overloaded"},
	}, briefs(s), "events")
	for i, e := range s.Events {
		envtest.Same(t, (i >= 15), e.Abandoned, i)
	}
	if s.Agent != "opencode" || s.ID != "ses_1" || s.CWD != "/w" || s.Model != "m1" || s.Version != "1.18.33" || s.Ignored+s.Skipped != 0 || s.Truncated {
		t.Errorf("%+v", s)
	}
}

// The document may be on one line, with space around it, or of many lines.
func TestOpencodeLayouts(t *testing.T) {
	data := envtest.Read(t, "../fixtures/traces/opencode.json")
	want := briefs(readSession(t, data))
	var flat bytes.Buffer
	envtest.NoError(t, json.Compact(&flat, []byte(data)))
	many := strings.Replace(data, "\n", strings.Repeat("\n", 1<<16), 1)
	for name, in := range map[string]string{
		"one line": flat.String(), "a mark": jsonl.BOM + data, "CRLF": strings.ReplaceAll(data, "\n", "\r\n"), "many lines": many,
	} {
		s := readSession(t, in)
		check(t, s, int64(len(in)))
		envtest.Same(t, want, briefs(s), name)
		e := s.Events[0]
		if raw := in[e.Offset : e.Offset+e.Length]; !json.Valid([]byte(raw)) || !strings.Contains(raw, "Please run the tests") {
			t.Errorf("%s: the first event is at %.80q", name, raw)
		}
		envtest.FailIf(t, s.Truncated, "%s: truncated", name)
	}
	_, err := Read(strings.NewReader(data[:len(data)/2]))
	envtest.FailIf(t, err == nil, "half a document is read")
	_, err = Read(strings.NewReader(strings.Replace(data, "{", "{\n"+strings.Repeat(" ", 9<<20), 1)))
	envtest.FailIf(t, err == nil || !strings.Contains(err.Error(), "too large"), "a document of 9 MiB: %v", err)
}

func TestOpencodeOutcomes(t *testing.T) {
	const rejected = "The user rejected permission to use this specific tool call."
	read := func(info, tool, state string) session.Event {
		s := readSession(t, fmt.Sprintf(`{"info":{"id":"s","directory":"/w"%s},"messages":[{"info":{"id":"m","role":"assistant"},"parts":[{"id":"p","type":"tool","tool":%q,"callID":"c","state":%s}]}]}`, info, tool, state))
		return s.Events[len(s.Events)-1]
	}
	for _, tt := range []struct {
		name, info, tool, state string
		kind                    session.Kind
		cause                   session.Cause
	}{
		{"running", "", "bash", `{"status":"running","input":{}}`, session.ToolCall, session.OK},
		{"well", "", "bash", `{"status":"completed","output":"x","metadata":{"exit":0}}`, session.ToolResult, session.OK},
		{"a file that tells of a limit", "", "read", `{"status":"completed","output":"terminated command after exceeding timeout 7 ms"}`, session.ToolResult, session.OK},
		{"a time limit", "", "bash", `{"status":"completed","output":"x\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 7 ms.\n</shell_metadata>","metadata":{"exit":null}}`, session.ToolResult, session.TimedOut},
		{"aborted", "", "bash", `{"status":"completed","output":"\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>","metadata":{"exit":null}}`, session.ToolResult, session.Cancelled},
		{"aborted early", "", "bash", `{"status":"error","error":"Tool execution aborted"}`, session.ToolResult, session.Cancelled},
		{"a denial", "", "bash", `{"status":"error","error":"` + rejected + `"}`, session.ToolResult, session.DeniedByUser},
		{"what a run without a person would ask", `,"permission":[{"permission":"question","pattern":"*","action":"deny"}]`, "bash", `{"status":"error","error":"` + rejected + `"}`, session.ToolResult, session.DeniedByRule},
		{"a rule", "", "bash", `{"status":"error","error":"The user has specified a rule which prevents you from using this specific tool call. Here are some"}`, session.ToolResult, session.DeniedByRule},
		{"a tool that is not there", "", "invalid", `{"status":"completed","output":"no such tool"}`, session.ToolResult, session.Failed},
		{"an error", "", "webfetch", `{"status":"error","error":"404"}`, session.ToolResult, session.Failed},
	} {
		if e := read(tt.info, tt.tool, tt.state); e.Kind != tt.kind || e.Cause != tt.cause {
			t.Errorf("%s: %q by %q, want %q by %q", tt.name, e.Kind, e.Cause, tt.kind, tt.cause)
		}
	}
}

// 'opencode run' asks no person, and the session of a sub-agent is prompted by a model.
func TestOpencodeSpeakers(t *testing.T) {
	for info, want := range map[string]struct {
		origin   session.Origin
		headless bool
	}{
		``:                    {session.Human, false},
		`,"parentID":"ses_0"`: {session.Subagent, false},
		`,"permission":[{"permission":"question","pattern":"*","action":"deny"}]`: {session.Subagent, true},
	} {
		s := readSession(t, fmt.Sprintf(`{"info":{"id":"s","directory":"/w"%s},"messages":[{"info":{"id":"m","role":"user"},"parts":[{"id":"p","type":"text","text":"x"},{"id":"q","type":"text","text":"shown only","ignored":true}]}]}`, info))
		envtest.FailIf(t, len(s.Events) != 1 || s.Events[0].Origin != want.origin || s.Events[0].Headless != want.headless,
			"%s: %+v", info, s.Events)
	}
}
