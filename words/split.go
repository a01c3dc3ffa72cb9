package words

import (
	"unicode"
	"unicode/utf8"
)

// A Class says what a byte is, as far as words go: 0 for what separates them, else
// a number below 32 for the letter or digit, with a mark. Some digits share a
// number.
type Class byte

// The marks of a Class, and the bits of its number.
const (
	Upper  Class = 1 << 5
	Digit  Class = 1 << 6
	High   Class = 1 << 7 // part of a character outside ASCII
	Letter       = Upper - 1
)

// ClassOf returns the class of a byte.
func ClassOf(c byte) Class { return Class(classes[c]) }

// classes holds the class of each byte. It is written out so that nothing has to
// make it when mem starts; a test makes it anew.
const classes = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x5b\x5b\x5c\x5c\x5d\x5d\x5e\x5e\x5f\x5f\x00\x00\x00\x00\x00\x00" +
	"\x00\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2a\x2b\x2c\x2d\x2e\x2f" +
	"\x30\x31\x32\x33\x34\x35\x36\x37\x38\x39\x3a\x00\x00\x00\x00\x00" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x00\x00\x00\x00\x00" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f" +
	"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" +
	"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f"

// EachWord calls f with every word of a text as it stands there: names in camel
// case whole and in parts, and scripts without spaces in pairs of characters.
func EachWord(text string, f func(word string, part bool)) {
	for i := 0; i < len(text); {
		if ClassOf(text[i]) == 0 {
			i++
			continue
		}
		start := i
		for i < len(text) && ClassOf(text[i]) != 0 {
			i++
		}
		EachPart(text[start:i], f)
	}
}

// EachPart calls f with a run of letters and digits and with what it is made of.
func EachPart(run string, f func(word string, part bool)) {
	from, camel := 0, false
	for i := range len(run) {
		if ClassOf(run[i])&High != 0 {
			eachForeignPart(run, f)
			return
		}
		if i > 0 && IsHump(run, i) {
			f(run[from:i], true)
			from, camel = i, true
		}
	}
	if camel {
		f(run[from:], true)
	}
	f(run, false)
}

// IsHump reports whether a part of a name in camel case begins at i.
func IsHump(s string, i int) bool {
	return ClassOf(s[i])&Upper != 0 && ClassOf(s[i-1])&Upper == 0
}

// eachForeignPart is EachPart for text that is not all ASCII.
func eachForeignPart(run string, f func(word string, part bool)) {
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
