package trace

import (
	"strings"
	"testing"

	"mem/session"

	"mem/envtest"
)

const neutralHead = `{"format":"mem-trace","version":1,"agent":"my-agent","id":"n1","cwd":"/w","model":"m1","parent":"n0","agent_version":"2"}`

func TestNeutralSession(t *testing.T) {
	s := readSession(t, lines(neutralHead, `{"kind":"user","text":"x","time":"2026-03-01T10:00:00Z","more":1}`, `{"kind":"rumour"}`, `oops`, `{"id":"b","kind":"assistant","text":"y","model":"m2","abandoned":true}`))
	want := session.Session{
		Agent: "my-agent", ID: "n1", CWD: "/w", Model: "m2", Parent: "n0", Version: "2", Ignored: 1, Skipped: 1,
		Size: s.Size, Started: s.Started, Ended: s.Ended, Events: s.Events,
	}
	envtest.Same(t, &want, s, "session")
	envtest.Same(t, []string{"line-2", "b"}, ids(s), "ids")
	a, b := s.Events[0], s.Events[1]
	envtest.FailIf(t, a.Abandoned || !b.Abandoned, "events %+v, %+v", a, b)
	check(t, s, 1<<40)
	for name, want := range map[string]string{"claude": "other", "pi": "other", "codex": "other", "Cl aude": "other", "": "other", "aider": "aider"} {
		envtest.Same(t, want, readSession(t, strings.Replace(neutralHead, "my-agent", name, 1)).Agent, name)
	}
	_, err := Read(strings.NewReader(strings.Replace(neutralHead, `"version":1`, `"version":2`, 1)))
	envtest.Wraps(t, ErrUnknownFormat, err, "version 2")
}

// What a file claims can lower trust, never raise it beyond the kind's own.
func TestNeutralOrigins(t *testing.T) {
	for _, tt := range []struct {
		event string // without braces
		want  session.Origin
	}{
		{`"kind":"user"`, session.Human},
		{`"kind":"user","origin":"injected"`, session.Injected},
		{`"kind":"user","origin":"subagent"`, session.Subagent},
		{`"kind":"user","origin":"god"`, session.Injected},
		{`"kind":"interrupt"`, session.Human},
		{`"kind":"assistant"`, session.Agent},
		{`"kind":"assistant","origin":"human"`, session.Agent},
		{`"kind":"assistant","origin":"subagent"`, session.Subagent},
		{`"kind":"thinking","origin":"human"`, session.Agent},
		{`"kind":"tool_call","tool":"bash"`, session.Agent},
		{`"kind":"tool_call","tool":"bash","origin":"human"`, session.Human},
		{`"kind":"tool_result","tool":"bash"`, session.Tool},
		{`"kind":"tool_result","tool":"bash","origin":"human"`, session.Tool},
		{`"kind":"tool_result","tool":"bash","origin":"external"`, session.External},
		{`"kind":"tool_result","tool":"web_fetch","origin":"tool"`, session.External},
		{`"kind":"tool_result","origin":"tool"`, session.External},
		{`"kind":"compaction","origin":"human"`, session.Injected},
		{`"kind":"branch_summary","origin":"agent"`, session.Injected},
		{`"kind":"error","origin":"human"`, session.Injected},
	} {
		envtest.Same(t, tt.want, readSession(t, lines(neutralHead, "{"+tt.event+"}")).Events[0].Origin, tt.event)
	}
}

func TestNeutralCauses(t *testing.T) {
	for given, want := range map[string]session.Cause{"": session.OK, "ok": session.OK, "timeout": session.TimedOut, "denied_by_user": session.DeniedByUser, "exploded": session.Failed} {
		e := readSession(t, lines(neutralHead, `{"kind":"tool_call","tool":"bash","call_id":"1","input":{"command": "x"}}`,
			`{"kind":"tool_result","call_id":"1","reason":"why","cause":"`+given+`"}`)).Events[1]
		envtest.FailIf(t, e.Cause != want || e.Tool != "bash" || (e.Reason == "why") != (want == session.DeniedByUser),
			"cause %q: %q of %q with reason %q, want %q", given, e.Cause, e.Tool, e.Reason, want)
	}
}
