package recall

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a byte is, as far as words go: 0 for what separates them, else a number
// below 32 for the letter or digit, with a mark. Some digits share a number.
const (
	upper byte = 1 << 5
	digit byte = 1 << 6
	high  byte = 1 << 7 // part of a character outside ASCII
	shape      = upper - 1
)

var classes = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = high | byte(c)&shape
		case c >= 'a' && c <= 'z':
			table[c] = byte(c-'a') + 1
		case c >= 'A' && c <= 'Z':
			table[c] = upper | byte(c-'A') + 1
		case c >= '0' && c <= '9':
			table[c] = digit | 27 + byte(c-'0')/2
		}
	}
	return table
}()

// maxWord is where a word is cut; nobody writes a longer one.
const maxWord = 48

// stem returns a word in lower case and without its ending, in buf: close
// enough for English, and the same on both sides. It never shortens a word to
// less than three bytes.
func stem(buf []byte, word string) []byte {
	b := append(buf[:0], word[:min(len(word), maxWord)]...)
	ascii := true
	for i, c := range b {
		if c >= utf8.RuneSelf {
			ascii = false
		} else if classes[c]&upper != 0 {
			b[i] = c + 'a' - 'A'
		}
	}
	if !ascii {
		return bytes.ToLower(b)
	}
	b = bytes.TrimSuffix(b, []byte("'"))
	b = singular(b)
	for _, end := range [...]struct {
		text string
		left int
	}{{"ing", 3}, {"ed", 3}, {"ment", 4}, {"ion", 4}} {
		if n := len(b) - len(end.text); n >= end.left && string(b[n:]) == end.text {
			b = b[:n]
			if last := len(b) - 1; last >= 3 && b[last] == b[last-1] && b[last] != 'l' && b[last] != 's' {
				b = b[:last]
			}
			break
		}
	}
	if n := len(b) - 1; n >= 4 && b[n] == 'e' {
		b = b[:n]
	}
	return b
}

// singular takes the s of a plural off.
func singular(b []byte) []byte {
	n := len(b)
	switch {
	case n < 4 || b[n-1] != 's' || b[n-2] == 's' || b[n-2] == 'u' || b[n-2] == 'i':
		return b
	case n >= 6 && b[n-2] == 'e' && b[n-3] == 'i':
		return append(b[:n-3], 'y')
	case n >= 5 && b[n-2] == 'e' && (b[n-3] == 'x' || b[n-3] == 's' || b[n-3] == 'z' || b[n-3] == 'h'):
		return b[:n-2]
	}
	return b[:n-1]
}

// eachWord calls f with every word of a text as it stands there: names in camel
// case whole and in parts, and scripts without spaces in pairs of characters.
func eachWord(text string, f func(word string, part bool)) {
	for i := 0; i < len(text); {
		if classes[text[i]] == 0 {
			i++
			continue
		}
		start := i
		for i < len(text) && classes[text[i]] != 0 {
			i++
		}
		parts(text[start:i], f)
	}
}

// parts calls f with a run of letters and digits and with what it is made of.
func parts(run string, f func(word string, part bool)) {
	from, camel := 0, false
	for i := range len(run) {
		if classes[run[i]]&high != 0 {
			foreign(run, f)
			return
		}
		if i > 0 && hump(run, i) {
			f(run[from:i], true)
			from, camel = i, true
		}
	}
	if camel {
		f(run[from:], true)
	}
	f(run, false)
}

// hump reports whether a part of a name in camel case begins at i.
func hump(s string, i int) bool {
	return classes[s[i]]&upper != 0 && classes[s[i-1]]&upper == 0
}

// foreign is parts for text that is not all ASCII.
func foreign(run string, f func(word string, part bool)) {
	word, before := 0, -1 // where the word began, and the dense character before this one
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRuneInString(run[i:])
		dense := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		switch {
		case dense && before >= 0:
			f(run[before:i+size], false)
		case dense && i > word:
			f(run[word:i], false)
		case !dense && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r):
			if i > word && before < 0 {
				f(run[word:i], false)
			}
			word = i + size
		}
		before = -1
		if dense {
			before, word = i, i+size
		}
		i += size
	}
	if len(run) > word {
		f(run[word:], false)
	}
}

// literals returns the names in a text that say more than their words do:
// paths, options, identifiers, codes of errors. They are in lower case.
func literals(text string) []string {
	var found []string
	seen := map[string]bool{}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`\"'()[]{},;<>|=", r)
	}) {
		s = strings.Trim(s, ".:!?*#&")
		if len(s) < 4 || len(s) > 200 || !named(s) {
			continue
		}
		for _, name := range [...]string{s, s[strings.LastIndexByte(s, '/')+1:]} {
			low := strings.ToLower(name)
			if len(name) >= 4 && named(name) && !seen[low] {
				seen[low] = true
				found = append(found, low)
			}
		}
	}
	return found
}

// named reports whether a word looks like a name in a program: it has a sign
// or a digit inside, or a capital after a small letter.
func named(s string) bool {
	letters, sign := false, false
	for i := range len(s) {
		switch c := classes[s[i]]; {
		case c == 0:
			sign = sign || strings.IndexByte("_/.-@:", s[i]) >= 0
		case c&digit != 0:
			sign = true
		default:
			letters = true
			sign = sign || i > 0 && hump(s, i) && classes[s[i-1]] != 0
		}
	}
	return letters && sign
}
