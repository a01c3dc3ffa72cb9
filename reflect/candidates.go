package reflect

import (
	"context"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/reflect/answer"
	"mem/reflect/candidate"
	"mem/reflect/record"
	"mem/repo"
	"mem/repo/private"
	"mem/session"
	"mem/trace"
	"mem/trace/jsonl"
)

// takeSightings takes out of an answer of code what one session alone does not prove.
func takeSightings(found *answer.Answer, g *Reading) []answer.Lesson {
	var once []trace.Lesson
	take := func(list []trace.Lesson, prefix func(string) string) []trace.Lesson {
		return slices.DeleteFunc(list, func(l trace.Lesson) bool {
			if l.Op == heuristic.Once {
				l.Text = prefix(l.Text)
				once = append(once, l)
			}
			return l.Op == heuristic.Once
		})
	}
	found.Fixes, found.Mistakes = take(found.Fixes, index.StripAvoid), take(found.Mistakes, index.AddAvoid)
	from := answer.Record{Events: record.JoinOutside(g.Events), Outside: g.Outside, ByCode: true}
	_, list, _ := answer.Bind(answer.Answer{Fixes: once}, len(once), from)
	return slices.DeleteFunc(list, func(l answer.Lesson) bool { return candidate.KeyOf(l.Cue) == "" })
}

// findSightings returns what the rules find in a reading and one session alone does not prove.
func findSightings(g *Reading) []answer.Lesson {
	raw, err := heuristic.Oracle{}.Ask(context.Background(), oracle.Request{Task: oracle.Reflect, Events: record.JoinOutside(g.Events)})
	found, ok := answer.Parse(raw)
	if err != nil || !ok {
		return nil
	}
	return takeSightings(&found, g)
}

// IsEmpty reports whether a reflection changes nothing in a memory.
func (p *Pending) IsEmpty() bool {
	return len(p.Fixes)+len(p.Mistakes)+len(p.Shown)+len(p.Needless) == 0
}

// NoteSightings notes in the private note of a root what one session alone does not prove, and takes from there what
// another session shows as well. It comes before the commit, so that a crash between them loses nothing: the session is
// read again. What cannot be noted is not counted. A dry run notes nothing; root may be nil then.
func (p *Pending) NoteSightings(root *repo.Root, dryRun bool) {
	if len(p.sightings)+len(p.unneeded) == 0 {
		return
	}
	if !dryRun {
		_ = root.AmendNote(private.NoteCandidates, p.addTo)
	} else if root == nil {
		p.addTo(nil)
	} else {
		note, _ := root.ReadNote(private.NoteCandidates)
		p.addTo(note)
	}
}

// addTo adds the sightings to a note.
func (p *Pending) addTo(note []byte) []byte {
	list := candidate.Read(note)
	p.Shown, p.Needless = nil, nil
	for _, key := range p.addSightings(list) {
		if c := list.Find(key); c.Sessions > 1 {
			p.Shown = append(p.Shown, *c)
		}
	}
	for _, id := range p.unneeded {
		p.Needless = append(p.Needless, list.AddNeedless(id, candidate.Session{Trace: p.Trace, At: p.At.UTC()}))
	}
	return list.Encode()
}

// addSightings adds the sightings to a list and returns the keys of the candidates.
func (p *Pending) addSightings(list *candidate.List) (keys []string) {
	for _, l := range p.sightings {
		key := candidate.KeyOf(l.Cue)
		list.Add(key, candidate.Sighting{
			Reflection: index.SightingID(p.ID), Trace: p.Trace, Session: p.Session, At: p.At.UTC().Truncate(time.Millisecond), Lesson: l,
		})
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// joinShown adds the lessons that two sessions show now. What is known of them comes again; what a person retired, purged
// or took back stays away; and what this reflection has in other words is no second lesson.
func (p *Pending) joinShown(ix *index.Index) {
	p.Fixes, p.Mistakes = slices.Clone(p.Fixes), slices.Clone(p.Mistakes)
	for _, c := range p.Shown {
		own, ok := c.In(p.Trace)
		it, twin := findAbout(ix, &c), p.findTwin(c.Key)
		l := c.Lesson()
		l.Span, l.Model = own.Span, oracle.Code
		switch {
		case !ok, it == nil && isGone(ix, &c):
			continue
		case it != nil:
			if findKnown(ix, it.ID) == nil {
				continue
			}
			p.Fixes = slices.DeleteFunc(p.Fixes, func(o answer.Lesson) bool { return o.Of == it.ID && o.Op == answer.Again })
			l.Op, l.Of = answer.Again, it.ID
		case twin != nil:
			twin.Before = c.Sources(p.Trace)
			continue
		default:
			l.Before = c.Sources(p.Trace)
		}
		p.Fixes = append(p.Fixes, l)
	}
}

// findTwin returns the lesson of a reflection that is about the same as a candidate; nil if there is none.
func (p *Pending) findTwin(key string) *answer.Lesson {
	for _, list := range [][]answer.Lesson{p.Fixes, p.Mistakes} {
		for i := range list {
			if l := &list[i]; !l.Held && candidate.KeyOf(l.Cue) == key {
				return l
			}
		}
	}
	return nil
}

// findAbout returns the record that a candidate became, or one about the same failure, the shown before others; nil
// if there is none.
func findAbout(ix *index.Index, c *candidate.Candidate) (found *index.Item) {
	for i := range ix.Items {
		it := &ix.Items[i]
		isSame := literals(it.Cue).Error != "" && candidate.KeyOf(literals(it.Cue)) == c.Key
		if (isSame || c.Says(it.Key)) && (found == nil || it.IsShown() && !found.IsShown()) {
			found = it
		}
	}
	return found
}

// isGone reports whether a candidate was a lesson that a person purged or took back.
func isGone(ix *index.Index, c *candidate.Candidate) bool {
	for _, s := range c.Seen {
		if ix.IsPurged(index.KeyOf(s.Text)) {
			return true
		}
	}
	for mark, n := range ix.Undone.Sightings {
		if n%2 == 0 && slices.ContainsFunc(c.Seen, func(s candidate.Sighting) bool { return mark.Record == index.BaseID(index.KeyOf(s.Text)) }) {
			return true
		}
	}
	return false
}

// renewWords gives a lesson of code that came again the words, the cure and the reason that most of its sessions have
// now; not where a person chose the words.
func (p *Pending) renewWords(m *repo.Memory) {
	for _, l := range p.Fixes {
		it := findShown(m.Index, l.Of)
		if l.Model == "" || it == nil || l.Held || it.Origin == index.OriginUser || !it.StampOf("text").IsZero() ||
			len(it.Sources) == 0 || it.Sources[0].Model != oracle.Code {
			continue
		}
		set := func(field string, isNew bool, f func()) {
			if isNew {
				f()
				it.SetStamp(field, it.NextStamp(m.Now()))
			}
		}
		set(index.Spelling, l.Text != it.Text, func() { it.SetText(l.Text) })
		set("cue", l.Cue.Command != literals(it.Cue).Command, func() { it.Cue = &l.Cue })
		set("remedy", l.Remedy.Command != literals(it.Remedy).Command, func() { it.Remedy = &l.Remedy })
		set("why", l.Why != "" && l.Why != it.Why, func() { it.Why = l.Why })
	}
}

// mostNeedless is how many sessions are shown a lesson needlessly before it waits for a person.
const mostNeedless = 3

// holdNeedless holds the lessons that were shown before a command which then worked without them, and returns them. What
// a person said or pinned is shown on, and what was shown before a person let it in again does not count.
func (p *Pending) holdNeedless(m *repo.Memory) (held []*index.Item) {
	for _, n := range p.Needless {
		it := findShown(m.Index, n.ID)
		if it == nil || it.Status != index.Active || it.Pinned || it.Origin == index.OriginUser {
			continue
		}
		var in []string
		for _, s := range n.Sessions {
			if s.At.After(it.StampOf("status")) {
				in = append(in, s.Trace)
			}
		}
		if len(in) < mostNeedless {
			continue
		}
		it.Change(m.Now(), func(it *index.Item) {
			it.Status = index.Quarantined
			it.Why = index.HeldFor("its command worked without it in "+strings.Join(in, ", "), it.Why)
		})
		held = append(held, it)
	}
	return held
}

// ListCandidates returns the candidates of a root that are no lesson, those of most sessions first.
func ListCandidates(root *repo.Root, ix *index.Index) (list []*candidate.Candidate) {
	note, _ := root.ReadNote(private.NoteCandidates)
	return slices.DeleteFunc(candidate.Read(note).Candidates(), func(c *candidate.Candidate) bool {
		return findAbout(ix, c) != nil || isGone(ix, c)
	})
}

// CountAgain makes the list of candidates anew from sessions that were read before, and changes nothing else.
func CountAgain(root *repo.Root, past func(yield func(*session.Session) bool), now time.Time) error {
	var all []*Pending
	for s := range past {
		if g, reason, err := ReadPast(nil, s, now); err == nil && reason == "" {
			all = append(all, &Pending{ID: g.ID, At: g.At, Trace: g.Trace, Session: g.Session, sightings: findSightings(g)})
		}
	}
	return root.AmendNote(private.NoteCandidates, func(note []byte) []byte {
		list := candidate.Read(note)
		for _, p := range all {
			p.addSightings(list)
		}
		return list.Encode()
	})
}

// confirm makes the lesson that a candidate is of one with which a model says that the session shows it, too. Its cited
// events say what it is worth, as for any other.
func confirm(l *trace.Lesson, c answer.Lesson) {
	if l.Op == answer.Again {
		l.Text, l.Mistake = c.Text, index.SaysAvoid(c.Text)
		l.Cue, l.Remedy = statedLiterals(c.Cue), statedLiterals(c.Remedy)
	}
	l.Op, l.Of = "", ""
}

func statedLiterals(l index.Literals) trace.Literals {
	return trace.Literals{Tool: jsonl.Text(l.Tool), Command: jsonl.Text(l.Command), Error: jsonl.Text(l.Error), Path: jsonl.Text(l.Path)}
}
