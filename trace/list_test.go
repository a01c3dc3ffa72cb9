package trace

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		{"a project", Filter{Folders: []string{project}}, "claude, pi, codex"},
		{"lately", Filter{Since: epoch.Add(3 * time.Minute)}, "codex, neighbour, archived, old codex"},
		{"a project, lately", Filter{Folders: []string{project}, Since: epoch.Add(2 * time.Minute), Agents: []string{"codex", "claude"}}, "codex"},
		{"another project", Filter{Folders: []string{filepath.Join(home, "none")}}, ""},
	} {
		list, err := ListSessions(places, tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list {
			for name, path := range paths {
				if path == l.Path {
					got = append(got, name)
				}
			}
		}
		if s := strings.Join(got, ", "); s != tt.want || len(got) != len(list) {
			t.Errorf("%s: %q of %d, want %q", tt.name, s, len(list), tt.want)
		}
	}
	list, _ := ListSessions(places, Filter{})
	for i, want := range []struct{ agent, cwd string }{
		{"claude", project}, {"pi", project + "/sub"}, {"codex", project}, {"claude", project + "-2"}, {"codex", "/elsewhere"}, {"codex", ""},
	} {
		if cwd, _, err := list[i].readHead(); list[i].Agent != want.agent || cwd != want.cwd || err != nil {
			t.Errorf("%s of %s in %q, want %s in %q", list[i].Path, list[i].Agent, cwd, want.agent, want.cwd)
		}
	}
}

// Listing is cheap: of a large file only the head is read.
func TestListReadsHeadsOnly(t *testing.T) {
	home := t.TempDir()
	big := put(t, 1, codexIn("/w", "x")+strings.Repeat(codexMessage("assistant", strings.Repeat("y", 1000))+"\n", 2000), home, ".codex/sessions/2026/03/01/rollout-a.jsonl")
	places := DefaultPlaces(home, func(string) string { return "" })
	allocated := testing.AllocsPerRun(1, func() {
		if list, err := ListSessions(places, Filter{}); err != nil || len(list) != 1 || list[0].Path != big {
			t.Fatalf("List = %+v, %v", list, err)
		}
	})
	if allocated > 1000 {
		t.Errorf("%.0f allocations for one file", allocated)
	}
}
