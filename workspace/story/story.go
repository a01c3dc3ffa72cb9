// Package story tells all that is known of one lesson: why it is here, who said it,
// when sessions were shown it, and whether it still holds. It reads the record, the
// commits that name it, the receipts of what sessions were told, and the sessions that
// are still on this machine. Nothing is changed.
package story

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mem/curate/lesson"
	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/recall/shown"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/trace"
	"mem/workspace"
)

// A Story is what is known of a lesson beyond its record's own facts.
type Story struct {
	Why        string     `json:"why,omitzero"`
	Since      time.Time  `json:"since,omitzero"` // when it got its state
	Sightings  []sighting `json:"sightings"`
	Uncounted  int        `json:"otherSightings,omitzero"` // that only a line, or a number, is kept of
	Decisions  []decision `json:"commits"`
	MergedFrom []string   `json:"mergedFrom,omitzero"`
	Found      []string   `json:"foundIn,omitzero"` // paths in the code
	Checked    time.Time  `json:"checked,omitzero"` // when it was looked for there
	Shown      *Shown     `json:"shown,omitzero"`   // nil if no receipt names it
	Place      int        `json:"rank,omitzero"`    // among the active lessons of its memory
	Active     int        `json:"ranked,omitzero"`  // how many there are
	Told       string     `json:"told,omitzero"`    // why a session that starts now is shown it, or when

	item *index.Item
}

// A sighting is one reflection that brought the lesson.
type sighting struct {
	At      time.Time `json:"at"`
	Agent   string    `json:"agent,omitzero"`
	Session string    `json:"session,omitzero"`
	Model   string    `json:"model,omitzero"` // who put it into words
	Span    string    `json:"span,omitzero"`  // the events that it rests on
	Commit  string    `json:"commit,omitzero"`
	Words   []string  `json:"words,omitzero"`   // what they say, while the session is there
	Network bool      `json:"network,omitzero"` // some of it came over the network and is not repeated
}

// A decision is a commit that names the lesson.
type decision struct {
	Commit string    `json:"commit"`
	When   time.Time `json:"when"`
	By     string    `json:"by,omitzero"`
	What   string    `json:"what"`
	Reason string    `json:"reason,omitzero"`
}

// Shown says when sessions were shown the lesson.
type Shown struct {
	Times   int        `json:"times"`
	Last    time.Time  `json:"last"`
	Kind    shown.Kind `json:"kind"` // of the last time
	Agent   string     `json:"agent,omitzero"`
	Session string     `json:"session"`
}

// FindLesson returns the lesson with an id, or the only one whose id begins so.
func FindLesson(sources []notes.Source, id string) (search.Found, error) {
	l := search.ListAll(sources, search.Filter{Type: search.Lesson, Status: search.AnyStatus, ID: id}, 0)
	var all []string
	for _, f := range l.Found {
		all = append(all, f.ID)
	}
	match, several := lesson.MatchID(all, id)
	switch {
	case several:
		return search.Found{}, fmt.Errorf("%w as %q, with which several begin", lesson.ErrUnknown, id)
	case match == "":
		return search.Found{}, fmt.Errorf("%w as %q", lesson.ErrUnknown, id)
	}
	return l.Found[slices.Index(all, match)], nil
}

// Read reads the story of a lesson that was found in these memories. open reads a
// session.
func Read(w *workspace.Workspace, sources []notes.Source, found search.Found, open func(path string) (trace.Document, error)) (s Story, err error) {
	it := found.Item
	s = Story{Why: it.Why, Since: slices.MaxFunc([]time.Time{it.FirstSeen, it.StampOf("status")}, time.Time.Compare), MergedFrom: it.DerivedFrom, item: it}
	if it.Evidence != nil {
		s.Found, s.Checked = it.Evidence.Paths, it.Evidence.At
	}
	for i := range sources {
		src := &sources[i]
		if src.Memory == nil || src.Label() != found.Memory {
			continue
		}
		s.addPlace(src.Memory)
		s.addSightings()
		if err := s.addDecisions(src.Memory, w.RootOf(src.Label())); err != nil {
			return s, err
		}
		hidden, isHeld := new(withheld.Words), it.Text == withheld.HeldText
		if it.IsShown() || isHeld {
			hidden = withheld.WordsOf(src.Memory.Index)
		}
		if !isHeld {
			s.addWords(&library{w, open, map[string][]trace.Listing{}, map[string][]session.Event{}}, hidden)
		}
	}
	here, own := w.ListRoots()
	for _, root := range []*repo.Root{here, own} {
		if root != nil {
			s.addReceipts(shown.ParseReceipts(root.ReadReceipts("")))
		}
	}
	later := w.FindLater()
	if later[it.ID] && it.Status == index.Active {
		s.Told = "is shown it before its command or edit, or after its error (Claude Code, Codex)"
	}
	c, err := w.BundleContext(recall.Options{Later: later})
	for _, why := range c.Why {
		if why.ID == it.ID && why.Memory == found.Memory {
			s.Told = why.Why
			if why.Section != why.Why {
				s.Told = why.Section + ": " + why.Why
			}
		}
	}
	return s, err
}

// addPlace says where the lesson stands among the others.
func (s *Story) addPlace(m *repo.Memory) {
	ranked := m.Index.Rank(m.Now())
	s.Place = 1 + slices.IndexFunc(ranked, func(pos int) bool { return m.Index.Items[pos].ID == s.item.ID })
	if s.Place > 0 {
		s.Active = len(ranked)
	}
}

// addSightings lists what the record says of the reflections that brought it.
func (s *Story) addSightings() {
	for _, src := range s.item.Sources {
		agent := src.Trace[:max(0, strings.Index(src.Trace, ":"))]
		s.Sightings = append(s.Sightings, sighting{At: src.At, Agent: agent, Session: src.Session, Model: src.Model, Span: src.Span})
	}
	s.Uncounted = max(0, s.item.Hits-len(s.Sightings))
}

// addDecisions lists the commits that name the lesson, or what became part of it, the
// oldest first, and which of them brought each sighting.
func (s *Story) addDecisions(m *repo.Memory, root *repo.Root) error {
	commits, err := root.ListCommits()
	if err != nil {
		return err
	}
	s.addBirth(m, root, commits)
	hidden, ids := withheld.WordsOf(m.Index), append([]string{s.item.ID}, s.item.DerivedFrom...)
	for _, c := range slices.Backward(commits) {
		trailers := c.Trailers()
		if !slices.ContainsFunc(trailers["Mem-Item"], func(id string) bool { return slices.Contains(ids, id) }) {
			continue
		}
		d := decision{Commit: c.Hash.String(), When: c.When, By: c.Author.Name, What: hidden.CutSubject(c.Subject(), c.Message)}
		_, d.Reason, _ = strings.Cut(c.Message, "\nbecause ")
		d.Reason, _, _ = strings.Cut(d.Reason, "\n")
		if s.item.IsShown() || s.item.Text == withheld.HeldText {
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

// maxBirths bounds the commits that are searched for the one that brought a record.
const maxBirths = 64

// addBirth adds the first commit that holds the record, if none names it: an adopted
// memory comes in one that names no lesson.
func (s *Story) addBirth(m *repo.Memory, root *repo.Root, commits []repo.Revision) {
	commits = commits[max(0, len(commits)-maxBirths):]
	named := func(c repo.Revision) bool { return slices.Contains(c.Trailers()["Mem-Item"], s.item.ID) }
	if len(s.Sightings) > 0 || slices.ContainsFunc(commits, named) {
		return
	}
	for _, c := range slices.Backward(commits) {
		files, err := root.ListFilesOf(c)
		if err != nil {
			return // git can thin out a history
		}
		if data, err := root.ReadBlob(files[repo.IndexPath]); err != nil || !bytes.Contains(data, []byte(`"`+s.item.ID+`"`)) {
			continue
		}
		s.Decisions = append(s.Decisions, decision{Commit: c.Hash.String(), When: c.When, By: c.Author.Name, What: c.Subject()})
		return
	}
}

// addReceipts says when sessions were shown the lesson.
func (s *Story) addReceipts(list []shown.Receipt) {
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

// Write writes the facts of a lesson, and its story, below the line that names it.
func (s Story) Write(out io.Writer) {
	it := s.item
	say := func(name, format string, args ...any) {
		if text := guard.Line(fmt.Sprintf(format, args...)); text != "" {
			fmt.Fprintf(out, "  %s: %s\n", name, text)
		}
	}
	fmt.Fprintf(out, "  %s, seen %s, %s to %s\n", guard.Line(string(it.Kind)), render.Count(it.Hits, "time", "times"), formatMinute(it.FirstSeen), formatMinute(it.LastSeen))
	say("state", "%s since %s", cmp.Or(string(it.Status), "active"), formatMinute(s.Since))
	for _, fact := range [][2]string{
		{"confidence", it.Confidence}, {"severity", it.Severity}, {"origin", string(it.Origin)}, {"domain", it.Domain},
		{"tags", strings.Join(it.Tags, ", ")}, {"superseded by", it.SupersededBy}, {"why", s.Why}, {"merged from", strings.Join(s.MergedFrom, ", ")},
		{"applies at", describeLiterals(it.Cue)}, {"remedy", describeLiterals(it.Remedy)},
	} {
		say(fact[0], "%s", fact[1])
	}
	for i := range s.Sightings {
		s.Sightings[i].write(out, say)
	}
	if s.Uncounted > 0 {
		say("seen", "%s of which only the number is kept", render.Count(s.Uncounted, "time", "times"))
	}
	for _, d := range s.Decisions {
		because := ""
		if d.Reason != "" {
			because = ", because " + d.Reason
		}
		say("commit", "%.12s %s %s: %s%s", d.Commit, formatMinute(d.When), d.By, d.What, because)
	}
	s.writeUse(say)
}

// writeUse says whether sessions are shown the lesson, and whether it holds.
func (s Story) writeUse(say func(name, format string, args ...any)) {
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
	switch {
	case len(s.Found) > 0:
		say("found in the code", "%s, at %s", strings.Join(s.Found, ", "), formatMinute(s.Checked))
	case !s.Checked.IsZero():
		say("found in the code", "not at %s", formatMinute(s.Checked))
	}
}

// write writes a sighting and the words that it rests on.
func (s *sighting) write(out io.Writer, say func(name, format string, args ...any)) {
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

// describeLiterals is what a lesson is about, or what cures it.
func describeLiterals(l *index.Literals) string {
	if l == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc([]string{l.Tool, l.Command, l.Error, l.Path}, func(part string) bool { return part == "" }), " | ")
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
