package words_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/words"
)

// space is every character that JavaScript takes for white space.
const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func TestFoldSpace(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"  a \r\n\t b\u00a0\u3000c  ", "a b c"},
		{"\ufeffa\ufeffb\ufeff", "a b"},
		{"\u0085a\u0085 b\u0085", "\u0085a\u0085 b\u0085"}, // space in Go, not in JavaScript
		{"a\u200bb\u180ec", "a\u200bb\u180ec"},             // never were
		{"a\xffb", "a\ufffdb"},
	} {
		envtest.Same(t, tt.want, words.FoldSpace(tt.in), "FoldSpace", tt.in)
	}
	for r := rune(0); r < 0x30000; r++ {
		s := string(r)
		got, isSpace := words.FoldSpace(s), strings.ContainsRune(space, r)
		envtest.FailIf(t, utf8.ValidRune(r) && (got == "") != isSpace, "FoldSpace(%U) = %q", r, got)
	}
}

func TestFoldSpaceLaws(t *testing.T) {
	parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(strings.Split(space, "")), rapid.Just("a"), rapid.Just("\xff")))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(parts.Draw(t, "s"), "")
		f := words.FoldSpace(s)
		envtest.Same(t, f, words.FoldSpace(f), "FoldSpace(FoldSpace", s)
		// What FoldSpace is: the fields between white space, joined.
		want := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool { return strings.ContainsRune(space, r) }), " ")
		envtest.FailIf(t, strings.ToValidUTF8(s, "") == s && f != want, "FoldSpace(%q) = %q, want %q", s, f, want)
	})
}

// A placeholder is no lesson.
func TestSaysNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"(none yet)": true, "None.": true, "N/A": true, " none  yet ": true, "nothing": true, "": true, "x.": true,
		"None of the tests ran": false, "yet": false, "Say nothing": false,
	} {
		envtest.Same(t, want, words.SaysNothing(text), "SaysNothing", text)
	}
}
