package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mem/index"
)

// What a memory knows, by what was done and not by what any file says: the random histories are compared
// with it.

// A set holds the facts of a commit, by the names of their files, and the hand edits that no command of mem
// saw yet, by their words.
type set map[string]bool

// merge returns what becomes of two sets: what one side brought or took out since the base is so.
func merge(base, ours, theirs set) set {
	both := set{}
	for name := range ours {
		both[name] = theirs[name] || !base[name]
	}
	for name := range theirs {
		both[name] = ours[name] || !base[name]
	}
	maps.DeleteFunc(both, func(_ string, has bool) bool { return !has })
	return both
}

// A deed is what a fact says.
type deed struct {
	n          int64 // its place, and its id, as the name of its file and its head say
	id         string
	at         int64           // by the clock, in ms
	texts      []string        // that a reflection taught
	set        []setting       // of lessons
	undo, redo []string        // ids
	read       map[string]bool // reflections that stay read though git took them out
	notes      []string        // of a person, in the journal
	unnote     []string        // that git took out of it again
	was        string          // of an edit by hand, what the field was before
	purged     string          // id of a lesson
	inJournal  bool
}

// A setting is what a field of a lesson became.
type setting struct{ of, field, to string }

// A waiting setting is one of a lesson that was not there, at a time.
type waiting struct {
	setting
	at int64
}

// A learned lesson, as it must be seen.
type learned struct {
	ID, Text, Status, Why string
	Pinned                bool
	Hits                  int
	First, Last           int64

	was  []string // ids of words that it had, and of lessons that became part of it
	seen map[string]bool
	set  map[string]int64 // when a field was set
}

// A memory is what facts come to.
type memory struct {
	lessons []*learned
	waiting []waiting
	read    map[string]bool // reflections, by id
	journal map[string]bool // ids of its entries
	notes   map[string]bool
	purged  map[string]bool
}

// fold returns what deeds come to.
func fold(list []*deed) *memory {
	list = slices.SortedFunc(slices.Values(list), func(a, b *deed) int { return cmp.Or(cmp.Compare(a.n, b.n), strings.Compare(a.id, b.id)) })
	known := map[string]bool{}
	list = slices.DeleteFunc(list, func(d *deed) bool { again := known[d.id]; known[d.id] = true; return again })
	m := &memory{read: map[string]bool{}, journal: map[string]bool{}, notes: map[string]bool{}, purged: map[string]bool{}}
	said, counts := map[string]bool{}, map[string]bool{}
	for _, d := range slices.Backward(list) {
		was, isNamed := said[d.id]
		counts[d.id] = was || !isNamed
		for _, id := range d.undo {
			if counts[d.id] && !said[id] {
				said[id] = false
			}
		}
		for _, id := range d.redo {
			if _, isNamed := said[id]; counts[d.id] && !isNamed {
				said[id] = true
			}
		}
		if d.purged != "" {
			m.purged[d.purged] = true
		}
	}
	for _, d := range list {
		maps.Copy(m.read, d.read)
		if m.read[d.id] = m.read[d.id] || len(d.texts) > 0; counts[d.id] {
			m.add(d)
		}
	}
	return m
}

// add adds what a deed did.
func (m *memory) add(d *deed) {
	for _, text := range d.texts {
		m.hear(text, d)
	}
	for _, s := range d.set {
		m.decide(waiting{s, d.at}, false)
	}
	if d.inJournal {
		m.journal[d.id] = true
	}
	for _, note := range d.notes {
		m.notes[note] = true
	}
	for _, note := range d.unnote {
		delete(m.notes, note)
	}
}

// hear counts a lesson.
func (m *memory) hear(text string, d *deed) {
	id := index.BaseID(index.KeyOf(text))
	if m.purged[id] {
		return
	}
	at := slices.IndexFunc(m.lessons, func(l *learned) bool { return l.Text == text && l.Status == "" })
	if at < 0 {
		at = slices.IndexFunc(m.lessons, func(l *learned) bool { return l.Text == text })
	}
	if at < 0 {
		at = m.find(id)
	}
	if at < 0 {
		m.lessons = append(m.lessons, &learned{ID: id, Text: text, Hits: 1, First: d.at, Last: d.at, seen: map[string]bool{d.id: true}, set: map[string]int64{}})
		now := m.waiting
		m.waiting = nil
		for _, s := range now {
			m.decide(s, true)
		}
		return
	}
	if l := m.lessons[at]; !l.seen[d.id] {
		l.Hits, l.First, l.Last, l.seen[d.id] = l.Hits+1, min(l.First, d.at), max(l.Last, d.at), true
	}
}

// find returns where the lesson is that has an id, had words with it, or took it in.
func (m *memory) find(id string) int {
	at := slices.IndexFunc(m.lessons, func(l *learned) bool { return l.ID == id })
	if at < 0 {
		at = slices.IndexFunc(m.lessons, func(l *learned) bool { return slices.Contains(l.was, id) })
	}
	return at
}

// decide sets a field. What is decided of a lesson that is not there waits for it, and is late if something else was
// decided since.
func (m *memory) decide(s waiting, late bool) {
	at, into := m.find(s.of), 0
	if s.field == "into" {
		into = m.find(s.to)
	}
	if at < 0 || into < 0 {
		m.waiting = append(m.waiting, s)
		return
	}
	l := m.lessons[at]
	if late && l.set[s.field] > s.at {
		return
	}
	if s.field != "into" {
		l.set[s.field] = s.at
	}
	switch s.field {
	case "status":
		l.Status = s.to
	case "pinned":
		l.Pinned = s.to == "true"
	case "why":
		l.Why = s.to
	case "into":
		if into != at {
			m.join(into, at)
		}
		return
	case "text":
		l.was, l.Text = append(l.was, index.BaseID(index.KeyOf(l.Text))), s.to
	}
	for i, o := range m.lessons {
		if i != at && o.Text == l.Text && o.Status == "" && l.Status == "" {
			m.join(min(i, at), max(i, at))
			return
		}
	}
}

// join makes a lesson a part of another.
func (m *memory) join(into, from int) {
	l, o := m.lessons[into], m.lessons[from]
	if o.Last > l.Last {
		l.Text = o.Text
	}
	l.Hits, l.First, l.Last = l.Hits+o.Hits, min(l.First, o.First), max(l.Last, o.Last)
	l.was = append(append(l.was, o.was...), o.ID)
	l.Pinned, l.Why = l.Pinned || o.Pinned, cmp.Or(l.Why, o.Why)
	maps.Copy(l.seen, o.seen)
	m.lessons = slices.Delete(m.lessons, from, from+1)
}
