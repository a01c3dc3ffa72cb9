// Package opposite finds lessons that say the opposite of each other, of which the newer one
// counts. A lesson often says more than one thing, "Never use A, use B", or says why: then it is
// compared by each thing that it says. Words alone are compared, as in package similarity.
package opposite

import (
	"slices"
	"strings"
	"time"

	"mem/curate/lesson/similarity"
	"mem/lazy"
)

// A Lesson is what one says, and when it was last seen.
type Lesson struct {
	Text  string
	Avoid bool // it says what not to do; Text has no mark of that
	Seen  time.Time
}

// A Pair is two lessons, by their places in the list.
type Pair struct{ Newer, Older int }

// Find returns the pairs that say the opposite, in the order of the list. Of two that were last
// seen at the same time neither counts more.
func Find(list []Lesson) (pairs []Pair) {
	var said []similarity.Statement
	var of []int
	for i, l := range list {
		texts := []string{l.Text}
		if thing := strings.TrimPrefix(l.Text, "Avoid "); (l.Avoid || thing != l.Text) && !strings.HasSuffix(firstWord(thing), "ing") {
			texts = append(texts, strings.TrimSuffix(l.Text, thing)+"use "+thing)
		} else if !l.Avoid {
			texts = append(texts, divide(l.Text)...)
		}
		for _, text := range texts {
			said = append(said, similarity.Statement{Text: text, Avoid: l.Avoid})
			of = append(of, i)
		}
	}
	for _, p := range similarity.FindOpposites(said) {
		newer, older := of[p.First], of[p.Second]
		if list[older].Seen.After(list[newer].Seen) {
			newer, older = older, newer
		}
		pair := Pair{newer, older}
		if !list[newer].Seen.Equal(list[older].Seen) && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

var (
	// A reason behind what is said.
	reason = lazy.New(`(?i)(?:(?:[,;:] | [-–—] )(?:because|since|as|it|this|that|they)| because)\b.*$`)
	// What begins something else that is said. The same verb as before begins something, too.
	begins = lazy.New(`(?i)^(?:always|never|don['’]t|do not|no longer|avoid) `)
	stops  = lazy.New(`(?i)^(?:we |now )*(?:stop using|no longer use|don['’]t use|do not use|never use) `)
	ends   = lazy.New(`[,;.] `)
	// Of two things the one that is preferred, and the other.
	prefers = lazy.New(`(?i)^(?:always |please )*(use|prefer|run|call|write|choose) (\S+)(?:,? instead of|,? rather than| over|,? and not|, not) (\S+)$`)
)

// divide returns the things that a lesson says, if it says more than one, or says why. Whether
// what follows a comma limits what comes before it is not known: a part that is neither an order
// nor a reason leaves the lesson whole.
func divide(text string) (parts []string) {
	whole := strings.TrimRight(strings.TrimSpace(text), ".!")
	text = stops.Get().ReplaceAllString(reason.Get().ReplaceAllString(whole, ""), "Never use ")
	said := ends.Get().Split(text, -1)
	if prefers.Matches(text) {
		said = []string{text}
	}
	verb := firstWord(strings.TrimPrefix(strings.TrimPrefix(said[0], "Never "), "Always "))
	for i, part := range said {
		part = strings.TrimSuffix(part, " instead")
		first := firstWord(part)
		switch {
		case i == 0 || first == verb || begins.Matches(part):
		case slices.Contains(strings.Fields(strings.ToLower(said[0])), first):
			continue // a reason
		default:
			return nil
		}
		if m := prefers.Get().FindStringSubmatch(part); m != nil {
			parts = append(parts, m[1]+" "+m[2], "Never "+m[1]+" "+m[3])
		} else if part != whole {
			parts = append(parts, part)
		}
	}
	return parts
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ToLower(word)
}
