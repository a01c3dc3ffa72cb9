package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/session"
	"mem/trace/jsonl"

	"mem/envtest"
)

// put writes a file that was last changed the given minutes after an epoch.
func put(t *testing.T, minutes int, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	envtest.Write(t, text, name)
	at := time.Date(2026, 3, 1, 10, minutes, 0, 0, time.UTC)
	envtest.NoError(t, os.Chtimes(name, at, at))
	return name
}

// claudeIn is a Claude Code session in which a person says text.
func claudeIn(cwd, text string) string {
	return strings.ReplaceAll(lines(`{"type":"summary","leafUuid":"x"}`, user("u1", "", text)), `"/w"`, fmt.Sprintf("%q", cwd))
}

// piIn is the same for pi.
func piIn(cwd, text string) string {
	return strings.ReplaceAll(lines(piHead, piUser("a", "", text)), `"/w"`, fmt.Sprintf("%q", cwd))
}

// codexIn is the same for Codex.
func codexIn(cwd, text string) string {
	return strings.ReplaceAll(lines(codexHead, codexUser(text)), `"/w"`, fmt.Sprintf("%q", cwd))
}

type (
	dirs   struct{ home, project, slug string }
	putter func(minutes int, text string, path ...string) string
)

var latestTests = []struct {
	name  string
	setup func(d dirs, put putter) (want string)
	agent string
}{
	{"newest of two agents", func(d dirs, put putter) string {
		put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
		return put(2, piIn(d.project, "x"), d.home, ".pi/agent/sessions", piSlug(d.project)+"--", "b.jsonl")
	}, "pi"},
	{"newest of one agent", func(d dirs, put putter) string {
		put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "b.jsonl")
		return put(2, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"below the project", func(d dirs, put putter) string {
		return put(1, claudeIn(d.project+"/sub", "x"), d.home, ".claude/projects", d.slug+"-sub", "a.jsonl")
	}, "claude"},
	{"below the project, pi", func(d dirs, put putter) string {
		return put(1, piIn(d.project+"/sub", "x"), d.home, ".pi/agent/sessions", piSlug(d.project+"/sub")+"--", "a.jsonl")
	}, "pi"},
	{"another project with the same folder", func(d dirs, put putter) string {
		put(2, claudeIn(filepath.Dir(d.project)+"/a/b", "x"), d.home, ".claude/projects", d.slug, "b.jsonl")
		return put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"a neighbour whose name goes on", func(d dirs, put putter) string {
		put(2, claudeIn(d.project+"-2", "x"), d.home, ".claude/projects", d.slug+"-2", "b.jsonl")
		return put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"no messages", func(d dirs, put putter) string {
		put(4, claudeIn(d.project, "<command-name>/exit</command-name>"), d.home, ".claude/projects", d.slug, "d.jsonl")
		put(3, claudeIn(d.project, "<command-name>/fix</command-name><command-args> </command-args>"), d.home, ".claude/projects", d.slug, "c.jsonl")
		put(2, "damaged", d.home, ".claude/projects", d.slug, "b.jsonl")
		return put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"codex, by what it says of itself", func(d dirs, put putter) string {
		put(3, codexIn(d.project+"-2", "x"), d.home, ".codex/sessions/2026/03/02", "rollout-c.jsonl")
		put(2, lines(strings.ReplaceAll(codexHead, `"/w"`, fmt.Sprintf("%q", d.project))), d.home, ".codex/sessions/2026/03/02", "rollout-b.jsonl")
		return put(1, codexIn(d.project, "x"), d.home, ".codex/sessions/2026/03/01", "rollout-a.jsonl")
	}, "codex"},
	{"codex, newer than another", func(d dirs, put putter) string {
		put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
		return put(2, codexIn(d.project, "x"), d.home, ".codex/archived_sessions", "rollout-a.jsonl")
	}, "codex"},
	{"a command with words", func(d dirs, put putter) string {
		return put(1, claudeIn(d.project, "<command-name>/fix</command-name><command-args>the lid</command-args>"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"sub-agents and other files", func(d dirs, put putter) string {
		put(2, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "agent-a.jsonl")
		put(2, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.json")
		put(2, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "memory", "a.jsonl")
		return put(1, claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"no folder", func(d dirs, put putter) string {
		put(1, piIn(d.project, "x"), d.home, ".pi/agent/other.txt")
		return put(1, piIn(d.project, "x"), d.home, ".pi/agent/2026.jsonl")
	}, "pi"},
	{"a long first line", func(d dirs, put putter) string {
		queued := fmt.Sprintf(`{"type":"queue-operation","operation":"dequeue","content":%q}`, strings.Repeat("x", 2*jsonl.HeadBytes))
		return put(1, lines(queued)+claudeIn(d.project, "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
	}, "claude"},
	{"a long first line in another project", func(d dirs, put putter) string {
		queued := fmt.Sprintf(`{"type":"queue-operation","operation":"dequeue","content":%q}`, strings.Repeat("x", 2*jsonl.HeadBytes))
		put(1, lines(queued)+claudeIn("/elsewhere", "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
		return ""
	}, ""},
	{"none", func(d dirs, put putter) string {
		put(1, claudeIn("/elsewhere", "x"), d.home, ".claude/projects", d.slug, "a.jsonl")
		return ""
	}, ""},
}

func TestLatest(t *testing.T) {
	for _, tt := range latestTests {
		t.Run(tt.name, func(t *testing.T) {
			home, err := filepath.EvalSymlinks(t.TempDir())
			envtest.NoError(t, err)
			d := dirs{home: home, project: filepath.Join(home, "a-b")}
			d.slug = ClaudeSlug(d.project)
			put(t, 0, "x", d.project, "main.go")
			want := tt.setup(d, func(minutes int, text string, path ...string) string { return put(t, minutes, text, path...) })
			link := filepath.Join(home, "link")
			envtest.NoError(t, os.Symlink(d.project, link))
			places := DefaultPlaces(home, func(string) string { return "" })
			for _, project := range []string{d.project, link} {
				l, err := FindLatest(places, sessionsOf(project))
				envtest.FailIf(t, l.Path != want || l.Agent != tt.agent || errors.Is(err, ErrNoSession) != (want == ""),
					"FindLatest(%s) = %q, %q, %v, want %q, %q", filepath.Base(project), l.Path, l.Agent, err, want, tt.agent)
			}
		})
	}
}

func TestLatestOfALongPath(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	envtest.NoError(t, err)
	project := filepath.Join(home, strings.Repeat("long/", 60)+"end")
	text := strings.ReplaceAll(lines(user("u1", "", "x")), `"/w"`, fmt.Sprintf("%q", project))
	want := put(t, 1, text, home, ".claude/projects", ClaudeSlug(project)[:MaxSlug]+"-k3x9", "a.jsonl")
	l, err := FindLatest(Places{Dirs: map[string][]string{"claude": {filepath.Join(home, ".claude")}}}, sessionsOf(project))
	envtest.FailIf(t, l.Path != want || err != nil, "Latest = %q, %v, want %q", l.Path, err, want)
}

func TestSlugs(t *testing.T) {
	tests := []struct{ path, claude, pi string }{
		{"/home/dev/a_b.c", "-home-dev-a-b-c", "--home-dev-a_b.c"},
		{"/home/x/.local", "-home-x--local", "--home-x-.local"},
		{`C:\x`, "C--x", "--C--x"},
		{"/é/🎉", "-----", "--é-🎉"},
	}
	for _, tt := range tests {
		c, p := ClaudeSlug(tt.path), piSlug(tt.path)
		envtest.FailIf(t, c != tt.claude || p != tt.pi, "slugs of %q = %q, %q, want %q, %q", tt.path, c, p, tt.claude, tt.pi)
	}
}

func TestDefaultPlaces(t *testing.T) {
	home := filepath.Join("/", "home", "me")
	env := func(string) string { return "" }
	envtest.Same(t, Places{Home: home, Dirs: map[string][]string{
		"claude": {filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")}, "pi": {filepath.Join(home, ".pi", "agent")},
		"codex": {filepath.Join(home, ".codex")}, "copilot": {filepath.Join(home, ".copilot")}, "gemini": {filepath.Join(home, ".gemini")},
	}}, DefaultPlaces(home, env), "places")
	none := []string{""}
	envtest.Same(t, Places{Dirs: map[string][]string{"claude": {"", ""}, "pi": none, "codex": none, "copilot": none, "gemini": none}}, DefaultPlaces("", env), "places without a home")
	all := Places{Home: home, PiSession: "/s", Dirs: map[string][]string{
		"copilot": {"/y"}, "claude": {"/c", filepath.Join(home, "d")}, "pi": {filepath.Join(home, "p")}, "codex": {"/x"}, "gemini": {filepath.Join("/g", ".gemini")},
	}}
	envtest.Same(t, all, DefaultPlaces(home, func(name string) string {
		return map[string]string{
			"CLAUDE_CONFIG_DIR": "/c, ~/d", "COPILOT_HOME": "/y", "PI_CODING_AGENT_DIR": "~/p", "PI_CODING_AGENT_SESSION_DIR": "/s", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g",
		}[name]
	}), "places that are set")
}

func TestOpenAttachesSubAgents(t *testing.T) {
	dir := t.TempDir()
	sub := func(uuid, text string) string {
		return line("assistant", uuid, "", fmt.Sprintf(`,"isSidechain":true,"message":{"content":%q}`, text)) + "\n"
	}
	main := put(t, 0, lines(
		user("u1", "", "go"), calls("a1", "u1", "t1", "Task"), calls("a2", "a1", "t2", "Task"),
		line("progress", "p1", "a2", `,"parentToolUseID":"t2","data":{"type":"agent_progress","agentId":"two"}`),
		answers("r1", "a1", "t1", "found", `,"toolUseResult":{"agentId":"one"}`),
		line("assistant", "x0", "", `,"isSidechain":true,"message":{"content":"inline"}`),
		answers("r2", "a2", "t2", "found", `,"toolUseResult":{"agentId":"../../two"}`),
	), dir, "s1.jsonl")
	put(t, 0, sub("x1", "one"), dir, "s1/subagents/agent-one.jsonl")
	put(t, 0, sub("x0", "inline")+sub("x2", "two")+"damage\n", dir, "agent-two.jsonl") // the older place
	put(t, 0, sub("x3", "stray"), dir, "s1/subagents/agent-stray.jsonl")
	put(t, 0, sub("x4", "no"), dir, "s1/subagents/agent-acompact-1.jsonl")
	put(t, 0, "damaged", dir, "s1/subagents/agent-bad.jsonl")
	outside := put(t, 0, sub("x5", "no"), dir, "two.jsonl") // where agent-../../two would lead
	envtest.NoError(t, os.Symlink(outside, filepath.Join(dir, "s1/subagents/agent-link.jsonl")))
	doc, err := Open(main)
	envtest.NoError(t, err)
	s := doc.Session
	envtest.Same(t, []string{"u1", "a1", "x1", "a2", "x2", "r1", "x0", "r2", "x3"}, ids(s), "ids")
	for _, e := range s.Events {
		envtest.Same(t, (e.Origin == session.Subagent), strings.HasPrefix(e.ID, "x"), e.ID, e.Origin)
	}
	got := s.Events[2]
	envtest.FailIf(t, got.Length != 0, "sub-agent event %+v, want it to be in no place of the file", got)
	envtest.Same(t, 1, s.Skipped, "skipped")
}
