package search

import (
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

type span struct {
	at   int // byte offset
	text string
}

// masked is put in the place of what was taken out of a text.
const masked = '\x01'

type cutter struct {
	text  string
	rest  []byte // of the same length, with what was taken out masked
	spans []span
}

// take takes text[from:to] out. Its inside, trimmed, becomes a term unless it is
// a single character, which is found everywhere.
func (c *cutter) take(from, to int, inside string) {
	for i := from; i < to; i++ {
		c.rest[i] = masked
	}
	if inside = strings.TrimSpace(inside); utf8.RuneCountInString(inside) >= 2 {
		c.spans = append(c.spans, span{from, inside})
	}
}

// takeCode takes out what stands between runs of equally many backticks. Three or
// more fence an example, which names nothing.
func (c *cutter) takeCode() {
	runs := backticks.Get().FindAllStringIndex(c.text, -1)
	for len(runs) > 0 {
		from, to := runs[0][0], runs[0][1]
		runs = runs[1:]
		end := slices.IndexFunc(runs, func(run []int) bool { return run[1]-run[0] == to-from })
		if end < 0 {
			continue
		}
		inside := c.text[to:runs[end][0]]
		if to-from >= 3 {
			inside = ""
		}
		c.take(from, runs[end][1], inside)
		runs = runs[end+1:]
	}
}

var backticks = lazy.New("`+")

// quotations takes out what stands between two marks. Neither mark may stand
// inside a word: the apostrophe in "don't" is not a mark.
func (c *cutter) quotations(open, close rune) {
	rest := string(c.rest)
	for i := 0; i < len(rest); {
		r, size := utf8.DecodeRuneInString(rest[i:])
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		end := -1
		if r == open && (i == 0 || !isWordRune(before)) {
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
		if r == mark && i > 0 && !isWordRune(after) {
			return from + i
		}
	}
	return -1
}

// takeWords takes the identifiers out of what is left and returns the other words
// that may mean something.
func (c *cutter) takeWords() (weak []span) {
	rest := string(c.rest)
	for i := 0; i < len(rest); {
		n := strings.IndexFunc(rest[i:]+" ", func(r rune) bool { return unicode.IsSpace(r) || r == masked })
		weak = append(weak, c.takeWord(rest, i, i+n)...)
		i += n + 1
	}
	return weak
}

const punctuation = ".,;:!?()[]{}<>*\"'“”‘’…—–|~=+&^%#\\"

func (c *cutter) takeWord(rest string, from, to int) (weak []span) {
	raw := rest[from:to]
	s := strings.TrimLeft(raw, punctuation+"/")
	from += len(raw) - len(s)
	s = strings.TrimRight(s, punctuation+"/")
	if isIdentifier(s) {
		c.take(from, from+len(s), s)
		return nil
	}
	for _, at := range plainWord.Get().FindAllStringIndex(s, -1) {
		w := strings.TrimSuffix(strings.TrimSuffix(s[at[0]:at[1]], "'s"), "’s")
		if w = strings.TrimRight(w, "'’"); isTelling(w) {
			weak = append(weak, span{from + at[0], w})
		}
	}
	return weak
}

var plainWord = lazy.New(`\pL[\pL\p{Nd}\pM_'’]*`)

var notNames = sync.OnceValue(func() map[string]bool {
	return words.SetOf("e.g i.e a.k.a a.m p.m n/a w/o and/or either/or he/she she/he his/her him/her s/he yes/no on/off")
})

// isIdentifier reports whether a word looks like a name in a program or of
// a file: it has one of _/@$. inside, or a capital after a small letter.
func isIdentifier(s string) bool {
	return strings.ContainsFunc(s, unicode.IsLetter) && !notNames()[strings.ToLower(s)] && nameMark.Matches(s)
}

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

// A mood is what a text says of what stands in it.
type mood byte

const (
	affirmed mood = iota
	denied        // it is to be avoided, or replaced
	moot          // it replaces something that is to be avoided: neither
)

func moodsOf(text string) []mood {
	r := moodReader{text: text, moods: make([]mood, len(text)+1)}
	for _, at := range steps.Get().FindAllStringIndex(text, -1) {
		r.readStep(at[0], at[1])
	}
	r.become(len(r.moods), affirmed)
	r.dropTied()
	return r.moods
}

// dropTied makes moot what is to be avoided only at some time or place, such as "running
// x before y": that x is there does not say that it is done so.
func (r *moodReader) dropTied() {
	for from := 0; from < len(r.text); {
		to := from
		for to < len(r.text) && r.moods[to] == denied {
			to++
		}
		if tied.Matches(r.text[from:to]) {
			for i := from; i < to; i++ {
				r.moods[i] = moot
			}
		}
		from = to + 1
	}
}

// A moodReader reads a text from one step to the next.
type moodReader struct {
	text    string
	moods   []mood
	now     mood
	last    int    // how far moods is filled in
	outside []mood // of the parentheses that are open
}

func (r *moodReader) become(at int, m mood) {
	for ; r.last < at; r.last++ {
		r.moods[r.last] = r.now
	}
	r.now = m
}

// readStep reads text[from:to], which may change the mood.
func (r *moodReader) readStep(from, to int) {
	switch step := strings.ToLower(strings.ReplaceAll(r.text[from:to], "’", "'")); {
	case step == "(":
		r.outside = append(r.outside, r.now)
	case step != ")":
		r.become(to, r.moodAfter(step, from, to))
	case len(r.outside) > 0:
		last := len(r.outside) - 1
		r.become(to, r.outside[last])
		r.outside = r.outside[:last]
	}
}

func (r *moodReader) moodAfter(step string, from, to int) mood {
	switch {
	case step == "," && isListed(r.text[to:]):
		return r.now
	case strings.HasPrefix(step, ".") && abbreviation.Matches(r.text[max(0, from-8):from]):
		return r.now
	case strings.HasPrefix(step, "instead"), strings.HasPrefix(step, "rather"):
		if r.now == affirmed {
			return denied
		}
		return moot
	case heeded.Matches(step): // "don't forget x" asks for x
		return affirmed
	case step == "but" || strings.Trim(step, ",.;!?-–—→ \t\n") == "": // ends a clause
		return affirmed
	}
	return denied
}

// isListed reports whether the list in a clause goes on after a comma.
func isListed(after string) bool { return listed.Matches(after) && !starter.Matches(after) }

// The expressions that moods are read with. A clause ends at a full stop,
// a semicolon, a dash or "but", and at a comma unless what follows looks like one
// more thing in a list: a name or two words, and then an end, a conjunction or
// a preposition.
var (
	steps = lazy.New(`(?i)\binstead\s+of\b|\brather\s+than\b|\b(?:avoid(?:s|ing)?|but)\b|` +
		`\b(?:(?:never|don['’]?t|do\s+not|not|cannot|(?:do|does|did|is|are|was|were|has|have|had|ca|could|must|should|wo|would|need)n['’]t)` +
		`(?:\s+(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to))?)\b|[();,]|[.!?](?:\s|$)|—|\s[-–]+\s|→`)
	heeded  = lazy.New(`\s(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to)$`)
	starter = lazy.New(`(?i)^\s*(?:and\s+|then\s+|so\s+)*(?:use|prefer|always|instead|because|since|so|as|it|they|we|you|this|that|these|there|which|who|` +
		`if|when|where|while|unless|until|otherwise|run|call|write|keep|put|add|return|make|let|wrap|pass|set|do|only|just|take|give|go|read|look|ask|check)\b`)
	listed = lazy.New(`(?i)^\s*(?:(?:or|and|nor)\s+)?(?:\x01+|[\pL\pN_'’-]+(?:\s+[\pL\pN_'’-]+)?)\s*` +
		`(?:$|[,;.()!?]|\s(?:or|and|nor|in|for|on|at|from|inside|with|within|to|anywhere|directly)\b)`)
	tied = lazy.New(`(?i)\b(?:before|after|without|until|unless|while|during|outside|twice|` +
		`(?:when|if|where)\s+(?:the|an?|its?|this|that|there|they|you\s+have|we|one|no|nothing)\b)`)
	abbreviation = lazy.New(`(?i)\b(?:e\.g|i\.e|etc|vs|cf|resp|incl|esp)$`)
)
