package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A v1Record is a record as pi-self-learning has it, which knows no other members.
type v1Record struct {
	Key       string  `json:"key"`
	Text      string  `json:"text"`
	Kind      string  `json:"kind"`
	Hits      int     `json:"hits"`
	Score     float64 `json:"score"`
	FirstSeen string  `json:"firstSeen"`
	LastSeen  string  `json:"lastSeen"`
}

// v1 is a memory by the written rules of version 1, in the order of the file.
type v1 struct {
	Version   int        `json:"version"`
	UpdatedAt string     `json:"updatedAt"`
	Items     []v1Record `json:"items"`
}

const v1Time = "2006-01-02T15:04:05.000Z"

// readV1 is the loader of version 1: it takes what it knows and drops the rest.
func readV1(t *testing.T, path string) (m v1) {
	t.Helper()
	envtest.NoError(t, json.Unmarshal([]byte(envtest.Read(t, path)), &m))
	return m
}

// reflect counts fixes, then mistakes, as version 1 does.
func (m *v1) reflect(fixes, mistakes []string, now time.Time) {
	see := func(kind, text string) {
		key, at := strings.ToLower(strings.Join(strings.Fields(text), " ")), now.Format(v1Time)
		i := slices.IndexFunc(m.Items, func(r v1Record) bool { return r.Key == key })
		if i < 0 {
			m.Items = append(m.Items, v1Record{key, text, kind, 1, 1, at, at})
			return
		}
		r := &m.Items[i]
		r.Hits++
		r.Score += 1 + math.Min(1, 0.08*float64(r.Hits))
		r.Text, r.LastSeen = text, at
	}
	for _, text := range fixes {
		see("learning", text)
	}
	for _, text := range mistakes {
		see("antiPattern", "Avoid: "+text)
	}
	m.UpdatedAt = now.Format(v1Time)
}

// selectCore is what version 1 shows first: half of each kind, then the best of the rest.
// Its tolerance of 0.0001 is left out.
func (m *v1) selectCore(limit int, now time.Time, isActive func(key string) bool) (texts []string) {
	var ranked []v1Record
	for _, r := range m.Items {
		if isActive(r.Key) {
			ranked = append(ranked, r)
		}
	}
	effective := func(r v1Record) float64 {
		seen, _ := time.Parse(v1Time, r.LastSeen)
		return math.Round((r.Score-0.05*math.Max(0, now.Sub(seen).Hours()/24))*1e4) / 1e4
	}
	slices.SortStableFunc(ranked, func(a, b v1Record) int {
		if x, y := effective(a), effective(b); x != y {
			return map[bool]int{true: -1, false: 1}[x > y]
		}
		if a.Hits != b.Hits {
			return b.Hits - a.Hits
		}
		return strings.Compare(b.LastSeen, a.LastSeen)
	})
	taken := map[string]bool{}
	take := func(upTo int, kind string) {
		for _, r := range ranked {
			if len(texts) < upTo && !taken[r.Key] && strings.HasPrefix(r.Kind, kind) {
				texts, taken[r.Key] = append(texts, r.Text), true
			}
		}
	}
	hasBoth := slices.ContainsFunc(ranked, func(r v1Record) bool { return r.Kind != ranked[0].Kind })
	if hasBoth {
		take(limit/2, "learning")
		take(min(limit, len(texts)+limit/2), "antiPattern")
	}
	take(limit, "")
	return texts
}

const coreItems = 5

// A shared is a memory that both programs write, and what it should hold.
type shared struct {
	*bench
	want              v1
	retired, pinned   map[string]bool // by key
	clock             time.Time
	turns             *rand.Rand
	root, indexPath   string
	fixes, avoidances []string
}

// TestSharedMemory lets mem and pi-self-learning take fifty turns in one memory, in random
// order: no record, score or decision differs from the written rules, and the loader of
// version 1 reads all of it after each turn.
func TestSharedMemory(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	b := newBench(t)
	s := &shared{
		bench: b, root: filepath.Join(b.dir, "m"), indexPath: filepath.Join(b.dir, "m", "core", "index.json"), clock: time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC),
		turns: rand.New(rand.NewPCG(seed, 15)), retired: map[string]bool{}, pinned: map[string]bool{},
		fixes: []string{"use pnpm", "Use PNPM", "run make gen", "check null first", "prefer const", "close the file"}, avoidances: []string{"skipping tests", "guessing ports", "Guessing  ports"},
	}
	s.write("empty.json", `{"version": 1, "updatedAt": "2026-01-01T09:00:00.000Z", "items": []}`)
	for _, name := range []string{"m", "m/core"} {
		envtest.NoError(t, os.Mkdir(filepath.Join(b.dir, name), 0o700))
	}
	envtest.NoError(t, os.Rename(filepath.Join(b.dir, "empty.json"), s.indexPath))
	s.run(0, "init", "--root", "m", "--yes")
	s.write("m/mem.toml", fmt.Sprintf("max_core_items = %d\n", coreItems))
	for turn := range 50 {
		s.clock = s.clock.Add(time.Duration(1+s.turns.IntN(40)) * time.Hour)
		switch kind := s.turns.IntN(4); {
		case kind == 0 || turn == 0:
			s.reflectInMem(t, turn)
		case kind == 1:
			s.decide()
		default:
			s.reflectInPi(t, kind == 2)
		}
		s.check(t, turn)
	}
}

// draw returns up to two texts of a side, each key once.
func (s *shared) draw(list []string) (texts []string) {
	for range s.turns.IntN(3) {
		text := list[s.turns.IntN(len(list))]
		if !slices.ContainsFunc(texts, func(o string) bool {
			return strings.EqualFold(strings.Join(strings.Fields(o), " "), strings.Join(strings.Fields(text), " "))
		}) {
			texts = append(texts, text)
		}
	}
	return texts
}

func (s *shared) reflectInMem(t *testing.T, turn int) {
	t.Helper()
	fixes, mistakes := append(s.draw(s.fixes), fmt.Sprintf("read page %d", s.turns.IntN(9))), s.draw(s.avoidances)
	data, err := json.Marshal(map[string][]string{"fixes": fixes, "mistakes": mistakes})
	envtest.NoError(s, err)
	s.write("said.json", string(data))
	s.run(0, "reflect", "--root", "m", "--now", s.clock.Format(time.RFC3339), "said.json")
	s.want.reflect(fixes, folded(mistakes), s.clock)
	s.checkCore(t, turn)
}

func folded(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, strings.Join(strings.Fields(text), " "))
	}
	return list
}

// reflectInPi does what pi-self-learning does: it loads, counts, writes what it knows, and
// makes a commit of all there is unless that is switched off.
func (s *shared) reflectInPi(t *testing.T, commits bool) {
	fixes, mistakes := append(s.draw(s.fixes), "ask twice"), folded(s.draw(s.avoidances))
	m := readV1(t, s.indexPath)
	m.Version = 1
	m.reflect(fixes, mistakes, s.clock)
	data, err := json.MarshalIndent(m, "", "  ")
	envtest.NoError(t, err)
	s.write("m/core/index.json", string(data)+"\n")
	s.want.reflect(fixes, mistakes, s.clock)
	if commits { // which is another program's word, until the person accepts it
		s.commitAsPi(t)
		s.run(0, "trust", "--root", "m", "--yes", "--now", s.clock.Format(time.RFC3339))
	} else {
		s.run(0, "worker", "--root", "m", "--now", s.clock.Format(time.RFC3339))
	}
}

func (s *shared) commitAsPi(t *testing.T) {
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=pi", "-c", "user.email=pi@example.com", "commit", "-qm", "chore(memory): " + s.clock.Format(time.DateOnly) + " task"}} {
		envtest.Git(t, s.root, args...)
	}
}

type sharedLesson struct {
	ID, Text, Status    string
	Hits                int
	Pinned              bool
	FirstSeen, LastSeen time.Time
}

func (s *shared) list() (list []sharedLesson) {
	out, _ := s.run(0, "list", "--root", "m", "--status", "all", "--json", "--limit", "0", "--now", s.clock.Format(time.RFC3339))
	envtest.NoError(s, json.Unmarshal([]byte(out), &list))
	return list
}

// decide pins, unpins, retires or restores a lesson.
func (s *shared) decide() {
	list := s.list()
	it := list[s.turns.IntN(len(list))]
	key, verb := strings.ToLower(it.Text), "pin"
	switch isRetired := s.retired[key]; {
	case isRetired:
		verb = "restore"
	case s.turns.IntN(2) == 0:
		verb = "retire"
	case s.pinned[key]:
		verb = "unpin"
	}
	s.run(0, verb, "--root", "m", "--now", s.clock.Format(time.RFC3339), it.ID)
	switch verb {
	case "pin", "unpin":
		s.pinned[key] = verb == "pin"
	default:
		s.retired[key] = verb == "retire"
	}
}

func (s *shared) check(t *testing.T, turn int) {
	t.Helper()
	got := readV1(t, s.indexPath)
	inexact := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	byKey := cmpopts.SortSlices(func(a, b v1Record) bool { return a.Key < b.Key })
	diff := cmp.Diff(s.want.Items, got.Items, inexact, byKey)
	envtest.StopIf(t, diff != "", "turn %d: the loader of version 1 reads (-want +got):\n%s", turn, diff)
	var list []sharedLesson
	for _, it := range s.list() {
		it.ID = ""
		list = append(list, it)
	}
	var want []sharedLesson
	for _, r := range s.want.Items {
		first, _ := time.Parse(v1Time, r.FirstSeen)
		last, _ := time.Parse(v1Time, r.LastSeen)
		status := map[bool]string{false: "active", true: "retired"}[s.retired[r.Key]]
		want = append(want, sharedLesson{Text: r.Text, Status: status, Hits: r.Hits, Pinned: s.pinned[r.Key], FirstSeen: first, LastSeen: last})
	}
	byText := cmpopts.SortSlices(func(a, b sharedLesson) bool { return a.Text < b.Text })
	diff = cmp.Diff(want, list, byText)
	envtest.StopIf(t, diff != "", "turn %d: mem lists (-want +got):\n%s", turn, diff)
}

// checkCore compares what sessions read first with what version 1 would choose. Pins,
// which it does not know, come before that.
func (s *shared) checkCore(t *testing.T, turn int) {
	t.Helper()
	for _, isPinned := range s.pinned {
		if isPinned {
			return
		}
	}
	data := envtest.Read(t, s.root, "core", "CORE.md")
	var got, learnings, watchOuts []string
	for line := range strings.Lines(data) {
		if text, isItem := strings.CutPrefix(line, "- "); isItem {
			text, _, _ = strings.Cut(text, " (m-")
			got = append(got, strings.TrimSpace(text))
		}
	}
	for _, text := range s.want.selectCore(coreItems, s.clock, func(key string) bool { return !s.retired[key] }) {
		if watchOut, isOne := strings.CutPrefix(text, "Avoid: "); isOne {
			watchOuts = append(watchOuts, watchOut)
		} else {
			learnings = append(learnings, text)
		}
	}
	diff := cmp.Diff(append(learnings, watchOuts...), got)
	envtest.StopIf(t, diff != "", "turn %d: CORE.md has (-want +got):\n%s", turn, diff)
}
