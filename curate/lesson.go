package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// Errors that callers tell apart.
var (
	ErrNoLesson = fault.New(fault.Missing, "no such lesson",
		"'mem list --status all' shows the ids, and marks those of ~/.mem with (global); the first four digits of an id are enough where no other begins with them")
	ErrRefused = fault.New(fault.Refused, "it cannot be done", "'mem show ID' shows its state")
)

// A Verb says what a LessonChange does.
type Verb string

// The verbs.
const (
	Pin       Verb = "pin"
	Unpin     Verb = "unpin"
	Retire    Verb = "retire"
	Restore   Verb = "restore"
	Supersede Verb = "supersede"
	Confirm   Verb = "confirm" // it helped, and a person stands for it
	Hold      Verb = "hold"    // an agent says that it is wrong, which a person decides
)

// A LessonChange is something that a person decides about lessons: which are always shown, which no longer hold, and
// which another lesson says better. Nothing is ever merged or deleted: a lesson changes its status, keeps its counts,
// and can be restored.
type LessonChange struct {
	Verb Verb
	IDs  []string

	By       string  // of Supersede: the id of the lesson that says it better
	Severity *string // of Pin: "high", for a costly mistake, or "", which are set; nil leaves it as it is
	Reason   string  // of Retire, Confirm and Hold: in the commit, and of Hold in the review
	Session  string  // of Hold: in which it was found wrong; "" if that is not known
}

// A LessonResult is what a change did.
type LessonResult struct {
	Changed []index.Item // as they are now, in the order of the ids
	Same    []index.Item // those that had the state already
	Notes   []string     // what else a person should know, one line each
}

// Apply carries the change out: all of it, or nothing if an id is unknown, which wraps ErrNoLesson, or if the state of
// a lesson does not allow it, which wraps ErrRefused. If all lessons have the state already the message is empty. It is
// a callback for repo.Root.Settle.
func (c LessonChange) Apply(m *repo.Memory) (r LessonResult, msg repo.Message, err error) {
	ix := m.Index
	lessons, err := FindLessons(ix, c.IDs)
	if err != nil {
		return r, msg, err
	}
	c.Reason, c.Session = guard.Line(c.Reason), shortText(c.Session, maxSubject)
	a := applier{LessonChange: c, ix: ix}
	if c.Verb == Supersede {
		if err := a.resolve(lessons); err != nil {
			return r, msg, err
		}
	}
	for _, it := range lessons {
		done := false
		it.Change(func(it *index.Item) { done, err = a.applyTo(it) })
		switch {
		case err != nil:
			return r, msg, err
		case done:
			a.Changed = append(a.Changed, *it)
		default:
			a.Same = append(a.Same, *it)
		}
	}
	for it := range ix.All() {
		wasFor := func(by index.Item) bool { return by.ID == it.SupersededBy }
		if c.Verb == Retire && it.Status == index.Superseded && slices.ContainsFunc(a.Changed, wasFor) {
			a.addNote("%s, which %s superseded, stays out; 'mem restore' brings it back", it.ID, it.SupersededBy)
		}
	}
	if len(a.Changed) > 0 {
		msg = a.message()
	}
	return a.LessonResult, msg, nil
}

// DescribeChange returns what a line about a changed lesson must add.
func (v Verb) DescribeChange(it *index.Item) string {
	switch {
	case v == Supersede:
		return " (by " + it.SupersededBy + ")"
	case v == Pin && it.Severity != "":
		return fmt.Sprintf(" (severity %s)", it.Severity)
	case v == Restore && it.Status != index.Active:
		return " (" + string(it.Status) + ")"
	}
	return ""
}

// FindLessons returns the lessons with these ids, each once, as MatchID
// takes them. The error wraps ErrNoLesson and names the ids that no lesson has.
func FindLessons(ix *index.Index, ids []string) (lessons []*index.Item, err error) {
	var all []string
	for it := range ix.All() {
		all = append(all, it.ID)
	}
	var unknown []string
	for _, given := range ids {
		id, several := MatchID(all, given)
		pos := slices.Index(all, id)
		switch {
		case several:
			unknown = append(unknown, fmt.Sprintf("%q, with which several begin", given))
		case pos < 0:
			unknown = append(unknown, fmt.Sprintf("%q", given))
		case !slices.Contains(lessons, &ix.Items[pos]):
			lessons = append(lessons, &ix.Items[pos])
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%w as %s", ErrNoLesson, strings.Join(unknown, ", "))
	}
	return lessons, nil
}

// minID is how many digits of an id must be given, behind the mark of its kind.
const minID = 4

// MatchID returns the id that equals given or, if none does, the only one that begins with it (at
// least minID digits). It returns "" if none does, or if several do.
func MatchID(ids []string, given string) (id string, several bool) {
	given = strings.TrimSpace(given)
	if slices.Contains(ids, given) {
		return given, false
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(given, "m-"), "r-")
	for _, candidate := range ids {
		if len(digits) >= minID && strings.HasPrefix(candidate, given) && candidate != id {
			if id != "" {
				return "", true
			}
			id = candidate
		}
	}
	return id, false
}

type applier struct {
	LessonChange
	LessonResult
	ix *index.Index
	by *index.Item // the lesson that supersedes
}

func (a *applier) addNote(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// applyTo changes a lesson; done is false if it had the state already.
func (a *applier) applyTo(it *index.Item) (done bool, err error) {
	if a.Verb == Unpin {
		done, it.Pinned = it.Pinned, false
		return done, nil
	}
	return map[Verb]func(*index.Item) (bool, error){
		Pin: a.pin, Retire: a.retire, Restore: a.restore, Confirm: a.confirm, Hold: a.hold, Supersede: a.supersede,
	}[a.Verb](it)
}

func (a *applier) pin(it *index.Item) (bool, error) {
	if it.Status != index.Active {
		return false, refused("%s is %s, and no session is shown it", it.ID, it.Status)
	}
	done := !it.Pinned
	it.Pinned = true
	if a.Severity != nil {
		done = done || it.Severity != *a.Severity
		it.Severity = *a.Severity
	}
	return done, nil
}

func (a *applier) retire(it *index.Item) (bool, error) {
	switch it.Status {
	case index.Retired:
		return false, nil
	case index.Compiled:
		a.addNote("%s became a rule, which stays until it is taken out of its file in rules or context", it.ID)
	}
	it.Status, it.SupersededBy = index.Retired, ""
	return true, nil
}

// restore makes a lesson active again. One that no person ever confirmed goes back
// to quarantine: restoring it must not be a way around the review.
func (a *applier) restore(it *index.Item) (bool, error) {
	switch it.Status {
	case index.Active:
		return false, nil
	case index.Quarantined:
		return false, refused("%s is held until it is reviewed; 'mem review' shows it", it.ID)
	case index.Retired:
		if why := reasonsHeld(it); len(why) > 0 && it.Origin != index.OriginUser {
			it.Status = index.Quarantined
			a.addNote("%s waits for a review again: %s", it.ID, why[0])
			return true, nil
		}
	}
	if other := findActiveTwin(a.ix, it); other != nil {
		return false, refused("%s says the same as %s, which is active", it.ID, other.ID)
	}
	it.Status, it.SupersededBy = index.Active, ""
	dropDoubt(it)
	return true, nil
}

// findActiveTwin returns another active lesson with the key of it, a lesson of ix.
func findActiveTwin(ix *index.Index, it *index.Item) *index.Item {
	for o := range ix.All() {
		if o.Key == it.Key && o.Status == index.Active && o.ID != it.ID {
			return o
		}
	}
	return nil
}

func (a *applier) resolve(lessons []*index.Item) error {
	by, err := FindLessons(a.ix, []string{a.By})
	if err != nil {
		return err
	}
	a.by = by[0]
	switch {
	case slices.Contains(lessons, a.by):
		return refused("%s cannot supersede itself", a.by.ID)
	case a.by.Status == index.Superseded:
		return refused("%s is superseded itself, by %s: name that one, or bring this one back first", a.by.ID, a.by.SupersededBy)
	case !a.by.IsShown():
		return refused("%s is %s, and cannot stand for another lesson", a.by.ID, a.by.Status)
	}
	return nil
}

func (a *applier) supersede(it *index.Item) (bool, error) {
	by := a.by
	switch {
	case it.Status == index.Superseded && it.SupersededBy == by.ID:
		return false, nil
	case it.Status == index.Retired || it.Status == index.Compiled:
		return false, refused("%s is %s already, and no session is shown it", it.ID, it.Status)
	}
	by.Change(func(by *index.Item) {
		if it.Pinned && !by.Pinned && by.Status == index.Active {
			by.Pinned = true
			a.addNote("%s is pinned now, as %s was", by.ID, it.ID)
		}
		by.Severity = cmp.Or(by.Severity, it.Severity)
	})
	it.Status, it.SupersededBy = index.Superseded, by.ID
	return true, nil
}

// findRival returns the lesson whose place one that waits takes once a person agrees; nil for none.
func findRival(ix *index.Index, it *index.Item) *index.Item {
	if at := ix.ByID(it.Rival()); at >= 0 && ix.Items[at].IsShown() && ix.Items[at].ID != it.ID {
		return &ix.Items[at]
	}
	return nil
}

// takePlace lets a lesson that a person agreed to stand for the one that it was held against, and
// returns that; nil if there is none, or if it is a rule, which is taken out by hand.
func (a *applier) takePlace(it *index.Item) *index.Item {
	old, done := findRival(a.ix, it), false
	if a.by = it; old != nil {
		old.Change(func(old *index.Item) { done, _ = a.supersede(old) })
	}
	if !done {
		return nil
	}
	return old
}

func (a *applier) message() repo.Message {
	what := render.Plural(len(a.Changed), shortText(a.Changed[0].Text, maxSubject), fmt.Sprintf("%d lessons", len(a.Changed)))
	msg := repo.Message{Subject: string(a.Verb) + ": " + what}
	mark := cmp.Or(map[Verb]string{Pin: "^ ", Restore: "+ ", Confirm: "+ "}[a.Verb], "- ")
	for i := range a.Changed {
		tell(&msg, mark, &a.Changed[i])
	}
	if a.Verb == Supersede {
		tell(&msg, "by ", a.by)
	}
	if a.Reason != "" {
		msg.Body = append(msg.Body, "because "+a.Reason)
	}
	if a.Session != "" {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Session", Value: a.Session})
	}
	return msg
}
