// Package chars tells what the characters of program text are: letters, digits,
// parts of names and of base64, and whether a word looks random. It knows ASCII
// only; any other byte is none of these.
package chars

import "strings"

// IsLower reports whether c is a small letter.
func IsLower(c byte) bool { return c >= 'a' && c <= 'z' }

// IsUpper reports whether c is a capital letter.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsAlnum reports whether c is a letter or a digit.
func IsAlnum(c byte) bool { return IsLower(c|0x20) || IsDigit(c) }

// IsQuote reports whether c opens and closes a string literal.
func IsQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// IsWordByte reports whether c can be part of a name or of an unpadded URL-safe
// base64 word.
func IsWordByte(c byte) bool { return IsAlnum(c) || c == '_' || c == '-' }

// IsBase64 reports whether c can be part of a base64 word in either alphabet,
// padding included.
func IsBase64(c byte) bool { return c >= ' ' && c < 0x80 && base64[c-' '] <= base64Pad }

// Base64Value returns what c stands for in either base64 alphabet, or -1.
func Base64Value(c byte) int {
	if c < ' ' || c >= 0x80 || base64[c-' '] >= base64Pad {
		return -1
	}
	return int(base64[c-' '])
}

// base64Pad stands for the padding in base64.
const base64Pad = 64

// base64 holds what each character from the blank on stands for, and a greater
// number than base64Pad for the others. A test makes it anew.
const base64 = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3e\xff\x3e\xff\x3f" +
	"\x34\x35\x36\x37\x38\x39\x3a\x3b\x3c\x3d\xff\xff\xff\x40\xff\xff" +
	"\xff\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e" +
	"\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\xff\xff\xff\xff\x3f" +
	"\xff\x1a\x1b\x1c\x1d\x1e\x1f\x20\x21\x22\x23\x24\x25\x26\x27\x28" +
	"\x29\x2a\x2b\x2c\x2d\x2e\x2f\x30\x31\x32\x33\xff\xff\xff\xff\xff"

// HexDigit returns the value of a hexadecimal digit, or -1.
func HexDigit(c byte) int {
	switch {
	case IsDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// HasDigit reports whether there is a digit in s.
func HasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// HasLetter reports whether there is a letter in s.
func HasLetter(s string) bool {
	for i := range len(s) {
		if IsLower(s[i] | 0x20) {
			return true
		}
	}
	return false
}

// WordLen returns the length of the word that s begins with.
func WordLen(s string) int {
	n := 0
	for n < len(s) && IsWordByte(s[n]) {
		n++
	}
	return n
}

// SkipBlanks returns the place after at most eight spaces and tabs from i.
func SkipBlanks(s string, i int) int {
	for n := 0; n < 8 && i < len(s) && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}
