package words

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// What follows tells what the characters of program text are: letters, digits, parts of names and of base64, and whether
// a word looks random. It knows ASCII only; any other byte is none of these.

// IsLower reports whether c is a small letter.
func IsLower(c byte) bool { return c >= 'a' && c <= 'z' }

// IsUpper reports whether c is a capital letter.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsAlnum reports whether c is a letter or a digit.
func IsAlnum(c byte) bool { return IsLower(c|0x20) || IsDigit(c) }

// IsQuote reports whether c opens and closes a string literal.
func IsQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// IsNameByte reports whether c can be part of a name or of an unpadded URL-safe
// base64 word.
func IsNameByte(c byte) bool { return IsAlnum(c) || c == '_' || c == '-' }

// IsBase64 reports whether c can be part of a base64 word in either alphabet,
// padding included.
func IsBase64(c byte) bool { return Base64Value(c) >= 0 || c == '=' }

// Base64Value returns what c stands for in either base64 alphabet, or -1.
func Base64Value(c byte) int {
	switch {
	case IsUpper(c):
		return int(c - 'A')
	case IsLower(c):
		return int(c-'a') + 26
	case IsDigit(c):
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

// HasDigit reports whether there is a digit in s.
func HasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// HasLetter reports whether there is a letter in s.
func HasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && IsLower(byte(r)|0x20) })
}

// NameLen returns the length of the word that s begins with.
func NameLen(s string) int {
	n := 0
	for n < len(s) && IsNameByte(s[n]) {
		n++
	}
	return n
}

// Skip returns the place after at most so many of the bytes in set from i.
func Skip(s string, i, most int, set string) int {
	for end := min(len(s), i+most); i < end && strings.IndexByte(set, s[i]) >= 0; {
		i++
	}
	return i
}

// SkipBlanks returns the place after at most eight spaces and tabs from i.
func SkipBlanks(s string, i int) int { return Skip(s, i, 8, " \t") }

// IsRandom reports whether s looks drawn by lot: at least one digit and one
// letter, many different characters, and not made of words.
func IsRandom(s string) bool {
	return HasDigit(s) && HasLetter(s) && entropy(s) >= 2.5 && !IsWordy(s)
}

// entropy returns the bits per byte of s.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// IsWordy reports whether most of s is words: runs of three or more lower-case
// letters, perhaps after a capital, with a vowel in them and neighbours as words
// have.
func IsWordy(s string) bool {
	words := 0
	for i := 0; i < len(s); {
		from := i
		if IsUpper(s[i]) {
			i++
		}
		vowel, odd := false, 0
		for i < len(s) && IsLower(s[i]) {
			vowel = vowel || strings.IndexByte("aeiouy", s[i]) >= 0
			if i > from && !isPair(s[i-1]|0x20, s[i]) {
				odd++
			}
			i++
		}
		if i-from >= 3 && vowel && odd*4 <= i-from {
			words += i - from
		}
		if i == from {
			i++
		}
	}
	return words*10 >= len(s)*7
}

// IsDrawn is a stricter IsRandom, for a word that stands near a name and was not
// assigned to it: an identifier has digits and rare neighbours too, but few. A
// long word may do without digits.
func IsDrawn(s string) bool {
	mixed := strings.ToLower(s) != s && strings.ToUpper(s) != s
	least := 30
	switch {
	case !HasDigit(s) && (!mixed || len(s) < 12):
		return false
	case !HasDigit(s), !mixed:
		least = 36
	case len(s) >= 20:
		least = 24 // there is more to tell by
	}
	all, odd := 0, 0
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		if !IsAlnum(a) || !IsAlnum(b) {
			continue
		}
		all++
		if IsDigit(a) != IsDigit(b) || IsLower(a|0x20) && !(IsLower(a) && IsUpper(b)) && !isPair(a|0x20, b|0x20) {
			odd++
		}
	}
	return odd*100 >= all*least && HasLetter(s) && entropy(s) >= 2.5 && !IsWordy(s)
}

// isPair reports whether two small letters often stand side by side in words.
func isPair(a, b byte) bool {
	row := pairs[strings.IndexByte(pairs, a-'a'+'A')+1:]
	for i := 0; i < len(row) && IsLower(row[i]); i++ {
		if row[i] == b {
			return true
		}
	}
	return false
}

// pairs holds for each letter, in capitals, those that follow it in 96 of 100
// cases in English prose and in the words of program text.
const pairs = "AabcdfgiklmnprstuvxyBabceijlorsuyCacdeghiklmopqrstuyDadeilorsuyEabcdefgilmnopqrstuvwxyFadefiloprstu" +
	"GaceghilnoprsuHaeiortuIabcdefglmnoprstvxzJeKeisLabdefgilopstuyMabceimopstuNabcdefgiklmnoprstuvwy" +
	"OabcdefgiklmnoprstuvwPacdehiloprstuQuRacdefgiklmnoprstuvwySacefhiklmnopstuwyTacdefhilmoprstuwxy" +
	"UabcdefgilmnoprstVaeioWaehinorsXceiptYimnpstZe"

// IsDeep reports whether the values of a JSON text are nested more than so many levels.
func IsDeep(data []byte, most int) bool {
	if bytes.Count(data, []byte{'{'})+bytes.Count(data, []byte{'['}) <= most {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
