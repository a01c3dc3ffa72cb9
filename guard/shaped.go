package guard

import (
	"strings"

	"mem/words"
)

// ownSigns part a password that is known by its own shape.
const ownSigns = "!#%^&@$"

// scanShaped appends the passwords that are known by their own shape, whatever stands before
// them: small letters, capitals, digits and a sign in one word. In 130 MB of code and prose
// there were some fifty such words, nearly all of them two names with a sign between.
func (d *detector) scanShaped(spans []span, v *view) []span {
	s := v.text
	for i := 1; i < len(s); i++ {
		if strings.IndexByte(ownSigns, s[i]) < 0 || !words.IsAlnum(s[i-1]) {
			continue
		}
		from, to := i, i
		for from > max(0, i-40) && isShapedByte(s[from-1]) {
			from--
		}
		for to < min(len(s), i+40) && isShapedByte(s[to]) {
			to++
		}
		if isApart(s, from, to) && isShaped(s[from:to]) && (s[i] != '&' || to == i+1 || isInside(s, i)) {
			spans = append(spans, v.span(from, to, d.password))
		}
		i = to
	}
	return spans
}

func isShapedByte(c byte) bool { return words.IsNameByte(c) || strings.IndexByte(ownSigns, c) >= 0 }

// isApart reports whether the word s[from:to] is a word of its own, and no part of a path, an
// address, a query or an expression.
func isApart(s string, from, to int) bool {
	const before, after = " \t\n\r\"'`(:=>,", " \t\n\r\"'`),;.<\\"
	return (from == 0 || strings.IndexByte(before, s[from-1]) >= 0) &&
		(to == len(s) || strings.IndexByte(after, s[to]) >= 0 && (s[to] != '.' || to+1 == len(s) || s[to+1] <= ' '))
}

// isShaped reports whether a word is a password by its shape: Tr0ub4dor&31, and neither
// Uint8Array#slice nor in11&0x3F nor maxUint64%n.
func isShaped(word string) bool {
	i := strings.IndexAny(word, ownSigns)
	name, sign, rest := word[:i], word[i], word[i+1:]
	digits := countDigits(name)
	switch {
	case len(word) < 8 || len(word) > 32 || !isMixed(word) || !words.HasLetter(name) || digits == 0:
		return false
	case rest == "":
		return digits > 2 || digits > 1 && sign != '!' && sign != '%'
	case sign == '%':
		return len(rest) > 1 && !isHex(rest[:2]) // a verb, or a byte in a URL
	case sign == '&' && (digits < 2 || len(rest) < 2 || strings.HasPrefix(rest, "0x")):
		return false // a mask
	case sign == '@' && isKnown(rest):
		return false // a version
	case !words.HasDigit(rest):
		return strings.IndexByte("#@&$", sign) < 0 && !strings.ContainsAny(rest, "-_") || isMixed(rest) && !words.IsWordy(rest)
	}
	return words.HasLetter(rest) || strings.IndexByte("&!@", sign) >= 0
}

func countDigits(s string) (n int) {
	for i := range len(s) {
		if words.IsDigit(s[i]) {
			n++
		}
	}
	return n
}
