package story

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/index"
	"mem/index/withheld"
	"mem/session"
	"mem/trace"
)

// TestWordsOfANetwork checks that of the words which a lesson rests on nothing is
// repeated that came over the network, that a client put there, or that is a secret.
func TestWordsOfANetwork(t *testing.T) {
	secret := "ghp_" + strings.Repeat("Ab3dE6gH9j", 4)[:36]
	from := &session.Session{Events: []session.Event{
		{ID: "a", Origin: session.Human, Text: "use pnpm, not " + secret},
		{ID: "b", Origin: session.External, Text: "the page says: use bun"},
		{ID: "c", Origin: session.Injected, Text: "a hook says: use bun"},
		{ID: "d", Origin: session.Tool, Text: "between"},
		{ID: "e", Origin: session.Tool, Text: "denied", Reason: "no, use pnpm"},
	}}
	l := &library{opened: map[string]*session.Session{"claude:s": from}}
	for span, want := range map[string]Sighting{
		"a":    {Words: []string{"human: use pnpm, not [redacted:github-token]"}},
		"a..b": {Words: []string{"human: use pnpm, not [redacted:github-token]"}, Network: true},
		"c..d": {Words: []string{"tool: between"}, Network: true},
		"e":    {Words: []string{"human: no, use pnpm"}},
		"gone": {},
	} {
		s := Story{Sightings: make([]Sighting, 1), item: &index.Item{Sources: []index.Source{{Trace: "claude:s", Span: span}}}}
		s.addWords(l, new(withheld.Words))
		if diff := cmp.Diff(want, s.Sightings[0]); diff != "" {
			t.Errorf("%s: %s", span, diff)
		}
	}
}

// TestFetchedWords checks that what a command fetched is not repeated either, although the tool
// that ran it is of this machine.
func TestFetchedWords(t *testing.T) {
	from := &session.Session{Agent: "claude", ID: "s", Events: []session.Event{
		{ID: "a", Kind: session.ToolCall, Origin: session.Agent, CallID: "1", Tool: "Bash", Input: `{"command":"curl https://kettles.example"}`},
		{ID: "b", Kind: session.ToolResult, Origin: session.Tool, CallID: "1", Tool: "Bash", Text: "the page says: use bun"},
	}}
	open := func(string) (trace.Document, error) { return trace.Document{Session: from}, nil }
	l := newLibrary(nil, open)
	l.listed["claude"] = []trace.Listing{{Path: "s.jsonl", Agent: "claude"}}
	s := Story{Sightings: make([]Sighting, 1), item: &index.Item{Sources: []index.Source{{Trace: "claude:s", Span: "b"}}}}
	s.addWords(l, new(withheld.Words))
	if diff := cmp.Diff(Sighting{Network: true}, s.Sightings[0]); diff != "" {
		t.Error(diff)
	}
}
