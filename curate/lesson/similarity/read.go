package similarity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

// The numbers of two words that the rest of the package knows.
const (
	negation uint32 = iota
	instead
	only
)

// A reader turns texts into words with numbers.
type reader struct {
	numbers map[string]uint32
	lexicon map[string]entry
}

func newReader() *reader {
	r := &reader{numbers: map[string]uint32{}, lexicon: newLexicon()}
	r.number(not)
	r.number("instead")
	r.number("only")
	return r
}

func (r *reader) number(s string) uint32 {
	n, ok := r.numbers[s]
	if !ok {
		n = uint32(len(r.numbers))
		r.numbers[s] = n
	}
	return n
}

// A chunk is a piece of a text between white space.
type chunk struct {
	text string
	code bool
	end  byte // of a clause: one of , ; : . or 0
}

// maxWords is how many words a statement has at most; a longer text is not
// a statement, and similar to none.
const maxWords = 128

func (r *reader) readStatement(s Statement) sequence {
	out := sequence{avoid: s.Avoid}
	var shape []uint32
	for _, c := range plainOrder(chunks(s.Text)) {
		w, ok := r.readWord(c, len(out.words) == 0)
		if !ok {
			continue
		}
		if len(out.words) == maxWords {
			return sequence{}
		}
		out.words = append(out.words, w)
		if w.fixed {
			shape = append(shape, w.norm)
		}
	}
	out.shape = r.number("\x00" + packNumbers(shape)) // no word has a NUL
	return out
}

// readWord returns what a chunk says; ok is false when that does not count.
func (r *reader) readWord(c chunk, first bool) (w word, ok bool) {
	if isName(c.text) || !first && isLetter(c.text) {
		n := r.number(c.text)
		return word{norm: n, raw: n, code: c.code, fixed: true}, true
	}
	lower := strings.ToLower(c.text)
	if c.code { // a name as well; its ending is dropped only to find it
		return word{norm: r.number(words.StemWord(lower)), raw: r.number(c.text), code: true}, true
	}
	e, known := r.lexicon[lower]
	switch {
	case strings.HasSuffix(lower, "n't"):
		return word{norm: negation, raw: negation, fixed: true}, true
	case known && e.as == "" || first && (lower == "ensure" || lower == "remember"):
		return w, false
	case known:
		n := r.number(e.as)
		return word{norm: n, raw: n, fixed: e.fixed}, true
	}
	stem := words.StemWord(lower)
	raw, norm := r.number(lower), r.number(stem)
	if e, known := r.lexicon[stem]; known && !e.fixed && e.as != "" {
		norm = r.number(e.as)
	}
	// What a foreign word does to a statement is not known here; one with
	// a hyphen, such as read-only, narrows it down.
	return word{norm: norm, raw: raw, fixed: isForeign(lower) || strings.Contains(lower, "-")}, true
}

// isLetter reports whether a word is one capital letter that stands for something.
func isLetter(s string) bool { return len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' && s != "I" }

func isForeign(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// chunks cuts a text at white space, and takes quotes and the punctuation
// around words away.
func chunks(text string) (list []chunk) {
	text = strings.ReplaceAll(text, "’", "'")
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			for _, f := range strings.Fields(part) {
				list = append(list, chunk{text: f, code: true})
			}
			continue
		}
		for j, piece := range strings.Split(part, `"`) {
			for _, f := range strings.Fields(piece) {
				c, ok := trimmed(f)
				c.code = j%2 == 1
				switch {
				case ok:
					list = append(list, c)
				case len(list) > 0 && c.end != 0: // a comma after what was quoted
					list[len(list)-1].end = c.end
				}
			}
		}
	}
	return sure(list)
}

// trimmed is a chunk without the punctuation around it. What is left of a dash
// is nothing; signs that are not punctuation stay.
func trimmed(s string) (c chunk, ok bool) {
	s = strings.TrimLeft(s, "([{'“”‘«")
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if !strings.ContainsRune(".,;:!?)]}'“”‘»…", r) {
			break
		}
		if size == 1 && strings.ContainsRune(".,;:", r) {
			c.end = byte(r)
		}
		s = s[:len(s)-size]
	}
	s = strings.TrimSuffix(s, "'s")
	c.text = s
	return c, strings.Trim(s, "-–—") != ""
}

// sure takes "make sure" and "be sure" out.
func sure(list []chunk) []chunk {
	out := list[:0]
	for _, c := range list {
		if n := len(out) - 1; n >= 0 && !c.code && !out[n].code && strings.EqualFold(c.text, "sure") &&
			(strings.EqualFold(out[n].text, "make") || strings.EqualFold(out[n].text, "be")) {
			out = out[:n]
			continue
		}
		out = append(out, c)
	}
	return out
}

// plainOrder puts a clause that a text opens with last: "before pushing, run
// the tests" becomes "run the tests before pushing".
func plainOrder(list []chunk) []chunk {
	const longest = 10
	if len(list) == 0 || list[0].code || !slices.Contains(clauseOpeners, strings.ToLower(list[0].text)) {
		return list
	}
	comma := -1
	for i, c := range list {
		if c.end == ',' && comma < 0 && i > 0 && i < longest {
			comma = i
		} else if c.end != 0 && i < len(list)-1 {
			return list
		}
	}
	if comma < 0 || comma == len(list)-1 {
		return list
	}
	return append(append(make([]chunk, 0, len(list)), list[comma+1:]...), list[:comma+1]...)
}

// isName reports whether a word is a number, a name, a path, a flag, or anything
// else of which each letter counts.
func isName(s string) bool {
	lower, upper := false, false
	for i, r := range s {
		switch {
		case unicode.Is(unicode.N, r):
			return true
		case unicode.IsUpper(r):
			if i > 0 {
				upper = true
			}
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

// not is how every negation is read.
const not = "not"

// An entry is what a word is read as; "" is not at all.
type entry struct {
	as    string
	fixed bool
}

// Words that turn a statement around, in the languages that are met most.
const negations = `not no never none nothing nobody nowhere neither nor cannot dont cant wont avoid avoids avoided avoiding
	nicht kein keine keinen nie niemals pas jamais nunca jamás não nem mai niet geen nooit aldrig inte ikke
	не нет никогда нельзя`

// Words without which, or with others of which, a statement is another one.
const decisive = `before after until unless except only while during instead or either without outside inside from into onto
	out off up down over under above below against between through via more less fewer least most half
	may might can could hardly rarely seldom barely scarcely forbid forbidden refuse zero one two three four five six
	seven eight nine ten once twice first last non anti but still already yet again`

// Words that are read as another one.
const synonyms = `when=if whenever=if if=if rather=instead prefer=use utilize=use utilise=use verify=check delete=remove
	dir=folder directory=folder repo=repository config=configuration execute=run doc=documentation till=until each=every`

func newLexicon() map[string]entry {
	known := map[string]entry{}
	for _, w := range words.CompareStops() {
		known[w] = entry{}
	}
	for _, w := range strings.Fields(decisive) {
		known[w] = entry{w, true}
	}
	for _, pair := range strings.Fields(synonyms) {
		from, to, _ := strings.Cut(pair, "=")
		e := entry{words.StemWord(to), false}
		if to == "if" || known[to].fixed {
			e = entry{to, true}
		}
		known[from], known[words.StemWord(from)] = e, e
	}
	for _, w := range strings.Fields(negations) {
		known[w] = entry{not, true}
	}
	return known
}

// clauseOpeners open a clause that may stand last too.
var clauseOpeners = []string{"before", "after", "when", "whenever", "if", "once", "while", "until", "unless", "in", "on", "for", "during", "with"}
