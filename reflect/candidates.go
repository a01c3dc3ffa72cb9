package reflect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/repo"
	"mem/trace"
)

// mostFound bounds what rules find; what is kept of it has limits of its own.
const mostFound = 64

// findByRules returns what rules look at in a reading, the lessons that they find there, and apart from them what one session
// alone does not prove.
func findByRules(g *Reading) (in evidence, found, sightings []index.Lesson) {
	in = evidence{Events: slices.Clone(g.Events), Outside: g.Outside, ByCode: true}
	for i := range in.Events { // they learn from how one command failed and another did not, and repeat no advice
		in.Events[i].Text, in.Events[i].Outside = in.Events[i].Text+in.Events[i].Outside, ""
	}
	var once []index.Lesson
	for _, l := range heuristic.Lessons(in.Events, g.Dir, mostFound) {
		if l.Op == heuristic.Once {
			once = append(once, l)
		} else {
			found = append(found, l)
		}
	}
	_, sightings, _ = bind(trace.Stated{Fixes: once}, len(once), in)
	return in, found, slices.DeleteFunc(sightings, func(l index.Lesson) bool { return heuristic.Signature(l.Cue) == "" })
}

// IsEmpty reports whether a reflection changes nothing in a memory.
func (p *Pending) IsEmpty() bool {
	return len(p.Fixes)+len(p.Mistakes)+len(p.Shown)+len(p.Sightings)+len(p.Unneeded) == 0
}

func readCandidates(m *repo.Memory) (map[string]Candidate, error) {
	known, err := repo.FoldLog(m, repo.NoteShown, haveKeys, addFact)
	boundCandidates(known)
	return known, err
}

// takeShown notes what this session and others show, and returns what this one shows and does not prove, as its fact says it.
// known has all that was shown before, and is read if it is nil.
func (p *Pending) takeShown(m *repo.Memory, known *map[string]Candidate) (lines []jsontext.Value, err error) {
	if *known == nil && len(p.Unneeded)+len(p.Sightings) > 0 {
		*known, err = readCandidates(m)
	}
	for _, id := range p.Unneeded {
		p.needless[id] = addSighting(*known, id, p.sighting(index.Lesson{}))
		lines = append(lines, Sighting{Of: id}.encode())
	}
	for _, l := range p.Sightings {
		s := p.sighting(l)
		p.Shown[s.key()] = addSighting(*known, s.key(), s)
		lines = append(lines, Sighting{Lesson: l}.encode())
	}
	return lines, err
}

// sighting is a lesson as the session of a reflection shows it.
func (p *Pending) sighting(l index.Lesson) Sighting {
	return Sighting{Reflection: facts.SightingID(p.ID), Trace: p.Trace, Session: p.Session, At: p.At.UTC().Truncate(time.Millisecond), Lesson: l}
}

// CountCandidates returns how much this session alone shows, nil for nothing.
func (p *Pending) CountCandidates() (n int) {
	if p == nil {
		return 0
	}
	for _, c := range p.Shown {
		if c.Sessions == 1 {
			n++
		}
	}
	return n
}

// joinShown adds the lessons that two sessions have now shown. Lessons already known are confirmed again. Lessons that a
// person retired, purged or undid stay away, and a lesson that this reflection already has in other words is not added twice.
func (p *Pending) joinShown(ix *index.Index, known Traces) {
	p.Fixes = slices.Clone(p.Fixes)
	for _, key := range sortCandidates(p.Shown) {
		c := p.Shown[key]
		own, ok, others := c.split(p.Trace)
		it, isGone := findAbout(ix, key, c)
		if !ok || isGone || it == nil && !c.isLesson() {
			continue
		}
		l := c.best()
		if l.Cue.Lasts() && !c.isUsual(known) {
			l.Cue.Command = "" // told after its error alone
		}
		l.Span, l.Source.Model = own.Span, oracle.Code
		twin := slices.IndexFunc(p.Fixes, func(o index.Lesson) bool { return !o.Held && heuristic.Signature(o.Cue) == key })
		switch {
		case it != nil:
			p.Fixes = slices.DeleteFunc(p.Fixes, func(o index.Lesson) bool { return o.Of == it.ID && o.Op == Again })
			l.Op, l.Of = Again, it.ID
			if it.Origin == index.OriginUser || l.Remedy.Command == "" || 2*c.Sessions <= it.Hits { // others saw more than this clone
				l.Text, l.Cue, l.Remedy = it.Text, *cmp.Or(it.Cue, &index.Literals{}), *cmp.Or(it.Remedy, &index.Literals{})
			}
		case twin >= 0:
			p.Fixes[twin].Also = others
			continue
		default:
			l.Also = others
		}
		p.Fixes = append(p.Fixes, l)
	}
}

// findAbout returns the record that a candidate became, or one about the same failure; nil if there is none. isGone says
// that a person retired, purged or took it back.
func findAbout(ix *index.Index, key string, c Candidate) (found *index.Item, isGone bool) {
	keys, ids := map[string]bool{}, map[string]bool{}
	for _, s := range c.Seen {
		text := index.KeyOf(s.Text)
		keys[text], ids[index.BaseID(text)] = true, true
		isGone = isGone || ix.IsPurged(text)
	}
	for _, id := range ix.Undone {
		isGone = isGone || ids[id]
	}
	for it := range ix.All() {
		if keys[it.Key] || it.Cue != nil && it.Cue.Error != "" && heuristic.Signature(*it.Cue) == key {
			if known := findKnown(ix, it.ID); known == nil {
				isGone = true
			} else if found == nil || !found.IsShown() {
				found = known
			}
		}
	}
	return found, isGone && found == nil
}

// renewWords gives a lesson of code that came again the words and the cure that most of its sessions have now; not where
// a person chose the words.
func (p *Pending) renewWords(m *repo.Memory) {
	for _, l := range p.Fixes {
		it := findShown(m.Index, l.Of)
		if l.Source.Model == "" || it == nil || l.Held || it.Origin == index.OriginUser || !it.StampOf("text").IsZero() || !it.IsByRules() {
			continue
		}
		m.ChangeSoftly(it.ID, func(it *index.Item) {
			it.SetText(l.Text)
			it.Cue, it.Remedy = &l.Cue, &l.Remedy
		})
	}
}

// mostNeedless is how many sessions are shown a lesson needlessly before it waits for a person.
const mostNeedless = 3

// holdNeedless holds lessons shown in mostNeedless sessions before a command that worked anyway, and returns
// them. It skips those said or pinned by a person; one with a lasting cue only loses its command.
func (p *Pending) holdNeedless(m *repo.Memory) (held []index.Change) {
	for _, id := range sortCandidates(p.needless) {
		it := findShown(m.Index, id)
		if it == nil || it.Status != index.Active || it.Pinned || it.Origin == index.OriginUser {
			continue
		}
		var in []string
		for _, s := range p.needless[id].Seen {
			if s.At.After(it.StampOf("status")) {
				in = append(in, s.Trace)
			}
		}
		if len(in) < mostNeedless {
			continue
		}
		if it.IsByRules() && it.Cue != nil && it.Cue.Lasts() { // what cures it was there: it is told after its error alone
			m.ChangeSoftly(id, func(it *index.Item) { it.Cue = &index.Literals{Tool: it.Cue.Tool, Error: it.Cue.Error} })
			continue
		}
		it.Change(func(it *index.Item) {
			it.Status = index.Quarantined
			it.Why = index.HeldFor("its command worked without it in "+strings.Join(in, ", "), it.Why)
		})
		held = append(held, index.Change{Pos: m.Index.ByID(id)})
	}
	return held
}

// A Listed candidate is one as people and models are shown it.
type Listed struct {
	Status   string    `json:"status"` // "candidate"
	Sessions int       `json:"sessions"`
	LastSeen time.Time `json:"lastSeen"`
	index.Lesson
}

// ListCandidates returns the candidates of a memory that are not lessons: those of most sessions first.
func ListCandidates(m *repo.Memory) ([]Listed, error) {
	list := []Listed{}
	known, open, err := findOpen(m)
	for _, key := range open {
		c := known[key]
		list = append(list, Listed{"candidate", c.Sessions, c.Last().At, c.best()})
	}
	return list, err
}

// findOpen returns the candidates of a memory, and the keys of those that are not lessons.
func findOpen(m *repo.Memory) (known map[string]Candidate, open []string, err error) {
	if known, err = readCandidates(m); err != nil {
		return nil, nil, err
	}
	for _, key := range sortCandidates(known) {
		c := known[key]
		if it, isGone := findAbout(m.Index, key, c); c.Last().Text != "" && it == nil && !isGone {
			open = append(open, key)
		}
	}
	return known, open, nil
}

// Promote makes a lesson of each candidate that two sessions show and the index lacks, as where two clones met one each,
// in one commit each: no third session has to come. It returns how many. A second call finds none.
func Promote(ctx context.Context, root *repo.Root, now time.Time) (n int, err error) {
	m, err := root.View(now)
	if err != nil {
		return 0, err
	}
	known, open, err := findOpen(m)
	for _, key := range open {
		c := known[key]
		if !c.isLesson() {
			continue
		}
		s := c.Last()
		o, err := CommitPending(ctx, root, &Pending{
			Head:  Head{ID: "r-" + HashParts(s.Reflection, key), At: s.At, Label: "task", Session: s.Session, Trace: s.Trace},
			Model: oracle.Code, Shown: map[string]Candidate{key: c},
		})
		if err != nil {
			return n, err
		}
		fresh, _ := o.CountLessons()
		n += fresh
	}
	return n, err
}
