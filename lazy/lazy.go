// Package lazy holds regular expressions that are compiled when they are first
// used. Most runs of mem need none of them, and a hook must start fast.
package lazy

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Regexp is a regular expression that may not be compiled yet.
type Regexp struct {
	expr     string
	once     sync.Once
	re       *regexp.Regexp
	parsed   sync.Once
	literals []string // one of which is in each match, in small letters; nil if that is not known
}

// New returns the expression expr without compiling it. In a variable of a
// package it costs nothing at start.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

// Get returns the compiled expression. It panics on the first call if the
// expression is wrong.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// Matches reports whether the expression matches a part of text.
func (r *Regexp) Matches(text string) bool { return r.MatchesLowered(text, Lower(text)) }

// MatchesLowered is Matches for a text of which Lower(text) is known already.
func (r *Regexp) MatchesLowered(text, lower string) bool {
	return r.mayMatch(lower) && r.Get().MatchString(text)
}

// maxLiterals bounds the literals that a text is searched for instead of being matched.
const maxLiterals = 160

// Lower returns text in small letters, without the one letter that is a small one but also
// stands for another, for MatchesLowered.
func Lower(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "ſ", "s")
}

// mayMatch reports whether the expression can match a text, given as Lower writes it. It
// only looks for the literals without which there is no match, which takes a small part
// of the time that the expression does, and does not compile it.
func (r *Regexp) mayMatch(lower string) bool {
	r.parsed.Do(func() {
		re, err := syntax.Parse(r.expr, syntax.Perl)
		if err == nil {
			r.literals = neededLiterals(re)
		}
		if len(r.literals) > maxLiterals {
			r.literals = nil
		}
	})
	return r.literals == nil || slices.ContainsFunc(r.literals, func(l string) bool { return strings.Contains(lower, l) })
}

// neededLiterals returns texts, in small letters, one of which is in each match of an
// expression; nil if there are none.
func neededLiterals(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		lit := string(re.Rune)
		if re.Flags&syntax.FoldCase == 0 || isASCII(lit) {
			return []string{Lower(lit)}
		}
	case syntax.OpCharClass:
		return literalsOfClass(re.Rune)
	case syntax.OpCapture, syntax.OpPlus, syntax.OpRepeat:
		if re.Op != syntax.OpRepeat || re.Min > 0 {
			return neededLiterals(re.Sub[0])
		}
	case syntax.OpConcat:
		return bestLiterals(re.Sub)
	case syntax.OpAlternate:
		return literalsOfEach(re.Sub)
	}
	return nil
}

// bestLiterals returns the longest literals that one of the expressions has.
func bestLiterals(parts []*syntax.Regexp) (best []string) {
	for _, re := range parts {
		if some := neededLiterals(re); shortest(some) > shortest(best) {
			best = some
		}
	}
	return best
}

// literalsOfEach returns the literals of all the expressions; nil if one has none.
func literalsOfEach(alternatives []*syntax.Regexp) (all []string) {
	for _, re := range alternatives {
		some := neededLiterals(re)
		if some == nil {
			return nil
		}
		all = append(all, some...)
	}
	return all
}

// literalsOfClass returns the characters of a class, given as ranges; nil if it has ranges of
// several.
func literalsOfClass(ranges []rune) (all []string) {
	for pair := range slices.Chunk(ranges, 2) {
		if pair[0] != pair[1] {
			return nil
		}
		all = append(all, Lower(string(pair[0])))
	}
	return all
}

// shortest returns the length of the shortest of some texts, 0 if there are none: what is
// short is in every text.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
