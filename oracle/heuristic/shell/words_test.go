package shell

import (
	"regexp/syntax"
	"strings"
	"testing"

	"mem/envtest"
)

// TestErrorWords: no line of an output that lacks all of errorWords can match a tell that asks for one.
func TestErrorWords(t *testing.T) {
	for part := range strings.SplitSeq(faults, "\n== ") {
		head, lines, _ := strings.Cut(part, "\n")
		for line := range strings.SplitSeq(lines, "\n") {
			re, err := syntax.Parse("(?i)"+line, syntax.Perl)
			if err != nil || !strings.Contains(head, "(?i)") {
				continue
			}
			for _, text := range spellings(re) {
				envtest.FailIf(t, line != "" && !hasErrorWord(text), "%q of %q has no word", text, line)
			}
		}
	}
}

// spellings returns the texts that an expression can match, with a NUL for what may be anything.
func spellings(re *syntax.Regexp) (all []string) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture:
		return spellings(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			all = append(all, spellings(sub)...)
		}
		return all
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			var longer []string
			for _, before := range all {
				for _, after := range spellings(sub) {
					longer = append(longer, before+after)
				}
			}
			all = longer
		}
		return all
	case syntax.OpEmptyMatch:
		return []string{""}
	}
	return []string{"\x00"}
}
