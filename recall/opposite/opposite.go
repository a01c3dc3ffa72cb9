// Package opposite finds lessons that say the opposite of each other, of which the newer one
// counts. A lesson often says more than one thing, "Never use A, use B", or says why: then it is
// compared by each thing that it says. Words alone are compared, so most of what people would
// call opposite is missed.
package opposite

import (
	"slices"
	"strings"
	"time"

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
	var said []statement
	var of []int
	for i, l := range list {
		texts := []string{l.Text}
		if thing := strings.TrimPrefix(l.Text, "Avoid "); (l.Avoid || thing != l.Text) && !strings.HasSuffix(firstWord(thing), "ing") {
			texts = append(texts, strings.TrimSuffix(l.Text, thing)+"use "+thing)
		} else if !l.Avoid {
			texts = append(texts, divide(l.Text)...)
		}
		for _, text := range texts {
			said = append(said, readStatement(text, l.Avoid))
			of = append(of, i)
		}
	}
	for _, p := range findPairs(said) {
		newer, older := of[p[0]], of[p[1]]
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

// Words that what is said, or something behind it, begins with. To look for them by hand is quick;
// a session waits for it.
var (
	orders  = []string{"always ", "never ", "don't ", "don’t ", "do not ", "no longer ", "avoid "}
	reasons = []string{"because ", "since ", "as ", "it ", "this ", "that ", "they "}
	joined  = []string{"not ", "and not ", "rather than ", "instead of "}
	stops   = []string{"stop using ", "we no longer use ", "no longer use ", "don't use ", "don’t use ", "do not use "}
	breaks  = []string{", ", "; ", ". ", ": ", " - ", " – ", " — "}
)

// prefers matches two things of which one is preferred.
var prefers = lazy.New(`(?i)^(?:always |please )*(use|prefer|run|call|write|choose) (\x60[^\x60]+\x60|\S+)(?:,? instead of|,? rather than| over|,? and not|, not) (\x60[^\x60]+\x60|\S+)$`)

// divide returns the things that a lesson says, if it says more than one, or says why. Whether
// what follows a comma limits what comes before it is not known: a part that is neither an order
// nor a reason leaves the lesson whole.
func divide(text string) (parts []string) {
	whole := strings.TrimRight(strings.TrimSpace(text), ".!")
	said := split(whole)
	said[0], _, _ = strings.Cut(said[0], " because ")
	for _, stop := range stops {
		if startsWith(said[0], stop) {
			said[0] = "Never use " + said[0][len(stop):]
		}
	}
	verb := firstWord(strings.TrimPrefix(strings.TrimPrefix(said[0], "Never "), "Always "))
	for i, part := range said {
		part = strings.TrimSuffix(part, " instead")
		first := firstWord(part)
		switch {
		case i == 0 || first == verb || startsWith(part, orders...):
		case startsWith(part, reasons...), slices.Contains(strings.Fields(strings.ToLower(said[0])), first):
			continue
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

// split returns the parts of a text between its commas and the like, of which there is one at least.
func split(text string) (parts []string) {
	from := 0
	for i, r := range text {
		for _, b := range breaks {
			if r <= ';' && i >= from && strings.HasPrefix(text[i:], b) && !startsWith(text[i+len(b):], joined...) {
				parts = append(parts, text[from:i])
				from = i + len(b)
			}
		}
	}
	return append(parts, text[from:])
}

// startsWith reports whether a text begins with one of these words, in whatever case.
func startsWith(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return len(text) >= len(w) && strings.EqualFold(text[:len(w)], w) })
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ToLower(word)
}
