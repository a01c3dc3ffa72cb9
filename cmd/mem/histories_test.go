package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/curate"
	"mem/curate/undo"
	"mem/index"
	"mem/index/codec"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// textOf returns what the lessons of the histories say at birth, by id. It is made once it is
// needed, which it is in none of the processes that scripts start.
var textOf = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for i := range 7 {
		text := fmt.Sprintf("lesson %d", i)
		all[index.BaseID(text)] = text
	}
	return all
})

// TestHistories does at random, in two to six clones with clocks that lie, what people
// do with a memory and with git, and compares what mem then knows with a model that
// reads no file. At the end all learn from all, and have the
// same bytes.
//
// Seed N has the driver everywhere if N%3 is 0, nowhere if it is 1, and by chance if it
// is 2; from 1,000 on people also capture learnings and decide about rules, and from 2,000
// on mem sync carries it all. MEM_HISTORIES is how many there are, or FROM-TO.
func TestHistories(t *testing.T) {
	from, to, steps, most := 0, 12, 12, 3
	if text := os.Getenv("MEM_HISTORIES"); text != "" {
		if a, b, ok := strings.Cut(text, "-"); ok {
			from, _ = strconv.Atoi(a)
			text = b
		}
		to, _ = strconv.Atoi(text)
		steps, most = 25, 5
	}
	if _, err := exec.LookPath("mem"); err != nil {
		t.Fatal(err) // TestMain puts it there
	}
	folder := inMemory(t)
	if folder == "" {
		folder = t.TempDir()
	}
	stats := &statistics{counts: map[string]int{}}
	t.Cleanup(func() { stats.print(t) })
	seeds := []int{withRules + 2, withRules + 12, withSync, withSync + 1, withSync + 2}
	if steps > 12 {
		seeds = nil
	}
	for seed := from; seed < to; seed++ {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			steps := steps
			if seed >= withRules && seed < withSync {
				steps = 25 // until there are patterns
			}
			w := newHistory(t, seed, steps, min(most, 2+seed%4), filepath.Join(folder, strconv.Itoa(seed)))
			defer stats.add(w)
			w.run()
		})
	}
}

// statistics are what a run prints at its end.
type statistics struct {
	sync.Mutex
	counts map[string]int
}

func (s *statistics) add(w *history) {
	s.Lock()
	defer s.Unlock()
	for what, n := range w.counts {
		s.counts[what] += n
	}
}

func (s *statistics) print(t *testing.T) {
	for _, what := range slices.Sorted(maps.Keys(s.counts)) {
		t.Logf("%6d %s", s.counts[what], what)
	}
}

// A history is some clones of one memory, and the truth about each commit.
type history struct {
	*testing.T
	ctx    context.Context
	seed   int
	steps  int
	rnd    *rand.Rand
	folder string
	binary string

	clones    []*clone
	truth     map[string]truth  // by commit
	changes   map[string]change // what a commit does wherever it is picked, by its date and message
	parents   map[string][]string
	sightings map[cell]sighting // all there ever were
	linked    map[cell]truth    // what was known when a lesson became part of another
	captured  map[string]bool   // sightings without an entry in the journal
	messy     map[string]bool   // commits that a person made of a conflict without looking
	renamed   bool              // git, before 2.50, took a file for one that both renamed: its marks are the person's
	clock     time.Time
	n         int    // of operations
	last      string // reflection
	lastAt    time.Time
	lastOf    []string // its lessons
	lastWhole bool     // each of them was a lesson of its own there

	loose      string // why the truth may not be what mem says from here on: docs/merge.md, what cannot be exact
	isOff      bool   // and it is not: only that all clones come to the same is looked at
	badJournal int
	counts     map[string]int
	log        []string
}

// A clone is one machine's copy.
type clone struct {
	dir    string
	skew   time.Duration
	driver bool
	since  []string // what was done since mem looked
}

// A commit is one line of git's log.
type commit struct {
	id      string
	parents []string
	key     string // its date and its message, which a rebase keeps
	subject string
}

func newHistory(t *testing.T, seed, steps, clones int, folder string) *history {
	binary, err := exec.LookPath("mem")
	if err != nil {
		t.Fatal(err)
	}
	w := &history{
		T: t, ctx: t.Context(), seed: seed, steps: steps, rnd: rand.New(rand.NewPCG(uint64(seed), 12)), folder: folder, binary: binary,
		truth: map[string]truth{}, changes: map[string]change{}, parents: map[string][]string{}, sightings: map[cell]sighting{}, linked: map[cell]truth{}, messy: map[string]bool{}, captured: map[string]bool{},
		clock: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), counts: map[string]int{},
	}
	if err := os.MkdirAll(filepath.Join(folder, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada\n\temail = ada@example.com\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(folder, "home", ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &clone{dir: filepath.Join(folder, "a"), driver: w.hasDriver()}
	r, err := repo.Create(w.ctx, a.dir, w.options(a))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.clones = []*clone{a}
	w.learn(a)
	for i := range clones - 1 {
		w.copyClone(string(rune('b'+i)), true)
	}
	return w
}

func (w *history) hasDriver() bool { return w.seed%3 == 0 || w.seed%3 == 2 && w.rnd.IntN(2) == 0 }

func (w *history) options(c *clone) repo.Options {
	opts := quietOptions()
	opts.Environ = []string{"HOME=" + filepath.Join(w.folder, "home"), "GIT_CONFIG_NOSYSTEM=1"}
	if c.driver {
		opts.Binary = w.binary
	}
	opts.HoldForeign = (w.seed+int(c.dir[len(c.dir)-1]))%2 == 0 // which changes nothing that git has
	if w.hasRules() {
		opts.Learned = new(curate.Detector).AfterLearning
	}
	return opts
}

// quietOptions are options of a root that flushes nothing.
func quietOptions() repo.Options { return repo.Options{Fault: new(disktest.Plan).Fault} }

// wrong ends a history.
func (w *history) wrong(c *clone, what, diff string) {
	w.Helper()
	w.counts["WRONG "+what+": "+w.mode()]++
	from := max(0, len(w.log)-40)
	w.Fatalf("seed %d (%s), clone %s, since mem looked: %s\n%s\n%s\nthe last steps:\n%s", w.seed, w.mode(), filepath.Base(c.dir), c.since, what, diff, strings.Join(w.log[from:], "\n"))
}

func (w *history) mode() string { return []string{"driver", "none", "mixed"}[w.seed%3] }

// tick moves the clock on, and returns what it is on a clone.
func (w *history) tick(c *clone) time.Time {
	w.clock = w.clock.Add(time.Duration(1+w.rnd.IntN(20)) * time.Second)
	return w.clock.Add(c.skew)
}

// git runs git in a clone; it may fail.
func (w *history) git(c *clone, args ...string) (string, error) {
	cmd := exec.CommandContext(w.ctx, "git", args...)
	cmd.Dir = c.dir
	date := strconv.FormatInt(w.clock.Unix(), 10) + " +0000"
	cmd.Env = []string{
		"HOME=" + filepath.Join(w.folder, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "GIT_EDITOR=true",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + w.folder,
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(string(out)), err
}

// must runs git, which must not fail.
func (w *history) must(c *clone, args ...string) string {
	w.Helper()
	out, err := w.git(c, args...)
	if err != nil {
		w.wrong(c, fmt.Sprintf("git %s: %v", args[0], err), out)
	}
	return out
}

// head returns the commit that a clone has checked out.
func (w *history) head(c *clone) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, ".git/refs/heads/main"))
	if err != nil && len(w.truth) > 0 {
		w.wrong(c, "no head", err.Error())
	}
	return strings.TrimSpace(string(data))
}

// list returns the commits of a range, newest first.
func (w *history) list(c *clone, args ...string) []commit {
	w.Helper()
	out := w.must(c, append([]string{"log", "--topo-order", "-z", "--format=%H%x09%P%x09%at%x09%B"}, args...)...)
	var list []commit
	for text := range strings.SplitSeq(strings.TrimRight(out, "\x00\n"), "\x00") {
		if f := strings.SplitN(text, "\t", 4); len(f) == 4 {
			subject, _, _ := strings.Cut(f[3], "\n")
			w.parents[f[0]] = strings.Fields(f[1])
			list = append(list, commit{f[0], strings.Fields(f[1]), f[2] + " " + strings.TrimSpace(f[3]), subject})
		}
	}
	return list
}

// known says what a clone's head knows.
func (w *history) known(c *clone) truth { return w.truth[w.head(c)] }

// settle does something with mem: all commits that come of it know what add says.
func (w *history) settle(c *clone, now time.Time, add truth, f func(*repo.Memory) (repo.Message, error)) error {
	w.Helper()
	before := w.head(c)
	r, err := repo.Open(c.dir, w.options(c))
	if err != nil {
		w.wrong(c, "open", err.Error())
	}
	defer r.Close()
	if _, err = r.Settle(w.ctx, now, f); err != nil {
		return err
	}
	w.tellMade(c, before, add)
	return nil
}

// tellMade says what the commits since one know that mem made: what add says.
func (w *history) tellMade(c *clone, before string, add truth) {
	w.Helper()
	if w.head(c) == before {
		return
	}
	since := before + "..HEAD"
	if before == "" {
		since = "HEAD"
	}
	for _, made := range slices.Backward(w.list(c, since)) {
		switch {
		case w.truth[made.id] != nil: // of another clone
		case isSync(made):
			w.counts["merges of a sync"]++
			w.truth[made.id] = w.truth[made.parents[0]].join(w.truth[made.parents[1]])
		case len(made.parents) == 0:
			w.truth[made.id] = truth{}
		case strings.HasPrefix(made.subject, "settle: "):
			w.counts["settle commits"]++
			w.changes[made.key] = change{add: w.listUnsaid(c, made.parents[0])}
			w.truth[made.id] = w.truth[made.parents[0]]
		case strings.HasPrefix(made.subject, "chore(memory): "):
			w.changes[made.key] = change{}
			w.truth[made.id] = w.truth[made.parents[0]]
		default:
			w.tell(c, made, add)
			add = truth{} // a journal's edits come after the index
		}
	}
}

// listUnsaid returns what git's reverts up to a commit add without a change of the index:
// a rebase drops them as empty, and then it is mem's commit that has it.
func (w *history) listUnsaid(c *clone, id string) truth {
	add := truth{}
	for _, m := range w.list(c, "--first-parent", "-12", id) {
		if !strings.HasPrefix(m.subject, "Revert ") {
			break
		}
		if _, err := w.git(c, "diff", "--quiet", m.parents[0], m.id, "--", repo.IndexPath); err == nil {
			add = add.join(w.changes[m.key].add)
		}
	}
	return add
}

// tell says what a new commit adds.
func (w *history) tell(c *clone, m commit, add truth) {
	w.truth[m.id] = w.truth[m.parents[0]].join(add)
	ch := change{add: add, whole: w.truth[m.id]}
	if said := takesBack.Get().FindStringSubmatch(m.key); said != nil {
		was := said[2]
		if was == "" {
			w.list(c, "-1", said[1])
			was = w.parents[said[1]][0]
		}
		ch.was, ch.made = w.truth[was], w.truth[said[1]]
	}
	w.changes[m.key] = ch
}

var takesBack = lazy.New(`This reverts commit ([0-9a-f]{40})(?:, reversing\s+changes made to ([0-9a-f]{40}))?`)

// look lets mem look at what git did, and compares.
func (w *history) look(c *clone, how string) {
	w.Helper()
	if err := w.settle(c, w.tick(c), truth{}, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil }); err != nil {
		w.wrong(c, "look: "+err.Error(), "")
	}
	w.check(c, how)
}

// vague returns the lessons of which it cannot be said what was set on them: they were
// one for a while, and what was set meanwhile on the one that was not shown went to the
// other.
func (w *history) vague(known truth) map[string]bool {
	list := map[string]bool{}
	target := known.targets()
	for l, v := range known {
		if l.kind != 'l' || v.n%2 == 1 {
			continue
		}
		for f, v := range known {
			if f.kind == 'f' && f.a == l.a && w.linked[l][f] != v {
				for _, id := range []string{l.a, l.b, target(l.a), target(l.b)} {
					list[id] = true
				}
			}
		}
	}
	return list
}

// choose returns the lessons with which something can be done, in order.
func (w *history) choose(known truth) []string {
	_, births := known.show(w.sightings)
	vague := w.vague(known)
	var list []string
	for _, b := range births {
		if !vague[b.id] {
			list = append(list, b.id)
		}
	}
	return list
}

var entryID = lazy.New(`<!-- mem:(r-[0-9a-z]+)`)

// check compares what a clone shows with the truth.
func (w *history) check(c *clone, how string) {
	w.Helper()
	w.counts["checks"]++
	if len(c.since) == 0 {
		c.since = []string{how}
	}
	ix := w.readIndex(c)
	got, order := map[string]view{}, []string{}
	for i := range ix.Items {
		it := &ix.Items[i]
		got[it.ID] = view{it.Hits, it.FirstSeen.UnixMilli(), it.LastSeen.UnixMilli(), it.Text, string(it.Status), it.Pinned}
		order = append(order, it.ID)
	}
	want, births := w.known(c).show(w.sightings)
	for id := range w.vague(w.known(c)) {
		if it, ok := want[id]; ok && got[id].Hits > 0 && (it.Text != got[id].Text || it.Status != got[id].Status || it.Pinned != got[id].Pinned) {
			w.counts["inexact fields of a lesson whose merge was undone: "+w.mode()]++
			it.Text, it.Status, it.Pinned = got[id].Text, got[id].Status, got[id].Pinned
			want[id] = it
		}
	}
	if w.isOff {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		if w.isOff = w.loose != ""; w.isOff {
			w.counts["inexact, "+w.loose+": "+w.mode()]++
			return
		}
		w.wrong(c, "index", "(-want +got)\n"+diff)
	}
	wantOrder := []string{}
	for _, b := range births {
		wantOrder = append(wantOrder, b.id)
	}
	if diff := cmp.Diff(wantOrder, order); diff != "" {
		w.wrong(c, "order", "(-want +got)\n"+diff)
	}
	ranked := ix.Rank(ix.UpdatedAt)
	for path, want := range map[string][]byte{render.CorePath: render.Core(ix, ranked, 20), render.LongTermPath: render.LongTerm(ix, ranked)} {
		if diff := cmp.Diff(string(want), w.read(c, path)); diff != "" {
			w.wrong(c, "view "+path, "(-want +got)\n"+diff)
		}
	}
	entries := map[string]bool{}
	days, _ := filepath.Glob(filepath.Join(c.dir, "daily", "*.md"))
	for _, day := range days {
		data, _ := os.ReadFile(day)
		for _, m := range entryID.Get().FindAllSubmatch(data, -1) {
			entries[string(m[1])] = true
		}
	}
	told := w.known(c).reflections()
	maps.DeleteFunc(told, func(id string, _ bool) bool { return w.captured[id] })
	if diff := cmp.Diff(told, entries); diff != "" {
		w.counts["journal inexact: "+w.mode()]++
		if w.badJournal++; w.steps == 12 {
			w.wrong(c, "journal", "(-want +got)\n"+diff)
		}
	}
	c.since = nil
}

func (w *history) read(c *clone, path string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, path))
	if err != nil {
		w.wrong(c, "read", err.Error())
	}
	return string(data)
}

func (w *history) readIndex(c *clone) *index.Index {
	w.Helper()
	ix, _, err := codec.Load([]byte(w.read(c, repo.IndexPath)), time.Time{})
	if err != nil {
		w.wrong(c, "load", err.Error())
	}
	return ix
}

// copyClone makes another clone of one, with git or as a folder.
func (w *history) copyClone(name string, byGit bool) {
	w.Helper()
	from := w.clones[w.rnd.IntN(len(w.clones))]
	w.look(from, "before a copy")
	c := &clone{dir: filepath.Join(w.folder, name)}
	if byGit {
		w.must(from, "clone", "-q", from.dir, c.dir)
		w.must(c, "remote", "remove", "origin")
		c.driver = w.hasDriver()
	} else {
		if err := os.CopyFS(c.dir, os.DirFS(from.dir)); err != nil {
			w.Fatal(err)
		}
		c.driver = from.driver
	}
	seconds := []int{0, 0, -300, 500, -5000}
	c.skew = time.Duration(seconds[w.rnd.IntN(len(seconds))]) * time.Second
	w.clones = append(w.clones, c)
	if byGit {
		w.learn(c) // so that mem knows what it looked at
	}
}

// learn is a reflection.
func (w *history) learn(c *clone) {
	w.Helper()
	now := w.tick(c)
	id := fmt.Sprintf("r-%012x", w.rnd.Uint64()>>16)
	n := 1 + w.rnd.IntN(3)/2
	isAgain := w.last != "" && w.rnd.IntN(10) == 0
	if isAgain { // the same session, read on two machines
		id, now = w.last, w.lastAt
	} else {
		ids := slices.Sorted(maps.Keys(textOf()))
		w.rnd.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		w.last, w.lastAt, w.lastOf = id, now, ids[:n]
	}
	add := w.known(c).learn(id, now.UnixMilli(), w.lastOf, w.sightings)
	whole := len(add) == len(w.lastOf)
	if len(add) == 0 || isAgain && !(whole && w.lastWhole) { // where two became one it depends on the clone which came first
		return
	}
	w.lastWhole = whole
	var texts []string
	var fixes []index.Lesson
	for _, id := range w.lastOf {
		texts, fixes = append(texts, textOf()[id]), append(fixes, index.Lesson{Text: textOf()[id]})
	}
	w.save(c, now, add, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(index.Reflection{ID: id, Fixes: fixes})
		path := render.DailyPath(m.Now())
		old, err := m.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		return repo.Message{}, m.WriteFile(path, render.Daily(old, render.Entry{ID: id, At: m.Now(), Label: "task", Fixes: texts}))
	})
}

// save makes a commit with mem that adds something.
func (w *history) save(c *clone, now time.Time, add truth, f func(*repo.Memory) (repo.Message, error)) {
	w.Helper()
	w.n++
	err := w.settle(c, now, add, func(m *repo.Memory) (repo.Message, error) {
		msg, err := f(m)
		msg.Subject = fmt.Sprintf("op %d", w.n)
		return msg, err
	})
	if err != nil {
		w.wrong(c, "save: "+err.Error(), "")
	}
	w.check(c, "save")
}

// set changes a field of a lesson.
func (w *history) set(c *clone) {
	now := w.tick(c)
	known := w.known(c)
	list, _ := known.show(w.sightings)
	ids := w.choose(known)
	if len(ids) == 0 {
		return
	}
	id := ids[w.rnd.IntN(len(ids))]
	var field, said string
	var change func(*index.Item)
	switch w.rnd.IntN(3) {
	case 0:
		field, said = "text", fmt.Sprintf("text %d", w.n)
		change = func(it *index.Item) { it.SetText(said) }
	case 1:
		field = "status"
		if list[id].Status == "" {
			said = string(index.Retired)
		}
		change = func(it *index.Item) { it.Status = index.Status(said) }
	default:
		field, said = "pinned", strconv.FormatBool(!list[id].Pinned)
		change = func(it *index.Item) { it.Pinned = said == "true" }
	}
	w.save(c, now, known.set(id, field, said, now.UnixMilli()), func(m *repo.Memory) (repo.Message, error) {
		m.Index.Items[m.Index.ByID(id)].Change(m.Now(), change)
		return repo.Message{}, nil
	})
}

// redistill makes one lesson of two.
func (w *history) redistill(c *clone) {
	now := w.tick(c)
	known := w.known(c)
	list, _ := known.show(w.sightings)
	ids := slices.DeleteFunc(w.choose(known), func(id string) bool { return list[id].Status != "" })
	if len(ids) < 2 {
		return
	}
	two := w.rnd.Perm(len(ids))[:2]
	slices.Sort(two)
	into, from, text := ids[two[0]], ids[two[1]], fmt.Sprintf("merged %d", w.n)
	w.linked[cell{'l', from, into}] = known
	w.save(c, now, known.redistill(into, from, text, now.UnixMilli()), func(m *repo.Memory) (repo.Message, error) {
		m.Index.RewordRecords(map[string]string{into: text, from: text}, m.Now())
		return repo.Message{}, nil
	})
}

// undo takes any commit back with mem, redo the newest undo.
func (w *history) undo(c *clone) { w.takeBack(c, false) }
func (w *history) redo(c *clone) { w.takeBack(c, true) }

func (w *history) takeBack(c *clone, redo bool) {
	id := ""
	if !redo {
		list := slices.DeleteFunc(w.list(c), func(m commit) bool { return len(m.parents) != 1 || w.isOdd(m) })
		if len(list) == 0 {
			return
		}
		id = list[w.rnd.IntN(len(list))].id
	}
	r, err := repo.Open(c.dir, w.options(c))
	if err != nil {
		w.Fatal(err)
	}
	defer r.Close()
	log, err := undo.ReadLog(r)
	if err != nil {
		w.wrong(c, "read log: "+err.Error(), "")
	}
	step, err := log.FindStep(id, redo)
	if errors.Is(err, undo.ErrRefused) {
		w.counts["undo refused"]++
		return
	} else if err != nil {
		w.wrong(c, "undo: "+err.Error(), "")
	}
	add := truth{}
	w.n++
	err = w.settle(c, w.tick(c), add, func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := step.Apply(m) // perhaps of another one, if nothing is left of this
		if err != nil {
			return msg, err
		}
		id = step.Commit.Hash.String()
		parent := step.Commit.Parents[0].String()
		if len(step.Commit.Parents) != 1 || w.messy[id] || w.messy[parent] {
			return msg, undo.ErrRefused
		}
		maps.Copy(add, w.known(c).takeBack(w.truth[parent], w.truth[id]))
		msg.Subject = fmt.Sprintf("op %d", w.n)
		return msg, nil
	})
	switch {
	case errors.Is(err, undo.ErrRefused), errors.Is(err, undo.ErrConflict):
		w.counts["undo refused"]++
		return
	case err != nil:
		w.wrong(c, "undo: "+err.Error(), "")
	}
	w.note("  %.12s", id)
	w.check(c, "undo")
}

// isOdd reports whether nothing is done with a commit alone: what a person made without
// looking, and what only says what git did.
func (w *history) isOdd(m commit) bool {
	return w.messy[m.id] || slices.ContainsFunc(m.parents, func(p string) bool { return w.messy[p] }) ||
		strings.HasPrefix(m.subject, "settle: ") || strings.HasPrefix(m.subject, "chore(memory): ")
}

func (w *history) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// finish ends an operation at which git stopped: mem settles what it can, and a person
// goes on as goOn says, or gives up. Where git takes commits all the same, mem commits
// what add says. It reports whether the operation was done.
func (w *history) finish(c *clone, op, said string, err error, add truth, mayMess bool, goOn, abort []string) bool {
	w.Helper()
	if !c.driver && op != "pull" && (op == "rebase" || strings.Contains(said, "Auto-merging core/index.json")) {
		w.loose = "git merged the text of the index, without a driver"
	}
	if err == nil {
		return true
	}
	w.renamed = w.renamed || strings.Contains(said, "CONFLICT (rename/rename)")
	mode := "no driver"
	if c.driver {
		mode = "driver"
	}
	for range 60 {
		unmerged := w.must(c, "ls-files", "-u")
		w.note("  stopped: %q", said)
		if unmerged == "" && op == "rebase" {
			goOn = []string{"rebase", "--skip"}
		} else if unmerged == "" {
			w.counts[op+": refused or empty"]++
			break
		} else if w.counts[op+": stopped, "+mode]++; mayMess && w.rnd.IntN(4) == 0 { // a person makes a mess of it
			if w.rnd.IntN(2) == 0 {
				_, _ = w.git(c, "checkout", "--ours", "--", ".")
			}
			w.must(c, "add", "-A")
			w.must(c, "commit", "-qm", "messy")
			w.messy[w.head(c)] = true
			w.counts["messy merges"]++
			return true
		}
		nothing := func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil }
		var unreadable *repo.UnreadableError
		switch err := w.settle(c, w.tick(c), add, nothing); {
		case op == "stash pop" && w.messy[w.head(c)] && errors.As(err, &unreadable):
			// git put it between the marks that a person committed
		case err != nil && !errors.Is(err, repo.ErrBusy):
			w.wrong(c, "settle a conflict: "+err.Error(), "")
		}
		if w.must(c, "ls-files", "-u") != "" {
			w.counts[op+": given up"]++
			break
		}
		if goOn == nil {
			return true
		}
		if said, err = w.git(c, goOn...); err == nil {
			return true
		}
		if op == "rebase" {
			goOn = []string{"rebase", "--continue"}
		}
	}
	_, _ = w.git(c, abort...)
	w.must(c, "reset", "-q", "--hard", "HEAD")
	return false
}

// loosen notes that what was taken back and counted again was made anew elsewhere: which
// of the two stands there is not known.
func (w *history) loosen(add truth) {
	for c, v := range add {
		if c.kind != 'f' && v.n > 2 {
			w.loose = "a redo was picked or squashed"
		}
	}
}

// other returns another clone.
func (w *history) other(c *clone) *clone {
	for {
		if o := w.clones[w.rnd.IntN(len(w.clones))]; o != c {
			return o
		}
	}
}

func (w *history) pull(c *clone) { w.pullFrom(c, w.other(c), true) }

func (w *history) pullFrom(c, o *clone, mayMess bool) bool {
	w.Helper()
	before, theirs := w.head(c), w.head(o)
	said, err := w.git(c, "pull", "-q", "--no-rebase", "--no-edit", o.dir, "main")
	if !w.finish(c, "pull", said, err, nil, mayMess, []string{"commit", "-q", "--no-edit"}, []string{"merge", "--abort"}) {
		return false
	}
	if head := w.head(c); w.truth[head] == nil {
		w.truth[head] = w.truth[before].join(w.truth[theirs])
	}
	return true
}

func (w *history) rebase(c *clone) {
	o := w.other(c)
	theirs := w.head(o)
	said, err := w.git(c, "pull", "-q", "--rebase", o.dir, "main")
	if !w.finish(c, "rebase", said, err, nil, false, []string{"rebase", "--continue"}, []string{"rebase", "--abort"}) {
		return
	}
	w.pickAll(c, theirs)
}

// pickAll says what the commits since another one know, which git made again there.
func (w *history) pickAll(c *clone, since string) {
	w.Helper()
	for _, made := range slices.Backward(w.list(c, since+"..HEAD")) {
		if w.truth[made.id] != nil {
			continue
		}
		ch, ok := w.changes[made.key]
		if !ok {
			w.wrong(c, "unknown commit", made.key)
		}
		w.loosen(ch.add)
		w.truth[made.id] = w.truth[made.parents[0]].pick(ch)
	}
}

// squash is what hosts do with a branch, which then lives on.
func (w *history) squash(c *clone) {
	o := w.other(c)
	w.look(o, "before a squash") // of markers that were committed nothing would be left
	before, theirs := w.head(c), w.head(o)
	w.must(c, "fetch", "-q", o.dir, "main")
	said, err := w.git(c, "merge", "--squash", "FETCH_HEAD")
	add := w.truth[theirs].minus(w.truth[before])
	w.loosen(add)
	if !w.finish(c, "squash", said, err, add, false, nil, []string{"reset", "-q", "--hard"}) {
		return
	}
	w.n++
	subject := fmt.Sprintf("op %d", w.n)
	if said, err := w.git(c, "commit", "-qm", subject); err != nil {
		w.note("  %q", said)
		return
	}
	w.tell(c, w.list(c, "-1")[0], add)
}

func (w *history) cherryPick(c *clone) {
	o := w.other(c)
	w.must(c, "fetch", "-q", o.dir, "main")
	list := slices.DeleteFunc(w.list(c, "FETCH_HEAD"), func(m commit) bool {
		_, ok := w.changes[m.key]
		return !ok || len(m.parents) != 1 || w.isOdd(m)
	})
	if len(list) == 0 {
		return
	}
	m, before := list[w.rnd.IntN(len(list))], w.head(c)
	w.note("  %.12s %s", m.id, m.subject)
	said, err := w.git(c, "cherry-pick", m.id)
	if !w.finish(c, "cherry-pick", said, err, nil, false, []string{"cherry-pick", "--continue"}, []string{"cherry-pick", "--abort"}) {
		_, _ = w.git(c, "cherry-pick", "--quit")
		w.must(c, "reset", "-q", "--hard", before)
		return
	}
	if head := w.head(c); w.truth[head] == nil {
		w.loosen(w.changes[m.key].add)
		w.truth[head] = w.truth[before].pick(w.changes[m.key])
	}
}

// revert takes any commit back with git, also one that takes another back.
func (w *history) revert(c *clone) {
	list := slices.DeleteFunc(w.list(c), func(m commit) bool { return len(m.parents) == 0 || w.isOdd(m) })
	if len(list) == 0 {
		return
	}
	if w.rnd.IntN(2) == 0 {
		list = list[:min(len(list), 6)]
	}
	m, before := list[w.rnd.IntN(len(list))], w.head(c)
	add := w.truth[before].takeBack(w.truth[m.parents[0]], w.truth[m.id])
	args := []string{"revert", "--no-edit"}
	if len(m.parents) > 1 {
		if len(w.truth[m.id].minus(w.truth[m.parents[0]])) == 0 {
			return
		}
		args = append(args, "-m", "1")
	}
	w.note("  %.12s %s", m.id, m.subject)
	said, err := w.git(c, append(args, m.id)...)
	if !w.finish(c, "revert", said, err, nil, false, []string{"revert", "--continue"}, []string{"revert", "--abort"}) {
		if len(add) > 0 {
			w.counts["revert: nothing was done, though there was something"]++
		}
		_, _ = w.git(c, "revert", "--quit")
		w.must(c, "reset", "-q", "--hard", before)
		return
	}
	w.tell(c, w.list(c, "-1")[0], add)
}

// reset gives up the newest commits.
func (w *history) reset(c *clone) {
	list := w.list(c, "--first-parent", "-12")
	if len(list) < 2 {
		return
	}
	to := list[1+w.rnd.IntN(len(list)-1)].id
	if w.truth[to] == nil {
		return // before there was a memory
	}
	w.must(c, "reset", "-q", "--hard", to)
}

// stash puts what a person wrote by hand aside, does something else, and takes it again.
func (w *history) stash(c *clone) {
	w.look(c, "before a stash")
	before := w.head(c)
	w.learn(c)
	if w.head(c) == before {
		return
	}
	whole := w.known(c)
	add := whole.minus(w.truth[before])
	w.must(c, "reset", "-q", "--soft", before)
	w.must(c, "stash", "-q")
	switch w.rnd.IntN(4) {
	case 0:
		w.pull(c)
	case 1:
		w.reset(c)
	case 2:
		w.look(c, "while it is stashed")
		w.learn(c)
	default:
		w.revert(c)
	}
	add = w.known(c).pick(change{add: add, whole: whole}).minus(w.known(c))
	said, err := w.git(c, "stash", "pop")
	if !w.finish(c, "stash pop", said, err, add, false, []string{"stash", "drop", "-q"}, []string{"reset", "-q", "--hard"}) {
		_, _ = w.git(c, "stash", "drop", "-q")
		return
	}
	w.n++
	if err != nil || w.rnd.IntN(2) == 0 { // a person commits it, or mem does
		if at := w.truth[w.head(c)]; err != nil && at != nil { // mem has a part in a commit of its own
			add = at.pick(change{add: add, whole: whole}).minus(at)
		}
		w.must(c, "add", "-A")
		w.must(c, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("op %d", w.n))
		w.tell(c, w.list(c, "-1")[0], add)
		return
	}
	w.clock = w.clock.Add(time.Minute)
	err = w.settle(c, w.clock, add, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{}, m.LookAtJournal()
	})
	if err != nil {
		w.wrong(c, "take in: "+err.Error(), "")
	}
	w.must(c, "add", "-A") // a new file that git staged is the person's to commit
	_, _ = w.git(c, "commit", "-qm", "chore(memory): the rest")
	if id := w.head(c); w.truth[id] == nil {
		m := w.list(c, "-1")[0]
		w.truth[id], w.changes[m.key] = w.truth[m.parents[0]], change{}
	}
}

func (w *history) copyFolder(*clone) {
	if len(w.clones) < 6 {
		w.copyClone("k"+strconv.Itoa(len(w.clones)), false)
	}
}

// run does a history.
func (w *history) run() {
	type operation struct {
		weight int
		name   string
		do     func(*clone)
		isMem  bool
	}
	all := []operation{
		{80, "learn", w.learn, true}, {20, "set", w.set, true}, {10, "redistill", w.redistill, true}, {20, "undo", w.undo, true}, {7, "redo", w.redo, true},
		{40, "pull", w.pull, false}, {20, "rebase", w.rebase, false}, {10, "squash", w.squash, false}, {10, "cherry-pick", w.cherryPick, false},
		{30, "revert", w.revert, false}, {10, "reset", w.reset, false}, {7, "stash", w.stash, false}, {3, "copy", w.copyFolder, false},
	}
	if w.hasRules() {
		all = append(all, operation{150, "capture", w.capture, true}, operation{40, "decide", w.decide, true})
	}
	if w.hasSync() {
		w.must(w.clones[0], "init", "-q", "--bare", w.hub())
		all = append(all, operation{60, "sync", func(c *clone) { w.sync(c) }, false})
	}
	total := 0
	for _, op := range all {
		total += op.weight
	}
	for range w.steps {
		at := w.rnd.IntN(total)
		i := 0
		for ; at >= all[i].weight; i++ {
			at -= all[i].weight
		}
		op, c := all[i], w.clones[w.rnd.IntN(len(w.clones))]
		w.tick(c)
		if op.isMem {
			w.look(c, "before "+op.name)
		}
		w.note("%s %s at %.12s", filepath.Base(c.dir), op.name, w.head(c))
		c.since = append(c.since, op.name)
		op.do(c)
		w.counts["op "+op.name]++
		if w.rnd.IntN(2) == 0 {
			w.look(c, "after "+op.name)
		}
		if w.isOff {
			break
		}
	}
	w.exchange()
	w.counts["histories: "+w.mode()]++
	if w.badJournal > 0 {
		w.counts["histories with an inexact journal: "+w.mode()]++
	}
}

// exchange lets all learn from all. They must have the same bytes then.
func (w *history) exchange() {
	if w.hasSync() {
		w.exchangeBySync()
	}
	last := w.clones[len(w.clones)-1]
	for round := range 2 {
		for _, c := range w.clones {
			if w.hasSync() {
				break
			}
			for _, o := range w.clones {
				if o == c || round == 1 && o != last && c != last { // the last one has it all then
					continue
				}
				w.look(c, "exchange")
				w.tick(c)
				w.note("%s exchange %s", filepath.Base(c.dir), filepath.Base(o.dir))
				c.since = append(c.since, "exchange")
				if !w.pullFrom(c, o, true) {
					w.must(c, "fetch", "-q", o.dir, "main") // by hand, without looking
					_, _ = w.git(c, "merge", "-q", "--no-edit", "FETCH_HEAD")
					theirs, before := w.head(o), w.head(c)
					w.must(c, "add", "-A")
					w.must(c, "commit", "-qm", "messy")
					w.messy[w.head(c)] = true
					w.truth[w.head(c)] = w.truth[before].join(w.truth[theirs])
				}
				w.look(c, "exchange")
			}
		}
	}
	a := w.clones[0]
	for _, c := range w.clones[1:] {
		for _, path := range []string{repo.IndexPath, render.CorePath, render.LongTermPath} {
			if diff := cmp.Diff(w.read(a, path), w.read(c, path)); diff != "" {
				w.wrong(c, "not the same bytes: "+path, diff)
			}
		}
	}
	if w.hasRules() {
		w.checkRules()
	}
	for _, c := range w.clones {
		w.must(c, "fsck", "--strict", "--no-dangling")
		if out := w.must(c, "status", "--porcelain"); out != "" {
			w.wrong(c, "not clean", out)
		}
	}
	for _, c := range w.clones[1:] {
		x, y := w.readJournal(a), w.readJournal(c)
		if !maps.EqualFunc(x, y, bytes.Equal) {
			w.counts["journals not byte-identical: "+w.mode()]++
			break
		}
	}
}

func (w *history) readJournal(c *clone) map[string][]byte {
	files := map[string][]byte{}
	days, _ := filepath.Glob(filepath.Join(c.dir, "daily", "*.md"))
	for _, day := range days {
		files[filepath.Base(day)], _ = os.ReadFile(day)
	}
	return files
}
