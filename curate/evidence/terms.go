package evidence

import (
	_ "embed" // for the words
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

// How many terms of a lesson are looked for, and in how much of it, in bytes: an index may hold anything.
const (
	mostNames = 8
	mostWords = 6
	maxText   = 4 << 10
)

// A term is searched in the code: a name as it is written, or a word in any case.
type term struct {
	text   string
	isWord bool
}

// What names a thing, and the marks around it: code (three backticks fence an example, which names nothing),
// quotations, which do not start or end inside a word such as "don't", and identifiers.
var naming = []struct {
	re    *lazy.Regexp
	marks string
}{
	{lazy.New("```.*?```|``.+?``|`[^`]+`"), "`"},
	{lazy.New(`\B"[^\p{Co}]+?"\B|“[^\p{Co}]+?”`), `"“”`},
	{lazy.New(`\B'[^\p{Co}]+?'\B`), "'"},
	{lazy.New(`[\pL\p{Nd}_@$](?:[^\s\p{Co}]*[\pL\pM\p{Nd}_])?`), ""},
}

var (
	// identifier matches what looks like a name in a program or of a file: it has one of _/@$.
	// inside, or a capital after a small letter.
	identifier = lazy.New(`.[_/@$.].|\p{Ll}\p{Lu}`)
	// denial matches what a text says not to do, to the end of the clause: that a thing is there
	// does not show that it should not be.
	denial = lazy.New(`(?i)\b(?:never|avoid(?:s|ing)?|not|cannot|\pL+n['’]t|instead\s+of|rather\s+than)\b` +
		`.*?(?:[;)—→]|[^.]{2}[.!?](?:\s|$)|\s[-–]+\s|\bbut\b|$)`)
	telling = lazy.New(`\pL[\pL\pM\p{Nd}]{3,}`)
)

// firstMark stands for the first name that was taken out of a text; the marks of the others
// follow it. Characters for private use are in no text that is searched.
const firstMark = '\uE000'

// termsOf extracts the terms of a lesson: its names, in the order of naming, or, if a learning
// has none, its words if it has two. What an anti-pattern names is to be avoided.
func termsOf(l *index.Item) (list []term) {
	text := words.FoldSpace(strings.ToValidUTF8(index.StripAvoid(l.Text[:min(len(l.Text), maxText)]), " "))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Co, r) {
			return ' '
		}
		return r
	}, text)
	var names []string
	for _, n := range naming {
		text = n.re.Get().ReplaceAllStringFunc(text, func(s string) string {
			inside := strings.TrimSpace(strings.Trim(s, n.marks))
			switch {
			case n.marks == "" && !(identifier.Matches(s) && strings.ContainsFunc(s, unicode.IsLetter) && !notNames()[strings.ToLower(s)]):
				return s
			case utf8.RuneCountInString(inside) < 2 || strings.HasPrefix(s, "```"): // one character is found everywhere
				return " "
			}
			names = append(names, inside)
			return " " + string(firstMark+rune(len(names)-1)) + " "
		})
	}
	text = denial.Get().ReplaceAllString(text, " ")
	for i, name := range names {
		if t := (term{text: name}); len(list) < mostNames && strings.ContainsRune(text, firstMark+rune(i)) && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if len(list) > 0 || l.Kind == index.AntiPattern {
		return list
	}
	for _, w := range telling.Get().FindAllString(strings.ToLower(text), -1) {
		if t := (term{w, true}); len(list) < mostWords && !fillers()[w] && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

var notNames = sync.OnceValue(func() map[string]bool {
	return words.SetOf("e.g i.e a.k.a a.m p.m n/a w/o and/or either/or he/she she/he his/her him/her s/he yes/no on/off")
})

//go:embed fillers.txt
var fillerWords string

// fillers are words of four letters and more that do not show the subject of a lesson.
var fillers = sync.OnceValue(func() map[string]bool { return words.SetOf(fillerWords) })
