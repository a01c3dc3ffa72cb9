package reflect

import (
	"slices"
	"testing"

	"mem/envtest"
	"mem/session"
)

// What a subagent says is from outside if it read something from there, or if it is not known
// what it read.
func TestReports(t *testing.T) {
	call := func(id, tool string) session.Event {
		return session.Event{Kind: session.ToolCall, Origin: session.Agent, CallID: id, Tool: tool}
	}
	result := func(id, tool string, cause session.Cause) session.Event {
		return session.Event{ID: "result", Kind: session.ToolResult, Origin: session.Tool, CallID: id, Tool: tool, Cause: cause, Text: "report"}
	}
	asked := session.Event{Kind: session.UserText, Origin: session.Subagent, Text: "look"}
	said := session.Event{ID: "said", Kind: session.AssistantText, Origin: session.Subagent, Text: "report"}
	page := session.Event{Kind: session.ToolResult, Origin: session.External, CallID: "p", Tool: "WebFetch", Text: "page"}
	read := session.Event{Kind: session.ToolResult, Origin: session.Tool, CallID: "r", Tool: "Read", Text: "file"}
	for name, tt := range map[string]struct {
		events  []session.Event
		outside string // ids
	}{
		"no file":                    {[]session.Event{call("1", "Task"), result("1", "Task", session.OK)}, "result "},
		"it may have looked outside": {[]session.Event{{Kind: session.ToolCall, Origin: session.Agent, CallID: "1", Tool: "Task", Input: `{"prompt":"search the web"}`}, result("1", "Task", session.OK)}, "result "},
		"it read files":              {[]session.Event{call("1", "Task"), asked, read, said, result("1", "Task", session.OK)}, ""},
		"it read a page":             {[]session.Event{call("1", "Agent"), asked, page, said, result("1", "Agent", session.OK)}, "said result "},
		"the agent read it":          {[]session.Event{page, call("1", "Task"), asked, read, said, result("1", "Task", session.OK)}, ""},
		"one of two":                 {[]session.Event{call("1", "Task"), asked, page, call("2", "Task"), asked, said, result("2", "Task", session.OK), result("1", "Task", session.OK)}, "result "},
		"in the background":          {[]session.Event{call("1", "Task"), asked, page, said, result("1", "Task", session.OK), call("2", "TaskOutput"), result("2", "TaskOutput", session.OK)}, "said result result "},
		"a build beside it":          {[]session.Event{call("1", "Task"), asked, said, result("1", "Task", session.OK), call("2", "TaskOutput"), result("2", "TaskOutput", session.OK)}, ""},
		"a helper of Codex":          {[]session.Event{call("1", "spawn_agent"), result("1", "spawn_agent", session.OK), said, call("2", "wait"), result("2", "wait", session.OK)}, "result said result "},
		"refused by a person":        {[]session.Event{call("1", "Task"), result("1", "Task", session.DeniedByUser)}, ""},
		"a list of tasks":            {[]session.Event{call("1", "TaskCreate"), result("1", "TaskCreate", session.OK)}, ""},
		"a run without person":       {[]session.Event{{Kind: session.UserText, Origin: session.Subagent, Headless: true}, page, {ID: "own", Kind: session.AssistantText, Origin: session.Agent}}, ""},
	} {
		got := ""
		for _, e := range MarkOutside(&session.Session{Events: tt.events}) {
			if e.Origin == session.External && e.ID != "" {
				got += e.ID + " "
			}
		}
		envtest.Same(t, tt.outside, got, name, "from outside")
		isOutside := func(e session.Event) bool { return e.Origin == session.External }
		learned := slices.ContainsFunc(markFetched(&session.Session{Events: tt.events}, false).Events, isOutside)
		if far := slices.ContainsFunc(tt.events, func(e session.Event) bool { return e.Input != "" }); learned && !far && !slices.Contains(tt.events, page) || far && !learned {
			t.Errorf("%s: for learning it is from outside: %v", name, learned)
		}
	}
}

// What a command printed that asked another machine and failed is from outside where a session
// is shown, and the program's own word where lessons are learned. A package manager's is its own.
func TestFailedFetch(t *testing.T) {
	for command, want := range map[string]session.Origin{
		"curl --fail-with-body https://x.example": session.External,
		`curl -sf \"$API/issues/7\"`:              session.External,
		"wget -qO- x.example && false":            session.External,
		"gh api repos/x/y/issues/1":               session.External,
		"ssh host cat /x":                         session.External,
		"git fetch origin":                        session.External,
		"git -C sub push -u origin main":          session.External,
		"npm view left-padd":                      session.External,
		"cat /tmp/page.html && false":             session.External, // just downloaded
		"pip install git+https://x.example/y":     session.External,
		"npm install":                             session.Tool,
		"go get example.com/x":                    session.Tool,
		"ls node_modules/x":                       session.Tool,
		"make test":                               session.Tool,
	} {
		s := &session.Session{Events: append(downloads(),
			session.Event{Kind: session.ToolCall, Origin: session.Agent, CallID: "c", Input: `{"command":"` + command + `"}`},
			session.Event{Kind: session.ToolResult, Origin: session.Tool, CallID: "c", Cause: session.Failed, Text: "text"},
		)}
		shown, learned := MarkOutside(s), markFetched(s, false).Events
		if got := shown[len(shown)-1].Origin; got != want || learned[len(learned)-1].Origin != session.Tool {
			t.Errorf("%s: %s when shown, %s when learned from; want %s and tool", command, got, learned[len(learned)-1].Origin, want)
		}
	}
}
