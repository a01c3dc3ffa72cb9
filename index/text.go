package index

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mem/words"
)

// AvoidPrefix starts the text of every anti-pattern, once.
const AvoidPrefix = "Avoid: "

// KeyOf returns what makes two texts the same lesson: the folded text in lower case and form NFC. Final sigma and
// U+0130 may come out differently from JavaScript's full case mapping.
func KeyOf(text string) string { return words.Lower(words.FoldSpace(text)) }

// StripAvoid folds text and removes every leading "Avoid:", in any case.
func StripAvoid(text string) string {
	text, isMore := cutAvoid(words.FoldSpace(text))
	for isMore {
		text, isMore = cutAvoid(text)
	}
	return text
}

// AddAvoid returns text as an anti-pattern: folded, with the prefix exactly
// once. It is empty when nothing but prefixes was given.
func AddAvoid(text string) string {
	if text = StripAvoid(text); text == "" {
		return ""
	}
	return AvoidPrefix + text
}

// ShownText returns what a session is shown of the record: a mistake begins with
// "Avoid: ". Lint judges this, and not the bare words.
func (it *Item) ShownText() string {
	if it.Kind == AntiPattern {
		return AddAvoid(it.Text)
	}
	return it.Text
}

// Gap stands where a purge took words out.
const Gap = "[purged]"

// HasGap reports whether a purge took words out of what the record says: what is left may mislead.
func (it *Item) HasGap() bool { return strings.Contains(it.Text, Gap) }

// FoldAvoid returns text folded and, if it starts with "Avoid:", with that prefix exactly once.
func FoldAvoid(text string) string {
	text, _ = TextOf(text, false)
	return text
}

// SaysAvoid reports whether text starts with "Avoid:", in any case.
func SaysAvoid(text string) bool {
	_, ok := cutAvoid(words.FoldSpace(text))
	return ok
}

func cutAvoid(s string) (string, bool) {
	const word = "avoid:"
	if len(s) < len(word) || !strings.EqualFold(s[:len(word)], word) {
		return s, false
	}
	return strings.TrimPrefix(s[len(word):], " "), true
}

// NewID returns an id for a record with this key that taken does not hold.
// The same key gives the same id on every machine unless it is taken.
func NewID(key string, taken func(string) bool) string {
	id := BaseID(key)
	for n := 1; taken(id); n++ {
		id = BaseID(key + "\x00" + strconv.Itoa(n))
	}
	return id
}

// BaseID is the id of a key that no other record has taken.
func BaseID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "m-" + hex.EncodeToString(sum[:4])
}

// assignIDs gives an id to every record that has none or repeats another's.
func (ix *Index) assignIDs() {
	seen := make(map[string]bool, len(ix.Items))
	for it := range ix.All() {
		if seen[it.ID] {
			it.ID = ""
		}
		seen[it.ID] = true
	}
	for it := range ix.All() {
		if it.ID == "" {
			it.ID = NewID(it.Key, func(id string) bool { return seen[id] })
			seen[it.ID] = true
		}
	}
}

// SpokenKey is what a lesson says, in whatever punctuation: its words in lower case, without "Avoid:".
func SpokenKey(text string) string {
	text = strings.TrimLeft(strings.TrimSpace(text), "-*+> ")
	return strings.Join(strings.FieldsFunc(KeyOf(StripAvoid(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
}

// A Saying is what a lesson says, and when it was last seen.
type Saying struct {
	Text string // a mistake begins with "Avoid: "
	Seen time.Time
}

// A side is a thing to do, such as "using npm", and whether a lesson is for or against it.
type side struct {
	thing string
	pro   bool
}

// FindOutdone finds lessons that a newer one contradicts: the same with a negation in front, or "B instead of
// A" against "A". It returns the position of the newest such lesson for each; -1 for none.
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
