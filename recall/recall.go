// Package recall chooses what the next session reads.
//
// The data flows: the memories as they stand → rules, lessons, hand-written notes and the journal as entries, each once
// and in its highest section → as many whole ones as the budget holds, those worth most first → one fenced text that
// says what it is. With a task in sight, what fits it comes first; see rankLessons. The same texts are searched for a
// person (search.go), and looked up when an agent runs a command or edits a file (hint.go). What each session was shown
// is remembered (shown.go).
//
// No lesson is changed, and no model is asked. The same memories, options and time give the same bytes.
package recall

import (
	"cmp"
	"sort"
	"time"

	"mem/index"
	"mem/repo"
)

// Mode says how strongly a session is asked to mind the lessons.
type Mode string

// The modes.
const (
	Off      Mode = "off"      // the lessons alone
	Advisory Mode = "advisory" // with a word on what they are
	Strict   Mode = "strict"   // with a word that they are to be minded
)

// Options are about one context.
type Options struct {
	Budget int // tokens, of four bytes each
	Rules  int // tokens that the rules have besides these; without any they share the Budget
	Limit  int // of the lessons in each section
	Mode   Mode
	For    string // the task; "" if it is not known

	Project string // its name, whose words fit no lesson better than others; "" if it is not known

	Small bool // rules and lessons only, for a helper with a task of its own

	Core         bool            // all sections, not the few lessons that a start can tell
	Later        map[string]bool // ids of lessons that hooks show at their command or error: not before that, unasked
	Instructions []string        // the project's files of instructions, which a start does not repeat

	// Asked says that the caller wants what fits the task: lessons that do not fit are left out,
	// except pinned ones, and the text says so if none fits.
	Asked bool

	Known []string // ids of lessons that the session was shown: neither shown again nor counted
	Only  bool     // only lessons that fit the task; without one, nothing

	// Since has only lessons that were seen after it; zero for all.
	Since time.Time

	// Remind says in one line what waits for the person; nil for nothing. It is given the project's memory.
	Remind func(*repo.Memory) string

	Monthly bool // with the latest summary of a month
	Days    int  // of the journal

	// Here reports whether a folder that a memory names is of the project; nil for no folder.
	Here func(folder string) bool

	// Exists reports whether a path, relative to the project, is there. It is
	// called a bounded number of times; nil for no checks.
	Exists func(path string) bool
}

// A Context is what a session reads.
type Context struct {
	Text    string   `json:"text"`    // "" when there is nothing to say
	Items   []string `json:"items"`   // ids of the lessons, in the order shown
	LeftOut int      `json:"leftOut"` // active lessons, and other entries, that are not shown
	Tokens  int      `json:"tokens"`  // estimate of Text, in the unit of the budget

	Why     []Reason `json:"explain,omitzero"` // one for each entry, in the order shown
	Named   []string `json:"-"`                // ids of the lessons that a line of another one names
	Skipped []string `json:"-"`                // files that could not be read, and why
}

// A Reason says why something is in a context.
type Reason struct {
	ID      string `json:"id"` // of the lesson, or the file that it is from
	Section string `json:"section"`
	Memory  string `json:"memory"` // its label
	Text    string `json:"-"`      // its beginning
	Why     string `json:"why"`
	Verify  string `json:"verifyFirst,omitzero"` // why it should be checked first; "" if nothing speaks for that
}

// Tokens estimates the tokens of a text: a quarter of its bytes, rounded up.
// Bytes rather than characters, so that no script is underestimated.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// Bundle returns the text for a session, from the person's own memory and then the project's. Entries
// are never cut: those worth least are left out, and one so long that it would crowd out the others is
// left out first. The last line says how many were left out and how to find them.
func Bundle(sources []Source, opts Options) Context {
	b := &bundle{opts: opts, query: NewQuery(opts.For, opts.Project), sources: sources, said: map[string]bool{}}
	b.gather()
	b.gatherReminder()
	b.markOpposites()
	b.markDrift()
	kept, agreed := b.orderByWorth()
	if agreed > 0 {
		opts.Budget = Tokens(b.write(kept[:agreed])) + max(0, opts.Budget-Tokens(b.write(nil)))
	}
	// One more entry never makes the text shorter, but for the last one, which
	// takes the line on what is left out with it.
	n := len(kept)
	if n > agreed && Tokens(b.write(kept)) > opts.Budget {
		n = agreed + sort.Search(n-agreed, func(k int) bool { return Tokens(b.write(kept[:agreed+k+1])) > opts.Budget })
	}
	kept = kept[:n]
	c := Context{LeftOut: b.countLeft(kept), Skipped: b.skipped}
	if len(kept) == 0 && !b.none && b.waits == "" {
		return c
	}
	text := b.write(kept)
	if c.Tokens = Tokens(text); c.Tokens > opts.Budget {
		return Context{LeftOut: c.LeftOut, Skipped: c.Skipped}
	}
	c.Text = text
	for _, e := range inReadingOrder(kept) {
		if e.item != nil {
			c.Items, c.Named = append(c.Items, e.id), append(c.Named, e.named...)
		}
		c.Why = append(c.Why, e.explain())
	}
	return c
}

// countLeft counts the lessons and the other entries that are not among these.
func (b *bundle) countLeft(kept []*entry) int {
	named := map[string]bool{}
	for _, e := range kept {
		for _, id := range e.named {
			named[id] = true
		}
	}
	for _, e := range kept {
		delete(named, e.id)
	}
	return b.others + b.lessons - len(kept) - len(named)
}

type bundle struct {
	opts    Options
	query   *Query // nil without a task
	sources []Source

	entries []*entry
	said    map[string]bool // the lessons in it, and those that are known, without quotes
	lessons int             // active ones, the same one in both memories counted once
	others  int             // entries that are not lessons
	best    float64         // what the best lesson has of the task, shown or not
	most    float64         // the same, as Hit.Speaks says
	none    bool            // no lesson fits the task that is asked for
	waits   string          // for the person, in one line

	counts [journal + 1]int // lessons in each section

	instructed map[string]bool // the sentences of the instructions, see plainWords

	skipped []string
}

type section int

// The sections, in the order in which they are shown.
const (
	rules  section = iota
	pinned         // and those of high severity
	said           // by a person
	proven
	core
	memories
	fresh
	fitting
	journal
)

var sectionNames = [...]string{"rules", "pinned", "said", "proven", "core", "memories", "fresh", "fitting", "journal"}

// An entry is a lesson or another text that is shown whole or not at all.
type entry struct {
	section section
	source  *Source
	place   int // in its section and memory

	id   string // of a lesson; "" for anything else
	from string // the file, if it is not a lesson
	head string // a heading of its own, or ""
	text string // what it says: one line if it is a lesson

	item     *index.Item // of a lesson
	score    float64     // how well it fits the task
	why      string
	verify   string
	opposite string   // names the lesson that says the opposite, or ""
	named    []string // the older one of both, if this one stands for it
}

func (e *entry) explain() Reason {
	return Reason{
		ID: cmp.Or(e.id, e.from), Section: sectionNames[e.section], Memory: e.source.Label(), Text: cmp.Or(e.head, e.text), Why: e.why, Verify: e.verify,
	}
}

// FindNearest returns the positions of at most n active records that have something in common with a text, best first.
func FindNearest(ix *index.Index, text string, now time.Time, n int) (near []int) {
	if len(ix.Items) == 0 { // to read a long text takes longer than to rank
		return nil
	}
	for _, p := range rankLessons(ix, NewQuery(text, ""), now) {
		if p.Hit != nil && len(near) < n {
			near = append(near, p.Pos)
		}
	}
	return near
}
