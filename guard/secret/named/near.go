package named

import (
	"slices"
	"strings"

	"mem/guard/chars"
)

// findNear finds a secret among the words that follow a name ending at i, where
// no operator leads to it: the token X expired, Password:, a line break, X, or a
// cell of a table. accepts gets each word, and whether only signs and small words
// stand between it and the name.
func findNear(s string, i int, accepts func(word string, direct bool) bool) (from, to int) {
	const reach, most, spaces = 64, 8, " \t\r\n"
	limit := min(len(s), i+reach)
	if i < limit && strings.IndexByte("./-\\@,)", s[i]) >= 0 {
		return 0, 0 // a part of a path or a longer name, or an argument
	}
	if !chars.HasDigit(s[i:min(len(s), limit+16)]) {
		return 0, 0 // most prose
	}
	w := walk{direct: true}
	for range most {
		next := chars.Skip(s, i, limit-i, spaces)
		if next == limit || !w.reaches(s, i, next) {
			return 0, 0
		}
		for i = next; i < len(s) && i-next < 200 && strings.IndexByte(spaces, s[i]) < 0; i++ {
		}
		from, to = trimWord(s, next, i)
		word := s[from:to]
		if MarkLen(s[next:]) > 0 || MarkLen(s[from:]) > 0 {
			return 0, 0
		}
		if word != "" && !IsStandIn(word) && accepts(word, w.direct) {
			return from, to
		}
		if to < i && strings.IndexByte(".;?!", s[i-1]) >= 0 {
			return 0, 0 // the sentence ends
		}
		w.direct = w.direct && (word == "" || hasField(smallWords, strings.ToLower(word)))
	}
	return 0, 0
}

// A walk goes from a name to the words after it.
type walk struct {
	direct bool // nothing parts the name and the word
	below  bool // the word is on a line after the name's
}

// reaches reports whether the name that ends before i may still mean the word at
// next: the first one of the line below, if the line of the name is a label, or
// any in the next rows of a table.
func (w *walk) reaches(s string, i, next int) bool {
	switch breaks := strings.Count(s[i:next], "\n"); {
	case breaks == 0:
		return !w.below || !w.direct
	case breaks == 1 && s[next] == '|':
		w.direct = false
	case breaks > 2 || w.below || !w.direct || !isLabel(s, i, breaks):
		return false
	}
	w.below = true
	return true
}

// isLabel reports whether the line that ends at i names what comes below it after
// some line breaks: it ends with a colon, or has plain words only.
func isLabel(s string, i, breaks int) bool {
	line := s[max(0, i-100):i]
	line = strings.TrimRight(line[strings.LastIndexByte(line, '\n')+1:], " \t\r*_`>|-")
	if strings.HasSuffix(line, ":") {
		return true
	}
	return breaks == 1 && len(line) < 40 && strings.Contains(line, " ") && !strings.ContainsFunc(strings.Trim(line, " #*-"), func(r rune) bool {
		return r != ' ' && (r > 0x7f || !chars.IsLower(byte(r)|0x20))
	})
}

// trimWord returns s[from:to] without the signs that stand around words.
func trimWord(s string, from, to int) (int, int) {
	isAround := func(r rune) bool { return r >= 0x80 || strings.ContainsRune("\"'`*()<>|,;:.=[]", r) }
	word := strings.TrimRightFunc(s[from:to], isAround)
	to = from + len(word)
	return to - len(strings.TrimLeftFunc(word, func(r rune) bool { return isAround(r) || r == '-' || r == '/' })), to
}

// smallWords may stand between a name and its secret without parting them.
const smallWords = "is was are be to now as the a an it it's set reset changed value string new old here below reads ist lautet es est è é"

// isTokenNear reports whether a word near the name of a token is one.
func isTokenNear(word string, direct bool) bool {
	if strings.HasPrefix(word, "0x") && direct {
		return len(word) >= 66 && isHex(word[2:])
	}
	if direct && isMixed(word) && strings.ContainsAny(word, "!#%^*$&") && isPasswordNear(word, direct) {
		return true
	}
	if len(word) < 16 || isOther(word) || !chars.IsDrawn(word) {
		return false
	}
	if isHex(word) {
		return direct && len(word) >= 32
	}
	return isMixed(word) || direct && len(word) >= 20 && !hasLongWord(word)
}

// hasLongWord reports whether a word has 14 letters in a row, as names have.
func hasLongWord(word string) bool {
	isOther := func(r rune) bool { return r > 0x7f || !chars.IsLower(byte(r)|0x20) }
	return slices.ContainsFunc(strings.FieldsFunc(word, isOther), func(run string) bool { return len(run) >= 14 })
}

// isKeyNear is isTokenNear for a name that is only key: many things have keys.
func isKeyNear(word string, direct bool) bool {
	if len(word) < 20 || isHex(word) || !direct && len(word) < 24 {
		return false
	}
	return (isMixed(word) || direct && len(word) >= 24) && isTokenNear(word, direct)
}

// isOther reports whether a word has what no token has, or is the form of
// something else: a path, an address, an identifier with parts, a public key.
func isOther(word string) bool {
	isOdd := func(r rune) bool { return r > 0x7f || !chars.IsBase64(byte(r)) && r != '.' && r != '~' }
	return strings.ContainsFunc(word, isOdd) || isPathLike(word) || strings.Count(word, "/") > 3 || strings.Count(word, "-") > 3 ||
		strings.HasPrefix(word, "AAAA") || strings.HasPrefix(word, "sha") || isReference(word)
}

// isPasswordNear reports whether a word near the name of a password is one:
// people mix letters, digits and signs, or take what a program drew.
func isPasswordNear(word string, direct bool) bool {
	if len(word) < 8 || len(word) > 64 || strings.ContainsAny(word, "()[]{}<>\"'`,;|\\:") || isPathLike(word) {
		return false
	}
	_, host, isAddress := strings.Cut(word, "@")
	isAddress = isAddress && strings.Contains(host, ".") && !strings.ContainsAny(word, "!#%^*?$&~")
	if isReference(word) || !chars.HasDigit(word) || !chars.HasLetter(word) || isAddress {
		return false
	}
	if isMixed(word) && chars.IsDrawn(word) && (len(word) >= 12 || direct && len(word) >= 10) {
		return true
	}
	if direct && len(word) >= 16 && IsOpaque(word) {
		return true
	}
	sign := strings.IndexAny(word[1:len(word)-1], "!#%^*+?@$&~")
	return sign >= 0 && !strings.Contains(word, "/") && (direct || isMixed(word))
}

// isMixed reports whether a word has small letters and capitals.
func isMixed(word string) bool {
	return strings.ToLower(word) != word && strings.ToUpper(word) != word
}

// isHex reports whether s has hexadecimal digits only.
func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }
