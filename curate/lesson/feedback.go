package lesson

import (
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
)

// How much is kept of what people and agents say, in characters.
const (
	maxTitle  = 60
	maxReason = 240
)

func shortText(text string, most int) string { return render.Shorten(guard.Line(text), most-1) }

// confirm lets a person stand for a lesson that helped: it is as good as their own.
func (a *applier) confirm(it *index.Item) (bool, error) {
	switch {
	case it.Status == index.Retired || it.Status == index.Superseded:
		return false, refused("%s is %s; 'mem restore' brings it back", it.ID, it.Status)
	case it.Status == index.Quarantined && findActiveTwin(a.ix, it) != nil:
		return false, refused("%s says the same as %s, which is active", it.ID, findActiveTwin(a.ix, it).ID)
	case it.Status != index.Quarantined && it.Origin == index.OriginUser && it.Confidence == "high":
		return false, nil
	}
	if it.Status == index.Quarantined {
		it.Status = index.Active
		a.addNote("%s was quarantined; sessions are shown it from now on", it.ID)
		if old := a.takePlace(it); old != nil {
			a.addNote("%s, whose place it takes, is superseded", old.ID)
		}
	}
	it.Origin, it.Confidence = index.OriginUser, "high"
	dropDoubt(it)
	return true, nil
}

// hold takes a lesson out of sight until a person has looked at it: an agent that says
// that it is wrong may be wrong itself.
func (a *applier) hold(it *index.Item) (bool, error) {
	switch it.Status {
	case index.Quarantined:
		return false, nil
	case index.Active:
	default:
		return false, refused("%s is %s, and only a person can decide about it", it.ID, it.Status)
	}
	said := doubt
	if a.Session != "" {
		said += " in session " + a.Session
	}
	if a.Reason != "" {
		said += ": " + shortText(a.Reason, maxReason)
	}
	if it.Why != "" {
		said = it.Why + "; " + said
	}
	it.Status, it.Why = index.Quarantined, said
	return true, nil
}

// doubt begins what an agent has against a lesson, behind why it was learned.
const doubt = index.Doubt

// dropDoubt takes out what an agent had against a lesson, once a person has decided.
func dropDoubt(it *index.Item) {
	it.DropHeld()
	why, _, _ := strings.Cut(it.Why, doubt)
	it.Why = strings.TrimSuffix(why, "; ")
}
