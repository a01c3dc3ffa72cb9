package guard

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/envtest"
)

func TestClean(t *testing.T) {
	tests := []struct {
		in, want string
	}{
		{"", ""},
		{"plain text\n\twith tabs", "plain text\n\twith tabs"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"a\r\u200b\nb", "a\n\nb"},
		{"a\u2028b\u2029c", "a\nb\nc"},
		{"zero\u200bwidth\u200c\u200d\ufeff", "zerowidth"},
		{"abc\u202egnp.exe\u202c", "abcgnp.exe"},
		{"\u2066x\u2069", "x"},
		{"soft\u00adhyphen", "softhyphen"},
		{"tags\U000e0041\U000e0042\U000e007f", "tags"},
		{"vs\ufe0f\U000e0100", "vs"},
		{"fill\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5", "fill"},
		{"private\ue000\U000f0000\U0010fffd", "private"},
		{"non\ufffe\uffff\ufdd0", "non"},
		{"nul\x00bel\x07del\x7fnel\u0085", "nulbeldelnel"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b[38;2;1;2;3mx", "x"},
		{"\x1b]0;title\x07x", "x"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\u009b31mx\u009d0;t\u009cy", "xy"},
		{"\x9b31mx\x9d0;t\x9cy", "xy"},
		{"\x1bPq#0\x1b\\x\x1b_a\x1b\\y\x1b^p\x1b\\", "xy"},
		{"\x1b(Bx\x1b7y\x1bMz", "xyz"},
		{"\x1b]0;never ended\nnext", "0;never ended\nnext"},
		{"\x1b", ""},
		{"\x1b[31", ""},
		{"bad\xff\xfeutf\xc3", "bad\uFFFDutf\uFFFD"},
		{"\xed\xa0\x80", "\uFFFD"},
		{"kept \uFFFD", "kept \uFFFD"},
		{"👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 🇩🇪", "👩👩👧 ❤ 👍🏽 🇩🇪"},
		{"Größe, e\u0301, 日本語, עברית, ไทย", "Größe, e\u0301, 日本語, עברית, ไทย"},
	}
	for _, tt := range tests {
		envtest.Same(t, tt.want, Clean(tt.in), "Clean", tt.in)
	}
}

func TestCleanDropsWholeClasses(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		bad := forbidden(Clean("a" + string(r) + "z"))
		envtest.StopIf(t, bad >= 0, "Clean keeps %U, made from %U", bad, r)
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

func cleanLaws(t envtest.TB, s string) {
	clean := Clean(s)
	switch again := Clean(clean); {
	case again != clean:
		t.Errorf("Clean(Clean(%q)) = %q, want %q", s, again, clean)
	case !utf8.ValidString(clean):
		t.Errorf("Clean(%q) = %q, which is invalid UTF-8", s, clean)
	case forbidden(clean) >= 0:
		t.Errorf("Clean(%q) = %q with %U", s, clean, forbidden(clean))
	}
}

func TestCleanOfCleanTextAllocatesNothing(t *testing.T) {
	s := strings.Repeat("Größe: nothing to do 日本 \n\t", 100)
	envtest.Same(t, 0, testing.AllocsPerRun(100, func() { Clean(s) }), "Clean allocates times for clean text")
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
