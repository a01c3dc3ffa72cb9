package reflect_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/trace"
)

// lived is a root with two reflections in January and three in February.
func lived(t *testing.T) *repo.Root {
	t.Helper()
	root := newRoot(t)
	for _, r := range []struct {
		at             string
		mistake, fixed string
	}{
		{"2026-01-05T10:00:00Z", "hurrying", "Read the log"},
		{"2026-01-31T23:59:00Z", "guessing", "Ask first"},
		{"2026-02-01T00:00:00Z", "guessing", "Read the log"},
		{"2026-02-03T10:00:00Z", "pushing", "Use make"},
		{"2026-02-28T23:59:59Z", "", "use MAKE"},
	} {
		at, err := time.Parse(time.RFC3339, r.at)
		envtest.NoError(t, err)
		p, _ := reflect.Reflector{}.TakeFinished(&trace.Finished{ID: "r-" + r.at, Stated: trace.Stated{Mistakes: plain(r.mistake), Fixes: plain(r.fixed)}}, reflect.Options{Now: at})
		_, err = reflect.CommitPending(t.Context(), root, p)
		envtest.NoError(t, err)
	}
	return root
}

func TestMonth(t *testing.T) {
	root := lived(t)
	february := time.Date(2026, 2, 17, 5, 0, 0, 0, time.UTC)
	secret := "AKIA" + strings.Repeat("FAKE", 4)
	const digest = `# 2026-02

3 reflections taught something: 4 lessons.

## Came back

- use MAKE (×2)
- Avoid: guessing
- Read the log

1 other lesson was seen for the first time, once.

<!-- mem: from 3 reflections, by digest -->
`
	for _, tt := range []struct {
		name    string
		oracles []oracle.Oracle
		want    string
		warned  string
	}{
		{"no oracle", nil, digest, ""},
		{"code alone", []oracle.Oracle{&asker{name: oracle.Code}}, digest, ""},
		{"a summary", []oracle.Oracle{failing(errors.New("broken")), saying(" \n"), saying("\n## Wins\n\n- " + secret + "\u202e\n\n")},
			"# 2026-02\n\n## Wins\n\n- [redacted:aws-access-key]\n\n<!-- mem: from 3 reflections, by scripted -->\n",
			"failing: broken|scripted: the answer is no summary with headings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var warned []string
			r := reflect.Reflector{Oracles: tt.oracles, Warn: func(s string) { warned = append(warned, s) }}
			for run := range 3 {
				rollup, reason, err := r.SummariseMonth(t.Context(), look(t, root), february)
				envtest.StopIf(t, err != nil || reason != "", "%v %v", reason, err)
				commit, err := root.Settle(t.Context(), noon, rollup.Apply)
				envtest.NoError(t, err)
				envtest.FailIf(t, run > 0 && commit.ID != "", "run %d made a commit without a change", run)
				data, err := look(t, root).ReadFile("monthly/2026-02.md")
				envtest.NoError(t, err)
				diff := cmp.Diff(tt.want, string(data))
				envtest.StopIf(t, diff != "", "rollup (-want +got):\n%s", diff)
				if run == 0 {
					envtest.Same(t, tt.warned, strings.Join(warned, "|"), "warnings")
				}
			}
		})
	}
	got := subjects(t, root)[:2]
	envtest.FailIf(t, got[0] != "chore(memory): monthly summary 2026-02", "commits %q", got)
	for _, bad := range []*asker{failing(errors.New("broken")), saying("Please run /login"), saying(`{"lessons": [`)} { // no digest stands in for them
		rollup, _, err := (reflect.Reflector{Oracles: []oracle.Oracle{bad}}).SummariseMonth(t.Context(), look(t, root), february)
		envtest.FailIf(t, rollup != nil || !errors.Is(err, oracle.ErrUnusable), "%s: %+v, %v", bad.name, rollup, err)
	}
	o := saying("# text")
	_, _, err := (reflect.Reflector{Oracles: []oracle.Oracle{o}}).SummariseMonth(t.Context(), look(t, root), february)
	envtest.NoError(t, err)
	req := o.asked[0]
	if req.MaxTokens != 2500 || req.Timeout != 120*time.Second || strings.Contains(req.Prompt, "hurrying") ||
		!strings.Contains(req.System, "Most important learnings") ||
		strings.Count(req.Prompt, "\n## ") != 3 || strings.Index(req.Prompt, "guessing") > strings.Index(req.Prompt, "pushing") {
		t.Errorf("request %+v", req)
	}
	if rollup, reason, err := (reflect.Reflector{}).SummariseMonth(t.Context(), look(t, root), noon.AddDate(1, 0, 0)); rollup != nil || reason != reflect.NothingNew || err != nil {
		t.Errorf("a month without entries: %+v, %q, %v", rollup, reason, err)
	}
}

// TestMonthIsBounded: of a month that is too long the long days lose their ends, no day is left out, and all say so.
func TestMonthIsBounded(t *testing.T) {
	for name, days := range map[string][2]string{
		"a long line":  {"## 10:00 UTC — Task\n- é" + strings.Repeat("é", 200_000) + "\n", "## 11:00 UTC — Task\n- last\n"},
		"many entries": {strings.Repeat("## 10:00 UTC — Task\n- "+strings.Repeat("é", 1000)+"\n", 200), "## 11:00 UTC — Task\n- last\n"},
	} {
		root := newRoot(t)
		if _, err := root.Settle(t.Context(), noon, func(m *repo.Memory) (repo.Message, error) {
			return repo.Message{Subject: "x"}, errors.Join(m.WriteFile("daily/2026-02-03.md", []byte(days[0])), m.WriteFile("daily/2026-02-27.md", []byte(days[1])))
		}); err != nil {
			t.Fatal(err)
		}
		o := saying("# text")
		p, _, err := (reflect.Reflector{Oracles: []oracle.Oracle{o}}).SummariseMonth(t.Context(), look(t, root), noon)
		envtest.NoError(t, err)
		asked := o.asked[0].Prompt
		if n := len([]rune(asked)); n < 178_000 || n > 180_400 || !strings.Contains(asked, "- last") || !strings.Contains(asked, "(the rest of this day is left out)") {
			t.Errorf("%s: %d characters of journal, want 180,000 with the last day", name, n)
		}
		want := map[string]int{"a long line": 1, "many entries": 25}[name]
		if p.Cut != want || !strings.Contains(p.Text, fmt.Sprintf("; %d of them were read in part or not at all", want)) {
			t.Errorf("%s: %d reflections are cut, want %d: %s", name, p.Cut, want, p.Text)
		}
	}
}
