package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/index/indextest"
	"mem/render"
	"mem/words"
)

func TestDaily(t *testing.T) {
	one := render.Entry{ID: "r-000000000001", At: t0, Label: "task", Session: "claude:1f", Mistakes: []string{"Guessing\nthe port"}, Fixes: []string{"Read it", "  Twice "}}
	golden(t, "daily-new.md", []byte(one.Markdown()))
	for _, e := range []render.Entry{{At: t0}, {At: t0, Label: "task", ID: "r-1"}} {
		out := e.Markdown()
		envtest.FailIf(t, !strings.HasPrefix(out, "## 00:05 UTC — Task\n"), "Markdown = %q", out)
	}
	envtest.Same(t, "daily/2026-02-04.md", render.JournalPath("2026-02-04"))
	envtest.Same(t, "monthly/2026-02.md", render.JournalPath("2026-02"))
}

func TestParseDaily(t *testing.T) {
	day := time.Date(2026, 2, 4, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, file string
		want       []render.Entry
	}{
		{"nothing", "", nil},
		{"no entries", "# 2026-02-04\n\n- an item\n## Plan\n", nil},
		{"pi's entries", "# Self-learning\n\n## 09:30 UTC — Task\n\n**What went wrong**\n- a\n- b\n\n**How it was fixed**\n- c\n\n## 10:00 UTC - Manual\n\n### Mistakes\n- d\n### Fixes\n- e\n",
			[]render.Entry{
				{At: day.Add(9*time.Hour + 30*time.Minute), Label: "task", Mistakes: []string{"a", "b"}, Fixes: []string{"c"}},
				{At: day.Add(10 * time.Hour), Label: "manual", Mistakes: []string{"d"}, Fixes: []string{"e"}},
			}},
		{"line ends of Windows", "## 09:30 UTC — Task\r\n<!-- mem:r-1 pi:2 -->\r\n### What went wrong\r\n- a\r\n",
			[]render.Entry{{ID: "r-1", Session: "pi:2", At: day.Add(9*time.Hour + 30*time.Minute), Label: "task", Mistakes: []string{"a"}}}},
		{"hours that are none", "## 25:00 UTC — Task\n- a\n## noon UTC\n- b\n", nil},
		{"items before a heading are fixes", "## 09:00 UTC — Task\n- a\n", []render.Entry{{At: day.Add(9 * time.Hour), Label: "task", Fixes: []string{"a"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			diff := cmp.Diff(tt.want, render.ParseDaily([]byte(tt.file), day.Add(7*time.Hour)), cmpopts.EquateEmpty())
			envtest.FailIf(t, diff != "", "entries (-want +got):\n%s", diff)
		})
	}
}

// The journal is read back as it was written, and hostile text stays text.
func TestDailyRoundTrip(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		return words.FoldSpace("x" + hostile.Draw(t, "hostile") + rapid.String().Draw(t, "any"))
	})
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(2026, 2, 4, 0, 0, 0, 0, time.UTC)
		var file []byte
		var want []render.Entry
		for range rapid.IntRange(1, 4).Draw(t, "entries") {
			e := render.Entry{
				ID:       rapid.StringMatching(`r-[0-9a-f]{12}`).Draw(t, "id"),
				At:       day.Add(time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "minute")) * time.Minute),
				Label:    rapid.SampledFrom([]string{"task", "manual"}).Draw(t, "label"),
				Session:  rapid.SampledFrom([]string{"", "claude:1f-2", "pi:at 7"}).Draw(t, "session"),
				Mistakes: rapid.SliceOfN(line, 0, 3).Draw(t, "mistakes"),
				Fixes:    rapid.SliceOfN(line, 0, 3).Draw(t, "fixes"),
			}
			file, want = append(file, "\n"+e.Markdown()...), append(want, e)
		}
		diff := cmp.Diff(want, render.ParseDaily(file, day), cmpopts.EquateEmpty())
		envtest.FailIf(t, diff != "", "ParseDaily(Markdown(x)) (-x +got):\n%s\n%s", diff, file)
	})
}

// An id and a session come from outside, too. They cannot end the comment that they stand in, nor the line.
func TestDailyCommentCannotBeClosed(t *testing.T) {
	closed := func(t envtest.TB, out []byte, what string) {
		for l := range strings.Lines(string(out)) {
			if !strings.HasPrefix(l, "<!-- mem:") {
				continue
			}
			inside, ok := strings.CutSuffix(strings.TrimPrefix(l, "<!--"), " -->\n")
			envtest.FailIf(t, !ok || strings.Contains(inside, "--"), "%s: the comment is %q", what, l)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		e := render.Entry{ID: "r" + hostile.Draw(t, "id"), At: t0, Label: "task" + hostile.Draw(t, "label"), Session: hostile.Draw(t, "session"), Fixes: []string{"x"}}
		out := []byte(e.Markdown())
		closed(t, out, "Markdown")
		envtest.Same(t, 6, bytes.Count(out, []byte("\n")), string(out))
		if entries := render.ParseDaily(out, t0); len(entries) != 1 || len(entries[0].Fixes) != 1 || len(entries[0].Mistakes) != 0 {
			t.Errorf("entries %+v from\n%s", entries, out)
		}
		closed(t, render.Monthly(t0, "text", 1, hostile.Draw(t, "by")), "Monthly")
	})
}

func TestMonthly(t *testing.T) {
	golden(t, "monthly.md", render.Monthly(t0, "\n## Wins\n\n- one\n\n", 3, "claude -- model"))
}

func TestDigestMonth(t *testing.T) {
	month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	ix := &index.Index{}
	learn := func(at time.Time, session string, lessons ...index.Lesson) {
		for i := range lessons {
			lessons[i].Source = index.Source{Trace: session, Session: session}
		}
		indextest.Apply(ix, facts.Fact{ID: "r-" + session, Fixes: lessons}, at)
	}
	bun := index.Lesson{Text: "Run `bun install` first", Tags: []string{"bun", "install"}}
	cache := index.Lesson{Text: "Clear the cache of bun", Tags: []string{"bun", "cache"}}
	flaky := index.Lesson{Text: "avoid: trusting the clock", Tags: []string{"time"}}
	learn(month.AddDate(0, -2, 0), "a", bun, flaky)
	learn(month.AddDate(0, -1, 3), "b", flaky)
	learn(month.AddDate(0, 0, 1), "c", bun, cache, index.Lesson{Text: "Ask before a push", Origin: index.OriginUser, Tags: []string{"git"}})
	learn(month.AddDate(0, 0, 2), "d", cache, index.Lesson{Text: "Seen once", Origin: index.OriginTool}, index.Lesson{Text: "Held", Held: true})
	learn(month.AddDate(0, 1, 0), "e", bun) // the month after
	golden(t, "month.md", []byte(render.DigestMonth(ix, month, 2)))
	for i := range 14 {
		learn(month.AddDate(0, 0, 5), fmt.Sprint("m", i), index.Lesson{Text: strings.Repeat("x", i+1), Origin: index.OriginUser})
	}
	golden(t, "month-many.md", []byte(render.DigestMonth(ix, month, 16)))
	golden(t, "month-empty.md", []byte(render.DigestMonth(&index.Index{}, month, 0)))
}
