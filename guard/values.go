package guard

import (
	"slices"
	"strings"

	"mem/words"
)

// isPasswordLike reports whether the value of a password is one. People choose
// bad passwords, so a literal needs little; a bare word may be a variable and
// needs a digit or a sign.
func isPasswordLike(s string, v assignment) bool {
	isProse := strings.ContainsAny(s, " \t") && !v.phrase
	if len(s) < 4 || isProse || isStandIn(s) || nounLen("password", s, 0) == len(s) || s[0] == '/' && (v.env || words.IsWordy(s)) {
		return false
	}
	if v.sure {
		return isSureValue(s)
	}
	if v.quoted {
		return !v.called || len(s) >= 6 && words.HasDigit(s)
	}
	if v.env {
		return true
	}
	if len(s) < 6 || isPathLike(s) || isReference(s) || strings.ContainsAny(s, "([") || s[0] == '#' && isHex(s[1:]) {
		return false
	}
	return words.HasDigit(s) || strings.ContainsAny(strings.TrimPrefix(s, "@"), "!#%^*+=?~@$") || words.IsDrawn(s)
}

// isSureValue reports whether a word where no variable stands is a password, and neither says how one is nor names a constant.
func isSureValue(s string) bool {
	return !isPathLike(s) && !isReference(s) && !isSpoken("said", strings.ToLower(s)) && (strings.ToUpper(s) != s || words.HasDigit(s))
}

// isStrongValue reports whether the value of a token is one: long enough, with
// a digit, and neither words nor a path.
func isStrongValue(s string, least int) bool {
	return len(s) >= least && !isStandIn(s) && !isPathLike(s) && !strings.ContainsAny(s, " \t([{") && (words.IsRandom(s) || words.IsDrawn(s))
}

// isReference reports whether a bare word names something instead of being it:
// a.b, a->b, a::b, testKey2.
func isReference(s string) bool {
	if words.NameLen(s) == len(s) && !words.IsRandom(s[len(s)/2:]) {
		name, _ := nameAt(s, 0)
		return isTokenName(name)
	}
	if !strings.Contains(s, ".") && !strings.Contains(s, "->") && !strings.Contains(s, "::") {
		return false
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".->:", r) })
	// One part is plainly a word, as in rsa2048Options.Value.
	member := slices.ContainsFunc(parts, func(part string) bool {
		return len(part) >= 4 && !words.HasDigit(part) && words.IsWordy(part)
	})
	return !slices.ContainsFunc(parts, func(part string) bool {
		return words.IsDigit(part[0]) || !member && len(part) > 12 && words.IsRandom(part) || words.NameLen(part) < len(part)
	})
}

func isPathLike(s string) bool {
	starts := func(p string) bool { return strings.HasPrefix(s, p) }
	return anyField("./ ../ ~/ urn: file: http: https:", starts) || strings.Contains(s, "://") ||
		starts("/") && strings.Count(s, "/") > 1 || len(s) > 2 && s[1] == ':' && s[2] == '\\'
}

// isStandIn reports whether s only stands in for a secret: a variable, a
// template, a row of stars, a word such as changeme, or a replacement.
func isStandIn(s string) bool {
	if markLen(s) > 0 || strings.Count(s, s[:1]) == len(s) {
		return true
	}
	if strings.HasPrefix(s, "%") && (len(s) < 3 || strings.IndexByte("({", s[1]) >= 0 || strings.IndexByte("sdvq", s[1]) >= 0 && !words.IsAlnum(s[2])) {
		return true
	}
	l := strings.ToLower(s)
	return anyField("$ < { #{ !vault your process.env os.environ os.getenv env. xxxx ***", func(p string) bool { return strings.HasPrefix(l, p) }) ||
		anyField("${ {{ ... …", func(p string) bool { return strings.Contains(s, p) }) || isPlaceholder(l)
}

func isLiteral(s string) bool { return !isStandIn(s) }

// isPlaceholder reports whether a lower-case word is what documentation,
// schemas and code write where a secret belongs.
func isPlaceholder(l string) bool {
	return hasField("postgres password passwd passphrase pwd pass secret token apikey api_key api-key string text hidden none null nil "+
		"true false undefined required optional changeme change-me change_me changeit placeholder example redacted masked empty "+
		"default unknown missing invalid wrong incorrect str bool bytes number integer username user file prompt plain value enter fail failed "+
		"new-password current-password", strings.Trim(l, "-_:*"))
}

// isLogged reports whether a string literal that a call gets to log in with is a password, also if it is a word.
func isLogged(s string) bool {
	return len(s) > 3 && isLiteral(s) && s != "public" && !isPathLike(s) && !isKnown(s) && !strings.ContainsAny(s, " \t")
}

// isOpaque reports whether s is a number of many hexadecimal digits, or looks
// drawn by lot.
func isOpaque(s string) bool { return len(s) >= 32 && isHex(s) || words.IsDrawn(s) }

func hasField(list, word string) bool {
	return anyField(list, func(field string) bool { return field == word })
}

// anyField reports whether one of the words in list is as asked for.
func anyField(list string, is func(field string) bool) bool {
	for field := range strings.FieldsSeq(list) {
		if is(field) {
			return true
		}
	}
	return false
}

// A replacement begins and ends with these.
const (
	markOpen  = "[redacted:"
	markClose = "]"

	longestMark = 48
)

// markLen returns the length of the replacement s begins with, or 0. A family's
// name has only lower-case letters and hyphens, so that [redacted:hunter2]
// hides nothing.
func markLen(s string) int {
	if !strings.HasPrefix(s, markOpen) {
		return 0
	}
	n := len(markOpen)
	for n < min(len(s), longestMark) && (words.IsLower(s[n]) || s[n] == '-') {
		n++
	}
	if n == len(markOpen) || !strings.HasPrefix(s[n:], markClose) {
		return 0
	}
	return n + len(markClose)
}
