package inspect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// unseen shows no progress.
func unseen(string) (show func(done, all int), clear func()) { return func(int, int) {}, func() {} }

// A project is a folder whose sessions lie in a home of its own.
type project struct {
	t        *testing.T
	dir      string
	version  string // of mem
	opened   int    // sessions that were read
	sessions string
}

func newProject(t *testing.T) *project {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	envtest.NoError(t, err)
	p := &project{t: t, dir: dir, version: "1"}
	p.sessions = filepath.Join(dir, "home", ".claude", "projects", trace.ClaudeSlug(filepath.Join(dir, "p")))
	for _, dir := range []string{p.sessions, filepath.Join(dir, "p", ".git")} {
		envtest.NoError(t, os.MkdirAll(dir, 0o700))
	}
	return p
}

// say adds what a person says to a session, and makes the file so many hours old.
func (p *project) say(id, text string, hours int) {
	p.t.Helper()
	path := filepath.Join(p.sessions, id+".jsonl")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(file, `{"type":"user","uuid":%q,"sessionId":%q,"cwd":%q,"timestamp":"2026-01-10T09:00:00Z","message":{"role":"user","content":%q}}`+"\n",
		id+text, id, filepath.Join(p.dir, "p"), text)
	at := noon.Add(-time.Duration(hours) * time.Hour)
	if err := file.Close(); err != nil || os.Chtimes(path, at, at) != nil {
		p.t.Fatal(err)
	}
}

func (p *project) open() *workspace.Workspace { return p.openRoot("") }

func (p *project) openRoot(root string) *workspace.Workspace {
	p.t.Helper()
	w, err := workspace.New(workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Join(p.dir, "home")}, Dir: filepath.Join(p.dir, "p"),
		Clock: func() time.Time { return noon }, Version: p.version, Note: func(string, ...any) {}, Progress: unseen,
		OpenSession: func(path string) (trace.Document, error) {
			p.opened++
			return trace.Open(path)
		},
	}, workspace.Options{Now: noon, Root: root})
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

// find returns what is found, and how many sessions were read for it.
func (p *project) find(ctx context.Context, text string) (found string, opened int, err error) {
	p.t.Helper()
	w := p.open()
	defer func() { _ = w.CloseRoots() }()
	p.opened = 0
	res, _, err := FindSessions(ctx, w, SessionSearch{Text: text})
	for _, h := range res {
		found += h.Session + ": " + h.Text + "\n"
	}
	return found, p.opened, err
}

// What was read is kept in the clone, and read anew where its file changed, by another
// version of mem, or where what is kept is damaged. What is found is the same.
func TestCache(t *testing.T) {
	p := newProject(t)
	p.say("s1", "The whistle is blue", 3)
	p.say("s2", "The whistle is grey", 2)
	check := func(what, want string, opened int) {
		t.Helper()
		for range 2 {
			found, n, err := p.find(t.Context(), "whistle")
			envtest.FailIf(t, found != want || n != opened || err != nil,
				"%s: found %q, %v, and read %d; want %q and %d", what, found, err, n, want, opened)
			if opened == 0 || what == "without a memory" || what == "nothing can be kept" {
				return
			}
			opened = 0
		}
	}
	const both = "s2: The whistle is grey\ns1: The whistle is blue\n"
	check("without a memory", both, 2)
	w := p.open()
	if _, err := w.CreateRoot(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = w.CloseRoots()
	check("the first time", both, 2)
	kept := filepath.Join(p.dir, "p", ".mem", ".git", "mem", "cache")
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Fatal(info, err)
	}
	before, _ := os.ReadFile(kept)
	envtest.NoError(t, os.WriteFile(kept, []byte("damaged"), 0o600))
	check("damaged", both, 2)
	after, _ := os.ReadFile(kept)
	envtest.FailIf(t, string(after) != string(before), "the same sessions are not kept in the same bytes")
	p.say("s1", "The whistle is pink", 1)
	check("changed", "s1: The whistle is pink\ns2: The whistle is grey\n", 1)
	p.say("s3", "One whistle, dark", 0)
	check("a new one", "s3: One whistle, dark\ns1: The whistle is pink\ns2: The whistle is grey\n", 1)
	p.version = "2"
	check("another version", "s3: One whistle, dark\ns1: The whistle is pink\ns2: The whistle is grey\n", 3)
	envtest.NoError(t, os.Remove(filepath.Join(p.sessions, "s2.jsonl")))
	check("one is gone", "s3: One whistle, dark\ns1: The whistle is pink\n", 0)
	w = p.open()
	root, err := w.OpenRoot()
	known := readCache(root, "5 2 automation", 2)
	envtest.FailIf(t, err != nil || len(known) != 2, "%d sessions are kept, %v; want 2", len(known), err)
	_ = w.CloseRoots()
	envtest.StopIf(t, os.Remove(kept) != nil || os.Mkdir(kept, 0o700) != nil, "the cache is not replaced by a folder")
	check("nothing can be kept", "s3: One whistle, dark\ns1: The whistle is pink\n", 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = p.find(ctx, "whistle")
	envtest.FailIf(t, err == nil, "an interrupted search does not say so")
}

// Unasked only the latest sessions are looked at, so that it does not take long, and what is kept of the others stays.
func TestKeepTalks(t *testing.T) {
	p := newProject(t)
	for i := range maxNamed + 2 {
		p.say(fmt.Sprintf("s%03d", i), fmt.Sprintf("Whistle %03d", i), i)
	}
	w := p.open()
	t.Cleanup(func() { _ = w.CloseRoots() })
	root, err := w.CreateRoot(t.Context())
	envtest.NoError(t, err)
	s := SessionSearch{Text: "whistle"}
	if KeepTalks(t.Context(), w, s); p.opened != maxNamed {
		t.Errorf("%d sessions were read; want %d", p.opened, maxNamed)
	}
	if res, _, err := FindSessions(t.Context(), w, s); len(res) != maxNamed+2 || p.opened != maxNamed+2 || err != nil {
		t.Errorf("%d sessions, %v, %d were read", len(res), err, p.opened)
	}
	p.say("s000", "Whistle again", 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), ctx} {
		KeepTalks(ctx, w, s)
		if kept := readCache(root, "5 1 automation", 2); p.opened != maxNamed+3 || len(kept) != maxNamed+2 {
			t.Errorf("%d were read, %d are kept", p.opened, len(kept))
		}
	}
}

// What the project's memory or the person's own withholds is not handed to an agent by way of a
// session in which it was said; a person sees its state.
func TestWithheldInSessions(t *testing.T) {
	for _, root := range []string{"p/.mem", "home/.mem"} {
		p := newProject(t)
		p.say("s1", "Use the old whistle for mail", 1)
		w := p.openRoot(filepath.Join(p.dir, root))
		_, err := w.Change(t.Context(), false, func(m *repo.Memory) (repo.Message, error) {
			m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "Use the old whistle for mail", Origin: index.OriginUser}}})
			m.Index.Items[0].Status = index.Retired
			return repo.Message{Subject: "learn"}, nil
		})
		envtest.StopIf(t, err != nil || w.CloseRoots() != nil, "%v", err)
		for forAgent, want := range map[bool]string{true: "", false: "Use the old whistle for mail (retired)"} {
			w := p.open()
			res, _, err := FindSessions(t.Context(), w, SessionSearch{Text: "whistle", ForAgent: forAgent})
			named := SessionSearch{Text: "Use the old whistle for mail"}.ListAlike(w, func(string) bool { return true })
			_ = w.CloseRoots()
			got := strings.Join(named, "")
			for _, h := range res {
				got += h.Text
			}
			envtest.FailIf(t, got != want || err != nil,
				"withheld by %s, for an agent %t: %q, %v, want %q", root, forAgent, got, err, want)
		}
	}
}

// Lines are what was said and what failed; what is from outside, or repeats that, is marked.
func TestReadLines(t *testing.T) {
	page := "The manual says that every whistle must be sold to the kettle shop at once"
	call := func(id, tool, input string) session.Event {
		return session.Event{ID: "c" + id, Kind: session.ToolCall, Origin: session.Agent, Tool: tool, CallID: id, Input: input}
	}
	result := func(id, text string, origin session.Origin, cause session.Cause) session.Event {
		return session.Event{ID: "r" + id, Kind: session.ToolResult, Origin: origin, CallID: id, Tool: "Bash", Text: text, Cause: cause}
	}
	s := &session.Session{Events: []session.Event{
		{ID: "1", Kind: session.UserText, Origin: session.Human, Text: "Fix the whistle"},
		{ID: "2", Kind: session.Thinking, Origin: session.Agent, Text: "I wonder"},
		{ID: "3", Kind: session.UserText, Origin: session.Injected, Text: "a reminder"},
		call("a", "Bash", `{"command":"ls"}`), result("a", "whistle.go", session.Tool, session.OK),
		call("b", "Bash", `{"command":"go test ./..."}`), result("b", "ok\n# kettle\nwhistle.go:3: undefined: steam\nFAIL", session.Tool, session.Failed),
		call("c", "Bash", `{"command":"curl kettles.example"}`), result("c", page, session.Tool, session.OK),
		{ID: "4", Kind: session.AssistantText, Origin: session.Agent, Text: "So, every whistle must be sold to the kettle shop."},
		{ID: "5", Kind: session.AssistantText, Origin: session.Agent, Text: "The manual is about the kettle shop"},
		call("d", "Bash", `{"command":"echo every whistle must be sold to the kettle shop"}`), result("d", "no", session.Tool, session.Failed),
		{ID: "6", Kind: session.UserText, Origin: session.Subagent, Headless: true, Text: "Triage issue 7: whistle"},
		{ID: "7", Kind: session.UserText, Origin: session.Human, Text: "yes, every whistle must be sold to the kettle shop"},
		call("e", "Bash", `{"command":"sleep 9"}`), result("e", "", session.Tool, session.TimedOut),
		{ID: "8", Kind: session.Interrupt, Origin: session.Human, Reason: "too slow"},
	}}
	var got []string
	for _, l := range readLines(s) {
		got = append(got, l.Event+" "+l.label()+": "+l.Text)
	}
	want := []string{
		"1 person: Fix the whistle",
		"rb failed: go test ./...: undefined: steam",
		"4 agent (from outside): So, every whistle must be sold to the kettle shop.",
		"5 agent: The manual is about the kettle shop",
		"rd failed (from outside): echo every whistle must be sold to the kettle shop: no",
		"6 program (from outside): Triage issue 7: whistle",
		"7 person: yes, every whistle must be sold to the kettle shop",
		"re failed: sleep 9: timed out",
		"8 person: no: too slow",
	}
	envtest.Same(t, want, got)
	s.Events = slices.Repeat([]session.Event{{Kind: session.AssistantText, Origin: session.Agent, Text: strings.Repeat("kettle ", 1000)}}, 100)
	s.Events = append(s.Events, session.Event{Kind: session.UserText, Origin: session.Human, Text: "the last word"})
	lines, size := readLines(s), 0
	for _, l := range lines {
		size += len(l.Text)
	}
	envtest.FailIf(t, size > maxTalk || size < maxTalk*3/4 || lines[len(lines)-1].Text != "the last word",
		"%d bytes are kept of a long session, of %d", size, maxTalk)
}

// An agent that does not say which session it is in, as Codex does not to an MCP server, is not
// handed the session that waits for the answer.
func TestAskingSession(t *testing.T) {
	talks := []*talk{{ID: "s1"}, {ID: "s2", Asks: true}}
	for _, tt := range []struct {
		s    SessionSearch
		want string
	}{
		{SessionSearch{}, ""}, {SessionSearch{ForAgent: true}, "s2"}, {SessionSearch{ForAgent: true, Asking: "s1"}, "s1"}, {SessionSearch{Asking: "s1"}, "s1"},
	} {
		got := ""
		for _, asked := range talks {
			if tt.s.isAsking(asked) {
				got += asked.ID
			}
		}
		envtest.Same(t, tt.want, got, tt.s, "asks")
	}
	p := newProject(t)
	p.say("s1", "The whistle is blue", 1)
	path := filepath.Join(p.sessions, "s1.jsonl")
	before := envtest.Read(t, path)
	call := `{"type":"assistant","uuid":"c","sessionId":"s1","timestamp":"2026-01-10T09:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"mcp__mem__search","input":{"query":"whistle"}}]}}` + "\n"
	answer := `{"type":"user","uuid":"d","sessionId":"s1","timestamp":"2026-01-10T09:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"nothing"}]}}` + "\n"
	for more, want := range map[string]bool{"": false, call: true, call + answer: false} {
		envtest.NoError(t, os.WriteFile(path, []byte(before+more), 0o600))
		w := p.open()
		got := readTalk(w, trace.Listing{Path: path, Agent: "claude"})
		if _ = w.CloseRoots(); got.Asks != want {
			t.Errorf("asks %t after %q", got.Asks, more)
		}
	}
}

// A session that goes on in another file is copied there: what stands in both is found in the first.
func TestCopiedSession(t *testing.T) {
	p := newProject(t)
	p.say("s1", "The whistle is blue", 2)
	first, err := os.ReadFile(filepath.Join(p.sessions, "s1.jsonl"))
	envtest.StopIf(t, err != nil || os.WriteFile(filepath.Join(p.sessions, "s2.jsonl"), first, 0o600) != nil, "%v", err)
	found, _, err := p.find(t.Context(), "whistle")
	envtest.FailIf(t, strings.Count(found, "\n") != 1 || err != nil, "found %q, %v", found, err)
	p.say("s2", "The kettle is red", 0)
	if found, _, err := p.find(t.Context(), "kettle whistle"); !strings.Contains(found, "s2: The kettle is red\n") || strings.Count(found, "\n") != 2 || err != nil {
		t.Errorf("found %q, %v", found, err)
	}
}

// runLength is how many words that follow each other make a copy.
const runLength = 8

// Whatever an agent looks for, no line that it is handed holds eight words in a row that were
// fetched before, or that a program was asked, even where the agent or an error repeats them.
func TestNothingFromOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Map(rapid.IntRange(0, 40), func(n int) string { return fmt.Sprintf("word%d", n) })
		text := rapid.Map(rapid.SliceOfN(word, 1, 30), func(list []string) string { return strings.Join(list, " ") })
		s := &session.Session{}
		var outside []string
		own := func(i int, name string) string { // words of this event alone, so that none are equal by chance
			return strings.ReplaceAll(text.Draw(t, name), "word", fmt.Sprintf("e%dword", i))
		}
		events := rapid.IntRange(1, 12).Draw(t, "events")
		for i := range events {
			e := session.Event{ID: fmt.Sprint(i), Kind: session.AssistantText, Origin: session.Agent, Text: own(i, "text")}
			if n := len(outside); n > 0 && rapid.Bool().Draw(t, "quotes") {
				e.Text += ":\n" + outside[rapid.IntRange(0, n-1).Draw(t, "which")] + ".\n" + own(i, "more")
			}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				e.Kind, e.Origin, e.CallID = session.ToolResult, session.External, "c"
				outside = append(outside, e.Text)
			case 1:
				e.Kind, e.Origin, e.Headless = session.UserText, session.Subagent, true
				outside = append(outside, e.Text)
			case 2:
				e.Kind, e.Origin, e.CallID, e.Cause = session.ToolResult, session.Tool, "d", session.Failed
			}
			s.Events = append(s.Events, e)
		}
		query := own(rapid.IntRange(0, events-1).Draw(t, "about"), "query")
		f := newFinder(query, true, redactor{})
		hits, _ := f.listHits([]*talk{{ID: "s", Lines: readLines(s)}}, 0)
		bare := strings.NewReplacer(":", " ", ".", " ", "…", " ", "\n", " ")
		all := " " + strings.Join(strings.Fields(bare.Replace(strings.Join(outside, " | "))), " ") + " "
		for _, h := range hits {
			for _, shown := range []string{h.Before, h.Text, h.After} {
				list := strings.Fields(bare.Replace(shown))
				for i := range max(0, len(list)-runLength+1) {
					run := strings.Join(list[i:i+runLength], " ")
					envtest.StopIf(t, strings.Contains(all, " "+run+" "), "%q is from outside: %q", run, shown)
				}
			}
		}
	})
}

// A text that no word of is found is found letter for letter, and shown where it stands.
func TestLetterForLetter(t *testing.T) {
	talks := []*talk{{ID: "s", Lines: []line{{Event: "1", Who: "agent", Text: "First.\nIt is in the Kettlehouse.\nLast."}}}}
	for query, want := range map[string]string{"tlehou": "It is in the Kettlehouse.", "in the": "It is in the Kettlehouse.", "first": "First.", "nowhere": "", " ": ""} {
		got := ""
		f := newFinder(query, false, redactor{})
		hits, _ := f.listHits(talks, 0)
		for _, h := range hits {
			got += h.Text
		}
		envtest.Same(t, want, got, query)
	}
}

// TestWordsFromOutside checks that of the words which a lesson rests on nothing is repeated
// that came from outside, also where the agent repeats it, that a client put there, or that is a secret.
func TestWordsFromOutside(t *testing.T) {
	const page = "the page says that every kettle must be sold to the kettle shop"
	secret := "ghp_" + strings.Repeat("Ab3dE6gH9j", 4)[:36]
	from := &session.Session{Agent: "claude", ID: "s", Events: []session.Event{
		{ID: "a", Kind: session.UserText, Origin: session.Human, Text: "use pnpm, not " + secret},
		{ID: "b", Kind: session.ToolResult, Origin: session.External, Text: page},
		{ID: "c", Kind: session.UserText, Origin: session.Injected, Text: "a hook says: use bun"},
		{ID: "d", Kind: session.ToolResult, Origin: session.Tool, Text: "between"},
		{ID: "e", Kind: session.ToolResult, Origin: session.Tool, Text: "denied", Reason: "no, use pnpm"},
		{ID: "f", Kind: session.ToolCall, Origin: session.Agent, CallID: "1", Tool: "Bash", Input: `{"command":"curl https://kettles.example"}`},
		{ID: "g", Kind: session.ToolResult, Origin: session.Tool, CallID: "1", Tool: "Bash", Text: "use bun"},
		{ID: "h", Kind: session.AssistantText, Origin: session.Agent, Text: "As I read it, " + page + "."},
	}}
	read := func(string) []session.Event { return reflect.MarkOutside(from) }
	for span, want := range map[string]sighting{
		"a":    {Words: []string{"human: use pnpm, not [redacted:github-token]"}},
		"a..b": {Words: []string{"human: use pnpm, not [redacted:github-token]"}, Network: true},
		"c..d": {Words: []string{"tool: between"}},
		"e":    {Words: []string{"human: no, use pnpm"}},
		"g":    {Network: true},
		"h":    {Network: true},
		"gone": {},
	} {
		s := story{Sightings: make([]sighting, 1), item: &index.Item{Sources: []index.Source{{Trace: "claude:s", Span: span}}}}
		s.addWords(read, new(index.Withheld))
		envtest.Same(t, want, s.Sightings[0], span)
	}
}

// A sighting is one of the report, which story has too.
type sighting = page.Sighting
