package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/stats"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// makePage makes a page with n lessons of ordinary lengths.
func makePage(n int) Page {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	p := Page{Name: "kiln", Now: now, Hooked: n > 0, Needs: []Need{{"2 lessons are held until you look at them", "mem review"}, {"1 rule is proposed", "mem review"}}[:min(n, 2)]}
	for i := range n {
		tool := pick("pnpm", "bun run build", "go test ./...", "terraform plan", "docker compose up -d db", "psql", "uv sync", "cargo clippy", "bun run --filter @kiln/plugin-codegen test:integration")
		it := &index.Item{
			ID: fmt.Sprintf("m-%08x", r.Uint32()), Kind: index.Kind(pick(string(index.AntiPattern), "learning", "learning")), Pinned: r.IntN(40) == 0, Confidence: pick("high", "", "", "", "", "", "", "", ""),
			Domain: pick("coding", "coding", "technical", "process", "testing", ""), Tags: []string{pick("build", "test", "git"), pick("database", "deploy", "docker")},
			FirstSeen: now.Add(-time.Duration(r.IntN(9000)) * time.Hour), Hits: 1 + int(r.ExpFloat64()),
		}
		l := Lesson{Item: it, Telling: Telling{Told: int(2 * r.ExpFloat64())}}
		it.Sessions = it.Hits
		if l.Told > 0 {
			l.Since, l.Until, l.Agents = now.AddDate(0, 0, -20), now.AddDate(0, 0, -r.IntN(9)), []string{pick("claude", "codex")}
		}
		if r.IntN(2) == 0 {
			it.Cue, it.Remedy = &index.Literals{Command: tool, Error: "Cannot find module"}, &index.Literals{Command: "pnpm install && " + tool}
		}
		l.Text = fmt.Sprintf("Run `%s` %s %s; %s (%d)", tool, pick("before the tests of", "again after a change to", "in the folder of"), pick("the billing service", "`packages/core`", "the importer", "the schema"),
			pick("otherwise it fails with `Cannot find module`", "the cache keeps the old answer for an hour", "it needs the database of `compose.yaml` up and migrated first"), i)
		if !l.IsLearning() {
			l.Text = "Avoid: " + strings.ToLower(l.Text[:1]) + l.Text[1:]
		}
		next := l.FirstSeen
		for range l.Hits {
			l.LastSeen = next
			l.Sources = append(l.Sources, index.Source{At: next})
			l.Seen = append(l.Seen, Sighting{At: next, Agent: "claude", Session: fmt.Sprintf("%08x", r.Uint32()), Words: []string{"tool: error: " + l.Text, "human: run `" + tool + "` first, as I said"}})
			next = next.Add(time.Duration(r.IntN(int(now.Sub(next).Hours())+1)) * time.Hour)
		}
		p.Lessons = append(p.Lessons, l)
	}
	for i := range min(n, 200) {
		c := Change{Commit: fmt.Sprintf("%012x", r.Uint64N(1<<48)), Subject: fmt.Sprintf("chore(memory): %s task", day(now.AddDate(0, 0, -i))), At: now.AddDate(0, 0, -i)}
		for range 1 + r.IntN(7) {
			l := &p.Lessons[r.IntN(n)]
			l.Commits = append(l.Commits, c)
		}
	}
	if n >= 50 {
		share := func(x float64) *float64 { return &x }
		rate := func(hits, of int, at, low, high float64) stats.Rate {
			return stats.Rate{Hits: hits, Of: of, Share: share(at), Low: share(low), High: share(high)}
		}
		p.Stats = stats.Report{
			Sessions: 212, Lessons: n * 3 / 5, Others: n - n*3/5, Coverage: rate(61, 74, 0.824, 0.722, 0.895), Precision: rate(88, 240, 0.367, 0.308, 0.429),
			Told: rate(6, 49, 0.122, 0.057, 0.242), NotTold: rate(17, 31, 0.548, 0.378, 0.708), Followed: rate(38, 44, 0.864, 0.733, 0.936),
			NeverTold: []stats.Entry{{ID: p.Lessons[0].ID, Text: p.Lessons[0].Text}},
		}
		for i, name := range []string{"Migrate before the tests", "Name the lockfile"} {
			rule := Rule{Name: name, File: "rules/coding.md", About: " (2 lessons)", Text: "Run `make migrate` after each pull.\n\n- Why: the schema moves daily.\n- Avoid: guessing."}
			for _, l := range p.Lessons[2*i : 2*i+2] {
				rule.Lessons = append(rule.Lessons, l.ID)
			}
			p.Rules = append(p.Rules, rule)
		}
	}
	return p
}

// TestLook writes pages to look at into the folder MEM_LOOK, for look.sh.
func TestLook(t *testing.T) {
	dir := os.Getenv("MEM_LOOK")
	if dir == "" {
		t.Skip("MEM_LOOK names no folder")
	}
	for _, n := range []int{0, 2, 50, 5000} {
		envtest.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(n, ".html")), Render(makePage(n)), 0o600))
	}
}

// TestSize holds a page of 5,000 lessons under 3 MB, and shows that each of them is in it.
func TestSize(t *testing.T) {
	p := makePage(5000)
	data := Render(p)
	envtest.FailIf(t, len(data) > 3_000_000, "%d bytes for 5,000 lessons", len(data))
	envtest.Same(t, 5000, bytes.Count(data, []byte("\n<li id=\"")), "lessons are in the list")
	envtest.FailIf(t, !bytes.Equal(data, Render(p)), "the same page has other bytes the second time")
}

// TestGolden holds a small page, without its style and script.
func TestGolden(t *testing.T) {
	for _, n := range []int{0, 2} {
		p := makePage(n)
		got := strings.NewReplacer(string(style), "STYLE", string(script), "SCRIPT", string(digest(style)), "A", string(digest(script)), "B").Replace(string(Render(p)))
		file := filepath.Join("testdata", fmt.Sprintf("page%d.html", n))
		envtest.Golden(t, file, got)
	}
}

// TestOddTimes holds that times which no clock of this age says stop no page.
func TestOddTimes(t *testing.T) {
	early, late := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, times := range [][]time.Time{{{}, {}}, {early, late}, {late, early}, {now, late}, {{}, now}, {now, now}} {
		p := Page{Now: now, Lessons: []Lesson{
			{Item: &index.Item{ID: "m-1", Hits: 2, FirstSeen: times[0], LastSeen: times[1], Sources: []index.Source{{At: times[0]}, {At: times[1]}}}}, {Item: &index.Item{ID: "m-2", Hits: 2, FirstSeen: times[1], LastSeen: times[0]}},
		}}
		if out := string(Render(p)); strings.Contains(out, "NaN") || strings.Contains(out, "Inf") || strings.Contains(out, "0001-01-01 to") {
			t.Errorf("%v: %s", times, out)
		}
	}
}

// TestCharts holds what a bar stands for, so that there are never too many of them.
func TestCharts(t *testing.T) {
	for _, row := range []struct {
		days, bars, each int
	}{{0, 30, 1}, {59, 60, 1}, {60, 31, 2}, {366, 53, 7}, {600, 55, 11}, {3000, 59, 51}} {
		bars, each := countTimes([2][]time.Time{{now.AddDate(0, 0, -row.days)}, {now, now}}, now)
		sum := 0
		for _, b := range bars {
			sum += b.sum()
		}
		envtest.FailIf(t, each != row.each || len(bars) != row.bars || sum != 3 || bars[len(bars)-1].parts[1] != 2,
			"%d days: %d bars of %d with %v, not %d of %d", row.days, len(bars), each, sum, row.bars, row.each)
	}
}

// TestHeadline holds what is said first, and that it says no more than is known.
func TestHeadline(t *testing.T) {
	day := func(n int) time.Time { return now.AddDate(0, 0, -n) }
	mistake := func(l Lesson) Lesson {
		l.Item = &index.Item{ID: "m-1", Kind: index.AntiPattern, Hits: 6, Sessions: 6}
		return l
	}
	own := mistake(Lesson{Own: true})
	for want, p := range map[markup]Page{
		"Nothing was learned yet.":                                                    {},
		"1 lesson so far. No mistake was seen in a second session yet.":               {Lessons: []Lesson{own}},
		"One mistake cost you 6 sessions; no agent is told of it yet.":                {Lessons: []Lesson{own, mistake(Lesson{})}},
		"One mistake cost you 6 sessions; no session was told of it yet.":             {Hooked: true, Lessons: []Lesson{mistake(Lesson{})}},
		"One mistake cost you 6 sessions; since 20 November Claude is told.":          {Lessons: []Lesson{mistake(Lesson{Telling: Telling{Told: 2, Since: day(3), Until: day(1), Agents: []string{"claude"}}})}},
		"One mistake cost you 6 sessions; since 20 November Claude and pi are told.":  {Lessons: []Lesson{mistake(Lesson{Telling: Telling{Told: 2, Since: day(3), Until: day(1), Agents: []string{"claude", "pi"}}})}},
		"One mistake cost you 6 sessions; Codex was last told on 24 September.":       {Lessons: []Lesson{mistake(Lesson{Telling: Telling{Told: 2, Since: day(80), Until: day(60), Agents: []string{"codex"}}})}},
		"One mistake cost you 6 sessions; since 29 December 2025 your agent is told.": {Lessons: []Lesson{mistake(Lesson{Telling: Telling{Told: 2, Since: day(329), Until: day(1)}})}},
	} {
		p.Now = now
		got, _ := p.headline()
		envtest.FailIf(t, got != want, "%q, not %q", got, want)
	}
}

// TestLarge holds that a page of a larger memory is not too large, and says what it leaves out.
func TestLarge(t *testing.T) {
	data := Render(makePage(maxListed + 1))
	if len(data) > 3_000_000 || bytes.Count(data, []byte("\n<li id=\"")) != maxListed || !bytes.Contains(data, []byte("The best 5000 of 5001; <code>mem list</code> has all.")) {
		t.Errorf("%d bytes", len(data))
	}
}
