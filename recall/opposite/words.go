package opposite

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

// not is how every negation is read.
const not = "not"

// Words that turn a statement around, in the languages that are met most.
const negations = `not no never none nothing nobody nowhere neither nor cannot dont cant wont avoid avoids avoided avoiding
	nicht kein keine keinen nie niemals pas jamais nunca jamás não nem mai niet geen nooit aldrig inte ikke
	не нет никогда нельзя`

// Words that do not count, none of which can turn a statement around.
const stopWords = `a an the this that these those it its is are was were be been being to of in on at for with
	by as and so also just please always must should shall will would need needs you your we our
	they their them i my do does did done doing has have had having then there here which who
	it's that's you're we're than otherwise`

// Words that are read as another one.
const synonyms = `when=if whenever=if prefer=use utilize=use utilise=use verify=check
	delete=remove dir=folder directory=folder repo=repository config=configuration execute=run doc=documentation till=until each=every`

// lexicon says what words are read as; "" is not at all.
var lexicon = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for w := range strings.FieldsSeq(stopWords) {
		known[w] = ""
	}
	for pair := range strings.FieldsSeq(synonyms) {
		from, to, _ := strings.Cut(pair, "=")
		to = words.StemWord(to)
		known[from], known[words.StemWord(from)] = to, to
	}
	for w := range strings.FieldsSeq(negations) {
		known[w] = not
	}
	return known
})

// A word is one word of a statement that counts.
type word struct {
	norm string // without ending, synonyms as one
	raw  string // as it was written
	code bool   // it was quoted, so that its letters matter
}

func (w word) equals(v word) bool {
	return w.norm == v.norm && (w.raw == v.raw || !w.code && !v.code)
}

// maxWords is how many words a statement has at most; a longer text is not a statement.
const maxWords = 128

// readWords returns the words of a text that count.
func readWords(text string) (list []word) {
	for _, c := range readChunks(text) {
		if w, ok := readWord(c, len(list) == 0); ok {
			list = append(list, w)
		}
	}
	if len(list) > maxWords {
		return nil
	}
	return list
}

// readWord returns what a chunk says; ok is false when that does not count.
func readWord(c chunk, first bool) (w word, ok bool) {
	if isName(c.text) || !first && isLetter(c.text) {
		return word{c.text, c.text, c.code}, true
	}
	lower := strings.ToLower(c.text)
	if c.code { // a name as well; its ending is dropped only to find it
		return word{words.StemWord(lower), c.text, true}, true
	}
	as, known := lexicon()[lower]
	switch {
	case strings.HasSuffix(lower, "n't"):
		return word{not, not, false}, true
	case known && as == "" || first && (lower == "ensure" || lower == "remember"):
		return w, false
	case known:
		return word{as, as, false}, true
	}
	stem := words.StemWord(lower)
	return word{cmp.Or(lexicon()[stem], stem), lower, false}, true
}

// isLetter reports whether a word is one capital letter that stands for something.
func isLetter(s string) bool { return len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' && s != "I" }

// isName reports whether a word is a number, a name, a path, a flag, or anything
// else of which each letter counts.
func isName(s string) bool {
	lower, upper := false, false
	for i, r := range s {
		switch {
		case unicode.Is(unicode.N, r):
			return true
		case unicode.IsUpper(r):
			upper = upper || i > 0
		case unicode.IsLetter(r):
			lower = true
		case unicode.Is(unicode.M, r):
		case r == '-' && i > 0 || r == '\'':
		default:
			return true
		}
	}
	return upper || !lower && utf8.RuneCountInString(s) > 1
}

// A chunk is a piece of a text between white space.
type chunk struct {
	text string
	code bool
}

// readChunks cuts a text at white space, and takes quotes, the punctuation around words,
// "make sure" and "be sure" away.
func readChunks(text string) (list []chunk) {
	for i, part := range strings.Split(strings.ReplaceAll(text, "’", "'"), "`") {
		for j, piece := range strings.Split(part, `"`) {
			for f := range strings.FieldsSeq(piece) {
				c := chunk{f, i%2 == 1 || j%2 == 1}
				if i%2 == 0 {
					f = strings.TrimRight(strings.TrimLeft(f, "([{'“”‘«"), ".,;:!?)]}'“”‘»…")
					c.text = strings.TrimSuffix(f, "'s")
				}
				n := len(list) - 1
				switch {
				case strings.Trim(c.text, "-–—") == "":
				case n >= 0 && !c.code && !list[n].code && strings.EqualFold(c.text, "sure") && startsWith(list[n].text+" ", "make ", "be "):
					list = list[:n]
				default:
					list = append(list, c)
				}
			}
		}
	}
	return list
}
