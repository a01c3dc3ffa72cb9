package reflect

import (
	_ "embed" // for the verbs
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/lazy"
	"mem/words"
)

// A claim is the statement of a lesson, in small letters.
type claim struct {
	numbers   []string // of two digits or more
	order     string   // what it says to do
	exact     []string // names that have to stand there, whatever else does
	ordered   []string // the names in that
	figures   []string // and the numbers
	failing   []string // names of what fails when it is to be done
	beside    []string // names of what it is to be done before, or after if isAfter
	isAfter   bool
	error     string            // that it is told after, beside its text
	remedy    string            // the command that is told then
	isLaw     bool              // for always
	isForeign bool              // in another language, in which no order is found
	literals  []string          // names that stand in a session to the letter or do not
	commands  []string          // bare ones, such as a program with its subcommand: two of them say something
	asides    []string          // what stands in brackets, often an error
	all       map[string]bool   // words that carry meaning
	clauses   []map[string]bool // of said
	said      map[string]bool   // of those, the ones that stand in no literal
}

var (
	reQuote = lazy.New("`([^`]+)`" + `|"([^"\s]+": ?"[^"]+|[^"]{3,})"|“([^”]{3,})”|(?:^|[\s(])'([^']{3,})'`)
	// reName matches a path, a file, a flag, an address or a name of code.
	reName = lazy.New(`[\w.~$@*/:=+#-]*(?:[a-z0-9][A-Z]|_|/|\.[A-Za-z]|::|=|:\d{2}|-\w+-)[\w.~$@*/:=+#-]*|(?:^|\s)--?[A-Za-z][\w.=:/-]*|\bE[A-Z]{4,}\b`)
	// reNoName matches what is no name: numbers, dates, hashes, and an address with an id.
	reNoName = lazy.New(`^(?i:[\d.,:%/ +-]+|v?\d[\w.]*|[0-9a-f]{7,64}|https?://\S+/\S*(?:[0-9a-f]{8}|\d{4,})\S*|e\.g\.?|i\.e\.?|and/or|errors?|every|exactly|either|enter|empty)$`)
	// reLaw matches words that turn a single event into a general rule; reLawful matches a person asking for such a rule.
	reLaw       = lazy.New(`(?i)(?:^|\s)(?:always|immer|toujours|siempre|sempre)\s|\b(?:before|after|on|at) (?:every|each)\b`)
	reLawful    = lazy.New(`(?i)\b(?:always|every|each|any|all|never|from now on|in future|next time|immer|jede\w*|nie|toujours|chaque|jamais|siempre|cada|nunca|sempre|ogni|mai)\b`)
	reFigure    = lazy.New(`\b\d[\d.]*\d\b`)
	reBare      = lazy.New(`^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)?$`) // a program, with its subcommand
	reJoint     = lazy.New(`(?i)[.;:,()]\s+|\s[(–—-]+\s*|\s(?:and|then|or|but|so|because|while|which)\s+`)
	reAside     = lazy.New(`\(([^()]{3,}? [^()]{3,})\)`)
	reHole      = lazy.New(`<[a-z][\w -]{0,19}>|\s*(?:…|\.{3})`) // what a person is to put in its place, or is left out
	reArguments = lazy.New(`\s*(?:\((?:…|\.{3})?\)|\{\s*(?:…|\.{3})\s*\})$`)
	reFailing   = lazy.New(`(?i)^(?:when|if|whenever|once)\s[^,]*?\s(?:fails?|failed|breaks?|hangs?|stops?|crash(?:es)?|is (?:red|refused|rejected)|errors?)\b`)
	reBlank     = lazy.New(`([\s/])([A-Z]{2,}(?:_[A-Z]+)*)([\s/]|$)`)
	reParts     = lazy.New("[*\\s'\"`()|&;,<>\\[\\]{}]+|\\d?>&?\\d?")
)

// claimOf reads a lesson. Quoted text, and text in the form of a name, is a literal; a bare program
// with its subcommand is not.
func (e *evidence) claimOf(text string) claim {
	c, rest := namesOf(text)
	c.order, c.isLaw = orderOf(text), reLaw.Matches(text)
	what := c.order
	if at := reBringing.Get().FindStringIndex(what); at != nil && reSwapping.Matches(what) {
		what = what[at[1]:]
	}
	ordered, plain := namesOf(what)
	c.figures = reFigure.Get().FindAllString(plain, -1)
	if len(ordered.literals)+len(ordered.commands) == 0 {
		ordered, _ = namesOf(c.order)
	}
	c.ordered, c.isForeign = slices.Concat(ordered.literals, ordered.commands), isOtherLanguage(rest)
	c.readWhen(text)
	c.exact = slices.Clone(c.ordered)
	if c.isForeign {
		c.exact = append(c.exact, c.commands...)
	}
	for _, l := range c.literals {
		c.exact = append(c.exact, slices.DeleteFunc(append(partsOf(l), l), func(name string) bool { return !strings.HasPrefix(name, "--") && (name != l || l[0] != '-') })...)
	}
	for _, aside := range reAside.Get().FindAllStringSubmatch(text, -1) {
		c.asides = append(c.asides, words.FoldSpace(words.Lower(aside[1])))
	}
	for clause := range strings.SplitSeq(reJoint.Get().ReplaceAllString(rest, "\x00"), "\x00") {
		c.clauses = append(c.clauses, wordsOf(clause))
	}
	c.all, c.said, c.numbers = wordsOf(text), wordsOf(rest), reFigure.Get().FindAllString(rest, -1)
	return c
}

// readWhen reads what a lesson says must come before or after what is to be done, and what fails when it is to be done.
func (c *claim) readWhen(text string) {
	failing, _ := namesOf(reFailing.Get().FindString(text))
	c.failing = slices.Concat(failing.literals, failing.commands)
	if at := reWhen.Get().FindStringSubmatchIndex(text); at != nil {
		clause, _, _ := strings.Cut(reBehind.Get().ReplaceAllString(text[at[1]:], "\x00"), "\x00")
		clause, _, _ = strings.Cut(clause, ", ")
		beside, _ := namesOf(clause)
		c.beside, c.isAfter = slices.Concat(beside.literals, beside.commands), strings.EqualFold(text[at[2]:at[3]], "after")
	}
}

// namesOf reads the names of a text, and returns what is left of it.
func namesOf(text string) (c claim, rest string) {
	rest = reQuote.Get().ReplaceAllStringFunc(text, func(quoted string) string {
		quoted = strings.TrimLeft(quoted, " \t\n(")
		_, first := utf8.DecodeRuneInString(quoted)
		_, last := utf8.DecodeLastRuneInString(quoted)
		c.add(quoted[first:len(quoted)-last], quoted[0] == '`')
		return " "
	})
	rest = reName.Get().ReplaceAllStringFunc(rest, func(name string) string {
		c.add(strings.TrimRight(strings.TrimSpace(name), ".:,"), true)
		return " "
	})
	return c, rest
}

// add adds a literal, unless it is none. Words in quotes are one if there are two or more, as
// in an error; code is none if it is a bare program.
func (c *claim) add(name string, isCode bool) {
	list := &c.literals
	name = reArguments.Get().ReplaceAllString(strings.TrimSuffix(strings.TrimRight(name, " …"), " ..."), "")
	switch isBare := reBare.Matches(name); {
	case len(name) < 3, reNoName.Matches(name), isBare && !isCode && !strings.Contains(name, " "):
		return
	case isBare && isCode:
		list = &c.commands
	}
	if at := strings.IndexByte(name, '/'); at > 0 && strings.Trim(name[:at], "~.") == "" { // as seen from elsewhere
		name = name[at:]
	}
	if strings.ToUpper(name) != name { // `jobs/JOB/logs` is `jobs/<job>/logs`
		name = reBlank.Get().ReplaceAllString(name, "$1<$2>$3")
	}
	if name = words.FoldSpace(words.Lower(name)); !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// partsOf returns the parts of a literal that is made of several, such as a command with
// its arguments, without signs, and without what stands for something else.
func partsOf(literal string) (parts []string) {
	list := reParts.Get().Split(reHole.Get().ReplaceAllString(literal, " "), -1)
	if len(list) < 2 {
		return nil
	}
	for _, part := range list {
		if part = strings.Trim(part, "?!:."); (len(part) > 2 || len(part) == 2 && part[0] == '-') && !isPlain[part] {
			parts = append(parts, part)
		}
	}
	return parts
}

// isPlain has what stands for something else in a command, and programs that any command may be joined to.
var isPlain = words.SetOf("file path name dir 2 cd cat grep head tail sed awk wc sort uniq ls find xargs jq tee echo")

var reEncoded = lazy.New(`(?:^|[\s"':])(?:(?:[A-Za-z0-9+]*/)?[A-Za-z0-9+]{24,}(?:/[A-Za-z0-9+]*)*={0,2}|(?:[0-9a-f]{2}[ :]?){16,})(?:["'\s,.]|$)`)

// joins has the words that join others in languages with Latin letters.
var joins = map[bool]map[string]bool{
	true:  words.SetOf("the a an of and to is are with that for this you it by be or not from"),
	false: words.SetOf("der die das und ist nicht ein eine den vor mit auf zu es im bei für kein immer nie le la les des et est un une pour dans el los las de que en con para por y o os uma não il che di per een het van voor niet och att är"),
}

// isOpaque reports whether words of a text cannot be compared with those of a lesson: they are in
// another language than English, encoded, or in a picture.
func isOpaque(text string) bool {
	return len(strings.Fields(text)) < 3 || isOtherLanguage(text) || reEncoded.Matches(text)
}

func isOtherLanguage(text string) bool {
	letters, foreign := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r > unicode.MaxASCII {
				foreign++
			}
		}
	}
	fields, joined := strings.Fields(strings.ToLower(text)), map[bool]int{}
	for _, w := range fields {
		if isEnglish := joins[true][w]; isEnglish || joins[false][w] {
			joined[isEnglish]++
		}
	}
	return 10*foreign > letters || joined[false] > joined[true] && 12*joined[false] >= len(fields)
}

var (
	// reAdvice matches words that say what to do, or that one thing is right and another is not, wherever they stand.
	reAdvice = lazy.New(`(?i)\b(?:always|never|avoid|do not|don['’]t|must|should|shall|ought to|needs? to|ha(?:s|ve) to|instead of|rather than|prefer|make sure|remember to|be sure` +
		`|we (?:use|only|do|call|keep|put|write|name)|only (?:when|if|after|with|in|by|on|for)|not to|instead|belongs? (?:in|into|to|under|on|beside|with)|needs? (?:an?|the|its|their|both)|(?:ask|look|check|try) first|first)\b|\bneeds? \x60|[,;] (?:and )?not\s`)
	// reCondition matches a beginning that says when, or of what, something is to be done.
	reCondition = lazy.New(`(?i)^(?:when|if|without|before|after|in|on|for|with|at|under|while|unless|once|to)\s`)
	// reClause matches where a clause may begin.
	reClause = lazy.New(`(?i)[.;:,(]\s+(?:so\s+)?|\s(?:and|then|or|but|so)\s+`)
	// reTold matches a clause in which the form of a verb is a noun or a name: "Commit 19780ba added".
	reTold    = lazy.New(`(?i)^[a-z]+ (?:\x60?[0-9a-f]{7,}\x60?(?:\s|$)|(?:[\w.-]+ ){0,4}?(?:is|are|was|were|has|had|does|did|can|will|would|passe[ds]|fail(?:ed|s)|work(?:ed|s)|went|took|takes|contains|uses|exists|adds|added)\b)`)
	reEnglish = lazy.New(`(?i)\b(?:the|a|an|is|are|was|were|of|in|to|for|with|and|it|on|pass(?:es)?)\b`)
	// reObject matches a verb with what it is about, which no noun has behind it: "check whether".
	reObject = lazy.New(`(?i)^[a-z]+ (?:whether|if|how|what|which|where|an?|the|each|every|all|both|any|no|it|them|its|your|this|these|those)\s`)
)

// isAdvice reports whether a lesson tells what to do or to avoid, and not only how things
// are. Of another language than English it cannot tell, and says yes.
func isAdvice(text string) bool {
	_, plain := namesOf(text)
	if reAdvice.Matches(text) || !reEnglish.Matches(text) || isOtherLanguage(plain) || beginsWithVerb(text) {
		return true
	}
	if reCondition.Matches(text) {
		return slices.ContainsFunc(strings.Fields(strings.ToLower(text)), isVerb)
	}
	for clause := range strings.SplitSeq(reClause.Get().ReplaceAllString(text, "\x00"), "\x00") {
		first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(clause)), " ")
		if isVerb(strings.Trim(first, ",.;:!")) && (reObject.Matches(clause) || !reTold.Matches(clause)) {
			return true
		}
	}
	return false
}

// beginsWithVerb reports whether a text begins with an order by its form, be the verb known or not: "Enter a", "Exclude the".
func beginsWithVerb(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return reObject.Matches(text) && !words.IsSearchStop(first) && !strings.HasSuffix(first, "ing")
}

// verbs are the beginnings of orders to a coding agent, in small letters.
//
//go:embed verbs.txt
var verbs string

var listVerbs = sync.OnceValue(func() map[string]bool { return words.SetOf(verbs) })

func isVerb(word string) bool { return listVerbs()[word] }
