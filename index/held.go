package index

import (
	"strings"
)

// Against returns the Why of a lesson that waits because of what it is to a known one, such as
// "replace".
func Against(op, known, why string) string {
	return strings.TrimSuffix(op+" "+known+": "+why, ": ")
}

// heldAs begins the Why of a lesson that is held for something that it lacks.
const heldAs = "held, as "

// HeldFor returns the Why of a lesson that is held, with the doubt about it.
func HeldFor(doubt, why string) string {
	return strings.TrimSuffix(heldAs+doubt+": "+why, ": ")
}

// Doubted returns the doubt for which a lesson is held; "" if it says none.
func (it *Item) Doubted() string {
	rest, isHeld := strings.CutPrefix(it.Why, heldAs)
	if doubt, _, _ := strings.Cut(rest, ": "); isHeld {
		return doubt
	}
	return ""
}

// DropHeld takes the doubt out of the Why of a lesson that is not held any more.
func (it *Item) DropHeld() {
	if rest, isHeld := strings.CutPrefix(it.Why, heldAs); isHeld {
		_, it.Why, _ = strings.Cut(rest, ": ")
	}
}

// Rival returns the id of the known lesson whose place a lesson takes once a person agrees; "" for none.
func (it *Item) Rival() string {
	said := strings.Fields(it.Why)
	if len(said) < 2 || said[0] != "replace" && said[0] != "contradict" || !strings.HasPrefix(said[1], "m-") {
		return ""
	}
	return strings.TrimSuffix(said[1], ":")
}
