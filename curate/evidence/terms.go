package evidence

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/index"
	"mem/words"
)

// How many terms of a lesson are looked for.
const (
	mostStrong = 8
	mostWeak   = 6
)

// maxText is how much of a lesson is looked at, in bytes: more than any has
// that mem makes, and little enough for whatever else stands in an index.
const maxText = 4 << 10

// Terms are what to look for in the code to see whether a lesson holds there.
// Each list is in the order of the text, without repetitions, and may be empty.
type Terms struct {
	Strong  []string // names of things as they are written, at most 8: code, then quotations, then identifiers
	Weak    []string // other words that say something, in lower case, at most 6
	Avoided []string // what would be Strong, had the text not said to avoid it; at most 8
}

// TermsOf extracts the terms of a lesson.
//
// What stands after a negation, in the same clause, is no evidence: that a thing
// is there is no reason to believe that it should not be. So an anti-pattern
// only has terms to avoid, those of its first clause.
func TermsOf(l Lesson) Terms {
	text := words.FoldSpace(strings.ToValidUTF8(l.Text[:min(len(l.Text), maxText)], " "))
	if l.Kind == index.AntiPattern {
		text = index.Avoid(text)
	}
	c := &cutter{text: text, rest: []byte(text)}
	c.takeCode()
	c.quotations('"', '"')
	c.quotations('“', '”')
	c.quotations('\'', '\'')
	spans := c.spans
	c.spans = nil
	words := c.takeWords()
	moods := moodsOf(string(c.rest))
	var t Terms
	for _, s := range slices.Concat(spans, c.spans) {
		switch moods[s.at] {
		case affirmed:
			t.Strong = appendNew(t.Strong, s.text, mostStrong)
		case denied:
			t.Avoided = appendNew(t.Avoided, s.text, mostStrong)
		}
	}
	for _, s := range words {
		if moods[s.at] == affirmed {
			t.Weak = appendNew(t.Weak, strings.ToLower(s.text), mostWeak)
		}
	}
	if l.Kind == index.AntiPattern {
		t.Strong, t.Weak = nil, nil
	}
	return t
}

func appendNew(list []string, s string, most int) []string {
	if len(list) == most || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// A span is a part of a text.
type span struct {
	at   int // byte offset
	text string
}

// masked stands in the rest of a text for what was taken out of it.
const masked = '\x01'

// A cutter takes terms out of a text.
type cutter struct {
	text  string
	rest  []byte // of the same length, with what was taken out masked
	spans []span
}

// take takes text[from:to] out; its inside, trimmed, becomes a term unless it is
// a single character, which is found everywhere.
func (c *cutter) take(from, to int, inside string) {
	for i := from; i < to; i++ {
		c.rest[i] = masked
	}
	if inside = strings.TrimSpace(inside); utf8.RuneCountInString(inside) >= 2 {
		c.spans = append(c.spans, span{from, inside})
	}
}

// takeCode takes out what stands between backticks: as many as there are before it.
// Three or more fence an example, which names nothing.
func (c *cutter) takeCode() {
	for i := 0; i < len(c.text); {
		if c.text[i] != '`' {
			i++
			continue
		}
		n := run(c.text[i:])
		end := closing(c.text, i+n, n)
		if end < 0 {
			i += n
			continue
		}
		inside := c.text[i+n : end]
		if n >= 3 {
			inside = ""
		}
		c.take(i, end+n, inside)
		i = end + n
	}
}

// run is how many backticks s starts with.
func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closing finds the next run of exactly n backticks; -1 if there is none.
func closing(s string, from, n int) int {
	for i := from; i < len(s); i++ {
		if s[i] == '`' {
			m := run(s[i:])
			if m == n {
				return i
			}
			i += m - 1
		}
	}
	return -1
}

// quotations takes out what stands between two marks that do not start, and do
// not end, inside a word: the apostrophe in "don't" is no mark.
func (c *cutter) quotations(open, close rune) {
	rest := string(c.rest)
	for i := 0; i < len(rest); {
		r, size := utf8.DecodeRuneInString(rest[i:])
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		end := -1
		if r == open && (i == 0 || !wordRune(before)) {
			end = closingQuote(rest, i+size, close)
		}
		if end < 0 {
			i += size
			continue
		}
		next := end + utf8.RuneLen(close)
		if inside := rest[i+size : end]; !strings.ContainsRune(inside, masked) {
			c.take(i, next, inside)
		}
		i = next
	}
}

func closingQuote(s string, from int, mark rune) int {
	for i, r := range s[from:] {
		after, _ := utf8.DecodeRuneInString(s[from+i+utf8.RuneLen(r):])
		if r == mark && i > 0 && !wordRune(after) {
			return from + i
		}
	}
	return -1
}

// takeWords takes the identifiers out of what is left and returns the other words
// that may say something.
func (c *cutter) takeWords() (weak []span) {
	rest := string(c.rest)
	for i := 0; i < len(rest); {
		n := strings.IndexFunc(rest[i:], func(r rune) bool { return unicode.IsSpace(r) || r == masked })
		if n < 0 {
			n = len(rest) - i
		}
		if n > 0 {
			weak = append(weak, c.takeWord(rest, i, i+n)...)
			i += n
			continue
		}
		i++
	}
	return weak
}

// punctuation is what stands around the words of a sentence.
const punctuation = ".,;:!?()[]{}<>*\"'“”‘’…—–|~=+&^%#\\"

// takeWord looks at what stands between two spaces.
func (c *cutter) takeWord(rest string, from, to int) (weak []span) {
	raw := rest[from:to]
	s := strings.TrimLeft(raw, punctuation+"/")
	from += len(raw) - len(s)
	s = strings.TrimRight(s, punctuation+"/")
	if identifier(s) {
		c.take(from, from+len(s), s)
		return nil
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			i += size
			continue
		}
		end := i + strings.IndexFunc(s[i:]+" ", func(r rune) bool { return !wordRune(r) && r != '\'' && r != '’' })
		w := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(s[i:end], "'s"), "’s"), "'’")
		if says(w) {
			weak = append(weak, span{from + i, w})
		}
		i = end
	}
	return weak
}

// notNames look like identifiers and are none.
var notNames = sync.OnceValue(func() map[string]bool {
	return wordSet("e.g i.e a.k.a a.m p.m n/a w/o and/or either/or he/she she/he his/her him/her s/he yes/no on/off")
})

// identifier reports whether a word looks like a name in a program or of
// a file: it has one of _/@$. inside, or a capital after a small letter.
func identifier(s string) bool {
	if !strings.ContainsFunc(s, unicode.IsLetter) || notNames()[strings.ToLower(s)] {
		return false
	}
	before := rune(0)
	for i, r := range s {
		if i > 0 && i+utf8.RuneLen(r) < len(s) && strings.ContainsRune("_/@$.", r) {
			return true
		}
		if unicode.IsLower(before) && unicode.IsUpper(r) {
			return true
		}
		before = r
	}
	return false
}

// says reports whether an ordinary word is worth looking for: four letters or
// more, and not one that any sentence may have.
func says(w string) bool {
	n := 0
	for _, r := range w {
		if unicode.IsLetter(r) {
			n++
		}
	}
	low := strings.ToLower(strings.ReplaceAll(w, "’", "'"))
	return n >= 4 && !strings.HasSuffix(low, "n't") && !empty()[low]
}

// empty holds the words of four letters and more that say nothing about what
// a lesson is about, those that lessons are made of among them.
var empty = sync.OnceValue(func() map[string]bool {
	return wordSet(`able about above across actually after again against almost alone along already also although always among
		another anything around away avoid avoided avoiding because become been before behind being below best better between both
		cannot case cases certain come comes could does doing done down during each either else enough ensure especially even ever
		every everything exactly except first follow following from gets getting give given gives goes going good have having hence
		here however inside instead into isn't itself just keep keeping keeps know known last later lead leads least less lesson
		like likely look made make makes making many matter maybe mean means might more most mostly much must need needed needs
		neither never next none nothing note often once only onto other others otherwise ought over part perhaps please possible
		prefer preferred quite rather really remember same seem seems several shall should simply since some someone something
		sometimes soon still such sure take taken takes taking than that their them then there therefore these they thing things
		this those though through thus together took toward towards under unless unlike until upon used useful uses using usually
		very want wants well went were what whatever when whenever where wherever whether which while whole whose will with within
		without won't would your yours`)
})

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// wordRune reports whether words are made of r.
func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// A mood is what a text says of what stands in it.
type mood byte

const (
	affirmed mood = iota
	denied        // it is to be avoided, or replaced
	moot          // it replaces something that is to be avoided: neither
)

// moodsOf returns the mood at each byte of a text.
func moodsOf(text string) []mood {
	moods := make([]mood, len(text)+1)
	now, last := affirmed, 0
	var outside []mood // of the parentheses that are open
	become := func(at int, m mood) {
		for ; last < at; last++ {
			moods[last] = now
		}
		now = m
	}
	for _, at := range steps().FindAllStringIndex(text, -1) {
		switch step := strings.ToLower(strings.ReplaceAll(text[at[0]:at[1]], "’", "'")); {
		case step == "(":
			outside = append(outside, now)
		case step == ")":
			if n := len(outside) - 1; n >= 0 {
				become(at[1], outside[n])
				outside = outside[:n]
			}
		case step == ",":
			if after := text[at[1]:]; starter().MatchString(after) || !listed().MatchString(after) {
				become(at[1], affirmed)
			}
		case strings.HasPrefix(step, "."):
			if !abbreviation().MatchString(text[max(0, at[0]-8):at[0]]) {
				become(at[1], affirmed)
			}
		case strings.HasPrefix(step, "instead"), strings.HasPrefix(step, "rather"):
			if now == affirmed {
				become(at[1], denied)
			} else {
				become(at[1], moot)
			}
		case heeded().MatchString(step): // "don't forget x" asks for x
			become(at[1], affirmed)
		case step == "but" || strings.Trim(step, ";!?-–—→ \t\n") == "": // ends a clause
			become(at[1], affirmed)
		default:
			become(at[1], denied)
		}
	}
	become(len(moods), now)
	return moods
}

// The expressions that moods are read with. A clause ends at a full stop,
// a semicolon, a dash or "but", and at a comma unless what follows looks like one
// more thing in a list: a name or two words, and then an end, a conjunction or
// a preposition.
var (
	steps = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\binstead\s+of\b|\brather\s+than\b|\b(?:avoid(?:s|ing)?|but)\b|` +
			`\b(?:(?:never|don['’]?t|do\s+not|not|cannot|(?:do|does|did|is|are|was|were|has|have|had|ca|could|must|should|wo|would|need)n['’]t)` +
			`(?:\s+(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to))?)\b|[();,]|[.!?](?:\s|$)|—|\s[-–]+\s|→`)
	})
	heeded = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to)$`)
	})
	starter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\s*(?:and\s+|then\s+|so\s+)*(?:use|prefer|always|instead|because|since|so|as|it|they|we|you|this|that|these|there|which|who|` +
			`if|when|where|while|unless|until|otherwise|run|call|write|keep|put|add|return|make|let|wrap|pass|set|do|only|just|take|give|go|read|look|ask|check)\b`)
	})
	listed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\s*(?:(?:or|and|nor)\s+)?(?:\x01+|[\pL\pN_'’-]+(?:\s+[\pL\pN_'’-]+)?)\s*` +
			`(?:$|[,;.()!?]|\s(?:or|and|nor|in|for|on|at|from|inside|with|within|to|anywhere|directly)\b)`)
	})
	abbreviation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:e\.g|i\.e|etc|vs|cf|resp|incl|esp)$`)
	})
)
