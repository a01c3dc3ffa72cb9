package search

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

// How many terms of a lesson are looked for.
const (
	mostStrong = 8
	mostWeak   = 6
)

// maxText is how much of a lesson is looked at, in bytes: an index may hold anything.
const maxText = 4 << 10

// Terms are what to look for in the code to see whether a lesson holds there. Each
// list is in the order of the text, without repetitions, and may be empty.
type Terms struct {
	Strong  []string // names of things as they are written, at most 8: code, then quotations, then identifiers
	Weak    []string // other words that mean something, in lower case, at most 6
	Avoided []string // what would be Strong, had the text not said to avoid it; at most 8
}

// TermsOf extracts the terms of a lesson.
//
// What stands after a negation, in the same clause, is not evidence: that a thing
// is there does not show that it should not be. So an anti-pattern only has terms
// to avoid, those of its first clause.
func TermsOf(l *index.Item) Terms {
	text := words.FoldSpace(strings.ToValidUTF8(l.Text[:min(len(l.Text), maxText)], " "))
	if l.Kind == index.AntiPattern {
		text = index.AddAvoid(text)
	}
	c := &cutter{rest: []byte(text)}
	for _, re := range []*lazy.Regexp{inCode, inDouble, inSingle} {
		c.takeAll(re)
	}
	spans := c.spans
	c.spans = nil
	words := c.takeWords()
	says := readDenials(string(c.rest))
	var t Terms
	for _, s := range slices.Concat(spans, c.spans) {
		switch says[s.at] {
		case avoided:
			t.Avoided = appendNew(t.Avoided, s.text, mostStrong)
		case neither:
		default:
			t.Strong = appendNew(t.Strong, s.text, mostStrong)
		}
	}
	for _, s := range words {
		if says[s.at] == 0 {
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

type span struct {
	at   int // byte offset
	text string
}

// masked is put in the place of what was taken out of a text.
const masked = '\x01'

type cutter struct {
	rest  []byte // the text, with what was taken out masked
	spans []span
}

// take takes rest[from:to] out. Its inside, trimmed, becomes a term unless it is
// a single character, which is found everywhere.
func (c *cutter) take(from, to int, inside string) {
	copy(c.rest[from:to], bytes.Repeat([]byte{masked}, to-from))
	if inside = strings.TrimSpace(inside); utf8.RuneCountInString(inside) >= 2 {
		c.spans = append(c.spans, span{from, inside})
	}
}

// takeAll takes out what matches; the last group that does is the inside.
func (c *cutter) takeAll(re *lazy.Regexp) {
	for _, m := range re.Get().FindAllSubmatchIndex(c.rest, -1) {
		inside := ""
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				inside = string(c.rest[m[g]:m[g+1]])
			}
		}
		c.take(m[0], m[1], inside)
	}
}

// What names a thing. Three backticks fence an example, which names nothing. A quotation does not
// start or end inside a word: the apostrophe in "don't" is not a mark.
var (
	inCode   = lazy.New("```.*?```|``(.+?)``|`([^`]+)`")
	inDouble = lazy.New(`\B"([^\x01]+?)"\B|“([^\x01]+?)”`)
	inSingle = lazy.New(`\B'([^\x01]+?)'\B`)
)

// takeWords takes the identifiers out of what is left and returns the other words
// that may mean something.
func (c *cutter) takeWords() (weak []span) {
	rest := string(c.rest)
	for _, at := range token.Get().FindAllStringIndex(rest, -1) {
		s := rest[at[0]:at[1]]
		if strings.ContainsFunc(s, unicode.IsLetter) && !notNames()[strings.ToLower(s)] && nameMark.Matches(s) {
			c.take(at[0], at[1], s)
			continue
		}
		for _, in := range plainWord.Get().FindAllStringIndex(s, -1) {
			w := strings.TrimSuffix(strings.TrimSuffix(s[in[0]:in[1]], "'s"), "’s")
			if w = strings.TrimRight(w, "'’"); isTelling(w) {
				weak = append(weak, span{at[0] + in[0], w})
			}
		}
	}
	return weak
}

// punctuation is not part of a word at its ends, in a class of characters.
const punctuation = `.,;:!?()\[\]{}<>*"'“”‘’…—–|~=+&^%#\\/`

var token = lazy.New(`[^\s\x01` + punctuation + `](?:[^\s\x01]*[^\s\x01` + punctuation + `])?`)

var plainWord = lazy.New(`\pL[\pL\p{Nd}\pM_'’]*`)

var notNames = sync.OnceValue(func() map[string]bool {
	return words.SetOf("e.g i.e a.k.a a.m p.m n/a w/o and/or either/or he/she she/he his/her him/her s/he yes/no on/off")
})

// nameMark matches what looks like a name in a program or of a file: it has one of
// _/@$. inside, or a capital after a small letter.
var nameMark = lazy.New(`.[_/@$.].|\p{Ll}\p{Lu}`)

// isTelling reports whether an ordinary word has four letters and is not a filler.
func isTelling(w string) bool {
	letters := strings.FieldsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
	low := strings.ToLower(strings.ReplaceAll(w, "’", "'"))
	return utf8.RuneCountInString(strings.Join(letters, "")) >= 4 && !strings.HasSuffix(low, "n't") && !fillers()[low]
}

// fillers are words of four letters and more that do not show the subject of a lesson.
var fillers = sync.OnceValue(func() map[string]bool {
	return words.SetOf(`able about above across actually after again against almost alone along already also although always among
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

func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// What a text says of the things in it, other than that they are there.
const (
	avoided = 'a' // do without them
	neither = 'n'
)

// readDenials marks what stands after a negation, to the end of the clause. Of that,
// what the text says to avoid is at the front, and not tied to a time or place: that x
// is there does not show that it runs before y.
func readDenials(text string) []byte {
	says := make([]byte, len(text))
	for _, m := range denial.Get().FindAllStringSubmatchIndex(text, -1) {
		if m[2] < 0 { // "don't forget x" asks for x
			continue
		}
		for i := m[0]; i < m[1]; i++ {
			says[i] = neither
			if i >= m[2] && i < m[3] && !tied.Matches(text[m[2]:m[3]]) {
				says[i] = avoided
			}
		}
	}
	return says
}

var (
	denial = lazy.New(`(?i)\b(?:never|not|\pL+n['’]t)\s+(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to)\b|` +
		`\b(?:never|avoid(?:s|ing)?|not|cannot|\pL+n['’]t|instead\s+of|rather\s+than)\b(.*?)(?:(?:[,(]|\b(?:instead\s+of|rather\s+than)\b).*?)?` +
		`(?:[;)—→]|[^.][^.][.!?](?:\s|$)|\s[-–]+\s|\bbut\b|$)`)
	tied = lazy.New(`(?i)\b(?:before|after|without|until|unless|while|during|outside|twice|when|if|where)\b`)
)
