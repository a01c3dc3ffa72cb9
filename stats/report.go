package stats

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/session"
)

// A Report is the evidence that lessons help, or do not.
type Report struct {
	Since    time.Time `json:"since,omitzero"`
	Sessions int       `json:"sessions"` // that were read
	Unread   int       `json:"unread"`   // that were not
	Lessons  int       `json:"lessons"`  // that name when they matter
	Others   int       `json:"others"`   // that do not

	Coverage  Rate `json:"coverage"`  // of the times that a lesson mattered in a session: it was told before
	Precision Rate `json:"precision"` // of those told ahead: it mattered later in the session
	Told      Rate `json:"told"`      // of those that mattered after they were told: the mistake was made
	NotTold   Rate `json:"notTold"`   // of those that mattered and were not told till then: the mistake was made
	Followed  Rate `json:"followed"`  // of those with a remedy that mattered after they were told: it was used

	NeverMattered []Entry `json:"neverMattered"` // in a session that was read
	NeverTold     []Entry `json:"neverTold"`     // but they mattered
	NeverFollowed []Entry `json:"neverFollowed"` // but they were told, mattered then, and have a remedy
}

// An Entry is a lesson in a list.
type Entry struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// A Count makes a Report of one session after the other.
type Count struct {
	report  Report
	lessons []lesson
	told    map[string][]recall.Receipt // by session
	ever    map[string]bool             // lessons that any session was told
	seen    map[string]*fate            // by lesson
	events  map[uint64]bool             // that were read: a session that goes on in another file, or is forked, is copied there
}

// A fate sums up a lesson in all sessions.
type fate struct{ unlisted, mattered, heeded, followed bool }

// NewCount begins a count from a time on. receipts include older ones: a session that ended later may
// have been shown lessons before since. What only a subagent was shown does not count for its session.
func NewCount(receipts []recall.Receipt, since time.Time) *Count {
	c := &Count{told: map[string][]recall.Receipt{}, ever: map[string]bool{}, seen: map[string]*fate{}, events: map[uint64]bool{}}
	c.report.Since = since
	for _, r := range receipts {
		if !r.Subagent {
			c.told[r.Session] = append(c.told[r.Session], r)
		}
		if r.At.Before(since) {
			continue
		}
		for _, id := range slices.Concat(r.Items, r.Global) {
			c.ever[id] = true
		}
	}
	return c
}

// AddLessons adds the lessons of an index that sessions are shown and that are not there
// yet, before any session. Unless isListed, none of them is in the lists.
func (c *Count) AddLessons(ix *index.Index, isListed bool) {
	for it := range ix.All() {
		if !it.IsShown() || c.seen[it.ID] != nil {
			continue
		}
		c.seen[it.ID] = &fate{unlisted: !isListed}
		if l, ok := newLesson(it); ok {
			c.lessons = append(c.lessons, l)
		} else {
			c.report.Others++
		}
	}
}

// HasReceipt reports whether mem knows what a session was shown.
func (c *Count) HasReceipt(session string) bool { return len(c.told[session]) > 0 }

// AddSession counts a session; nil is one that cannot be read, or is one too many.
func (c *Count) AddSession(s *session.Session) {
	if s == nil {
		c.report.Unread++
		return
	}
	c.report.Sessions++
	all := listMoments(s, c.events)
	for _, e := range s.Events { // all at once, as some of one line have one name
		c.events[keyOf(e)] = true
	}
	delete(c.events, 0)
	about, named, receipts := map[index.CueKey]bool{}, map[string]bool{}, c.told[s.ID]
	for _, r := range receipts {
		for _, id := range slices.Concat(r.Items, r.Global) {
			named[id] = true
		}
	}
	for _, m := range all {
		for _, key := range slices.Concat(m.does, m.ends) {
			about[key] = true
		}
	}
	for _, l := range c.lessons {
		if !named[l.item.ID] && !slices.ContainsFunc(l.cues, func(k index.CueKey) bool { return about[k] }) {
			continue // as nearly always, of many lessons
		}
		for _, o := range l.judge(s, all, receipts) {
			c.addOutcome(l, o)
		}
	}
}

func (c *Count) addOutcome(l lesson, o outcome) {
	r, f, wasTold := &c.report, c.seen[l.item.ID], o.Told != ""
	if wasTold && o.Told != recall.AtAction {
		r.Precision.add(o.Occasion)
	}
	if !o.Occasion {
		return
	}
	f.mattered = true
	if !o.Late {
		r.Coverage.add(wasTold)
	}
	if wasTold && (l.cure != "" || l.files != nil) {
		r.Followed.add(o.Followed)
		f.heeded, f.followed = true, f.followed || o.Followed
	}
	if l.mistake != nil {
		made := map[bool]*Rate{true: &r.Told, false: &r.NotTold}
		made[wasTold].add(o.Repeated)
	}
}

// A namedRate is one of a report, with its name for people.
type namedRate struct {
	*Rate
	Name string
	Bad  bool // fewer is better
}

// ListRates lists the rates of a report.
func (r *Report) ListRates() []namedRate {
	return []namedRate{
		{&r.Coverage, "A lesson mattered: the session had been shown it", false},
		{&r.Precision, "A session was shown a lesson ahead: it mattered later", false},
		{&r.Told, "The mistake was made after the lesson was shown", true},
		{&r.NotTold, "The mistake was made by sessions without it", true},
		{&r.Followed, "The remedy was used after the lesson was shown", false},
	}
}

// Finish returns the report.
func (c *Count) Finish() Report {
	r := c.report
	r.Lessons = len(c.lessons)
	for _, rate := range r.ListRates() {
		*rate.Rate = newRate(rate.Hits, rate.Of)
	}
	for _, l := range c.lessons {
		e, f := Entry{l.item.ID, l.item.ShownText()}, c.seen[l.item.ID]
		switch {
		case f.unlisted:
		case !f.mattered:
			r.NeverMattered = append(r.NeverMattered, e)
		case !c.ever[e.ID]:
			r.NeverTold = append(r.NeverTold, e)
		case f.heeded && !f.followed:
			r.NeverFollowed = append(r.NeverFollowed, e)
		}
	}
	return r
}

// A Rate is how many of some did something. Below five of them a share would say more
// than is known, so that there is none.
type Rate struct {
	Hits  int      `json:"hits"`
	Of    int      `json:"n"`
	Share *float64 `json:"share,omitzero"`
	Low   *float64 `json:"low,omitzero"` // of the interval that holds the true share, in 19 of 20 cases
	High  *float64 `json:"high,omitzero"`
}

// enough is from how many on there is a share.
const enough = 5

func newRate(hits, of int) Rate {
	r := Rate{Hits: hits, Of: of}
	if of < enough {
		return r
	}
	round := func(x float64) *float64 {
		x = math.Round(1000*x) / 1000
		return &x
	}
	low, high := findInterval(float64(hits)/float64(of), float64(of))
	r.Share, r.Low, r.High = round(float64(hits)/float64(of)), round(low), round(high)
	return r
}

// findInterval is the interval of Wilson of a share of n.
func findInterval(p, n float64) (low, high float64) {
	const z = 1.96
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (mid-half)/(1+z*z/n)), min(1, (mid+half)/(1+z*z/n))
}

func (r *Rate) add(hit bool) {
	r.Of++
	if hit {
		r.Hits++
	}
}

// String is a rate for people.
func (r Rate) String() string {
	text := fmt.Sprintf("%d of %d", r.Hits, r.Of)
	if r.Share == nil {
		return text
	}
	return text + fmt.Sprintf(" (%.0f%%; %.0f to %.0f)", 100**r.Share, 100**r.Low, 100**r.High)
}

// maxListed bounds the lessons of a list that a person is shown; the JSON has all.
const maxListed = 10

// Write writes a report for people.
func (r Report) Write(w io.Writer) {
	fmt.Fprintf(w, "sessions  %d read", r.Sessions)
	if !r.Since.IsZero() {
		fmt.Fprintf(w, " since %s", r.Since.Format(time.DateOnly))
	}
	if r.Unread > 0 {
		fmt.Fprintf(w, "; %d could not be, or were too many", r.Unread)
	}
	fmt.Fprintf(w, "\nlessons   %d name a command, an error or a file, by which mem sees when they matter;\n          %d do not, and are not counted below\n", r.Lessons, r.Others)
	fmt.Fprintf(w, "\nA lesson counts once a session. In brackets: the share, and its 95%% interval; none below %d.\n\n", enough)
	for _, rate := range r.ListRates() {
		fmt.Fprintf(w, "%-53s  %s\n", rate.Name, rate)
	}
	fmt.Fprintf(w, "Shown and not shown may differ by chance or in their tasks.\n")
	writeList(w, "never mattered in a session that was read", r.NeverMattered)
	writeList(w, "mattered, but was shown to no session", r.NeverTold)
	writeList(w, "shown and mattered, but the remedy was never used", r.NeverFollowed)
}

func writeList(w io.Writer, title string, list []Entry) {
	var lines []string
	for _, e := range list {
		lines = append(lines, e.ID+" "+e.Text)
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s: %d\n%s", title, len(lines), guard.ListSome("  ", lines, maxListed))
	}
}
