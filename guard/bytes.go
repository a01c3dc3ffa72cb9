package guard

import "strings"

// base64Class holds the bytes of both base64 alphabets, padding included.
var base64Class = func() (class [256]bool) {
	for i := range class {
		c := byte(i)
		class[i] = alnum(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
	}
	return class
}()

// base64Value holds what each byte of both alphabets stands for, and -1 for
// all others.
var base64Value = func() (value [256]int8) {
	const common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := range value {
		value[i] = int8(strings.IndexByte(common, byte(i)))
	}
	value['+'], value['-'], value['/'], value['_'] = 62, 62, 63, 63
	return value
}()

func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
func alnum(c byte) bool { return lower(c|0x20) || digit(c) }
func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// wordByte reports whether c can be part of a name or of an unpadded URL-safe
// base64 word.
func wordByte(c byte) bool { return alnum(c) || c == '_' || c == '-' }

// wordLen returns the length of the word s begins with.
func wordLen(s string) int {
	n := 0
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	return n
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasLetter(s string) bool {
	for i := range len(s) {
		if lower(s[i] | 0x20) {
			return true
		}
	}
	return false
}

// skipBlanks returns the place after at most eight spaces and tabs from i.
func skipBlanks(s string, i int) int {
	for n := 0; n < 8 && i < len(s) && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}
