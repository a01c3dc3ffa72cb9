package inspect

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/stats/page"
	"mem/trace"
)

// A story is a lesson with everything known about it: why it is here, who said it, when sessions were shown it,
// and whether it still holds. The sources are the record, the commits that name it, the receipts of what
// sessions were shown, and the sessions still on this machine.
type story struct {
	Result
	Why        string          `json:"why,omitzero"`
	Since      time.Time       `json:"since,omitzero"` // when it got its state
	Sightings  []page.Sighting `json:"sightings"`
	Uncounted  int             `json:"otherSightings,omitzero"` // sightings without a source of their own
	Decisions  []decision      `json:"commits"`
	MergedFrom []string        `json:"mergedFrom,omitzero"`
	Found      []string        `json:"foundIn,omitzero"` // paths in the code
	Checked    time.Time       `json:"checked,omitzero"` // when it was looked for there
	Shown      *Shown          `json:"shown,omitzero"`   // nil if no receipt names it
	Place      int             `json:"rank,omitzero"`    // among the active lessons of its memory
	Active     int             `json:"ranked,omitzero"`  // how many there are
	Told       string          `json:"told,omitzero"`    // why a session that starts now is shown it, or when
	Verify     string          `json:"verifyFirst,omitzero"`

	item  *index.Item
	in    *recall.Source
	whole bool // nothing of it is folded for people
}

// A decision is a commit that names the lesson.
type decision struct {
	Commit string    `json:"commit"`
	When   time.Time `json:"when"`
	By     string    `json:"by,omitzero"`
	What   string    `json:"what"`
	Reason string    `json:"reason,omitzero"`

	learns bool // of a session
}

// Shown says when sessions were shown the lesson.
type Shown struct {
	Times   int                `json:"times"`
	Last    time.Time          `json:"last"`
	Kind    recall.ReceiptKind `json:"kind"` // of the last time
	Agent   string             `json:"agent,omitzero"`
	Session string             `json:"session"`
}

// findLesson finds a lesson in all memories by its id, or by a prefix that only one id has. With q.brief it
// returns only what the record itself says.
func (q query) findLesson(*recall.Source) (Thing, error) {
	var ids []string
	var holders []*recall.Source
	for i := range slices.Backward(q.sources) {
		if m := q.sources[i].Memory; m != nil {
			for it := range m.Index.All() {
				ids, holders = append(ids, it.ID), append(holders, &q.sources[i])
			}
		}
	}
	match, several := curate.MatchID(ids, q.id)
	switch {
	case several:
		return nil, fmt.Errorf("%w as %q, with which several begin", curate.ErrNoLesson, q.id)
	case match == "":
		return nil, fmt.Errorf("%w as %q", curate.ErrNoLesson, q.id)
	}
	s := &story{in: holders[slices.Index(ids, match)], whole: q.whole}
	ix := s.in.Memory.Index
	s.item = &ix.Items[ix.ByID(match)]
	s.Result, s.Type, s.Memory = NewResult(s.item), recall.LessonType, s.in.Label()
	s.setScore(s.item.EffectiveScore(s.in.Memory.Now()))
	if q.brief {
		return s, nil
	}
	return s, s.read(q)
}

func (s *story) name() label { return label{s.Type, s.Memory, []string{s.ID}} }

// read reads what is known of a lesson beyond its record's own facts.
func (s *story) read(q query) error {
	w, it := q.w, s.item
	s.Why, s.Since, s.MergedFrom = it.Why, slices.MaxFunc([]time.Time{it.FirstSeen, it.StampOf("status")}, time.Time.Compare), it.DerivedFrom
	if it.Evidence != nil {
		s.Found, s.Checked = it.Evidence.Paths, it.Evidence.At
	}
	ix := s.in.Memory.Index
	ranked := ix.Rank(s.in.Memory.Now())
	if s.Place = 1 + slices.IndexFunc(ranked, func(pos int) bool { return ix.Items[pos].ID == it.ID }); s.Place > 0 {
		s.Active = len(ranked)
	}
	for _, src := range it.Sources {
		s.Sightings = append(s.Sightings, page.NewSighting(src))
	}
	s.Uncounted = max(0, it.Hits-len(s.Sightings))
	if err := s.addDecisions(s.in.Memory, w.RootOf(s.Memory)); err != nil {
		return err
	}
	hidden, isHeld := new(index.Withheld), it.Text == index.HeldText
	if it.IsShown() || isHeld {
		hidden = s.in.Memory.Withheld()
	}
	if !isHeld {
		s.addWords(q.readEvents, hidden)
	}
	here, own := w.ListRoots()
	for _, root := range []*repo.Root{here, own} {
		if root != nil {
			s.addReceipts(recall.ListReceipts(root, time.Time{}))
		}
	}
	later := w.FindLater()
	if later[it.ID] && it.Status == index.Active {
		s.Told = "is shown it before its command or edit, or after its error (Claude Code, Codex)"
	}
	c, err := w.BundleContext(recall.Options{Later: later})
	for _, why := range c.Why {
		if why.ID == it.ID && why.Memory == s.Memory {
			s.Told, s.Verify = why.Why, why.Verify
			if !strings.HasPrefix(why.Why, why.Section) {
				s.Told = why.Section + ": " + why.Why
			}
		}
	}
	return err
}

// addDecisions lists the commits that name the lesson, or one that was merged into it, oldest first, and links
// each sighting to its commit.
func (s *story) addDecisions(m *repo.Memory, root *repo.Root) error {
	commits, err := root.ListCommits()
	if err != nil {
		return err
	}
	hidden, ids := m.Withheld(), append([]string{s.item.ID}, s.item.DerivedFrom...)
	for _, c := range slices.Backward(commits) {
		trailers := c.Trailers()
		if !slices.ContainsFunc(trailers["Mem-Item"], func(id string) bool { return slices.Contains(ids, id) }) {
			continue
		}
		d := decision{Commit: c.Hash.String(), When: c.When, By: c.Author.Name, What: hidden.CutSubject(c.Subject(), c.Message)}
		d.learns = len(trailers["Mem-Reflection"]) > 0
		_, d.Reason, _ = strings.Cut(c.Message, "\nbecause ")
		d.Reason, _, _ = strings.Cut(d.Reason, "\n")
		if s.item.IsShown() || s.item.Text == index.HeldText {
			d.Reason = strings.TrimSpace(hidden.Drop(d.Reason))
			if hidden.Drop(d.What) != d.What { // it names a lesson that is not shown
				d.What, _, _ = strings.Cut(d.What, ":")
			}
		}
		s.Decisions = append(s.Decisions, d)
		for i, src := range s.item.Sources {
			if by := trailers["Mem-Reflection"]; len(by) > 0 && facts.SightingID(by[0]) == src.ID {
				s.Sightings[i].Commit = d.Commit
			}
		}
	}
	return nil
}

func (s *story) addReceipts(list []recall.Receipt) {
	for _, r := range list {
		if !slices.Contains(r.Items, s.item.ID) && !slices.Contains(r.Global, s.item.ID) {
			continue
		}
		s.Shown = cmp.Or(s.Shown, &Shown{})
		if s.Shown.Times++; !r.At.Before(s.Shown.Last) {
			s.Shown.Last, s.Shown.Kind, s.Shown.Agent, s.Shown.Session = r.At, r.Kind, r.Agent, guard.Line(r.Session)
		}
	}
}

// What is written of a lesson that was seen often, unless all of it is asked for.
const (
	mostEvents = 5  // sightings and commits of one that was not
	mostSeen   = 2  // the latest sightings
	shortID    = 13 // characters of a session's id
)

// Write writes the facts of a lesson, and its story, below the line that names it.
func (s *story) Write(out io.Writer) {
	it := s.item
	fmt.Fprintln(out, s.Line())
	say := func(name, format string, args ...any) {
		if text := guard.Line(fmt.Sprintf(format, args...)); text != "" {
			fmt.Fprintf(out, "  %s: %s\n", name, text)
		}
	}
	fmt.Fprintf(out, "  %s, seen %s, %s to %s\n", cmp.Or(kindNames[it.Kind], guard.Line(string(it.Kind))), render.Count(it.Hits, "time", "times"), formatMinute(it.FirstSeen), formatMinute(it.LastSeen))
	say("state", "%s since %s", cmp.Or(string(it.Status), "active"), formatMinute(s.Since))
	facts := [][2]string{
		{"confidence", it.Confidence}, {"severity", it.Severity}, {"origin", string(it.Origin)}, {"domain", it.Domain}, {"tags", strings.Join(it.Tags, ", ")},
		{"superseded by", it.SupersededBy}, {"why", s.Why}, {"merged from", strings.Join(s.MergedFrom, ", ")},
		{"applies at", it.Cue.String()}, {"remedy", it.Remedy.String()},
	}
	seen, decided, rest := s.Sightings, s.Decisions, "of which only the number is kept"
	if len(seen)+len(decided) > mostEvents && !s.whole {
		facts, seen, rest = facts[5:], slices.Clone(seen[max(0, len(seen)-mostSeen):]), "more; --all shows what is kept of them, and all else"
		for i, at := range seen { // in few words
			seen[i] = page.Sighting{At: at.At, Agent: at.Agent, Session: fmt.Sprintf("%.*s", shortID, at.Session), Commit: at.Commit, Words: at.Words[:min(1, len(at.Words))]}
		}
		decided = slices.DeleteFunc(slices.Clone(decided), func(d decision) bool { return d.learns })
		decided = decided[max(0, len(decided)-1):]
	}
	for _, fact := range facts {
		say(fact[0], "%s", fact[1])
	}
	for i := range seen {
		writeSighting(out, seen[i], say)
	}
	if n := it.Hits - len(seen); n > 0 {
		say("seen", "%s %s", render.Count(n, "time", "times"), rest)
	}
	for _, d := range decided {
		because := ""
		if d.Reason != "" {
			because = ", because " + d.Reason
		}
		say("commit", "%.12s %s %s: %s%s", d.Commit, formatMinute(d.When), d.By, d.What, because)
	}
	s.writeUse(say)
}

// writeUse says whether sessions are shown the lesson, and whether it holds.
func (s *story) writeUse(say func(name, format string, args ...any)) {
	if s.Shown == nil {
		say("shown", "never, as far as receipts go back")
	} else {
		who := strings.TrimSpace(s.Shown.Agent + " session " + s.Shown.Session)
		say("shown", "%s, last %s (%s) to %s", render.Count(s.Shown.Times, "time", "times"), formatMinute(s.Shown.Last), s.Shown.Kind, who)
	}
	if s.Place > 0 {
		say("rank", "%d of %d", s.Place, s.Active)
	}
	say("a session that starts now", "%s", cmp.Or(s.Told, "is not shown it"))
	say("verify first", "%s", s.Verify)
	switch {
	case len(s.Found) > 0:
		say("found in the code", "%s, at %s", strings.Join(s.Found, ", "), formatMinute(s.Checked))
	case !s.Checked.IsZero():
		say("found in the code", "not at %s", formatMinute(s.Checked))
	}
}

func writeSighting(out io.Writer, s page.Sighting, say func(name, format string, args ...any)) {
	parts := []string{formatMinute(s.At)}
	for _, fact := range [][2]string{{"agent", s.Agent}, {"session", s.Session}, {"events", s.Span}, {"worded by", s.Model}} {
		if fact[1] != "" {
			parts = append(parts, fact[0]+" "+fact[1])
		}
	}
	if s.Commit != "" {
		parts = append(parts, fmt.Sprintf("commit %.12s", s.Commit))
	}
	say("seen", "%s", strings.Join(parts, ", "))
	for _, words := range s.Words {
		fmt.Fprintf(out, "    > %s\n", guard.Line(words))
	}
	if s.Network {
		fmt.Fprintf(out, "    (what came from outside is not repeated here)\n")
	}
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Bounds of quotes.
const (
	maxQuoted = 5   // sessions that are read for one lesson
	maxWords  = 200 // characters of an event
)

// addWords quotes the events that each sighting rests on, which read finds by the session's identity.
func (s *story) addWords(read func(identity string) []session.Event, hidden *index.Withheld) {
	opened := map[string][]session.Event{}
	for i, src := range s.item.Sources {
		if src.Span == "" {
			continue
		}
		if _, done := opened[src.Trace]; !done && len(opened) < maxQuoted {
			opened[src.Trace] = read(src.Trace)
		}
		s.Sightings[i].Words, s.Sightings[i].Network = quoteSpan(opened[src.Trace], src.Span, hidden)
	}
}

// quoteSpan quotes the first and the last event of a span, if they may be shown. It omits content from outside,
// because an agent may read this.
func quoteSpan(events []session.Event, span string, hidden *index.Withheld) (words []string, network bool) {
	first, last, _ := strings.Cut(span, "..")
	for _, e := range events {
		switch {
		case e.ID != first && e.ID != last:
		case e.Origin == session.External:
			network = true
		default:
			if said := quoteEvent(e, hidden); said != "" {
				words = append(words, said)
			}
		}
	}
	return words, network
}

// readEvents returns the events of a session of this project, "claude:ID", as they may be shown;
// none if it is gone.
func (q query) readEvents(identity string) []session.Event {
	agent, id, _ := strings.Cut(identity, ":")
	filter := q.w.SessionFilter()
	filter.Agents = []string{agent}
	for _, file := range trace.ListSessions(trace.DefaultPlaces(q.w.Home(), q.w.Getenv), filter) {
		if id == "" || !strings.Contains(filepath.Base(file.Path), id) {
			continue
		}
		if doc, err := q.w.ReadSession(file.Path); err == nil && doc.Session != nil && reflect.Identity(doc.Session) == identity {
			return reflect.MarkOutside(doc.Session)
		}
	}
	return nil
}

// quoteEvent returns who said what: of a refusal the person's words. It is empty if
// nothing may be shown.
func quoteEvent(e session.Event, hidden *index.Withheld) string {
	who, text := e.Origin, e.Text+" "+e.Input
	if e.Reason != "" {
		who, text = session.Human, e.Reason
	}
	said, _ := guard.DropOrders(hidden.Drop(guard.Scrub(text)))
	if said = guard.Line(said); said == "" {
		return ""
	}
	return string(who) + ": " + render.Shorten(said, maxWords)
}
