package guard

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	tests := []struct {
		in, want string
		dropped  int
	}{
		{"", "", 0},
		{"plain text\n\twith tabs", "plain text\n\twith tabs", 0},
		{"a\r\nb\rc", "a\nb\nc", 0},
		{"a\r\u200b\nb", "a\n\nb", 1},
		{"a\u2028b\u2029c", "a\nb\nc", 0},
		{"zero\u200bwidth\u200c\u200d\ufeff", "zerowidth", 4},
		{"abc\u202egnp.exe\u202c", "abcgnp.exe", 2},
		{"\u2066x\u2069", "x", 2},
		{"soft\u00adhyphen", "softhyphen", 1},
		{"tags\U000e0041\U000e0042\U000e007f", "tags", 3},
		{"vs\ufe0f\U000e0100", "vs", 2},
		{"fill\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5", "fill", 8},
		{"private\ue000\U000f0000\U0010fffd", "private", 3},
		{"non\ufffe\uffff\ufdd0", "non", 3},
		{"nul\x00bel\x07del\x7fnel\u0085", "nulbeldelnel", 4},
		{"\x1b[31mred\x1b[0m", "red", 9},
		{"\x1b[38;2;1;2;3mx", "x", 13},
		{"\x1b]0;title\x07x", "x", 10},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", 22},
		{"\u009b31mx\u009d0;t\u009cy", "xy", 9},
		{"\x9b31mx\x9d0;t\x9cy", "xy", 9},
		{"\x1bPq#0\x1b\\x\x1b_a\x1b\\y\x1b^p\x1b\\", "xy", 17},
		{"\x1b(Bx\x1b7y\x1bMz", "xyz", 7},
		{"\x1b]0;never ended\nnext", "0;never ended\nnext", 2},
		{"\x1b", "", 1},
		{"\x1b[31", "", 4},
		{"bad\xff\xfeutf\xc3", "bad\uFFFDutf\uFFFD", 2},
		{"\xed\xa0\x80", "\uFFFD", 1},
		{"kept \uFFFD", "kept \uFFFD", 0},
		{"👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 🇩🇪", "👩👩👧 ❤ 👍🏽 🇩🇪", 3},
		{"Größe, e\u0301, 日本語, עברית, ไทย", "Größe, e\u0301, 日本語, עברית, ไทย", 0},
	}
	for _, tt := range tests {
		got, dropped := Clean(tt.in)
		if got != tt.want || dropped != tt.dropped {
			t.Errorf("Clean(%q) = %q, %d, want %q, %d", tt.in, got, dropped, tt.want, tt.dropped)
		}
	}
}

func TestCleanDropsWholeClasses(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got, _ := Clean("a" + string(r) + "z")
		if bad := forbidden(got); bad >= 0 {
			t.Fatalf("Clean keeps %U, made from %U", bad, r)
		}
	}
}

// forbidden returns a character that Clean must not leave, or -1.
func forbidden(s string) rune {
	for _, r := range s {
		switch {
		case r == '\n', r == '\t':
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Zl, unicode.Zp,
			unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point), r == 0x2800:
			return r
		}
	}
	return -1
}

// rough draws text with a good deal of what Clean is there for.
func rough() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"\x1b", "[", "]", "0;", "m", "\x07", "\\", "\x9b", "\x9c", "\x9d", "\u009b", "\u009c", "\r", "\n",
				"\u2028", "\u200b", "\xff", "\xc2", "\xe2\x80", "\u202e", "31m", "a", "é", "\xed\xa0\x80"}),
		)).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func TestCleanLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { cleanLaws(t, rough().Draw(t, "s")) })
}

// failer is what the laws need of a test.
type failer interface {
	Errorf(format string, args ...any)
}

func cleanLaws(t failer, s string) {
	clean, dropped := Clean(s)
	again, n := Clean(clean)
	switch {
	case again != clean || n != 0:
		t.Errorf("Clean(Clean(%q)) = %q, %d, want %q, 0", s, again, n, clean)
	case !utf8.ValidString(clean):
		t.Errorf("Clean(%q) = %q, which is invalid UTF-8", s, clean)
	case forbidden(clean) >= 0:
		t.Errorf("Clean(%q) = %q with %U", s, clean, forbidden(clean))
	case dropped < 0 || dropped > len(s):
		t.Errorf("Clean(%q) dropped %d", s, dropped)
	}
}

func TestCleanOfCleanTextAllocatesNothing(t *testing.T) {
	s := strings.Repeat("Größe: nothing to do 日本 \n\t", 100)
	if n := testing.AllocsPerRun(100, func() { Clean(s) }); n != 0 {
		t.Errorf("Clean allocates %v times for clean text, want 0", n)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\x1b[31mx\x1b]0;t\x07", "\x9b1m\x9dx\x9c", "\u202e\ufeff", "\xff\xc2\x9b31m", "\x1bPx\x1b\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { cleanLaws(t, s) })
}

func BenchmarkClean(b *testing.B) {
	for _, tt := range []struct{ name, text string }{
		{"clean", strings.Repeat("\tif err := store.Commit(ctx, id); err != nil { // see the docs\nThe tests failed because the fixture was rendered too early.\n", 4000)}, {"umlauts", strings.Repeat("Größe und Übung, 日本語のテキスト\n", 20000)}, {"colours", strings.Repeat("\x1b[31mFAIL\x1b[0m some test output\r\n", 20000)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				Clean(tt.text)
			}
		})
	}
}
