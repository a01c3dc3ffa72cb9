package recall_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/index"
	"mem/recall"

	"mem/envtest"
)

func TestSearch(t *testing.T) {
	m := stored(t, map[string]string{
		"rules/coding.md":           "# Cache\n\n### Cache\n\nThe cache is never shared.\n",
		"memories/user/me.md":       "---\nname: me\n---\nLikes short answers.\n",
		"daily/2026-02-02.md":       "# 2026-02-02\n\n## 10:00 UTC — Task\n\n- the cache was stale\n",
		"daily/2026-01-02.md":       "# 2026-01-02\n\n- nothing\n",
		"monthly/2026-01.md":        "# 2026-01\n\n- short\n",
		"memories/user/.secret.md":  "cache",
		"context/voice/how.md":      "Short and warm.\n",
		"context/voice/how.md.orig": "cache",
	})
	old := learning("Clear caches", 3)
	old.ID, old.Status, old.Domain, old.Tags = "m-old", index.Retired, "Coding", []string{"go"}
	m.Index.Items = append(m.Index.Items, old)
	sources := []recall.Source{{Global: true, Root: "~/.mem", Notes: "# Me\n\n- I like a cache\n"}, {Memory: m, Root: ".mem"}}
	use := m.Index.Items[0].ID
	for _, tt := range []struct {
		text   string
		filter recall.Filter
		want   map[string]string
	}{
		{"caches", recall.Filter{}, map[string]string{
			use: "Use the cache", "rules/coding.md": "The cache is never shared.", "2026-02-02": "the cache was stale", "MEMORY.md": "I like a cache",
		}},
		{"short", recall.Filter{}, map[string]string{"memories/user/me.md": "Likes short answers.", "2026-01": "short", "context/voice/how.md": "Short and warm."}},
		{"ache is nev", recall.Filter{}, map[string]string{"rules/coding.md": "The cache is never shared."}},
		{"the", recall.Filter{Type: recall.RuleType}, map[string]string{"rules/coding.md": "The cache is never shared."}},
		{"zzz", recall.Filter{}, map[string]string{}},
		{" ", recall.Filter{}, map[string]string{}},
		{"cache", recall.Filter{Status: index.Retired}, map[string]string{"m-old": "Clear caches"}},
		{"cache", recall.Filter{Status: recall.AnyStatus, Domain: "coding", Tag: "GO"}, map[string]string{"m-old": "Clear caches"}},
		{"cache", recall.Filter{Kind: index.AntiPattern}, map[string]string{}},
		{"cache", recall.Filter{Since: t0.AddDate(0, 0, -1)}, map[string]string{use: "Use the cache", "2026-02-02": "the cache was stale"}},
		{"cache", recall.Filter{ID: "m-o"}, map[string]string{}},
	} {
		l := recall.FindText(sources, tt.text, tt.filter, 0)
		got := map[string]string{}
		for _, f := range l.Found {
			got[f.ID] = f.Text
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || len(l.Skipped) > 0 {
			t.Errorf("Search(%q, %+v): %v (-want +got):\n%s", tt.text, tt.filter, l.Skipped, diff)
		}
	}
	l := recall.FindText(sources, "cache", recall.Filter{}, 1)
	envtest.FailIf(t, len(l.Found) != 1 || l.More != 3, "%d found, %d more", len(l.Found), l.More)
	var ids []string
	for _, f := range recall.FindText(sources, "", recall.Filter{Status: recall.AnyStatus}, 0).Found {
		ids = append(ids, f.ID)
	}
	want := []string{use, "m-old", "rules/coding.md", "context/voice/how.md", "memories/user/me.md", "2026-01", "2026-02-02", "2026-01-02", "MEMORY.md"}
	envtest.Same(t, want, ids, "List")
	ids = nil
	for _, f := range recall.FindText(sources, "", recall.Filter{}, 0).Found {
		ids = append(ids, f.ID)
	}
	want = []string{use, "rules/coding.md", "context/voice/how.md", "memories/user/me.md", "2026-01", "2026-02-02", "2026-01-02", "MEMORY.md"}
	envtest.Same(t, want, ids, "List")
}
