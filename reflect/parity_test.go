package reflect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/redistill"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// A life is one replayed life of a memory root, as pi-self-learning lived it.
type life struct {
	Name         string
	Mode         string
	MaxCoreItems int
	Steps        []step
	Expected     struct {
		Items        []item
		UpdatedAt    string
		Core         lists
		LongTerm     lists
		DailyEntries map[string]int
		Monthly      []string
		Subjects     []string
	}
}

type step struct {
	At             time.Time
	Label          string
	Mistakes       []string
	Fixes          []string
	Answer, Repair string
	Month          string
	Redistill      *struct{ Rewrites map[string]string }
}

type item struct {
	Key, Text, Kind     string
	Hits                int
	Score               float64
	FirstSeen, LastSeen string
}

type lists struct{ Learnings, WatchOuts []string }

// scripted answers with what the vector says a model said.
type scripted struct {
	step step
	ids  map[string]string // record id to key, for redistill
}

// isRepair reports whether a request is to turn an unusable answer into a usable one.
func isRepair(r oracle.Request) bool {
	return strings.HasPrefix(r.Prompt, "This answer should have been")
}

func (scripted) Name() string { return "scripted" }

func (s scripted) Ask(_ context.Context, r oracle.Request) (string, error) {
	switch {
	case isRepair(r):
		return s.step.Repair, nil
	case strings.HasPrefix(r.Prompt, `{"items":`):
		type entry struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}
		var asked, answer struct {
			Items []entry `json:"items"`
		}
		if err := json.Unmarshal([]byte(r.Prompt), &asked); err != nil {
			return "", err
		}
		for _, e := range asked.Items {
			if text, ok := s.step.Redistill.Rewrites[s.ids[e.ID]]; ok {
				answer.Items = append(answer.Items, entry{e.ID, text})
			}
		}
		data, err := json.Marshal(answer)
		return string(data), err
	}
	return s.step.Answer, nil
}

// TestParity replays lives: in CI all but two of three of the long ones, which take most of the time.
func TestParity(t *testing.T) {
	files, err := filepath.Glob("../fixtures/vectors/*.json")
	envtest.StopIf(t, err != nil || len(files) == 0, "no vectors: %v", err)
	long := 0
	for _, file := range files {
		data := envtest.Read(t, file)
		var l life
		envtest.NoError(t, json.Unmarshal([]byte(data), &l))
		if len(l.Steps) > 100 {
			if long++; long%envtest.Step(5) > 0 {
				continue
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			l.replay(t)
		})
	}
}

func (l life) replay(t *testing.T) {
	root, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), "root"), repo.Options{MaxCoreItems: l.MaxCoreItems})
	envtest.NoError(t, err)
	defer root.Close()
	for i, s := range l.Steps {
		err := l.take(t, root, s)
		envtest.StopIf(t, err != nil, "step %d: %v", i, err)
	}
	l.compare(t, root)
}

// take carries out one step.
func (l life) take(t *testing.T, root *repo.Root, s step) error {
	r := reflect.Reflector{Oracles: []oracle.Oracle{scripted{step: s}}, Global: l.Mode == "global"}
	m, err := root.View(s.At)
	if err != nil {
		return err
	}
	switch {
	case s.Month != "":
		month, err := time.Parse("2006-01", s.Month)
		if err != nil {
			return err
		}
		rollup, _, err := r.SummariseMonth(t.Context(), m, month)
		if err != nil || rollup == nil {
			return err
		}
		_, err = root.Settle(t.Context(), s.At, rollup.Apply)
		return err
	case s.Redistill != nil:
		ids := map[string]string{}
		for _, it := range m.Index.Items {
			ids[it.ID] = it.Key
		}
		plan, err := redistill.MakePlan(t.Context(), m.Index, scripted{s, ids}, redistill.Options{Global: true, Now: s.At})
		if err != nil {
			return err
		}
		_, err = root.Settle(t.Context(), s.At, func(m *repo.Memory) (repo.Message, error) {
			_, msg, err := plan.Apply(m, true)
			return msg, err
		})
		return err
	}
	p, err := l.pending(t, r, m, s)
	if err != nil || p == nil {
		return err
	}
	_, err = reflect.CommitPending(t.Context(), root, p)
	return err
}

// pending reflects: on lessons as given, or by asking the scripted model.
func (l life) pending(t *testing.T, r reflect.Reflector, m *repo.Memory, s step) (*reflect.Pending, error) {
	opts := reflect.Options{Now: s.At, Label: s.Label}
	if s.Answer == "" {
		p, _ := r.TakeFinished(&trace.Finished{Stated: trace.Stated{Mistakes: plain(s.Mistakes...), Fixes: plain(s.Fixes...)}}, opts)
		return p, nil
	}
	id := s.At.Format(time.RFC3339Nano)
	events := []session.Event{{ID: "1", Time: s.At, Kind: session.UserText, Origin: session.Human, Text: "go on"}}
	for _, text := range []string{s.Answer, s.Repair} { // pi believes what no session says
		a, _ := reflect.ParseAnswer(text)
		for _, l := range slices.Concat(a.Mistakes, a.Fixes, a.Lessons) {
			events = append(events, session.Event{ID: fmt.Sprint(len(events) + 1), Time: s.At, Kind: session.ToolResult, Origin: session.Tool, Cause: session.DeniedByUser, Reason: l.Text})
		}
	}
	p, _, err := r.ReflectOn(t.Context(), m, &session.Session{Agent: "pi", ID: id, Events: events}, opts)
	return p, err
}

func (l life) compare(t *testing.T, root *repo.Root) {
	m, err := root.View(time.Now())
	envtest.NoError(t, err)
	const iso = "2006-01-02T15:04:05.000Z"
	var items []item
	for _, it := range m.Index.Items {
		items = append(items, item{it.Key, it.Text, string(it.Kind), it.Hits, it.Score, it.FirstSeen.Format(iso), it.LastSeen.Format(iso)})
	}
	envtest.Same(t, l.Expected.Items, items, "items")
	envtest.Same(t, l.Expected.UpdatedAt, m.Index.UpdatedAt.Format(iso), "updatedAt")
	envtest.Same(t, l.Expected.Core, view(t, m, "core/CORE.md"), "core")
	envtest.Same(t, l.Expected.LongTerm, view(t, m, "long-term-memory.md"), "long term")
	days := map[string]int{}
	names, err := m.ListDates("daily", "")
	envtest.NoError(t, err)
	for _, day := range names {
		data, err := m.ReadFile("daily/" + day + ".md")
		envtest.NoError(t, err)
		days[day] = strings.Count(string(data), "\n## ")
	}
	envtest.Same(t, l.Expected.DailyEntries, days, "daily entries")
	months, err := m.ListDates("monthly", "")
	envtest.NoError(t, err)
	envtest.Same(t, fmt.Sprint(l.Expected.Monthly), fmt.Sprint(months), "monthly")
	var subjects []string
	if err := root.WalkHistory(func(r repo.Revision) bool {
		subject := r.Subject()
		if parts := strings.SplitN(subject, ": ", 3); len(parts) == 3 { // what was learned follows the fixed words
			subject = parts[0] + ": " + parts[1]
		}
		subjects = append([]string{subject}, subjects...)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	envtest.Same(t, l.Expected.Subjects, subjects, "subjects")
}

// view reads the two lists of a view back.
func view(t *testing.T, m *repo.Memory, path string) lists {
	t.Helper()
	data, err := m.ReadFile(path)
	envtest.NoError(t, err)
	out := lists{Learnings: []string{}, WatchOuts: []string{}}
	list := &out.Learnings
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## Watch") {
			list = &out.WatchOuts
		}
		if text, ok := strings.CutPrefix(line, "- "); ok {
			text = text[:strings.LastIndex(text, " (m-")]
			*list = append(*list, index.StripAvoid(text))
		}
	}
	return out
}
