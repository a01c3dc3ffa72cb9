package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"mem/envtest"
	"mem/trace/jsonl"
)

func TestList(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "app")
	claudeDir, piDir := filepath.Join(home, ".claude/projects"), filepath.Join(home, ".pi/agent/sessions")
	paths := map[string]string{
		"claude":    put(t, 1, claudeIn(project, "x"), claudeDir, ClaudeSlug(project), "a.jsonl"),
		"pi":        put(t, 2, piIn(project+"/sub", "x"), piDir, piSlug(project+"/sub")+"--", "b.jsonl"),
		"codex":     put(t, 3, codexIn(project, "x"), home, ".codex/sessions/2026/03/01/rollout-c.jsonl"),
		"neighbour": put(t, 4, claudeIn(project+"-2", "x"), claudeDir, ClaudeSlug(project+"-2"), "d.jsonl"),
		"archived":  put(t, 5, strings.Replace(codexIn("/elsewhere", "x"), `"c1"`, `"c5"`, 1), home, ".codex/archived_sessions/rollout-e.jsonl"),
		"old codex": put(t, 6, `{"id":"c6","timestamp":"2025-06-01T08:00:00Z","instructions":"x"}`+"\n", home, ".codex/sessions/2025/06/01/rollout-f.jsonl"),
	}
	put(t, 7, claudeIn(project, "x"), claudeDir, ClaudeSlug(project), "agent-g.jsonl")
	put(t, 8, "damaged", claudeDir, ClaudeSlug(project), "h.jsonl")
	put(t, 9, piIn(project, "x"), claudeDir, ClaudeSlug(project), "i.jsonl")
	put(t, 9, "x", claudeDir, ClaudeSlug(project), "j.txt")
	places := DefaultPlaces(home, func(string) string { return "" })
	epoch := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		filter Filter
		want   string
	}{
		{"all", Filter{}, "claude, pi, codex, neighbour, archived, old codex"},
		{"one agent", Filter{Agents: []string{"codex"}}, "codex, archived, old codex"},
		{"two agents", Filter{Agents: []string{"pi", "claude"}}, "claude, pi, neighbour"},
		{"a project", sessionsOf(project), "claude, pi, codex"},
		{"lately", Filter{Since: epoch.Add(3 * time.Minute)}, "codex, neighbour, archived, old codex"},
		{"a project, lately", Filter{Owns: sessionsOf(project).Owns, Since: epoch.Add(2 * time.Minute), Agents: []string{"codex", "claude"}}, "codex"},
		{"another project", sessionsOf(filepath.Join(home, "none")), ""},
	} {
		list := ListSessions(places, tt.filter)
		var got []string
		for _, l := range list {
			for name, path := range paths {
				if path == l.Path {
					got = append(got, name)
				}
			}
		}
		s := strings.Join(got, ", ")
		envtest.FailIf(t, s != tt.want || len(got) != len(list), "%s: %q of %d, want %q", tt.name, s, len(list), tt.want)
	}
	list := ListSessions(places, Filter{})
	for i, want := range []struct{ agent, cwd string }{
		{"claude", project}, {"pi", project + "/sub"}, {"codex", project}, {"claude", project + "-2"}, {"codex", "/elsewhere"}, {"codex", ""},
	} {
		if h, err := list[i].readHead(); list[i].Agent != want.agent || h.Folder != want.cwd || err != nil {
			t.Errorf("%s of %s in %q, want %s in %q", list[i].Path, list[i].Agent, h.Folder, want.agent, want.cwd)
		}
	}
}

// A session is found wherever its agent puts it, in every form, and however much comes before its folder.
func TestListPlaces(t *testing.T) {
	home := t.TempDir()
	project, link := filepath.Join(home, "app"), filepath.Join(home, "link")
	put(t, 0, `{"sessionDir":"kept"}`, project, ".pi/settings.json")
	put(t, 0, "\ufeff"+`{"sessionDir":"~/elsewhere"}`, home, ".pi/agent/settings.json")
	envtest.NoError(t, os.Symlink(project, link))
	packer, _ := zstd.NewWriter(nil)
	pack := func(text string) string { return string(packer.EncodeAll([]byte(text), nil)) }
	utf16 := func(text string) string {
		out, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		return out
	}
	snapshot := fmt.Sprintf(`{"type":"file-history-snapshot","pad":%q}`, strings.Repeat("x", 3<<20))
	copilot := `{"type":"session.start","id":"e1","data":{"sessionId":"c1"%s}}` + "\n" + `{"type":"user.message","id":"e2","data":{"content":"x"}}` + "\n"
	gemini := strings.TrimSuffix(geminiHead(project), "}") + `,"messages":[` + geminiUser("u1", "x") + "]}"
	put(t, 0, "id: c1\ncwd: "+project+"\n", home, ".copilot/session-state/c2/workspace.yaml")
	want := []string{
		put(t, 1, pack(codexIn(project, "x")), home, ".codex/sessions/2026/03/01/rollout-a.jsonl.zst"),
		put(t, 2, pack(codexIn(project, "x")), home, ".codex/archived_sessions/rollout-b.jsonl.zst"),
		put(t, 3, strings.Replace(codexIn(project, "x"), `"payload":{`, `"payload":{"base_instructions":"`+strings.Repeat("x", 2*jsonl.HeadBytes)+`",`, 1), home, ".codex/archived_sessions/rollout-c.jsonl"),
		put(t, 4, claudeIn(link+"/gone", "x"), home, ".claude/projects", ClaudeSlug(link), "d.jsonl"),
		put(t, 5, claudeIn(project, "x"), home, ".config/claude/projects/any/e.jsonl"),
		put(t, 6, lines(snapshot, snapshot, snapshot)+claudeIn(project, "x"), home, ".claude/projects", ClaudeSlug(project), "f.jsonl"),
		put(t, 7, utf16(claudeIn(project, "x")), home, ".claude/projects", ClaudeSlug(project), "g.jsonl"),
		put(t, 8, piIn(project, "x"), home, "elsewhere/h.jsonl"),
		put(t, 9, piIn(project, "x"), project, "kept/sub/i.jsonl"),
		put(t, 10, gemini, home, ".gemini/tmp/0f/chats/session-j.json"),
		put(t, 11, fmt.Sprintf(copilot, fmt.Sprintf(`,"context":{"cwd":%q}`, project)), home, ".copilot/session-state/c1.jsonl"),
		put(t, 12, fmt.Sprintf(copilot, ""), home, ".copilot/session-state/c2/events.jsonl"),
	}
	put(t, 20, codexIn(project, "x"), home, ".codex/sessions/2026/03/01/rollout-a.jsonl")                                    // which wins
	put(t, 21, `{"type":"summary","leafUuid":"x"}`+"\n", home, ".claude/projects", ClaudeSlug(project), "bookkeeping.jsonl") // without a word
	put(t, 21, "damaged", home, ".claude/projects/-elsewhere/k.jsonl")
	seen := map[string]string{
		put(t, 22, "damaged", home, ".codex/archived_sessions/rollout-l.jsonl"):                                         "neither",
		put(t, 23, "x", home, ".claude/projects", ClaudeSlug(project), "m.jsonl.gz"):                                    "compressed",
		put(t, 24, fmt.Sprintf(copilot, ""), home, ".copilot/session-state/c3.jsonl"):                                   "names no folder",
		put(t, 25, `{"sessionId":"c4","chatMessages":[]}`, home, ".copilot/history-session-state/c4.json"):              "neither",
		put(t, 26, pack(codexIn(project, "x"))[:40], home, ".codex/archived_sessions/rollout-n.jsonl.zst"):              "EOF",
		put(t, 27, `{"type":"user","x":"`+strings.Repeat("x", 5<<20), home, ".codex/archived_sessions/rollout-o.jsonl"): "too large",
	}
	want = append(want[1:], filepath.Join(home, ".codex/sessions/2026/03/01/rollout-a.jsonl"))
	places := DefaultPlaces(home, func(string) string { return "" })
	list := ListSessions(places, Filter{Folders: []string{project}, Owns: sessionsOf(project).Owns, Unread: func(path, why string) {
		words := seen[path]
		envtest.FailIf(t, words == "" || !strings.Contains(why, words), "%s is not read: %s, want %q", path, why, words)
		delete(seen, path)
	}})
	var got []string
	for _, l := range list {
		got = append(got, l.Path)
		if doc, err := Open(l.Path); err != nil || doc.Session == nil || len(doc.Session.Events) == 0 {
			t.Errorf("Open(%s) = %+v, %v", l.Path, doc, err)
		}
	}
	envtest.Same(t, want, got, "sessions")
	envtest.FailIf(t, len(seen) > 0, "not told: %v", seen)
	if got, err := FindByID(places, "codex", "b"); err != nil || got != want[0] {
		t.Errorf("FindByID = %s, %v", got, err)
	}
	if got, err := FindByID(places, "copilot", "c2"); err != nil || filepath.Base(got) != "events.jsonl" {
		t.Errorf("FindByID = %s, %v", got, err)
	}
	doc, err := Open(strings.TrimSuffix(want[0], ".zst"))
	envtest.FailIf(t, err != nil || doc.Session.CWD != project, "Open of what was compressed since = %+v, %v", doc, err)
}

// Listing is cheap: of a large file only the head is read.
func TestListReadsHeadsOnly(t *testing.T) {
	home := t.TempDir()
	big := put(t, 1, codexIn("/w", "x")+strings.Repeat(codexMessage("assistant", strings.Repeat("y", 1000))+"\n", 2000), home, ".codex/sessions/2026/03/01/rollout-a.jsonl")
	places := DefaultPlaces(home, func(string) string { return "" })
	allocated := testing.AllocsPerRun(1, func() {
		list := ListSessions(places, Filter{})
		envtest.StopIf(t, len(list) != 1 || list[0].Path != big, "List = %+v", list)
	})
	envtest.FailIf(t, allocated > 1000, "%.0f allocations for one file", allocated)
}
