package guard

import (
	_ "embed" // for the rules
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mem/lazy"
	"mem/words"
)

// A Problem is a passage of a lesson that reads as an order or as an attack.
type Problem struct {
	Rule string // the name of the rule, lower-case with hyphens
	Text string // the passage, as it stands in the lesson, cleaned, or as it reads there
}

// Lint returns the findings that make a lesson unfit to be shown to an agent unreviewed: addresses,
// encoded blobs, markup and role tags, and instructions to fetch and run, to hide, to override, to
// turn off a safeguard, to change settings, or to show credentials. There is at most one problem per
// rule, in the order of the rules; nil means none.
//
// A warning is not an order: "never commit with --no-verify" passes. Lint checks only the wording. It
// stops crude attacks and slows clever ones; callers judge the author and whether to believe them.
//
// Everything that mem shows to sessions passes Lint in the form shown: a mistake with its "Avoid: ",
// the lines of a paragraph also joined.
func Lint(s string) []Problem {
	var problems []Problem
	s = Clean(s)
	joined := lineBreak.Get().ReplaceAllString(s, " $1") // so that no line break hides that an order goes on
	plain := readPlainly(joined)
	words := foldForKeys(strings.Join(slices.Compact([]string{joined, plain}), "\n"))
	for _, r := range rules() {
		if !r.isPossible(words) || len(problems) > 0 && problems[len(problems)-1].Rule == r.name {
			continue
		}
		for _, reading := range slices.Compact([]string{s, joined, plain}) {
			if r.code && reading != joined && reading != s { // the plain one no longer shows what is code
				break
			}
			if text := r.findPassage(reading); text != "" {
				problems = append(problems, Problem{r.name, text})
				break
			}
		}
	}
	return problems
}

// lineBreak matches a line break within a paragraph or an item of a list.
var lineBreak = lazy.New(`\n[ \t]*([^\s\d#>*+-])`)

//go:embed orders.txt
var orderTable string

// A rule is one kind of problem, or a form of one. To add one, add a line to orders.txt.
type rule struct {
	name string

	// keys are small literals. A text with none of them cannot match expr,
	// which is then not even compiled: that takes longer than all else. "" is
	// in every text.
	keys []string
	expr *lazy.Regexp

	// order marks what is a problem as an instruction only, not as a
	// warning against it.
	order bool

	// code marks what is harmless between backticks.
	code bool

	// only, if set, has the last word on a passage, with the sentence around it.
	only func(text, sentence string) bool
}

var lintChecks = map[string]func(text, sentence string) bool{
	"is-remote": isRemote, "is-foreign": isForeignMarkup, "is-encoded": func(word, _ string) bool { return isEncoded(word) },
}

var rules = sync.OnceValue(func() (list []rule) {
	var parts []string
	for line := range strings.Lines(orderTable) {
		switch columns := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); {
		case len(columns) == 2:
			parts = append(parts, columns...)
		case len(columns) == 4:
			how := strings.Fields(columns[1])
			r := rule{name: columns[0], keys: strings.Split(columns[2], ","), expr: lazy.New(strings.NewReplacer(parts...).Replace(columns[3]))}
			r.order, r.code = slices.Contains(how, "order"), slices.Contains(how, "code")
			for _, name := range how {
				r.only = lintChecks[name]
			}
			list = append(list, r)
		}
	}
	return list
})

// foldForKeys returns s as keys are looked for: in small letters, with one space for
// each run of white space. Letters fold as they do in an expression.
func foldForKeys(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) })
	return strings.ReplaceAll(strings.ToLower(strings.Join(words, " ")), "ſ", "s")
}

// isPossible reports whether a text, given as foldForKeys returns it, may break the
// rule.
func (r *rule) isPossible(words string) bool {
	return slices.ContainsFunc(r.keys, func(key string) bool { return strings.Contains(words, key) })
}

// findPassage returns the first passage of s that breaks the rule, or "".
func (r *rule) findPassage(s string) string {
	for _, m := range r.expr.Get().FindAllStringIndex(s, -1) {
		text := s[m[0]:m[1]]
		switch {
		case r.only != nil && !r.only(text, sentenceAround(s, m[0], m[1])):
		case r.code && strings.Count(s[:m[0]], "`")%2 == 1:
		case r.order && (isWarned(s[:m[1]-len(strings.TrimLeft(text, ".;!?\n"))]) || permitted.Matches(s[m[1]:])): // a sentence may end first
		default:
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// warning matches the words that turn an instruction into a warning, and after
// them the rest of the clause.
var warning = lazy.New(`(?i)(?:\b(?:never|not|don'?t|doesn'?t|avoid(?:s|ed)?|instead of|rather than|refuse[sd]? to|stop|forbidden|must ?n'?t|cannot|can'?t|shouldn'?t|no longer|without|wrong to|a mistake to|dangerous to|ask(?:ing)?(?: the \w+| a \w+| first)? before)\b|(?m:^)[\s>*+-]*avoid:)([^.;!?\n]*)$`)

// excuse matches what turns a warning around again: do not hesitate to.
var excuse = lazy.New(`(?i)^\s*(?:ever\s+)?(?:hesitate|forget|fail|worry|be afraid|bother|only|wait|care|stop|ask|matter|need)\b|\b(?:but|just|then|instead|simply|please|always)\b`)

// permitted matches what makes an order one that a person gives each time.
var permitted = lazy.New(`(?i)^[^.;!?\n]{0,60}\bonly\s+(?:when|if|after|once)\s+(?:the\s+|your\s+|a\s+)?(?:user|person|human|maintainer|owner|developer)\s+(?:\w+\s+)?(?:allow|ask|agree|approve|confirm|permit|say|want)`)

var anAddress = lazy.New(`\bhttps?://[^\s;]*[^\s;.,!?:]`)

func isWarned(before string) bool {
	const clause = 160 // longer than that, the warning is about something else
	before = before[max(0, len(before)-clause):]
	if strings.Contains(before, "://") { // its dots end no clause
		before = anAddress.Get().ReplaceAllString(before, "it")
	}
	m := warning.Get().FindStringSubmatchIndex(before)
	return m != nil && !excuse.Matches(before[m[2]:m[3]])
}

func sentenceAround(s string, from, to int) string {
	isEnd := func(at int) bool {
		return s[at] == '\n' || strings.IndexByte(".;!?", s[at]) >= 0 && (at+1 == len(s) || s[at+1] == ' ')
	}
	for from > 0 && !isEnd(from-1) {
		from--
	}
	for to < len(s) && !isEnd(to) {
		to++
	}
	return s[from:to]
}

// isEncoded reports whether a long word is data and neither a path, a hash in
// hexadecimal, nor an identifier.
func isEncoded(word string) bool {
	if len(word) <= 64 && isHex(word) || words.IsWordy(word) {
		return false
	}
	if strings.HasSuffix(word, "=") {
		return true
	}
	changes := 0 // between capitals, small letters and digits
	for i := 1; i < len(word); i++ {
		a, b := word[i-1], word[i]
		if words.IsDigit(a) != words.IsDigit(b) || words.IsLower(a) && words.IsUpper(b) {
			changes++
		}
	}
	return words.HasDigit(word) && changes*5 >= len(word)
}

// Letters of other alphabets, of two bytes each, that look like those of ours, in the
// same order.
const (
	lookalikes = "аеорсухіјѕԁһӏԛԝАВЕКМНОРСТХІЈЅаοιανρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıſ"
	latin      = "aeopcyxijsdhlqwABEKMHOPCTXIJSaoiavpuABEZHIKMNOPTYXis"
)

// readPlainly returns a text as a reader takes it who ignores its styling. It folds wide, circled and
// mathematical letters (all of which decompose), letters of other alphabets, marks above letters,
// spaces of any kind, emphasis and code.
func readPlainly(s string) string {
	isDressed := func(r rune) bool { return r >= utf8.RuneSelf || r == '*' || r == '_' || r == '`' }
	if strings.IndexFunc(s, isDressed) < 0 {
		return s
	}
	s = norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(s))
	wasWord := false
	for i, r := range s {
		switch at := strings.IndexRune(lookalikes, r); {
		case at >= 0:
			r = rune(latin[at/2])
		case r == '*', r == '`', unicode.Is(unicode.Mn, r):
			continue
		case r == '_': // part of a name
			next, _ := utf8.DecodeRuneInString(s[i+1:])
			if !wasWord || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				continue
			}
		case r >= utf8.RuneSelf && unicode.IsSpace(r):
			r = ' '
		}
		wasWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	return b.String()
}

// DropOrders returns a Markdown text without the paragraphs, list items and code blocks in which Lint
// finds a problem, and one line for each, with the reason. A text without problems is returned
// unchanged.
func DropOrders(text string) (kept string, leftOut []string) {
	if Lint(text) == nil {
		return text, nil
	}
	var b strings.Builder
	for _, part := range splitParts(text) {
		problems := Lint("\n" + part) // in its place it begins a line
		if len(problems) == 0 {
			b.WriteString(part)
			continue
		}
		leftOut = append(leftOut, fmt.Sprintf("it reads as an order (%s): %s", problems[0].Rule, Line(problems[0].Text)))
	}
	if rest := Lint(b.String()); len(rest) > 0 { // an order over several parts
		return "", append(leftOut, "nothing of it is shown: it reads as an order ("+rest[0].Rule+")")
	}
	return b.String(), leftOut
}

// splitParts splits a text into its paragraphs, items of lists, headings and blocks
// of code, with the blank lines before them.
func splitParts(text string) (parts []string) {
	now, isBlank, isCode, isHead := "", true, false, false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		isFence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		begins := isBlank || isHead || listItem.Matches(bare) || strings.HasPrefix(bare, "#") || isFence
		if bare != "" && !isCode && begins && strings.TrimSpace(now) != "" {
			parts, now = append(parts, now), ""
		}
		now += line
		isBlank, isHead = bare == "", strings.HasPrefix(bare, "#")
		if isFence {
			isCode = !isCode
		}
	}
	return append(parts, now)
}

var listItem = lazy.New(`^(?:[-*+]|\p{Nd}+[.)]+) `)

// IsAboutPerson reports whether a person speaks about themselves in a text: it stays in
// their own memory.
func IsAboutPerson(text string) bool { return aboutPerson.Get().MatchString(text) }

var aboutPerson = lazy.New(`(^|[^\w/'])(I|I'm|I'd|I'll|I've|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)([^\w/']|$)`)
