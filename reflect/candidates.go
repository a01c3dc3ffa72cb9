package reflect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/reflect/answer"
	"mem/reflect/candidate"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// takeSightings returns what rules find in a reading and one session alone does not prove. It takes that out of their
// answer; if a model answered, they are asked as well.
func takeSightings(found *answer.Answer, byCode bool, g *Reading) []answer.Lesson {
	from := answer.Record{Events: record.JoinOutside(g.Events), Outside: g.Outside, ByCode: true}
	if !byCode {
		raw, _ := heuristic.Oracle{}.Ask(context.Background(), oracle.Request{Task: oracle.Reflect, Events: from.Events})
		said, _ := answer.Parse(raw)
		found = &said
	}
	var once []trace.Lesson
	found.Fixes = slices.DeleteFunc(found.Fixes, func(l trace.Lesson) bool {
		if l.Op == heuristic.Once {
			once = append(once, l)
		}
		return l.Op == heuristic.Once
	})
	_, list, _ := answer.Bind(answer.Answer{Fixes: once}, len(once), from)
	return slices.DeleteFunc(list, func(l answer.Lesson) bool { return candidate.KeyOf(l.Cue) == "" })
}

// IsEmpty reports whether a reflection changes nothing in a memory.
func (p *Pending) IsEmpty() bool {
	return len(p.Fixes)+len(p.Mistakes)+len(p.Shown)+len(p.Sightings)+len(p.Unneeded) == 0
}

// readCandidates returns what the facts of a memory say of candidates.
func readCandidates(m *repo.Memory) (map[string]candidate.Candidate, error) {
	known := map[string]candidate.Candidate{}
	log, err := m.ReadLog()
	if err != nil {
		return known, err
	}
	for _, f := range log.Facts() {
		candidate.AddFact(known, f)
	}
	candidate.Bound(known)
	return known, nil
}

// takeShown notes what this session and others show, and adds to a fact what this one does.
func (p *Pending) takeShown(m *repo.Memory) error {
	if len(p.Unneeded)+len(p.Sightings) == 0 {
		return nil
	}
	known, err := readCandidates(m)
	if err != nil {
		return err
	}
	s := candidate.Sighting{Reflection: facts.SightingID(p.ID), Trace: p.Trace, Session: p.Session, At: p.At.UTC().Truncate(time.Millisecond)}
	for _, id := range p.Unneeded {
		p.needless[id] = candidate.Add(known, id, s)
	}
	for _, s.Lesson = range p.Sightings {
		key := candidate.KeyOf(s.Cue)
		p.Shown[key] = candidate.Add(known, key, s)
	}
	return nil
}

// lines returns what this session shows and does not prove, as its fact says it.
func (p *Pending) lines() (list []jsontext.Value, err error) {
	add := func(s candidate.Sighting) {
		data, errEncode := json.Marshal(s, json.Deterministic(true))
		list, err = append(list, data), errors.Join(err, errEncode)
	}
	for _, id := range p.Unneeded {
		add(candidate.Sighting{Of: id})
	}
	for _, l := range p.Sightings {
		add(candidate.Sighting{Lesson: l})
	}
	return list, err
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

// joinShown adds the lessons that two sessions show now. What is known of them comes again; what a person retired, purged
// or took back stays away; and what this reflection has in other words is not added twice.
func (p *Pending) joinShown(ix *index.Index) {
	p.Fixes = slices.Clone(p.Fixes)
	for _, key := range candidate.Sort(p.Shown) {
		c := p.Shown[key]
		own, ok, others := c.Split(p.Trace)
		it, isGone := findAbout(ix, key, c)
		if !ok || isGone || it == nil && !c.IsLesson() {
			continue
		}
		l := c.Best()
		l.Span, l.Model = own.Span, oracle.Code
		twin := slices.IndexFunc(p.Fixes, func(o answer.Lesson) bool { return !o.Held && candidate.KeyOf(o.Cue) == key })
		switch {
		case it != nil:
			p.Fixes = slices.DeleteFunc(p.Fixes, func(o answer.Lesson) bool { return o.Of == it.ID && o.Op == answer.Again })
			l.Op, l.Of = answer.Again, it.ID
			if it.Origin == index.OriginUser || l.Remedy.Command == "" || 2*c.Sessions <= it.Hits { // others saw more than this clone
				l.Text, l.Cue, l.Remedy = it.Text, literals(it.Cue), literals(it.Remedy)
			}
		case twin >= 0:
			p.Fixes[twin].Before = others
			continue
		default:
			l.Before = others
		}
		p.Fixes = append(p.Fixes, l)
	}
}

// findAbout returns the record that a candidate became, or one about the same failure; nil if there is none. isGone says
// that a person retired, purged or took it back.
func findAbout(ix *index.Index, key string, c candidate.Candidate) (found *index.Item, isGone bool) {
	keys, ids := map[string]bool{}, map[string]bool{}
	for _, s := range c.Seen {
		text := index.KeyOf(s.Text)
		keys[text], ids[index.BaseID(text)] = true, true
		isGone = isGone || ix.IsPurged(text)
	}
	for _, id := range ix.Undone {
		isGone = isGone || ids[id]
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if keys[it.Key] || literals(it.Cue).Error != "" && candidate.KeyOf(*it.Cue) == key {
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
		if l.Model == "" || it == nil || l.Held || it.Origin == index.OriginUser || !it.StampOf("text").IsZero() || !it.IsByRules() {
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

// holdNeedless holds the lessons that were shown before a command which then worked without them, and returns them. What
// a person said or pinned is shown on, and what was shown before a person let it in again does not count.
func (p *Pending) holdNeedless(m *repo.Memory) (held []index.Change) {
	for _, id := range candidate.Sort(p.needless) {
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
	answer.Lesson
}

// ListCandidates returns the candidates of a memory that are not lessons: those of most sessions first.
func ListCandidates(m *repo.Memory) ([]Listed, error) {
	list := []Listed{}
	known, err := readCandidates(m)
	if err != nil {
		return list, err
	}
	for _, key := range candidate.Sort(known) {
		c := known[key]
		if it, isGone := findAbout(m.Index, key, c); c.Last().Text != "" && it == nil && !isGone {
			list = append(list, Listed{"candidate", c.Sessions, c.Last().At, c.Best()})
		}
	}
	return list, nil
}

// ReadSightings returns what a session that was read before shows, for Promote.
func ReadSightings(s *session.Session, now time.Time) *Pending {
	g, reason, err := ReadPast(nil, s, now)
	if err != nil || reason != "" {
		return &Pending{}
	}
	return &Pending{ID: g.ID, At: g.At, Trace: g.Trace, Session: g.Session, Sightings: takeSightings(nil, false, g)}
}

// confirm makes the lesson that a candidate is of one with which a model says that the session shows it, too. Its cited
// events say what it is worth, as for any other.
func confirm(l *trace.Lesson, c answer.Lesson) {
	if l.Op == answer.Again {
		l.Text, l.Mistake = c.Text, index.SaysAvoid(c.Text)
		setText(&l.Cue.Command, c.Cue.Command)
		setText(&l.Cue.Error, c.Cue.Error)
		setText(&l.Remedy.Command, c.Remedy.Command)
	}
	l.Op, l.Of = "", ""
}

func setText[S ~string](to *S, text string) { *to = S(text) }

// Promote counts what past sessions show that were read before there were candidates, and makes a lesson of each
// candidate that two sessions show and the index lacks, in one commit each: no third session has to come. It returns how
// many. A second call finds none.
func Promote(ctx context.Context, root *repo.Root, past []*Pending, now time.Time) (n int, err error) {
	if err := commitPast(ctx, root, past, now); err != nil {
		return 0, err
	}
	m, err := root.View(now)
	if err != nil {
		return 0, err
	}
	known, err := readCandidates(m)
	list, err2 := ListCandidates(m)
	if err = errors.Join(err, err2); err != nil {
		return 0, err
	}
	for _, l := range list {
		key := candidate.KeyOf(l.Cue)
		c := known[key]
		if !c.IsLesson() {
			continue
		}
		s := c.Last()
		o, err := CommitPending(ctx, root, &Pending{
			ID: "r-" + watermark.HashParts(s.Reflection, key), At: s.At, Label: "task", Session: s.Session, Trace: s.Trace, Model: oracle.Code,
			Shown: map[string]candidate.Candidate{key: c},
		})
		if err != nil {
			return n, err
		}
		fresh, _ := o.CountLessons()
		n += fresh
	}
	return n, nil
}

// commitPast makes a fact of what past sessions show, as far as no fact says it.
func commitPast(ctx context.Context, root *repo.Root, past []*Pending, now time.Time) error {
	if len(past) == 0 {
		return nil
	}
	_, err := root.Settle(ctx, now, func(m *repo.Memory) (msg repo.Message, err error) {
		known, err := readCandidates(m)
		if err != nil {
			return msg, err
		}
		f := facts.Fact{Kind: facts.Decision}
		for _, p := range past {
			for _, l := range p.Sightings {
				s := candidate.Sighting{Reflection: facts.SightingID(p.ID), Trace: p.Trace, Session: p.Session, At: p.At.UTC().Truncate(time.Millisecond), Lesson: l}
				key := candidate.KeyOf(l.Cue)
				if was := known[key].Sessions; key == "" || candidate.Add(known, key, s).Sessions == was {
					continue
				}
				data, err := json.Marshal(s, json.Deterministic(true))
				if err != nil {
					return msg, fmt.Errorf("encode a candidate: %w", err)
				}
				f.Candidates = append(f.Candidates, data)
			}
		}
		if len(f.Candidates) > 0 {
			m.Learn(f)
			msg.Subject = "chore(memory): what past sessions showed"
		}
		return msg, nil
	})
	return err
}

// HasCandidates reports whether a root, nil for none, knows of candidates.
func HasCandidates(root *repo.Root, now time.Time) (bool, error) {
	if root == nil {
		return false, nil
	}
	m, err := root.View(now)
	if err != nil {
		return false, err
	}
	known, err := readCandidates(m)
	return len(known) > 0, err
}
