package reflect

import (
	"strings"
	"testing"

	"mem/envtest"
	"mem/session"
)

// A secret that is recognised in one event of a session is taken out of all, also if the one
// in which it is recognised is left out; words that only look like the value of a name are not.
func TestSecretsAgain(t *testing.T) {
	events := func() []session.Event {
		return []session.Event{
			{ID: "a", Kind: session.AssistantText, Origin: session.Agent, Text: "I take hunter2secretZ9, then."},
			{ID: "b", Kind: session.UserText, Origin: session.Human, Text: "password=hunter2secretZ9 and PASSWORD='database' for the database"},
			{ID: "c", Kind: session.ToolCall, Origin: session.Agent, CallID: "1", Tool: "Bash", Input: `{"command":"cat .env"}`},
			{ID: "d", Kind: session.ToolResult, Origin: session.Tool, CallID: "1", Tool: "Bash", Text: "CAPY_TOKEN=Zk3o9fjQwe82lmXNw0ppqLx"},
			{ID: "e", Kind: session.ToolCall, Origin: session.Agent, CallID: "2", Tool: "Bash", Input: `{"command":"run Zk3o9fjQwe82lmXNw0ppqLx on the database"}`},
			{ID: "f", Kind: session.ToolResult, Origin: session.Tool, CallID: "2", Cause: session.DeniedByUser, Reason: "not with hunter2secretZ9"},
		}
	}
	shown := events()
	RedactEvents(shown)
	for name, list := range map[string][]session.Event{"prepared": Prepare(events()), "shown": shown} {
		all := ""
		for _, e := range list {
			all += e.Text + e.Input + e.Reason + "\n"
		}
		envtest.FailIf(t, strings.Contains(all, "hunter2") || strings.Contains(all, "Zk3o9"),
			"%s: a secret is left in %s", name, all)
		if !strings.Contains(all, "I take [redacted:password], then.") || strings.Count(all, "the database") != 2 {
			t.Errorf("%s: %s", name, all)
		}
	}
}
