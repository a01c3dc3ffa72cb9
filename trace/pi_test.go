package trace

import (
	"fmt"
	"strings"
	"testing"

	"mem/session"

	"mem/envtest"
)

const piHead = `{"type":"session","version":3,"id":"p1","timestamp":"2026-03-01T10:00:00Z","cwd":"/w"}`

// piEntry makes a pi entry of a type; rest is more members, or "".
func piEntry(typ, id, parent, rest string) string {
	quoted := "null"
	if parent != "" {
		quoted = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-03-01T10:00:01Z"%s}`, typ, id, quoted, rest)
}

// message makes a pi entry with a message.
func message(id, parent, members string) string {
	return piEntry("message", id, parent, `,"message":{`+members+`}`)
}

func piUser(id, parent, text string) string {
	return message(id, parent, fmt.Sprintf(`"role":"user","content":%q`, text))
}

func piSays(id, parent, text string) string {
	return message(id, parent, fmt.Sprintf(`"role":"assistant","model":"m1","content":[{"type":"text","text":%q}],"stopReason":"stop"`, text))
}

func TestPiCauses(t *testing.T) {
	tests := []struct {
		text   string
		ok     bool
		cause  session.Cause
		reason string
	}{
		{"fine", true, session.OK, ""},
		{"Command aborted", true, session.OK, ""},
		{"out\n\nCommand exited with code 2", false, session.Failed, ""},
		{"Could not find the exact text in a.go", false, session.Failed, ""},
		{"Tool grab not found", false, session.Failed, ""},
		{"out\n\nCommand aborted", false, session.Cancelled, ""},
		{"Operation aborted", false, session.Cancelled, ""},
		{"Skipped due to queued user message.", false, session.Cancelled, ""},
		{"out\n\nCommand timed out after 5 seconds", false, session.TimedOut, ""},
		{"Blocked by user", false, session.DeniedByUser, ""},
		{"Blocked by user: not on main", false, session.DeniedByUser, "not on main"},
		{"Tool execution was blocked", false, session.BlockedByHook, ""},
		{"Blocked: rm is not allowed", false, session.BlockedByHook, ""},
		{"Dangerous command blocked by policy", false, session.BlockedByHook, ""},
		{"unauthorized: policy forbids it", false, session.DeniedByRule, ""},
		{"Command cancelled by user", false, session.Cancelled, ""},
		{"Skipped due to queued user message.", true, session.Cancelled, ""},
		{"cat: x: Permission denied\n\nCommand exited with code 1", false, session.Failed, ""},
	}
	for _, tt := range tests {
		s := readSession(t, lines(piHead, message("a", "", fmt.Sprintf(
			`"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":%q}],"isError":%v`, tt.text, !tt.ok))))
		e := s.Events[0]
		envtest.FailIf(t, e.Cause != tt.cause || e.Reason != tt.reason || e.Origin != session.Tool || e.CallID != "c1",
			"%q: %q by %q with reason %q, want %q with %q", tt.text, e.Cause, e.Origin, e.Reason, tt.cause, tt.reason)
	}
}

func TestPiEntries(t *testing.T) {
	bash := func(members string) string {
		return message("a", "", `"role":"bashExecution","command":"ls","output":"x",`+members)
	}
	tests := []struct {
		name, entry string
		want        []brief
	}{
		{"user", piUser("a", "", "please"), []brief{{session.UserText, session.Human, "please"}}},
		{"user in blocks", message("a", "", `"role":"user","content":[{"type":"text","text":"one "},{"type":"image"},{"type":"text","text":"two"}]`), []brief{{session.UserText, session.Human, "one two"}}},
		{"only an image", message("a", "", `"role":"user","content":[{"type":"image"}]`), nil},
		{
			"assistant",
			message("a", "", `"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path": "a.go"}}]`),
			[]brief{{session.Thinking, session.Agent, "hm"}, {session.AssistantText, session.Agent, "so"}, {session.ToolCall, session.Agent, `read{"path":"a.go"}`}},
		},
		{"aborted", message("a", "", `"role":"assistant","content":[{"type":"text","text":"so"}],"stopReason":"aborted","errorMessage":"Request was aborted"`), []brief{{session.AssistantText, session.Agent, "so"}, {session.Interrupt, session.Human, "Request was aborted"}}},
		{"remote tool", message("a", "", `"role":"toolResult","toolName":"web_search","content":[{"type":"text","text":"x"}]`), []brief{{session.ToolResult, session.External, "x"}}},
		{"bash", bash(`"exitCode":0`), []brief{{session.ToolCall, session.Human, `bash{"command":"ls"}`}, {session.ToolResult, session.Tool, "x"}}},
		{"bash that fails", bash(`"exitCode":2`), []brief{{session.ToolCall, session.Human, `bash{"command":"ls"}`}, {session.ToolResult, session.Tool, "x\n\nCommand exited with code 2"}}},
		{"bash kept from the model", bash(`"exitCode":0,"excludeFromContext":true`), nil},
		{"hook", message("a", "", `"role":"hookMessage","content":"note"`), []brief{{session.UserText, session.Injected, "note"}}},
		{"custom message", piEntry("custom_message", "a", "", `,"customType":"x","content":[{"type":"text","text":"note"}]`), []brief{{session.UserText, session.Injected, "note"}}},
		{"custom state", piEntry("custom", "a", "", `,"data":{"x":1}`), nil},
		{"compaction", piEntry("compaction", "a", "", `,"summary":"so far"`), []brief{{session.Compaction, session.Injected, "so far"}}},
		{
			"compaction with what was kept", piEntry("compaction", "a", "", `,"summary":"so far","retainedTail":[{"role":"user","content":"go on"},7,{"role":"assistant","content":"yes"}]`),
			[]brief{{session.Compaction, session.Injected, "so far"}, {session.UserText, session.Human, "go on"}, {session.AssistantText, session.Agent, "yes"}},
		},
		{"branch summary", piEntry("branch_summary", "a", "", `,"fromId":"root","summary":"tried x"`), []brief{{session.BranchSummary, session.Injected, "tried x"}}},
		{"empty branch summary", piEntry("branch_summary", "a", "", `,"summary":""`), nil},
		{"label", piEntry("label", "a", "", `,"targetId":"x","label":"y"`), nil},
		{"usage", piEntry("usage", "a", "", `,"kind":"cache_warm","provider":"x","model":"m","usage":{}`), nil},
		{
			"what a script called",
			message("a", "", `"role":"toolResult","toolCallId":"s","toolName":"codemode","content":"Script failed","isError":true,"nestedCalls":{"complete":false,"calls":[`+
				`{"id":"s/1","name":"bash","arguments":{"command":"make"},"status":"error","error":"no\n\nCommand exited with code 2"},{"id":"s/2","name":"read","status":"unfinished"},{"id":"s/3","name":"read","status":"ok"}]}`),
			[]brief{
				{session.ToolCall, session.Agent, `bash{"command":"make"}`}, {session.ToolResult, session.Tool, "no\n\nCommand exited with code 2"}, {session.ToolCall, session.Agent, "read"},
				{session.ToolCall, session.Agent, "read"}, {session.ToolResult, session.Tool, ""}, {session.ToolResult, session.External, "Script failed"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := readSession(t, lines(piHead, tt.entry))
			envtest.Same(t, tt.want, briefs(s), "events")
			envtest.Same(t, 0, s.Ignored+s.Skipped, s.Ignored, s.Skipped)
		})
	}
}

func TestPiBashCausesAndPairs(t *testing.T) {
	for members, want := range map[string]session.Cause{`"exitCode":0`: session.OK, `"exitCode":1`: session.Failed, `"cancelled":true`: session.Cancelled, `"x":1`: session.OK} {
		s := readSession(t, lines(piHead, message("a", "", `"role":"bashExecution","command":"ls","output":"x",`+members)))
		call, result := s.Events[0], s.Events[1]
		envtest.FailIf(t, result.Cause != want || call.CallID == "" || call.CallID != result.CallID,
			"%s: call %+v, result %+v, want cause %q", members, call, result, want)
	}
}

func TestPiRetryStormIsOneFailure(t *testing.T) {
	failure := func(id, parent string) string {
		return message(id, parent, `"role":"assistant","content":[],"stopReason":"error","errorMessage":"500"`)
	}
	s := readSession(t, lines(piHead, piUser("a", "", "go"), failure("b", "a"), failure("c", "b"),
		piEntry("model_change", "d", "c", `,"modelId":"m2"`), failure("e", "d"), piSays("f", "e", "back"), failure("g", "f")))
	envtest.Same(t, []brief{
		{session.UserText, session.Human, "go"}, {session.Failure, session.Injected, "500 (3 times in a row)"}, {session.AssistantText, session.Agent, "back"}, {session.Failure, session.Injected, "500"},
	}, briefs(s), "events")
}

func TestPiTrees(t *testing.T) {
	tests := []struct {
		name    string
		entries []string
		lost    []string
	}{
		{"a line", []string{piUser("a", "", "x"), piSays("b", "a", "y")}, nil},
		{
			"a branch", []string{piUser("a", "", "x"), piSays("b", "a", "y"), piUser("c", "b", "no"), piSays("d", "c", "z"), piUser("e", "b", "yes")},
			[]string{"c", "d"},
		},
		{
			"the leaf is the last entry of any type",
			[]string{piUser("a", "", "x"), piSays("b", "a", "y"), piUser("c", "a", "z"), piEntry("label", "d", "b", "")},
			[]string{"c"},
		},
		{
			"silent parents", []string{piUser("a", "", "x"), piEntry("label", "l", "a", ""), piEntry("new_kind", "k", "l", ""), piSays("b", "k", "y")},
			nil,
		},
		{"missing parent", []string{piUser("a", "", "x"), piSays("b", "gone", "y")}, nil},
		{"its own parent", []string{piUser("a", "", "x"), piSays("b", "b", "y")}, []string{"a"}},
		{"a circle", []string{piUser("a", "b", "x"), piSays("b", "a", "y")}, nil},
		{"a silent circle", []string{piEntry("label", "k", "l", ""), piEntry("label", "l", "k", ""), piSays("b", "k", "y")}, nil},
		{"another root", []string{piUser("a", "", "x"), piUser("b", "", "y")}, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lost []string
			for _, e := range readSession(t, lines(append([]string{piHead}, tt.entries...)...)).Events {
				if e.Abandoned {
					lost = append(lost, e.ID)
				}
			}
			envtest.Same(t, tt.lost, lost, "abandoned")
		})
	}
}

// TestPiContextEdits takes words back, or puts others in their place, on the branch of the edit alone.
func TestPiContextEdits(t *testing.T) {
	edit := func(id, parent, target, replacement string) string {
		return piEntry("context_edit", id, parent, fmt.Sprintf(`,"targetId":%q,"replacement":%s`, target, replacement))
	}
	said := []string{piUser("a", "", "use tabs"), piSays("b", "a", "fine")}
	fine := brief{session.AssistantText, session.Agent, "fine"}
	for name, tt := range map[string]struct {
		entries []string
		want    []brief
	}{
		"taken back":        {[]string{edit("c", "b", "a", "null")}, []brief{fine}},
		"replaced":          {[]string{edit("c", "b", "a", `{"content":"cut"}`)}, []brief{{session.UserText, session.Injected, "cut"}, fine}},
		"the last counts":   {[]string{edit("c", "b", "a", "null"), edit("d", "c", "a", `{"content":[{"type":"text","text":"cut"}]}`)}, []brief{{session.UserText, session.Injected, "cut"}, fine}},
		"on another branch": {[]string{edit("c", "b", "a", "null"), piUser("d", "b", "go on")}, []brief{{session.UserText, session.Human, "use tabs"}, fine, {session.UserText, session.Human, "go on"}}},
		"of nothing":        {[]string{edit("c", "b", "x", "null")}, []brief{{session.UserText, session.Human, "use tabs"}, fine}},
	} {
		s := readSession(t, lines(append([]string{piHead}, append(said, tt.entries...)...)...))
		if envtest.Same(t, tt.want, briefs(s), name); s.Ignored != 0 {
			t.Errorf("%s: ignored %d", name, s.Ignored)
		}
	}
}

func TestPiRepeatedIDs(t *testing.T) {
	s := readSession(t, lines(piHead, piUser("a", "", "x"), piUser("a", "a", "y"), piUser("a#1", "", "z"), piUser("a", "", "z")))
	envtest.Same(t, []string{"a", "a~2", "a%231", "a~3"}, ids(s), "ids")
}

func TestPiVersion1(t *testing.T) {
	in := lines(
		`{"type":"session","id":"p1","timestamp":"2026-03-01T10:00:00Z","cwd":"/w","provider":"x","modelId":"m0","branchedFrom":"/old.jsonl"}`,
		`{"type":"message","timestamp":"2026-03-01T10:00:01Z","message":{"role":"user","content":"go"}}`,
		`{"type":"message","message":{"role":"assistant","timestamp":1772359202000,"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}}{"type":"compaction","summary":"so far","firstKeptEntryIndex":1}`,
		`{"type":"message","message":{"role":"user","content":"more"}}`,
	)
	s := readSession(t, in)
	envtest.Same(t, []string{"v1-2", "v1-3", "v1-3#1", "v1-3.1", "v1-4"}, ids(s), "ids")
	for _, e := range s.Events {
		envtest.FailIf(t, e.Abandoned, "%s is abandoned", e.ID)
	}
	if s.Version != "1" || s.Parent != "/old.jsonl" || s.Model != "m0" || s.ID != "p1" || s.CWD != "/w" || s.Skipped != 0 {
		t.Errorf("session %+v", s)
	}
	envtest.Same(t, 1.0, s.Ended.Sub(s.Started).Seconds(), "lasted seconds")
}

func TestPiVersion2(t *testing.T) {
	s := readSession(t, lines(strings.Replace(piHead, `"version":3`, `"version":2`, 1), message("a", "", `"role":"hookMessage","content":"note"`)))
	envtest.Same(t, []brief{{session.UserText, session.Injected, "note"}}, briefs(s), "events")
	envtest.Same(t, "2", s.Version, "version")
}

func TestPiWithoutItsHeader(t *testing.T) {
	s := readSession(t, lines(`{"type":"session","versi`, piUser("a", "", "x"), piSays("b", "a", "y")))
	envtest.Same(t, []string{"a", "b"}, ids(s), "ids")
	envtest.FailIf(t, s.Agent != "pi" || s.Skipped != 1, "agent %q, skipped %d, want pi, 1", s.Agent, s.Skipped)
}
