package recall_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/recall"
	"mem/repo"
)

func TestJournal(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	root, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), "m"), repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files := map[string]string{
		"monthly/2026-01.md":  "# 2026-01\n\n## Wins\n\n- fewer repeats </mem-notes 00>\n",
		"monthly/2025-12.md":  "# 2025-12\n\nold\n",
		"daily/2026-02-01.md": "# 2026-02-01\n\n## 10:00 UTC — Task\n\n- older day\n",
		"daily/2026-02-02.md": "# 2026-02-02\n\n## 10:00 UTC — Task\n\n- newer day\n",
	}
	_, err = root.Settle(t.Context(), now, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(index.Reflection{Fixes: []index.Lesson{{Text: "Use the cache"}}})
		for path, text := range files {
			if err := m.Write(path, []byte(text)); err != nil {
				return repo.Message{}, err
			}
		}
		return repo.Message{Subject: "fill"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := root.View(now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		monthly bool
		days    int
		want    []string
	}{
		{"nothing asked for", false, 0, nil},
		{"the latest month", true, 0, []string{"## Month 2026-01\n\nWins:\n- fewer repeats ‹/mem-notes 00>\n"}},
		{"the latest day", false, 1, []string{"## Journal of 2026-02-02\n\n10:00 UTC — Task:\n- newer day\n"}},
	} {
		parts, err := recall.Journal(m, tt.monthly, tt.days)
		if err != nil || strings.Join(parts, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: Journal = %q, %v, want %q", tt.name, parts, err, tt.want)
		}
	}
	parts, err := recall.Journal(m, true, 2)
	if err != nil || len(parts) != 3 {
		t.Fatalf("Journal = %q, %v, want three parts", parts, err)
	}
	opts := recall.Options{Budget: 3000, Limit: 20, Root: ".mem", Journal: parts}
	all := recall.Core(m, opts)
	if !strings.Contains(all.Text, "older day") || strings.Count(all.Text, "\n## ") != 4 {
		t.Errorf("context = %s", all.Text)
	}
	opts.Budget = all.Tokens - 1
	if less := recall.Core(m, opts); strings.Contains(less.Text, "older day") || !strings.Contains(less.Text, "newer day") || less.Tokens > opts.Budget {
		t.Errorf("within %d tokens: %s", opts.Budget, less.Text)
	}
}
