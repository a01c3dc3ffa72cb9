package guard

import (
	"strings"

	"mem/lazy"
	"mem/words"
)

// findPEMBlock finds the private key block, PEM or PGP, whose begin line is at at.
// A block that was cut off ends where its body does. A begin line without a
// body is text about keys.
func findPEMBlock(s string, at int) (from, to int) {
	name, body := pemLine(s, at, "-----BEGIN")
	if name = strings.ReplaceAll(name, "+", " "); !strings.Contains(name, "PRIVATE KEY") && !strings.Contains(name, " Static key") {
		return 0, 0
	}
	stop := len(s)
	if i := strings.Index(s[body:], "-----"); i >= 0 {
		stop = body + i
	}
	longest, last := keyLines(s[body:stop])
	isCut := !strings.HasPrefix(s[stop:], "-----END")
	switch {
	case longest < 8, isCut && longest < 16:
		return 0, 0
	case isCut:
		return at, body + last
	}
	_, to = pemLine(s, stop, "-----END")
	return at, to
}

// pemLine returns what stands between the dashes of a line around a key, after a word,
// and where the line ends; "" and the end of the word if it has no end.
func pemLine(s string, at int, word string) (name string, end int) {
	end = at + len(word)
	if name, _, ok := strings.Cut(s[end:min(len(s), at+100)], "-----"); ok {
		return name, end + len(name) + len("-----")
	}
	return "", end
}

// findPEMTail finds what is left of a private key block whose beginning was cut
// off, from its end line at at: the lines of nothing but base64 before it.
func findPEMTail(s string, at int) (from, to int) {
	const longest = 16 << 10 // a bound, or a text of end lines takes quadratic time
	name, end := pemLine(s, at, "-----END")
	if strings.Contains(name, "\n") || !strings.Contains(name, "PRIVATE KEY") {
		return 0, 0
	}
	floor, from := max(0, at-longest), at
	for lines := 0; from > floor; lines++ {
		line := strings.LastIndexByte(s[floor:from-1], '\n') + 1 + floor
		body := strings.Trim(s[line:from], " \t\r\n+>|")
		if lines > 1 && len(body) < 16 {
			break // only the last ones are short
		}
		if strings.ContainsFunc(body, func(r rune) bool { return !isBase64(r) || r == '-' }) {
			break
		}
		from = line
	}
	if longest, _ := keyLines(s[from:at]); longest < 16 {
		return 0, 0
	}
	return from, end
}

// findKeyLines finds the body of a key without the lines around it, of which s[from:to] is
// the first line: three or more of as many base64 characters, and a shorter one. What is
// public says so before it, after it or by its first bytes; it has an end, too.
func findKeyLines(s string, from, to int) (end int, isKey bool) {
	if width := to - from; width != 64 && width != 70 || len(decodeReadable(nil, s[from:to])) > 20 {
		return to, false
	}
	lines, isHex := 1, true
	for end = to; strings.HasPrefix(s[end:], "\n"); lines++ {
		line, _, _ := strings.Cut(s[end+1:min(len(s), end+120)], "\n")
		body := strings.TrimRight(line, " \t\r\"'`,;)]}")
		word := body[len(strings.TrimRightFunc(body, isBase64)):]
		if len(word) < to-from && (lines < 3 || len(word) < 4) {
			break
		}
		isHex = isHex && strings.Trim(word, "0123456789abcdefABCDEF") == ""
		if end += 1 + len(body); len(word) != to-from {
			lines++
			break
		}
	}
	if lines < 3 || isHex {
		return to, false
	}
	before, after := s[max(0, from-160):from], s[end:min(len(s), end+80)]
	isPublic := strings.Contains(before, "base64,") || publicBody.Matches(s[from:to]) ||
		isOfPublic(before[max(0, strings.LastIndex(before, "-----BEGIN")):], "-----BEGIN") || isOfPublic(after, "-----END")
	return end, !isPublic
}

func isBase64(r rune) bool { return r < 0x80 && words.IsBase64(byte(r)) }

// isOfPublic reports whether a text has a line around a block that says so, and not that it is private.
func isOfPublic(text, line string) bool {
	return strings.Contains(text, line) && !strings.Contains(text, "PRIVATE")
}

// publicBody matches the beginning of certificates, public keys and images in base64.
var publicBody = lazy.New(`^(?:MII[A-Za-z0-9+/]{2}[DTjz]CC|MII?[A-Za-z0-9+/]{1,4}(?:AN|AT)BgkqhkiG9w0BAQE|MFkwEw|MCowBQ|mQ|mD|xsB|xjM|AAAA|iVBOR|/9j/|R0lGOD|d09G|UEsD|H4sI|JVBER)`)

// keyLines looks at what follows the begin line of a key: longest is the
// length of its longest base64 word with a digit or capital, and last the end
// of the last word before other text begins.
func keyLines(s string) (longest, last int) {
	for i := 0; i < len(s); {
		if !words.IsBase64(s[i]) {
			i++
			continue
		}
		j := i + 1
		for ; j < len(s) && words.IsBase64(s[j]); j++ {
		}
		word := s[i:j]
		switch {
		case len(word) >= 8 && strings.ContainsAny(word, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
			longest = max(longest, len(word))
			last = j
		case longest >= 16 && len(word) > 2 && !strings.HasSuffix(word, "="):
			return longest, last
		}
		i = j
	}
	return longest, last
}

// findJWT finds the signed or encrypted web token at at: three to five parts, of
// which the first begins with {" in base64 and the second may be empty, or two that begin so.
func findJWT(s string, at int) (from, to int) {
	const longestHeader = 1024 // a bound, or a text of beginnings takes quadratic time
	to = at + words.NameLen(s[at:min(len(s), at+longestHeader)])
	if to-at < 10 {
		return 0, 0
	}
	parts := 1
	for parts < 5 && to+1 < len(s) && s[to] == '.' && (words.IsNameByte(s[to+1]) || parts == 1 && s[to+1] == '.') {
		to += 1 + words.NameLen(s[to+1:])
		parts++
	}
	if parts+strings.Count(s[at+3:to], ".eyJ") < 3 || to-at < 40 {
		return 0, 0
	}
	return at, to
}
