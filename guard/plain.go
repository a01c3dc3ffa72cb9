package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Letters of other alphabets, of two bytes each, that look like those of ours, in the
// same order.
const (
	lookalikes = "аеорсухіјѕԁһӏԛԝАВЕКМНОРСТХІЈЅаοιανρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıſ"
	latin      = "aeopcyxijsdhlqwABEKMHOPCTXIJSaoiavpuABEZHIKMNOPTYXis"
)

// readPlainly returns a text as a reader takes it who ignores its dress: letters
// that are wide, in a circle, in the style of formulas (all of which decomposes) or
// of another alphabet, with marks above, spaces of any kind, emphasis and code.
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
