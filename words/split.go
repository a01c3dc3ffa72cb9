package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// IsWordByte reports whether a byte is part of a word: an ASCII letter or digit, or
// part of a character outside ASCII.
func IsWordByte(c byte) bool {
	return IsAlnum(c) || c >= utf8.RuneSelf
}

// IsDigit reports whether a byte is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// EachWord calls f with every word of a text as it stands there, in form NFC: names in camel
// case whole and in parts, and scripts without spaces in pairs of characters.
func EachWord(text string, f func(word string, part bool)) {
	for i := 0; i < len(text); {
		start, small := i, true // no part of a name begins in small letters
		for i < len(text) && IsWordByte(text[i]) {
			small = small && !IsUpper(text[i]) && text[i] < utf8.RuneSelf
			i++
		}
		switch {
		case i == start:
			i++
		case small:
			f(text[start:i], false)
		default:
			eachPart(text[start:i], f)
		}
	}
}

// eachPart calls f with a run of letters and digits and with what it is made of.
func eachPart(run string, f func(word string, part bool)) {
	run = norm.NFC.String(run)
	from, camel := 0, false
	for i := range len(run) {
		if run[i] >= utf8.RuneSelf {
			eachForeignPart(run, f)
			return
		}
		if i > 0 && IsUpper(run[i]) && !IsUpper(run[i-1]) { // a part of a name in camel case begins
			f(run[from:i], true)
			from, camel = i, true
		}
	}
	if camel {
		f(run[from:], true)
	}
	f(run, false)
}

// eachForeignPart is eachPart for text that is not all ASCII.
func eachForeignPart(run string, f func(word string, part bool)) {
	word, before := 0, -1 // where the word began, and the dense character before this one
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRuneInString(run[i:])
		dense := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
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

// ContainsWord reports whether text holds w as a word of its own.
func ContainsWord(text, w string) bool {
	for i := 0; w != ""; {
		j := strings.Index(text[i:], w)
		if j < 0 {
			return false
		}
		from, to := i+j, i+j+len(w)
		if (from == 0 || !isNameByte(text[from-1])) && (to == len(text) || !isNameByte(text[to])) {
			return true
		}
		i = from + 1
	}
	return false
}

// HoldsName reports whether a text holds a name that does not go on before or after: a sign at its end ends it.
func HoldsName(text, name string) bool {
	joins := func(a, b string) bool {
		last, _ := utf8.DecodeLastRuneInString(a)
		first, _ := utf8.DecodeRuneInString(b)
		return !IsBetween(last) && !IsBetween(first)
	}
	for from := 0; ; from++ {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		if from += at; !joins(text[:from], name) && !joins(name, text[from+len(name):]) {
			return true
		}
	}
}

// IsBetween reports whether a character stands between the words of a text.
func IsBetween(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

func isNameByte(c byte) bool { return c == '_' || c == '-' || IsWordByte(c) }

// StemWord returns a word in lower case and without its ending, by the Snowball
// stemmer of English: the same for a query and what is searched, and for two
// statements that are compared. A word with characters other than letters of ASCII
// keeps its ending.
func StemWord(word string) string {
	word = strings.ToLower(word)
	if strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return norm.NFC.String(word)
	}
	return english.Stem(word, true)
}
