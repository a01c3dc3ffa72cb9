package recall

import (
	"cmp"
	"strings"
	"unicode"

	"mem/index"
	"mem/words"
)

// longestPart bounds a paragraph whose words count as standing together; of a longer one each
// sentence counts by itself.
const longestPart = 400

// forbids stands among the words of a text that forbids something.
const forbids = "\x00forbids"

// isElsewhere reports whether a session comes to know a lesson without its start or its first
// prompt: a hook shows it at its moment, or the instructions that a start goes with say the same.
func (b *bundle) isElsewhere(it *index.Item) bool {
	if it.Pinned || !b.isFew() && !b.opts.Only {
		return false
	}
	return b.opts.Later[it.ID] || !b.opts.Only && b.isInstructed(it.ShownText())
}

// isInstructed reports whether a paragraph of the instructions has all names of a lesson, four
// fifths of its other words, and forbids if the lesson does.
func (b *bundle) isInstructed(text string) bool {
	if b.parts == nil {
		b.stems = map[string]string{}
		b.splitInstructions()
	}
	has := b.contentOf(text)
	for _, part := range b.parts {
		missing := 0
		for w, isName := range has {
			if _, isThere := part[w]; !isThere && isName {
				missing = len(has)
			} else if !isThere {
				missing++
			}
		}
		if len(has) > 1 && part[forbids] == has[forbids] && 5*missing <= len(has) {
			return true
		}
	}
	return false
}

// splitInstructions keeps the words of each paragraph and item, without what mem wrote itself.
func (b *bundle) splitInstructions() {
	for _, text := range b.opts.Instructions {
		own := strings.Split(text, "<!-- mem")
		text = own[0]
		for _, block := range own[1:] {
			if mark, rest, _ := strings.Cut(block, "-->"); !strings.Contains(mark, "begin") {
				text += rest
			}
		}
		for _, part := range splitParagraphs(text, len(text)) {
			end := ". "
			if len(part) <= longestPart {
				end = "\x00"
			}
			for sentence := range strings.SplitSeq(part, end) {
				b.parts = append(b.parts, b.contentOf(sentence))
			}
		}
	}
}

// contentOf returns the words of a text that carry meaning, by their stems, and whether each is a
// name: code, a path or a number.
func (b *bundle) contentOf(text string) map[string]bool {
	found := map[string]bool{}
	text = strings.ToLower(text)
	for i, span := range strings.Split(text, "`") {
		for w := range words.SpeechWords(span) {
			isName := strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
			if b.stems[w] == "" && !isName { // to find one takes long
				b.stems[w] = words.StemWord(w)
			}
			w = cmp.Or(b.stems[w], w)
			found[w] = found[w] || isName || i%2 == 1
		}
	}
	for _, no := range []string{"not", "never", "no", "avoid", "don't", "don’t", "instead", "without", "only"} {
		if words.ContainsWord(text, no) {
			delete(found, words.StemWord(no))
			found[forbids] = true
		}
	}
	return found
}
