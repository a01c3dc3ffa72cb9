package index

import (
	"strings"
	"time"

	"mem/words"
)

// A Saying is what a lesson says, and when it was last seen.
type Saying struct {
	Text string // a mistake begins with "Avoid: "
	Seen time.Time
}

// A side is a thing to do, in the form "using npm", and whether one is for it.
type side struct {
	thing string
	pro   bool
}

// FindOutdone finds the lessons of which a newer one says the opposite: the same with a negation in
// front, or "B instead of A" of "A". It returns the place of the newest such lesson for each; -1 for none.
func FindOutdone(list []Saying) (by []int) {
	newest := map[side]int{}
	sides := make([][]side, len(list))
	for i, s := range list {
		sides[i] = sidesOf(s.Text)
		for _, v := range sides[i] {
			if at, ok := newest[v]; !ok || s.Seen.After(list[at].Seen) {
				newest[v] = i
			}
		}
	}
	for i, s := range list {
		by = append(by, -1)
		for _, v := range sides[i] {
			if at, ok := newest[side{v.thing, !v.pro}]; ok && list[at].Seen.After(s.Seen) && (by[i] < 0 || list[at].Seen.After(list[by[i]].Seen)) {
				by[i] = at
			}
		}
	}
	return by
}

// DropOutdone leaves out what FindOutdone finds.
func DropOutdone[T any](list []T, say func(T) Saying) (left []T) {
	if len(list) < 2 {
		return list
	}
	var said []Saying
	for _, one := range list {
		said = append(said, say(one))
	}
	for i, by := range FindOutdone(said) {
		if by < 0 {
			left = append(left, list[i])
		}
	}
	return left
}

var (
	// whys begin what says why, or what to do instead. What limits a thing is a part of it. Plain texts are
	// looked for, as a session waits for it.
	whys   = []string{". ", "! ", ": ", "; ", " - ", " – ", " — ", " because ", ", because ", ", it ", ", this ", ", that ", ", they ", ", since ", ", as ", ", use ", ", always ", ", never "}
	others = []string{" instead of ", " rather than ", " over ", ", not ", " not "}
)

// sidesOf returns what a lesson is for and against.
func sidesOf(text string) (sides []side) {
	said := strings.TrimPrefix(StripAvoid(text), "Always ")
	for _, why := range whys {
		said, _, _ = strings.Cut(said, why)
	}
	said = strings.TrimRight(said, ".!")
	turned := words.TurnNegation(said)
	add := func(phrase string, pro bool) {
		verb, rest, more := strings.Cut(KeyOf(strings.ReplaceAll(phrase, "`", "")), " ")
		if more {
			sides = append(sides, side{words.Gerund(verb) + " " + rest, pro})
		}
	}
	add(turned, turned == said && !SaysAvoid(text))
	for _, other := range others {
		thing, left, ok := strings.Cut(said, other)
		if ok && len(sides) > 0 && sides[0].pro && strings.Count(thing, " ") == 1 && !strings.Contains(left, " ") {
			verb, _, _ := strings.Cut(thing, " ")
			add(thing, true)
			add(verb+" "+left, false)
			break
		}
	}
	return sides
}
