package vouched

import (
	"slices"
	"time"

	"mem/index"
)

// stampOf names the decision that made the status of a lesson what it is.
func stampOf(it *index.Item) string { return it.StampOf("status").Format(time.RFC3339Nano) }

// isLet reports whether the person let in a lesson that came in as it is.
func (l *List) isLet(it *index.Item) bool {
	is := l.Lessons[it.ID]
	return len(is) > 1 && slices.Contains(is[1:], stampOf(it))
}

// Waits reports whether a lesson waits for the person.
func (l *List) Waits(it *index.Item) bool {
	if l == nil {
		return false
	}
	return len(l.Lessons[it.ID]) > 0 && it.IsShown() && !l.isLet(it)
}

// Cover makes the lessons that wait quarantined, for everything that looks at the index.
// Uncover undoes it before the index is written.
func (l *List) Cover(ix *index.Index) {
	if l == nil || len(l.Lessons) == 0 {
		return
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if l.let[it.ID] = l.isLet(it); l.Waits(it) && !l.Covers(it.ID) {
			l.was[it.ID], it.Status = *it, index.Quarantined
		}
	}
}

// Covers reports whether a lesson was covered.
func (l *List) Covers(id string) bool {
	if l == nil {
		return false
	}
	_, isCovered := l.was[id]
	return isCovered
}

// Uncover gives the lessons that are covered the status that they have in the file, and
// notes the decisions that let one in, or give it other words, or are about one that was
// let in. One that was
// turned down still waits: to take that back does not approve it.
func (l *List) Uncover(ix *index.Index) {
	if l == nil || len(l.Lessons) == 0 {
		return
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		was, isCovered := l.was[it.ID]
		isLet := l.let[it.ID] || isCovered && (it.IsShown() || it.Text != was.Text)
		if isCovered && it.Status == index.Quarantined {
			it.Status = was.Status
		}
		if isLet {
			l.letIn(it)
		}
	}
	clear(l.was)
	clear(l.let)
}

// letIn notes that a decision let in a lesson.
func (l *List) letIn(it *index.Item) {
	if is, stamp := l.Lessons[it.ID], stampOf(it); len(is) > 0 && !slices.Contains(is[1:], stamp) {
		l.Lessons[it.ID], l.changed = append(slices.Clip(is), stamp), true
	}
}

// FollowUndo notes that what was decided until a state of the index holds again in
// another one, in which something since was taken back. A yes that was taken back is
// none.
func (l *List) FollowUndo(was, now *index.Index) {
	if l == nil {
		return
	}
	for id := range l.Lessons {
		if before, after := was.ByID(id), now.ByID(id); before >= 0 && after >= 0 && l.isLet(&was.Items[before]) {
			l.letIn(&now.Items[after])
		}
	}
}
