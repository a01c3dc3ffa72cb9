package main

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/workspace"
)

// TestHistories does at random, in two to six clones with clocks that lie, what people do with a memory and
// with git, and compares what mem then knows with a model that reads no file. At the end all learn from all,
// and have the same bytes.
//
// Seed N has drivers everywhere if N%3 is 0, nowhere, as on hosts, if it is 1, and by chance if it is 2. With
// an even one what git brought waits for 'mem trust'. MEM_HISTORIES is how many there are, or FROM-TO.
func TestHistories(t *testing.T) {
	from, to, steps, most := 0, 6, 12, 3
	if text := os.Getenv("MEM_HISTORIES"); text != "" {
		if a, b, ok := strings.Cut(text, "-"); ok {
			from, _ = strconv.Atoi(a)
			text = b
		}
		to, _ = strconv.Atoi(text)
		steps, most = 25, 5
	}
	stats := &statistics{counts: map[string]int{}}
	t.Cleanup(func() { stats.print(t) })
	for seed := from; seed < to; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			w := newHistory(t, seed, min(most, 2+seed%5))
			defer stats.add(w)
			w.run(steps)
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
	ctx     context.Context
	seed    int
	rnd     *rand.Rand
	folder  string
	clones  []*clone
	texts   []string       // that reflections teach
	truth   map[string]set // by commit
	commits map[string]commit
	deeds   map[string]*deed // by the names of facts
	clock   time.Time
	oracle  string          // a variable
	edits   int             // by hand
	back    map[string]bool // of those git took back
	counts  map[string]int
	log     []string
}

// A clone is one machine's copy.
type clone struct {
	dir         string
	skew        time.Duration
	driver      bool
	seen        string // the commit that mem saw last
	isSquashing bool
	open        string   // an edit by hand that is in no commit
	since       []string // what was done since mem looked
}

func newHistory(t *testing.T, seed, clones int) *history {
	folder := t.TempDir()
	w := &history{
		T: t, ctx: t.Context(), seed: seed, rnd: rand.New(rand.NewPCG(uint64(seed), 12)), folder: folder,
		truth: map[string]set{}, commits: map[string]commit{}, back: map[string]bool{}, deeds: map[string]*deed{}, clock: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), counts: map[string]int{}, oracle: "A=b",
	}
	for range 7 {
		w.texts = append(w.texts, w.say("Use"))
	}
	put(t, filepath.Join(folder, "home", ".gitconfig"), []byte("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada\n\temail = ada@example.com\n[advice]\n\tdetachedHead = false\n"))
	a := &clone{dir: filepath.Join(folder, "a"), driver: w.hasDriver()}
	w.clones = []*clone{a}
	w.reflect(a)
	for i := range clones - 1 {
		w.clone(string(rune('b' + i)))
	}
	return w
}

func (w *history) hasDriver() bool { return w.seed%3 == 0 || w.seed%3 == 2 && w.rnd.IntN(2) == 0 }
func (w *history) mode() string    { return []string{"drivers", "none", "mixed"}[w.seed%3] }

// say returns a text of 20 to 400 characters that nothing else says.
func (w *history) say(verb string) string {
	var b strings.Builder
	b.WriteString(verb)
	for end := 20 + w.rnd.IntN(1+w.rnd.IntN(370)); b.Len() < end; {
		b.WriteByte(' ')
		for range 2 + w.rnd.IntN(7) {
			b.WriteByte("abdeghiklmnoprstu"[w.rnd.IntN(17)])
		}
	}
	return b.String()
}

// wrong ends a history.
func (w *history) wrong(c *clone, what, diff string) {
	w.Helper()
	w.counts["WRONG "+w.mode()]++
	w.Fatalf("seed %d (%s), clone %s, since mem looked: %s\n%s\n%s\nthe last steps:\n%s", w.seed, w.mode(), filepath.Base(c.dir), c.since, what, diff,
		strings.Join(w.log[max(0, len(w.log)-40):], "\n"))
}

func (w *history) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// tick moves the clock on, and returns what it is on a clone.
func (w *history) tick(c *clone) time.Time {
	w.clock = w.clock.Add(time.Duration(1+w.rnd.IntN(20)) * time.Second)
	return w.clock.Add(c.skew)
}

func (w *history) environ(c *clone) []string {
	date := strconv.FormatInt(w.clock.Unix(), 10) + " +0000"
	return append(envtest.GitEnv(),
		"HOME="+filepath.Join(w.folder, "home"), "PATH="+os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "GIT_EDITOR=true", "MEM_ROOT="+c.dir, w.oracle, "MEM_HOOK_WORKER=false",
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+w.folder,
	)
}

// git runs git in a clone; it may fail.
func (w *history) git(c *clone, args ...string) (string, error) {
	if !c.driver { // as on hosts, and with other programs
		_ = os.WriteFile(filepath.Join(c.dir, ".git", "info", "attributes"), nil, 0o600)
		args = append([]string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict"}, args...)
	}
	cmd := exec.CommandContext(w.ctx, "git", args...)
	cmd.Dir, cmd.Env = c.dir, w.environ(c)
	out, err := cmd.CombinedOutput()
	envtest.StopIf(w, err != nil && cmd.ProcessState == nil, "%v", err)
	return strings.TrimSpace(string(out)), err
}

// must runs git, which must not fail.
func (w *history) must(c *clone, args ...string) string {
	w.Helper()
	out, err := w.git(c, args...)
	if err != nil {
		w.wrong(c, fmt.Sprintf("git %s: %v", args, err), out)
	}
	return out
}

// mem runs mem on a clone. What its commits do beside settling is given.
func (w *history) mem(c *clone, does []*deed, stdin string, args ...string) (code int, said string) {
	w.Helper()
	before, now := w.head(c), w.tick(c)
	for _, d := range does {
		d.at = now.UnixMilli()
	}
	code, said = w.command(c, now, stdin, args...)
	if !c.isUnderWay() || w.head(c) != before { // of a squash nothing may be left
		w.tellMade(c, before, does)
	}
	return code, said
}

// command runs mem on a clone, whatever comes of it.
func (w *history) command(c *clone, now time.Time, stdin string, args ...string) (code int, said string) {
	var out bytes.Buffer
	world := workspace.World{Environ: w.environ(c), Dir: w.folder, Clock: func() time.Time { return now }, Fault: new(disktest.Plan).Fault}
	code = run(w.ctx, Env{In: strings.NewReader(stdin), Out: &out, Err: &out, World: world}, args)
	w.note("  mem %s: %d", args, code)
	return code, out.String()
}

// head returns the commit that a clone has checked out.
func (w *history) head(c *clone) string {
	data, _ := os.ReadFile(filepath.Join(c.dir, ".git/refs/heads/main"))
	return strings.TrimSpace(string(data))
}

// A commit is one line of git's log.
type commit struct {
	id, subject, key string // key is its date and its message, which a rebase keeps
	parents          []string
}

// parent returns the first parent; "" for none.
func (m commit) parent() string { return append(m.parents, "")[0] }

// list returns the commits of a range, newest first.
func (w *history) list(c *clone, args ...string) (list []commit) {
	w.Helper()
	out := w.must(c, append([]string{"log", "--topo-order", "-z", "--format=%H%x09%P%x09%s%x09%at %B"}, args...)...)
	for text := range strings.SplitSeq(strings.TrimRight(out, "\x00\n"), "\x00") {
		if f := strings.SplitN(text, "\t", 4); len(f) == 4 {
			list = append(list, commit{f[0], f[2], strings.TrimSpace(f[3]), strings.Fields(f[1])})
		}
	}
	return list
}

// tellMade says what the commits know that mem made since one.
func (w *history) tellMade(c *clone, before string, does []*deed) {
	w.Helper()
	head := w.head(c)
	if head == "" {
		return
	}
	since := head // and not of a rebase that goes on
	if before != "" {
		since = before + ".." + head
	}
	for _, m := range slices.Backward(w.list(c, since)) {
		if w.truth[m.id] != nil { // of another clone
			continue
		}
		expected := merge(nil, w.truth[m.parent()], nil)
		if strings.HasPrefix(m.subject, "edit: ") && c.open != "" {
			expected[c.open], c.open = true, ""
		}
		if len(m.parents) > 1 {
			expected = merge(w.base(c, m.parents[0], m.parents[1]), w.truth[m.parents[0]], w.truth[m.parents[1]])
		}
		does = w.tell(c, m, expected, does)
	}
	if len(does) > 0 && head != before && len(does[0].texts)+len(does[0].set) > 0 {
		w.wrong(c, "no fact says it", fmt.Sprint(does[0]))
	}
	w.checkEdits(c)
	c.seen = head
}

// checkEdits looks whether there is a fact of each edit by hand that is new here.
func (w *history) checkEdits(c *clone) {
	known := w.truth[w.head(c)]
	for name := range known {
		edit := w.deeds[name]
		if edit == nil || edit.id != "hand" || w.truth[c.seen][name] {
			continue
		}
		if !w.isTaken(name, known) {
			w.wrong(c, "an edit by hand is lost", fmt.Sprint(*edit))
		}
	}
}

// isTaken reports whether a fact says what an edit by hand says.
func (w *history) isTaken(name string, known set) bool {
	edit := w.deeds[name]
	return slices.ContainsFunc(slices.Collect(maps.Keys(w.deeds)), func(o string) bool {
		d := w.deeds[o]
		return o != name && (known[o] || w.back[o]) && (len(edit.notes) > 0 && slices.Contains(d.notes, edit.notes[0]) || len(edit.set) > 0 && slices.Contains(d.set, edit.set[0]))
	})
}

var (
	headID  = lazy.New(`^\{ *"fact":"([^"]+)"`)
	itemsOf = lazy.New(`(?m)^Mem-Item: (m-[0-9a-f]+)$`)
	turned  = lazy.New(`(?m)^Mem-Undoes: ([0-9a-f]{40})$`)
)

// tell says what a new commit knows: what is expected, and what the facts say that are new with it.
func (w *history) tell(c *clone, m commit, expected set, does []*deed) []*deed {
	w.Helper()
	w.truth[m.id], w.commits[m.id] = expected, m
	actual := set{}
	for name := range strings.SplitSeq(w.must(c, "ls-tree", "-r", "--name-only", m.id, "core/log/"), "\n") {
		if name == "" {
			continue
		}
		if actual[name] = true; expected[name] {
			continue
		}
		data := w.must(c, "show", m.id+":"+name)
		id := headID.Get().FindStringSubmatch(data)[1]
		var d *deed
		switch {
		case strings.Contains(data, `"gone":true`):
			d = w.findGone(c, m)
		case strings.Contains(data, `"kind":"edit"`):
			d = w.findEdit(c, m, data)
		case len(does) > 0:
			d, does = does[0], does[1:]
			w.fill(d, m)
		case strings.HasPrefix(m.subject, "restore: "):
			d = w.findRestored(expected, data)
		}
		if d == nil {
			w.wrong(c, "a fact that nothing should make: "+m.subject, name+"\n"+data)
		}
		if d.id == "hand" {
			is := *d
			d = &is
		}
		d.n, _ = facts.OrderOf(name)
		d.at = stdcmp.Or(d.at, d.n)
		d.id, w.deeds[name], expected[name] = id, d, true
	}
	for name := range expected {
		if strings.HasPrefix(name, "core/log/") && !actual[name] {
			w.wrong(c, "a fact is lost: "+m.subject, name)
		}
	}
	return does
}

// fill says what an undo or a redo turned: with edits by hand what settled them.
func (w *history) fill(d *deed, m commit) {
	if strings.HasPrefix(m.subject, "rule(") {
		for _, id := range itemsOf.Get().FindAllStringSubmatch(m.key, -1) {
			d.set = append(d.set, setting{id[1], "status", "compiled"})
		}
	}
	said := turned.Get().FindStringSubmatch(m.key)
	if said == nil {
		return
	}
	last, was := said[1], w.truth[w.commits[said[1]].parent()]
	for id, o := range w.commits {
		if o.parent() == last && strings.HasPrefix(o.subject, "settle: ") && strings.HasPrefix(w.commits[last].subject, "edit: ") {
			last = id
		}
	}
	for name := range w.truth[last] {
		old := w.deeds[name]
		switch {
		case old == nil || was[name]:
		case strings.HasPrefix(m.subject, "undo: "):
			d.undo = append(d.undo, old.id)
		default:
			d.redo = append(d.redo, old.id)
		}
	}
}

// findEdit returns what the fact says that was made of edits by hand.
func (w *history) findEdit(c *clone, m commit, data string) *deed {
	d := &deed{}
	for name, is := range w.deeds {
		said := strings.Join(is.notes, "")
		if len(is.set) > 0 {
			said = is.set[0].to
		}
		if is.id == "hand" && strings.Contains(data, said) {
			d.set, d.notes = append(d.set, is.set...), append(d.notes, is.notes...)
			w.truth[m.id][name] = true
			continue
		}
		sum := sha256.Sum256([]byte("## Note " + strings.Join(is.notes, "")))
		switch { // git took it back
		case is.id != "hand" || !w.back[name]:
		case is.notes != nil && strings.Contains(data, fmt.Sprintf(`"entry":"t-%x"`, sum[:6])):
			d.unnote = append(d.unnote, is.notes...)
		case len(is.set) > 0 && strings.Contains(data, `"of":"`+is.set[0].of) && strings.Contains(data, `"why":`+strconv.Quote(is.was)):
			d.set = append(d.set, setting{is.set[0].of, "why", is.was})
		}
	}
	if d.notes == nil && d.set == nil && d.unnote == nil {
		return nil
	}
	return d
}

// findRestored returns what the fact says that shows lessons again of which two approved a rule, each with other ones;
// nil where only one did.
func (w *history) findRestored(known set, data string) *deed {
	d, approved := &deed{}, 0
	for name := range known {
		if o := w.deeds[name]; o != nil && slices.ContainsFunc(o.set, func(s setting) bool { return s.to == "compiled" }) {
			approved++
		}
	}
	for _, id := range restored.Get().FindAllStringSubmatch(data, -1) {
		d.set = append(d.set, setting{id[1], "status", ""})
	}
	if approved < 2 {
		return nil
	}
	w.counts["rules that two approved with other lessons"]++
	return d
}

var restored = lazy.New(`"of":"(m-[0-9a-f]+)","set":\{"status":""\}`)

// findGone returns what the fact says that settles what git took out of the log.
func (w *history) findGone(c *clone, m commit) *deed {
	d := &deed{read: map[string]bool{}}
	for name := range w.truth[c.seen] {
		if old := w.deeds[name]; !w.truth[m.parents[0]][name] && old != nil {
			maps.Copy(d.read, old.read)
			if len(old.texts) > 0 {
				d.read[old.id] = true
			}
		}
	}
	return d
}

// base returns what git merges two commits with.
func (w *history) base(c *clone, a, b string) set {
	out, _ := w.git(c, "merge-base", "--all", a, b)
	list := strings.Fields(out)
	if len(list) == 0 {
		return set{}
	}
	both := w.truth[list[0]]
	for _, o := range list[1:] {
		both = merge(w.base(c, list[0], o), both, w.truth[o])
	}
	return both
}

// known is what a clone's last commit knows.
func (w *history) known(c *clone) *memory {
	var list []*deed
	for name := range w.truth[w.head(c)] {
		if d := w.deeds[name]; d != nil && d.id != "hand" {
			list = append(list, &deed{})
			*list[len(list)-1] = *d
			list[len(list)-1].n, _ = facts.OrderOf(name)
		}
	}
	return fold(list)
}

// look lets mem look at what git did, and compares.
func (w *history) look(c *clone, how string) {
	w.Helper()
	for _, args := range [][]string{{"trust", "--yes"}, {"worker"}} {
		if code, said := w.mem(c, nil, "", args...); code != 0 {
			w.wrong(c, fmt.Sprint(how, ": ", args), said)
		}
	}
	w.check(c, how)
}

// check compares what a clone shows with the truth.
func (w *history) check(c *clone, how string) {
	w.Helper()
	w.counts["checks"]++
	c.since = append(c.since, how)
	ix := w.readIndex(c)
	var got, want []learned
	for _, it := range ix.Items {
		got = append(got, learned{ID: it.ID, Text: it.Text, Status: string(it.Status), Why: it.Why, Pinned: it.Pinned, Hits: it.Hits, First: it.FirstSeen.UnixMilli(), Last: it.LastSeen.UnixMilli()})
	}
	known := w.known(c)
	for _, l := range known.lessons {
		is := *l
		is.was, is.seen, is.set = nil, nil, nil
		want = append(want, is)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(learned{})); diff != "" {
		w.wrong(c, "index", "(-want +got)\n"+diff)
	}
	ranked := ix.Rank(ix.UpdatedAt)
	for path, want := range map[string][]byte{render.CorePath: render.Core(ix, ranked, 20), render.LongTermPath: render.LongTerm(ix, ranked)} {
		if diff := cmp.Diff(string(want), w.read(c, path)); diff != "" {
			w.wrong(c, "view "+path, "(-want +got)\n"+diff)
		}
	}
	entries, notes := map[string]bool{}, map[string]bool{}
	days, _ := filepath.Glob(filepath.Join(c.dir, "daily", "*.md"))
	for _, day := range days {
		data, _ := os.ReadFile(day)
		for _, m := range journalID.Get().FindAllSubmatch(data, -1) {
			entries[string(m[1])] = true
		}
		for _, m := range journalNote.Get().FindAllSubmatch(data, -1) {
			notes[string(m[1])] = true
		}
	}
	if diff := cmp.Diff(known.journal, entries) + cmp.Diff(known.notes, notes); diff != "" {
		w.wrong(c, "journal", "(-want +got)\n"+diff)
	}
	c.since = nil
}

var (
	journalID   = lazy.New(`<!-- mem:(r-[0-9a-z]+)`)
	proposalID  = lazy.New(`"id": *"(pattern-\d+)"`)
	journalNote = lazy.New(`(?m)^## Note (.*)$`)
)

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
	ix, _, err := index.Load([]byte(w.read(c, repo.IndexPath)), time.Time{})
	if err != nil {
		w.wrong(c, "load", err.Error())
	}
	return ix
}

// clone makes another clone of one, with git.
func (w *history) clone(name string) {
	w.Helper()
	from := w.clones[w.rnd.IntN(len(w.clones))]
	w.look(from, "before a copy")
	c := &clone{dir: filepath.Join(w.folder, name), driver: w.hasDriver()}
	w.must(from, "clone", "-q", from.dir, c.dir)
	w.must(c, "remote", "remove", "origin")
	c.skew = time.Duration([]int{0, 0, -300, 500, -5000}[w.rnd.IntN(5)]) * time.Second
	w.clones = append(w.clones, c)
	w.look(c, "a copy")
}

// reflect is a finished reflection.
func (w *history) reflect(c *clone) {
	w.Helper()
	id := fmt.Sprintf("r-%012x", w.rnd.Uint64()>>16)
	var texts []string
	for _, at := range w.rnd.Perm(len(w.texts))[:1+w.rnd.IntN(3)/2] {
		texts = append(texts, w.texts[at])
	}
	w.teach(c, &deed{id: id, texts: texts, inJournal: true})
}

func (w *history) teach(c *clone, d *deed) {
	w.Helper()
	quoted := make([]string, len(d.texts))
	for i, text := range d.texts {
		quoted[i] = strconv.Quote(text)
	}
	code, said := w.mem(c, []*deed{d}, fmt.Sprintf(`{"id":%q,"fixes":[%s]}`, d.id, strings.Join(quoted, ",")), "reflect", "-")
	if code != 0 {
		w.wrong(c, "reflect", said)
	}
	w.check(c, "reflect")
}

// set is mem retire, restore, pin and unpin.
func (w *history) set(c *clone) {
	known := w.known(c)
	if len(known.lessons) == 0 {
		return
	}
	l := known.lessons[w.rnd.IntN(len(known.lessons))]
	verb, s := "pin", setting{l.ID, "pinned", "true"}
	switch isPinned, isRetired := l.Pinned, l.Status != ""; {
	case isRetired:
		verb, s = "restore", setting{l.ID, "status", ""}
	case w.rnd.IntN(2) == 0:
		verb, s = "retire", setting{l.ID, "status", "retired"}
	case isPinned:
		verb, s = "unpin", setting{l.ID, "pinned", "false"}
	}
	if code, said := w.mem(c, []*deed{{set: []setting{s}}}, "", verb, l.ID); code != 0 {
		w.wrong(c, verb, said)
	}
	w.check(c, verb)
}

// edit is a change by hand of the index, of the journal or of a rule: committed, or left for the next command.
func (w *history) edit(c *clone) {
	w.look(c, "before an edit")
	name := w.write(c)
	if name == "" {
		return
	}
	if w.rnd.IntN(2) == 0 {
		before := w.head(c)
		w.must(c, "add", "-A")
		w.must(c, "commit", "-qm", "by hand")
		w.tell(c, w.list(c, "-1")[0], merge(nil, w.truth[before], set{name: true}), nil)
		return
	}
	c.open = name
	w.look(c, "after an edit")
}

// write edits a file by hand, and returns what names the edit.
func (w *history) write(c *clone) string {
	d := &deed{id: "hand"}
	var path, text string
	if known := w.known(c); w.rnd.IntN(3) == 0 || len(known.lessons) == 0 {
		day := w.clock.Add(c.skew).Format(time.DateOnly)
		note := w.say("Note")
		path = "daily/" + day + ".md"
		data, err := os.ReadFile(filepath.Join(c.dir, path))
		if err != nil {
			return "" // a new file is the person's to commit
		}
		text = string(data) + "\n## " + note + "\n"
		d.notes = []string{strings.TrimPrefix(note, "Note ")}
	} else {
		l := known.lessons[w.rnd.IntN(len(known.lessons))]
		for name, o := range w.deeds {
			if o.id == "hand" && len(o.set) > 0 && o.set[0].of == l.ID && !w.truth[w.head(c)][name] {
				return "" // of two who edit one member git may keep both, and then one counts
			}
		}
		d.set, d.was = []setting{{l.ID, "why", w.say("Since")}}, l.Why
		path, text = repo.IndexPath, w.read(c, repo.IndexPath)
		at := strings.Index(text, `"id": "`+l.ID)
		text = text[:at] + `"why": ` + strconv.Quote(d.set[0].to) + ", " + withoutWhy(text[at:])
	}
	w.edits++
	name := fmt.Sprint("edit ", w.edits)
	w.deeds[name] = d
	envtest.NoError(w, os.WriteFile(filepath.Join(c.dir, path), []byte(text), 0o600))
	w.note("  %s by hand in %s", name, path)
	return name
}

// withoutWhy takes the reason out of the first record of a text.
func withoutWhy(text string) string {
	end := strings.Index(text, "\n    }")
	return why.Get().ReplaceAllString(text[:end], "") + text[end:]
}

var why = lazy.New(`(?m)\n {6}"why": ".*",$|,\n {6}"why": ".*"$`)

// stash puts an edit by hand aside, does something else, and takes it again.
func (w *history) stash(c *clone) {
	w.look(c, "before a stash")
	name := w.write(c)
	if name == "" {
		return
	}
	w.must(c, "stash", "-q")
	[]func(*clone){w.pull, w.reset, w.reflect, w.revert}[w.rnd.IntN(4)](c)
	if w.rnd.IntN(2) == 0 {
		w.look(c, "while it is stashed")
	}
	before := w.head(c)
	if said, err := w.git(c, "stash", "pop"); err != nil {
		w.note("  stopped: %q", said)
		_, told := w.mem(c, nil, "", "worker")
		if left := w.must(c, "ls-files", "-u"); left != "" {
			w.wrong(c, "mem settled no conflict of a stash", told+left)
		}
		_, _ = w.git(c, "stash", "drop", "-q")
	}
	w.unmix(c, w.deeds[name])
	c.open = name
	if w.head(c) == before && w.rnd.IntN(2) == 0 { // a person commits it, or mem does
		w.mem(c, nil, "", "worker")
	}
	if before = w.head(c); c.open != "" { // also a new file that git staged
		w.must(c, "add", "-A")
		w.must(c, "commit", "-q", "--allow-empty", "-m", "by hand")
		w.tell(c, w.list(c, "-1")[0], merge(nil, w.truth[before], set{name: true}), nil)
		c.open = ""
	}
	w.look(c, "after a stash")
}

// unmix is a person who sees what git made of an edit that was stashed: it took an entry of the journal for another one,
// and mixed what they say, as docs/merge.md says; or a record has two reasons.
func (w *history) unmix(c *clone, d *deed) {
	text := w.read(c, repo.IndexPath)
	if len(d.set) > 0 {
		said := `"why": ` + strconv.Quote(d.set[0].to) + ", "
		if before, after, has := strings.Cut(text, said); has {
			put(w.T, filepath.Join(c.dir, repo.IndexPath), []byte(before+said+withoutWhy(after)))
		}
	}
	days, _ := filepath.Glob(filepath.Join(c.dir, "daily", "*.md"))
	for _, day := range days {
		name := "daily/" + filepath.Base(day)
		is, _ := os.ReadFile(day)
		was, err := w.git(c, "show", "HEAD:"+name)
		isMixed := slices.ContainsFunc(facts.ParseDay([]byte(was)), func(p facts.Part) bool {
			return slices.ContainsFunc(facts.ParseDay(is), func(o facts.Part) bool { return o.ID == p.ID && o.Text != p.Text })
		})
		if err == nil && isMixed && len(d.notes) > 0 {
			w.counts["days that a stash mixed"]++
			put(w.T, day, []byte(was+"\n\n## Note "+d.notes[0]+"\n"))
		}
	}
}

// redistill rewords a lesson, or makes one of two.
func (w *history) redistill(c *clone) {
	var list []*learned
	var items []map[string]string
	for _, l := range w.known(c).lessons {
		if l.Status == "" {
			list = append(list, l)
			items = append(items, map[string]string{"id": l.ID, "text": l.Text})
		}
	}
	if len(list) < 2 {
		return
	}
	a, b, text := w.rnd.IntN(len(list)-1), len(list)-1, w.say("Use")
	text = strings.TrimSpace(text[:min(len(text), 240)]) // a longer one is refused in place of a shorter one
	items[a]["text"] = text
	d := &deed{set: []setting{{list[a].ID, "text", text}}}
	if w.rnd.IntN(2) == 0 {
		items[b]["text"] = text
		d.set = []setting{{list[b].ID, "into", list[a].ID}, d.set[0]}
	}
	answer, err := json.Marshal(map[string]any{"items": items})
	argv, err2 := json.Marshal([]string{"answer", "print", string(answer)})
	err = errors.Join(err, err2)
	envtest.NoError(w, err)
	w.oracle = "MEM_ORACLE_COMMAND_ARGV=" + string(argv)
	code, said := w.mem(c, []*deed{d}, "", "redistill", "--yes")
	if w.oracle = "A=b"; code != 0 {
		w.wrong(c, "redistill", said)
	}
	w.check(c, "redistill")
}

// month is mem month.
func (w *history) month(c *clone) {
	if code, said := w.mem(c, []*deed{{}}, "", "month", "2026-02"); code != 0 {
		w.wrong(c, "month", said)
	}
	w.check(c, "month")
}

// hub returns the bare repository through which clones sync.
func (w *history) hub(c *clone) string {
	hub := filepath.Join(w.folder, "hub.git")
	if _, err := os.Stat(hub); err != nil {
		w.must(c, "init", "-q", "--bare", hub)
	}
	return hub
}

// sync is mem sync.
func (w *history) sync(c *clone) {
	if code, said := w.mem(c, nil, "", "sync", "--remote", w.hub(c), "--own", "--whole"); code != 0 {
		w.wrong(c, "sync", said)
	}
	w.look(c, "sync")
}

// learn is mem learn, of lessons that are a pattern together, and review agrees to it or turns it down.
func (w *history) learn(c *clone) {
	d := &deed{texts: []string{w.say("Use")}}
	if d.texts[0] = d.texts[0][:min(len(d.texts[0]), 150)]; strings.HasSuffix(d.texts[0], " ") { // longer ones are cut
		d.texts[0] += "x"
	}
	if code, said := w.mem(c, []*deed{d}, "", "learn", "--domain", "coding", "--tags", "kind,one", d.texts[0]); code != 0 {
		w.wrong(c, "learn", said)
	}
	w.check(c, "learn")
}

func (w *history) review(c *clone) {
	_, said := w.mem(c, []*deed{{}}, "", "review", "--list", "--json")
	id := proposalID.Get().FindStringSubmatch(said)
	if id == nil {
		w.learn(c)
		return
	}
	code, said := w.mem(c, []*deed{{}}, "", "review", []string{"approve", "approve", "reject"}[w.rnd.IntN(3)], id[1])
	if w.counts["decisions about rules"]++; code != 0 {
		w.note("  %s", said)
	}
	w.check(c, "review")
}

// other returns another clone.
func (w *history) other(c *clone) *clone {
	for {
		if o := w.clones[w.rnd.IntN(len(w.clones))]; o != c {
			return o
		}
	}
}

// isUnderWay reports whether git stopped.
func (c *clone) isUnderWay() bool {
	return c.isSquashing || slices.ContainsFunc([]string{"MERGE_HEAD", "REVERT_HEAD", "CHERRY_PICK_HEAD", "rebase-merge"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(c.dir, ".git", name))
		return err == nil
	})
}

// finish ends an operation at which git stopped: mem settles what it can, and a person goes on. Where nothing is left to
// commit the person skips it.
func (w *history) finish(c *clone, said string, err error, op string) {
	w.Helper()
	for range 60 {
		if err == nil || !c.isUnderWay() {
			return // or nothing was left to do
		}
		w.note("  stopped: %q", said)
		if strings.Contains(said, "would be overwritten") || strings.Contains(said, "unstaged changes") {
			w.wrong(c, "git refuses", said)
		}
		unmerged := w.must(c, "diff", "--name-only", "--diff-filter=U")
		for name := range strings.FieldsSeq(unmerged) { // no driver is asked where one side took a file out
			if w.seed%4 == 3 && isText(name) { // the person keeps one side
				if _, err := w.git(c, "checkout", "--ours", "--", name); err != nil {
					_, _ = w.git(c, "rm", "-q", "--cached", "--", name)
				}
				w.must(c, "add", "-A", "--", name)
				w.counts["texts that two people changed"]++
			} else if strings.HasPrefix(name, facts.Folder) && strings.Contains(said, "(rename/delete): ") { // where the spaces of two facts with one long text are as many, which one in 64 are
				w.counts["facts that git takes for one renamed"]++
			} else if name != repo.IndexPath && !repo.IsView(name) || c.driver && !strings.Contains(said, "(modify/delete): "+name) && (name != repo.IndexPath || w.edits == 0) {
				w.wrong(c, "a conflict in "+name, said)
			}
		}
		goOn := []string{op, "--continue"}
		if op == "pull" {
			goOn = []string{"commit", "-q", "--no-edit"}
		}
		if unmerged == "" {
			goOn = []string{op, "--skip"}
		} else {
			w.counts[op+": stopped, "+w.mode()]++
			code, told := w.mem(c, nil, "", "worker")
			if left := w.must(c, "ls-files", "-u"); left != "" {
				w.wrong(c, fmt.Sprintf("mem settled no conflict: %d", code), told+left)
			}
		}
		said, err = w.git(c, goOn...)
	}
	w.wrong(c, "it does not end", said)
}

func isText(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	return name == "CHANGELOG.md" || slices.Contains([]string{"rules", "learnings", "patterns"}, folder)
}

func (w *history) pull(c *clone) { w.pullFrom(c, w.other(c)) }

func (w *history) pullFrom(c, o *clone) {
	w.Helper()
	ours, theirs := w.head(c), w.head(o)
	said, err := w.git(c, "pull", "-q", "--no-rebase", "--no-edit", o.dir, "main")
	w.finish(c, said, err, "pull")
	if m := w.list(c, "-1")[0]; w.truth[m.id] == nil {
		w.tell(c, m, merge(w.base(c, ours, theirs), w.truth[ours], w.truth[theirs]), nil)
	}
}

// apply lets git make the difference between two sets here, in a commit of its own.
func (w *history) apply(c *clone, base, theirs set, args ...string) {
	w.Helper()
	before := w.head(c)
	expected := merge(base, w.truth[before], theirs)
	for name := range base {
		w.back[name] = w.back[name] || !theirs[name]
	}
	said, err := w.git(c, args...)
	w.finish(c, said, err, args[0])
	m := w.list(c, "-1")[0]
	switch {
	case m.id != before:
		w.tell(c, m, expected, nil)
	case slices.ContainsFunc(slices.Collect(maps.Keys(expected)), func(name string) bool { return w.deeds[name].id != "hand" && !w.truth[before][name] }):
		w.wrong(c, "nothing was done, though there was something", said)
	}
}

// rebase is git pull --rebase.
func (w *history) rebase(c *clone) {
	o := w.other(c)
	w.must(c, "fetch", "-q", o.dir, "main")
	ours := w.list(c, "--no-merges", "FETCH_HEAD..HEAD")
	said, err := w.git(c, "pull", "-q", "--rebase", o.dir, "main")
	w.finish(c, said, err, "rebase")
	for _, m := range slices.Backward(w.list(c, w.head(o)+"..HEAD")) {
		if w.truth[m.id] != nil {
			continue
		}
		for ; len(ours) > 0 && ours[len(ours)-1].key != m.key; ours = ours[:len(ours)-1] { // others have it
		}
		if len(ours) == 0 {
			w.wrong(c, "a commit of no one", m.key)
		}
		was := ours[len(ours)-1]
		ours = ours[:len(ours)-1]
		w.tell(c, m, merge(w.truth[was.parent()], w.truth[m.parent()], w.truth[was.id]), nil)
	}
}

// squash is what hosts do with a branch, which then lives on.
func (w *history) squash(c *clone) {
	o := w.other(c)
	w.must(c, "fetch", "-q", o.dir, "main")
	ours, theirs := w.head(c), w.head(o)
	base := w.base(c, ours, theirs)
	for name := range w.truth[theirs] {
		if d := w.deeds[name]; c.driver && d != nil && d.id == "hand" && !base[name] && !w.isTaken(name, w.truth[theirs]) {
			return // that may be lost beside new facts, as docs/merge.md says
		}
	}
	expected := merge(base, w.truth[ours], w.truth[theirs])
	said, err := w.git(c, "merge", "--squash", "FETCH_HEAD")
	if err != nil { // a person goes on with the commit
		w.note("  stopped: %q", said)
		c.isSquashing = true
		_, _ = w.mem(c, nil, "", "worker")
		c.isSquashing = false
	}
	if said, err = w.git(c, "commit", "-qm", "squashed"); err != nil {
		if !maps.Equal(expected, w.truth[ours]) {
			w.wrong(c, "nothing was squashed", said)
		}
		return
	}
	if maps.Equal(expected, w.truth[ours]) { // git merged texts that say nothing new, and may have mixed lines of the journal
		w.must(c, "reset", "-q", "--hard", "HEAD~1")
		return
	}
	w.tell(c, w.list(c, "-1")[0], expected, nil)
}

func (w *history) cherryPick(c *clone) {
	o := w.other(c)
	w.must(c, "fetch", "-q", o.dir, "main")
	list := w.list(c, "--no-merges", "FETCH_HEAD")
	m := list[w.rnd.IntN(len(list))]
	if len(m.parents) == 0 {
		return
	}
	w.note("  %.12s %s", m.id, m.subject)
	w.apply(c, w.truth[m.parent()], w.truth[m.id], "cherry-pick", m.id)
}

// revert takes any commit back with git, also a merge, the first one, and one that takes another back.
func (w *history) revert(c *clone) {
	list := w.list(c)
	if w.rnd.IntN(2) == 0 {
		list = list[:min(len(list), 6)]
	}
	m := list[w.rnd.IntN(len(list))]
	args := []string{"revert", "--no-edit", m.id}
	if len(m.parents) > 1 {
		args = append(args, "-m", "1")
	}
	if strings.HasPrefix(m.subject, "settle: ") && len(m.parents) > 0 && maps.Equal(w.truth[m.id], w.truth[m.parent()]) {
		return // which would take entries out of the journal, and nothing else
	}
	w.note("  %.12s %s", m.id, m.subject)
	w.apply(c, w.truth[m.id], w.truth[m.parent()], args...)
}

// reset gives up the newest commits.
func (w *history) reset(c *clone) {
	list := w.list(c, "--first-parent", "-12")
	w.must(c, "reset", "-q", "--hard", list[w.rnd.IntN(len(list))].id)
}

// undo is mem undo of any commit or of the newest, and redo brings back.
func (w *history) undo(c *clone) { w.takeBack(c, "undo") }
func (w *history) redo(c *clone) { w.takeBack(c, "redo") }

func (w *history) takeBack(c *clone, verb string) {
	args := []string{verb}
	list := w.list(c)
	if m := list[w.rnd.IntN(len(list))]; w.rnd.IntN(3) > 0 {
		args = append(args, m.id)
		w.note("  %.12s %s", m.id, m.subject)
	}
	before := w.head(c)
	code, said := w.mem(c, []*deed{{}}, "", args...)
	if w.head(c) == before {
		w.counts[verb+" refused"]++
		if code == 0 {
			w.wrong(c, "nothing undone", said)
		}
		w.note("  %s", said)
		return
	}
	w.check(c, verb)
}

// run does a history.
func (w *history) run(steps int) {
	type operation struct {
		weight int
		name   string
		do     func(*clone)
		isMem  bool
	}
	all := []operation{
		{80, "reflect", w.reflect, true}, {20, "set", w.set, true}, {20, "undo", w.undo, true}, {7, "redo", w.redo, true}, {20, "edit", w.edit, true}, {10, "stash", w.stash, true},
		{10, "redistill", w.redistill, true}, {5, "month", w.month, true}, {15, "sync", w.sync, true},
		{40, "pull", w.pull, false}, {20, "rebase", w.rebase, false}, {10, "squash", w.squash, false}, {10, "cherry-pick", w.cherryPick, false},
		{30, "revert", w.revert, false}, {10, "reset", w.reset, false},
	}
	if w.seed%4 == 3 {
		all = append(all, operation{80, "learn", w.learn, true}, operation{40, "review", w.review, true})
	}
	total := 0
	for _, op := range all {
		total += op.weight
	}
	for range steps {
		at, i := w.rnd.IntN(total), 0
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
	}
	w.exchange()
	if w.seed%3 < 2 {
		w.purge()
	}
	w.counts["histories: "+w.mode()]++
}

// exchange lets all learn from all. They must have the same bytes then.
func (w *history) exchange() {
	last := w.clones[len(w.clones)-1]
	for _, c := range w.clones {
		w.look(c, "before the exchange")
	}
	for range 2 { // in the second what is told of facts that are gone
		for _, c := range w.clones[:len(w.clones)-1] { // the last one has it all then
			w.note("%s exchange", filepath.Base(c.dir))
			w.pullFrom(last, c)
			w.look(last, "exchange")
		}
		for _, c := range w.clones[:len(w.clones)-1] {
			w.note("%s exchange", filepath.Base(c.dir))
			w.pullFrom(c, last)
			w.look(c, "exchange")
		}
	}
	want := w.must(last, "ls-tree", "-r", "HEAD")
	for _, c := range w.clones {
		if diff := cmp.Diff(want, w.must(c, "ls-tree", "-r", "HEAD")); diff != "" {
			w.wrong(c, "not the same bytes as the last", diff)
		}
		w.must(c, "fsck", "--strict", "--no-dangling")
		if out := w.must(c, "status", "--porcelain"); out != "" {
			w.wrong(c, "not clean", out)
		}
	}
}

// purge takes a lesson out of one clone, for good, and mem sync tells the others, which learned something meanwhile. The
// words are nowhere then, and all else is as it was.
func (w *history) purge() {
	c := w.clones[w.rnd.IntN(len(w.clones))]
	hub := w.hub(c)
	do := func(c *clone, stdin string, args ...string) {
		w.Helper()
		if code, said := w.command(c, w.tick(c), stdin, args...); code != 0 {
			w.wrong(c, fmt.Sprint(args), said)
		}
	}
	syncAll := func() {
		w.Helper()
		for _, o := range slices.Concat(w.clones, w.clones) { // what the last one has reaches the first
			do(o, "", "sync", "--remote", hub, "--own", "--whole")
		}
	}
	syncAll()
	items := w.readIndex(c).Items
	if len(items) == 0 {
		return
	}
	gone := items[w.rnd.IntN(len(items))]
	want := []string{"Use it after a purge"}
	for _, it := range items {
		if it.ID != gone.ID {
			want = append(want, it.Text)
		}
	}
	w.note("%s purge %s", filepath.Base(c.dir), gone.Text)
	do(c, "", "purge", "--item", gone.ID, "--push", "--yes")
	do(w.other(c), "{\"id\":\"r-purge\",\"fixes\":[\"Use it after a purge\"]}", "reflect", "-")
	syncAll()
	for _, o := range w.clones {
		var got []string
		for _, it := range w.readIndex(o).Items {
			got = append(got, it.Text)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))); diff != "" {
			w.wrong(o, "after a purge", "(-want +got)\n"+diff)
		}
		if objects := w.must(o, "cat-file", "--batch-all-objects", "--batch"); strings.Contains(objects, gone.Text) {
			w.wrong(o, "an object still has what was purged", gone.Text)
		}
		w.must(o, "fsck", "--strict", "--no-dangling")
		if diff := cmp.Diff(w.read(c, repo.IndexPath), w.read(o, repo.IndexPath)); diff != "" {
			w.wrong(o, "not the same bytes as where it was purged", diff)
		}
	}
	w.counts["purges"]++
}
