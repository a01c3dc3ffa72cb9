package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

// A term is a word that carries meaning, by its stem, or deny. Names are code, paths, numbers and deny.
type term struct {
	word   string
	isName bool
}

var (
	deny         = term{"\x00deny", true} // stands for each word that turns round what is said
	denials      = words.SetOf("not never no nor neither avoid without only stop refrain except unless but cannot")
	denyTogether = strings.NewReplacer("instead of", "not", "rather than", "not", "no longer", "not")
	leading      = words.SetOf("before after when whenever if once while until unless for in on to instead without")
	sentenceEnd  = lazy.New(`[.!?;][*_)"]* `)
)

// isElsewhere reports whether a session comes to know a lesson without being shown it unasked: a hook
// shows it at its moment, or the project's instructions say the same.
func (b *bundle) isElsewhere(it *index.Item) bool {
	if it.Pinned || !b.isFew() && !b.opts.Only {
		return false
	}
	return b.opts.Later[it.ID] || b.isInstructed(it.ShownText())
}

// isInstructed reports whether the instructions say each sentence of a lesson.
func (b *bundle) isInstructed(text string) bool {
	if b.stems == nil {
		b.stems = map[string]string{}
		b.splitInstructions()
	}
	sentences := b.termsOf(text)
	return len(sentences) > 0 && !slices.ContainsFunc(sentences, func(said []term) bool {
		return !slices.ContainsFunc(b.parts, func(part []term) bool { return len(said) > 1 && isSaid(said, part) })
	})
}

// isSaid reports whether a sentence has in the same order all names of another one and four fifths of
// its words, no other word in place of the rest, and deny as often.
func isSaid(said, part []term) bool {
	at, missing, isGap := 0, 0, false
	for _, t := range said {
		isSame := func(p term) bool { return p.word == t.word }
		n := slices.IndexFunc(part[at:], isSame)
		switch {
		case n < 0 && (t.isName || slices.ContainsFunc(part, isSame)), n > 0 && (isGap || slices.Contains(part[at:at+n], deny)):
			return false
		case n < 0:
			missing++
		default:
			at += n + 1
		}
		isGap = n < 0
	}
	return !slices.Contains(part[at:], deny) && 5*missing <= len(said) && (!isGap || at == len(part))
}

// splitInstructions keeps the terms of each sentence, without what mem wrote itself. What is over a
// list belongs to each of its items.
func (b *bundle) splitInstructions() {
	for _, text := range b.opts.Instructions {
		own := strings.Split(text, "<!-- mem")
		text = own[0]
		for _, block := range own[1:] {
			if mark, rest, _ := strings.Cut(block, "-->"); !strings.Contains(mark, "begin") {
				text += rest
			}
		}
		over := ""
		for _, part := range splitParagraphs(text, len(text)) {
			if isListItem(part) {
				part = over + strings.TrimLeft(part, "0123456789.)-*+ ")
			} else if end := strings.LastIndex(part, ":\n"); end >= 0 {
				over = part[:end+2]
			}
			b.parts = append(b.parts, b.termsOf(part)...)
		}
	}
}

// termsOf returns the terms of each sentence of a text, each word once. What a sentence begins with is
// put behind the rest of it: "before a commit, run the linter" says what "run the linter before a
// commit" does.
func (b *bundle) termsOf(text string) (sentences [][]term) {
	text = strings.ReplaceAll(words.Lower(words.FoldSpace(text)), "’", "'")
	for _, sentence := range sentenceEnd.Get().Split(text, -1) {
		from := strings.LastIndex(sentence, ": ") + 1
		begin, rest, isTwo := strings.Cut(strings.TrimLeft(sentence[from:], " -*+"), ", ")
		if first, _, _ := strings.Cut(begin, " "); isTwo && leading[first] {
			sentence = sentence[:from] + rest + " " + begin
		}
		var list []term
		for i, span := range strings.Split(denyTogether.Replace(sentence), "`") {
			for token := range strings.FieldsFuncSeq(span, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_/.'", r)
			}) {
				list = b.appendTerm(list, token, i%2 == 1)
			}
		}
		if len(list) > 0 {
			sentences = append(sentences, list)
		}
	}
	return sentences
}

// appendTerm adds what a word says to the terms before it.
func (b *bundle) appendTerm(list []term, token string, isCode bool) []term {
	if !isCode && (denials[strings.Trim(token, ".")] || strings.HasSuffix(token, "n't")) {
		return append(list, deny)
	}
	token, _, _ = strings.Cut(token, "'")
	for w := range words.SpeechWords(token) { // one at most
		isName := strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		if b.stems[w] == "" && !isName { // to find one takes long
			b.stems[w] = words.StemWord(w)
		}
		if w = cmp.Or(b.stems[w], w); !slices.ContainsFunc(list, func(t term) bool { return t.word == w }) {
			list = append(list, term{w, isName || isCode})
		}
	}
	return list
}
