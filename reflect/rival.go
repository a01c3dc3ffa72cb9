package reflect

import (
	"slices"

	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/repo"
)

// besideKnown returns a lesson that is about a known one. What comes again counts in the
// words that are known. What a model says against a known lesson waits for a person.
func (p *Pending) besideKnown(l index.Lesson, it *index.Item) index.Lesson {
	switch {
	case l.Op == Again:
		l.Text = it.Text
		l.Held = l.Held || !it.IsShown() && len(guard.Lint(it.ShownText())) > 0
	case !it.IsShown():
	case l.Op == Contradicts, l.Op == Replaces && !p.mayReplace(l, it):
		l.Held, l.Why = true, index.Against(l.Op, it.ID, l.Why)
	}
	return l
}

// findKnown returns the record with this id if a model may be told it: it is shown, or held.
func findKnown(ix *index.Index, id string) *index.Item {
	if pos := ix.ByID(id); id != "" && pos >= 0 && (ix.Items[pos].IsShown() || ix.Items[pos].Status == index.Quarantined) {
		return &ix.Items[pos]
	}
	return nil
}

func findShown(ix *index.Index, id string) *index.Item {
	if it := findKnown(ix, id); it != nil && it.IsShown() {
		return it
	}
	return nil
}

// mayReplace reports whether a lesson may replace a known one without a review: a person said it, or
// code found it and the known one has the same origin. Only a person replaces lessons that are pinned
// or part of a rule.
func (p *Pending) mayReplace(l index.Lesson, old *index.Item) bool {
	return !old.Pinned && old.Status == index.Active && (l.Origin == index.OriginUser || p.Model == oracle.Code && l.Origin == old.Origin)
}

// replaceKnown lets what a person said stand for the lessons that it replaces.
func (p *Pending) replaceKnown(m *repo.Memory) {
	for _, l := range slices.Concat(p.Fixes, p.Mistakes) {
		old := findShown(m.Index, l.Of)
		if old == nil || l.Op != Replaces || !p.mayReplace(l, old) || l.Held {
			continue
		}
		keys := []string{index.KeyOf(l.Text), index.KeyOf(index.AddAvoid(l.Text))}
		for it := range m.Index.All() {
			if it != old && it.IsShown() && slices.Contains(keys, it.Key) {
				old.Change(func(o *index.Item) { o.Status, o.SupersededBy = index.Superseded, it.ID })
				break
			}
		}
	}
}

// replaceRivals lets a lesson that waited, and that a person said now, stand for the one that it waited for.
func replaceRivals(ix *index.Index, changes []index.Change) {
	for _, c := range changes {
		it := &ix.Items[c.Pos]
		if old := findShown(ix, it.Rival()); c.Confirmed && old != nil && old.Status == index.Active && !old.Pinned {
			old.Change(func(o *index.Item) { o.Status, o.SupersededBy = index.Superseded, it.ID })
		}
	}
}
