package index

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"mem/words"
)

// AvoidPrefix starts the text of every anti-pattern, once.
const AvoidPrefix = "Avoid: "

// KeyOf returns what makes two texts the same lesson: the folded text in lower
// case and form NFC. Final sigma and U+0130 may come out differently from JavaScript's
// full case mapping.
func KeyOf(text string) string { return words.Lower(words.FoldSpace(text)) }

// StripAvoid folds text and removes every leading "Avoid:", in any case.
func StripAvoid(text string) string {
	text = words.FoldSpace(text)
	for {
		rest, ok := cutAvoid(text)
		if !ok {
			return text
		}
		text = rest
	}
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

// FoldAvoid returns text folded and, if it starts with "Avoid:", with that prefix
// exactly once.
func FoldAvoid(text string) string {
	if SaysAvoid(text) {
		return AddAvoid(text)
	}
	return words.FoldSpace(text)
}

// SaysAvoid reports whether text starts with "Avoid:", in any case.
func SaysAvoid(text string) bool {
	_, ok := cutAvoid(words.FoldSpace(text))
	return ok
}

// cutAvoid removes one prefix from a folded text.
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
	for i := range ix.Items {
		it := &ix.Items[i]
		if seen[it.ID] {
			it.ID = ""
		}
		seen[it.ID] = true
	}
	for i := range ix.Items {
		if it := &ix.Items[i]; it.ID == "" {
			it.ID = NewID(it.Key, func(id string) bool { return seen[id] })
			seen[it.ID] = true
		}
	}
}

// SpokenKey is what a lesson says, in whatever punctuation: its words in lower case,
// without "Avoid:".
func SpokenKey(text string) string {
	text = strings.TrimLeft(strings.TrimSpace(text), "-*+> ")
	return strings.Join(strings.FieldsFunc(KeyOf(StripAvoid(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
}
