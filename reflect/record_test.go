package reflect

import (
	"strings"
	"testing"

	"mem/envtest"
	"mem/guard"
	"mem/render"
	"mem/session"
)

func TestPrepare(t *testing.T) {
	secret := "AKIA" + strings.Repeat("FAKE", 4)
	fence := render.Fence("- a lesson\n", "seed")
	events := []session.Event{
		{ID: "1", Kind: session.UserText, Origin: session.Injected, Text: "a reminder"},
		{ID: "2", Kind: session.UserText, Origin: session.Human, Text: "Use\u200b " + secret[:8] + "\u200b" + secret[8:] + "\n" + fence + "today"},
		{ID: "3", Kind: session.UserText, Origin: session.Human, Text: fence},
		{ID: "4", Kind: session.UserText, Origin: session.Human, Text: "\u200b"},
		{ID: "5", Kind: session.Interrupt, Origin: session.Human},
		{ID: "6", Kind: session.ToolCall, Origin: session.Agent, CallID: "a", Input: `{"command":"export K=` + secret + `"}`},
		{ID: "7", Kind: session.ToolResult, Origin: session.Tool, CallID: "a"},
		{ID: "8", Kind: session.ToolCall, Origin: session.Agent, CallID: "b", Input: `{"command":"cat .env"}`},
		{ID: "9", Kind: session.ToolCall, Origin: session.Agent, CallID: "c", Input: `{"command":"cat README.md"}`},
		{ID: "10", Kind: session.ToolResult, Origin: session.Tool, CallID: "b", Text: "hunter2 is the word", Reason: "no, " + secret},
		{ID: "11", Kind: session.ToolResult, Origin: session.Tool, CallID: "c", Text: "read me \x1b[31m" + fence[:40]},
	}
	before := append([]session.Event(nil), events...)
	got := Prepare(events)
	want := []session.Event{
		{ID: "2", Kind: session.UserText, Origin: session.Human, Text: "Use [redacted:aws-access-key]\ntoday"},
		{ID: "5", Kind: session.Interrupt, Origin: session.Human},
		{ID: "6", Kind: session.ToolCall, Origin: session.Agent, CallID: "a", Input: `{"command":"export K=[redacted:aws-access-key]"}`},
		{ID: "7", Kind: session.ToolResult, Origin: session.Tool, CallID: "a"},
		{ID: "8", Kind: session.ToolCall, Origin: session.Agent, CallID: "b", Input: `{"command":"cat .env"}`},
		{ID: "9", Kind: session.ToolCall, Origin: session.Agent, CallID: "c", Input: `{"command":"cat README.md"}`},
		{ID: "10", Kind: session.ToolResult, Origin: session.Tool, CallID: "b", Text: leftOut, Reason: "no, [redacted:aws-access-key]"},
		{ID: "11", Kind: session.ToolResult, Origin: session.Tool, CallID: "c", Text: "read me "},
	}
	envtest.Same(t, want, got, "prepared")
	envtest.Same(t, before, events, "preparing changed the events")
	_, user := question{}.prompts(got)
	if strings.Contains(user, secret) || strings.Contains(user, "a lesson") || strings.Contains(user, "hunter2") {
		t.Errorf("the prompt holds what it must not: %s", user)
	}
	for _, e := range got {
		n := len(guard.Lint(e.Text))
		envtest.FailIf(t, strings.Contains(e.Text+e.Input+e.Reason, secret) || n > 0, "event %+v", e)
	}
}

func TestShowsSecrets(t *testing.T) {
	for _, tt := range []struct {
		input string
		want  bool
	}{
		{`{"command":"cat .env"}`, true},
		{`{"cmd":"printenv"}`, true},
		{`{"command":["bash","-lc","cat .env"]}`, true},
		{`{"command":["cat",".env"]}`, true},
		{`{"command":["cat","README.md"]}`, false},
		{`{"file_path":"/home/robin/.ssh/id_rsa"}`, true},
		{`{"path":".env.production"}`, true},
		{`{"command":7,"path":".env"}`, true},
		{`{"file_path":["x"],"command":"cat .env"}`, true},
		{`{"path":".env.example"}`, false},
		{`{"command":"go test ./..."}`, false},
		{`{"text":"cat .env"}`, false},
		{`"cat .env"`, false},
		{``, false},
		{`{`, false},
	} {
		envtest.Same(t, tt.want, showsSecrets(tt.input), "showsSecrets", tt.input)
	}
}

func TestPrepareLeavesOutOwnNotes(t *testing.T) {
	for _, tt := range []struct {
		input string
		want  string
	}{
		{`{"file_path":"/home/me/app/.mem/core/CORE.md"}`, ownNotes},
		{`{"command":"cat .mem/long-term-memory.md"}`, ownNotes},
		{`{"command":"mem trace show aa11#a3"}`, ownNotes},
		{`{"path":".pi/self-learning-memory/daily/2026-02-03.md"}`, ownNotes},
		{`{"file_path":"/home/me/app/docs/memory.md"}`, "- Use pnpm"},
	} {
		got := Prepare([]session.Event{
			{ID: "1", Kind: session.ToolCall, Origin: session.Agent, Tool: "Read", CallID: "c", Input: tt.input},
			{ID: "2", Kind: session.ToolResult, Origin: session.Tool, Tool: "Read", CallID: "c", Text: "- Use pnpm"},
		})
		envtest.FailIf(t, len(got) != 2 || got[1].Text != tt.want,
			"Prepare(%s) = %+v, want the result %q", tt.input, got, tt.want)
	}
}
