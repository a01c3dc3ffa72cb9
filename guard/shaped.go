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
		from, to := wordAround(s, i)
		if isApart(s, from, to) && isShaped(s[from:to]) && (s[i] != '&' || to == i+1 || isInside(s, i)) {
			spans = append(spans, v.span(from, to, d.password))
		}
		i = to
	}
	return spans
}

func wordAround(s string, i int) (from, to int) {
	const reach = 40
	from, to = i, i
	for from > max(0, i-reach) && isShapedByte(s[from-1]) {
		from--
	}
	for to < min(len(s), i+reach) && isShapedByte(s[to]) {
		to++
	}
	return from, to
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
	if len(word) < 8 || len(word) > 32 || digits == 0 || !isMixed(word) || !words.HasLetter(name) {
		return false
	}
	if rest == "" {
		return digits > 2 || digits > 1 && sign != '!' && sign != '%'
	}
	switch sign {
	case '%':
		return len(rest) > 1 && !isHex(rest[:2]) // a verb, or a byte in a URL
	case '&':
		return digits > 1 && len(rest) > 1 && !strings.HasPrefix(rest, "0x") && isOwnEnd(sign, rest) // a mask
	case '@':
		return !isKnown(rest) && isOwnEnd(sign, rest) // a version
	}
	return isOwnEnd(sign, rest)
}

// isOwnEnd reports whether what follows a sign is no name of its own, such as that of a member.
func isOwnEnd(sign byte, rest string) bool {
	switch {
	case words.HasDigit(rest):
		return words.HasLetter(rest) || strings.IndexByte("&!@", sign) >= 0
	case strings.IndexByte("#@&$", sign) < 0 && !strings.ContainsAny(rest, "-_"):
		return true
	}
	return isMixed(rest) && !words.IsWordy(rest)
}

func countDigits(s string) (n int) {
	for i := range len(s) {
		if words.IsDigit(s[i]) {
			n++
		}
	}
	return n
}
