package index

import (
	"strings"
	"time"

	"mem/lazy"
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

var (
	// reWhy matches where a lesson begins to say why, or what to do instead. What limits it is a part of it.
	reWhy    = lazy.New(`(?i)(?:[.:;!,]| [–—-]) (?:it|this|that|they|because|since|as|use|always|never) |[.:;!] | because |[.!]$`)
	rePrefer = lazy.New(`(?i)^((?:use|prefer|run|call|write|choose)) (\S+)(?: instead of| rather than| over|,? not) (\S+)$`)
)

// sidesOf returns what a lesson is for and against.
func sidesOf(text string) (sides []side) {
	said := strings.TrimPrefix(StripAvoid(text), "Always ")
	if at := reWhy.Get().FindStringIndex(said); at != nil {
		said = said[:at[0]]
	}
	turned := words.TurnNegation(said)
	add := func(phrase string, pro bool) {
		verb, rest, more := strings.Cut(KeyOf(strings.ReplaceAll(phrase, "`", "")), " ")
		if more {
			sides = append(sides, side{words.Gerund(verb) + " " + rest, pro})
		}
	}
	add(turned, turned == said && !SaysAvoid(text))
	if m := rePrefer.Get().FindStringSubmatch(turned); m != nil && turned == said {
		add(m[1]+" "+m[2], true)
		add(m[1]+" "+m[3], false)
	}
	return sides
}
