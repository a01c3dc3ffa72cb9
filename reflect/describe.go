package reflect

import (
	"fmt"

	"mem/index"
)

// Describe says why nothing was learned, to a person.
func (r Reason) Describe() string { return reasons[r] }

var reasons = map[Reason]string{
	NothingNew:   "nothing new: this was reflected on before",
	Undone:       "nothing new: this was reflected on before, and undone; 'mem redo' takes that back",
	Waits:        "nothing new: this waits in the queue already",
	NothingToSay: "nothing to learn: no lesson in it",
	EmptySession: "nothing to learn: it has no messages",
	NoOracle:     "nothing learned: no configured oracle could answer",
	BadAnswer:    "nothing learned: the oracle's answer could not be used",
	Spent:        "nothing learned: the day's budget for models is spent",
}

// Describe is the lesson in a line for a person: whether it is new, and whether sessions are shown it.
func (l Counted) Describe() string {
	mark := "+ "
	if !l.New {
		mark = fmt.Sprintf("×%d ", l.Hits)
	}
	note := ""
	switch {
	case l.Confirmed:
		note = " (confirmed)"
	case l.Recurred:
		note = " (again, although a rule says so)"
	case l.Doubt != "":
		note = " (held: " + l.Doubt + ")"
	case l.Status == index.Quarantined:
		note = " (quarantined: not shown before it is confirmed)"
	case l.Status != index.Active:
		note = " (" + string(l.Status) + ": counted, not shown)"
	}
	return mark + l.Text + note
}
