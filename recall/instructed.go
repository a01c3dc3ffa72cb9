package recall

import (
	"strings"
	"unicode"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

var sentenceEnd = lazy.New(`[.!?;][*_)"]* `)

// isElsewhere reports whether a session comes to know a lesson without being shown it unasked: a hook
// shows it at its moment, or the project's instructions have the same sentence.
func (b *bundle) isElsewhere(it *index.Item) bool {
	if it.Pinned || !b.isFew() && !b.opts.Only {
		return false
	}
	if b.instructed == nil {
		b.instructed = map[string]bool{}
		for _, text := range b.opts.Instructions {
			for _, part := range splitParagraphs(text, len(text)) {
				part = part[strings.LastIndex(part, ":\n")+1:] // without its heading
				for _, sentence := range sentenceEnd.Get().Split(words.FoldSpace(part), -1) {
					b.instructed[plainWords(sentence)] = true
				}
			}
		}
	}
	return b.opts.Later[it.ID] || b.instructed[plainWords(it.ShownText())]
}

// plainWords returns the words of a sentence in lower case, without marks and the number of an item.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(words.Lower(strings.TrimLeft(text, "0123456789.) ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
