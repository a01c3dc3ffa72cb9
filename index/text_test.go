package index_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/index"
)

// space is every character that JavaScript takes for white space.
const space = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func TestFold(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{"a b", "a b"},
		{" a", "a"},
		{"a ", "a"},
		{"a  b", "a b"},
		{"a\tb", "a b"},
		{"  a \r\n\t b\u00a0\u3000c  ", "a b c"},
		{space, ""},
		{"\ufeffa\ufeffb\ufeff", "a b"},
		{"\u0085a\u0085 b\u0085", "\u0085a\u0085 b\u0085"}, // space in Go, not in JavaScript
		{"a\u200bb\u180ec", "a\u200bb\u180ec"},             // never were
		{"é  ü", "é ü"},
		{"a\xffb", "a\ufffdb"},
		{"\x00a\x1f", "\x00a\x1f"},
	} {
		if got := index.Fold(tt.in); got != tt.want {
			t.Errorf("Fold(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	for _, r := range space {
		if got := index.Fold("a" + string(r) + string(r) + "b" + string(r)); got != "a b" {
			t.Errorf("Fold does not take %U for white space: %q", r, got)
		}
	}
	for r := rune(0); r < 0x30000; r++ {
		s := string(r)
		if got, isSpace := index.Fold(s), strings.ContainsRune(space, r); utf8.ValidRune(r) && (got == "") != isSpace {
			t.Errorf("Fold(%U) = %q", r, got)
		}
	}
}

func TestFoldLaws(t *testing.T) {
	parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(strings.Split(space, "")), rapid.Just("a"), rapid.Just("\xff")))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(parts.Draw(t, "s"), "")
		f := index.Fold(s)
		if again := index.Fold(f); again != f {
			t.Errorf("Fold(Fold(%q)) = %q, want %q", s, again, f)
		}
		// What Fold is: the fields between white space, joined.
		want := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool { return strings.ContainsRune(space, r) }), " ")
		if strings.ToValidUTF8(s, "") == s && f != want {
			t.Errorf("Fold(%q) = %q, want %q", s, f, want)
		}
		if k := index.Key(s); k != index.Key(f) || k != index.Key(k) {
			t.Errorf("Key(%q) = %q, which is not the key of its folded text and of itself", s, k)
		}
		a := index.Avoid(s)
		if index.Avoid(a) != a || index.StripAvoid(a) != index.StripAvoid(s) || a != "" && !index.SaysAvoid(a) {
			t.Errorf("Avoid(%q) = %q is not stable", s, a)
		}
	})
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"  Use  TABS ", "use tabs"},
		{"ÀÉÎ Ω Я", "àéî ω я"},
		{"Straße", "straße"},
		{"", ""},
	} {
		if got := index.Key(tt.in); got != tt.want {
			t.Errorf("Key(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAvoid(t *testing.T) {
	for _, tt := range []struct{ in, avoid, strip string }{
		{"x", "Avoid: x", "x"},
		{"  x  y ", "Avoid: x y", "x y"},
		{"Avoid: x", "Avoid: x", "x"},
		{"AVOID:x", "Avoid: x", "x"},
		{"avoid :x", "Avoid: avoid :x", "avoid :x"},
		{"Avoid: Avoid:\tavoid: x", "Avoid: x", "x"},
		{"Avoid x", "Avoid: Avoid x", "Avoid x"},
		{"avoiding: x", "Avoid: avoiding: x", "avoiding: x"},
		{"x Avoid: y", "Avoid: x Avoid: y", "x Avoid: y"},
		{"Avoid:", "", ""},
		{" avoid:  AVOID: ", "", ""},
		{"", "", ""},
		{"\ufeffAvoid: x", "Avoid: x", "x"},
		{"Ævoid: x", "Avoid: Ævoid: x", "Ævoid: x"},
	} {
		if got := index.Avoid(tt.in); got != tt.avoid {
			t.Errorf("Avoid(%q) = %q, want %q", tt.in, got, tt.avoid)
		}
		if got := index.StripAvoid(tt.in); got != tt.strip {
			t.Errorf("StripAvoid(%q) = %q, want %q", tt.in, got, tt.strip)
		}
		if got, want := index.SaysAvoid(tt.in), index.StripAvoid(tt.in) != index.Fold(tt.in); got != want {
			t.Errorf("SaysAvoid(%q) = %t, want %t", tt.in, got, want)
		}
	}
}
