package guard

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// Clean returns s as a person sees it, with everything removed that is
// invisible, that reorders text, or that drives a terminal.
//
// Removed are format characters (zero-width, bidirectional, tags, soft
// hyphen), private use, noncharacters, variation selectors, invisible fillers,
// C0 and C1 controls except newline and tab, and whole ANSI escape sequences
// in their 7-bit and 8-bit forms. CRLF, a lone CR, U+2028 and U+2029 become
// newlines. A run of invalid UTF-8 becomes one U+FFFD, so that the result is
// always valid UTF-8. An emoji sequence falls apart into its visible emoji.
//
// When nothing is to be done the result is s itself and nothing is allocated.
// Clean(Clean(s)) is Clean(s).
func Clean(s string) string {
	start := dirty(s)
	if start == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		b.WriteString(s[:start])
		if s = s[start:]; s != "" {
			out, width := fix(s)
			b.WriteString(out)
			s = s[width:]
		}
		start = dirty(s)
	}
	return b.String()
}

// dirty returns the offset of the first character Clean would change, or
// len(s).
func dirty(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && width == 1 || unseen(r) {
			return i
		}
		i += width
	}
	return len(s)
}

// fix returns the replacement of the dirty character that s begins with: the text to
// write instead, and how many bytes it stands for.
func fix(s string) (out string, width int) {
	if n := escape(s); n > 0 {
		return "", n
	}
	r, width := utf8.DecodeRuneInString(s)
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return "\n", 2
	case r == '\r' || r == '\u2028' || r == '\u2029':
		return "\n", width
	case r == utf8.RuneError && width == 1:
		return "\uFFFD", invalid(s)
	}
	return "", width
}

// invalid returns the length of the run of invalid UTF-8 s begins with. It
// stops before a raw byte that begins an 8-bit escape sequence.
func invalid(s string) int {
	n := 1
	for n < len(s) {
		r, width := utf8.DecodeRuneInString(s[n:])
		if r != utf8.RuneError || width != 1 || escape(s[n:]) > 0 {
			break
		}
		n++
	}
	return n
}

// unseenTable has what shows nothing, or changes how other characters show: by their
// properties, and two fillers that no property tells of.
var unseenTable = sync.OnceValue(func() *unicode.RangeTable {
	return rangetable.Merge(unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Noncharacter_Code_Point, rangetable.New('\u2800', '\U00016FE4'))
})

// unseen reports whether r must not stay in a text. It expects r to be at least
// U+0080, from where on C1 controls are.
func unseen(r rune) bool { return r < 0xA0 || unicode.Is(unseenTable(), r) }

// Introducers of escape sequences in their 8-bit form. A terminal takes them
// as one byte or, in UTF-8, as the code point of the same number.
const (
	c1DCS = 0x90
	c1SOS = 0x98
	c1CSI = 0x9B
	c1ST  = 0x9C
	c1OSC = 0x9D
	c1PM  = 0x9E
	c1APC = 0x9F
)

// escape returns the length of the escape sequence s begins with, or 0. An
// unfinished sequence counts as far as it goes; of an unfinished string only
// the introducer does, or one stray byte would swallow the rest of a text.
func escape(s string) int {
	intro, n := introducer(s)
	switch intro {
	case c1CSI:
		n = skipRange(s, n, len(s), '0', '?')
		n = skipRange(s, n, len(s), ' ', '/')
		return skipRange(s, n, 1, '@', '~')
	case c1DCS, c1SOS, c1OSC, c1PM, c1APC:
		return n + controlString(s[n:])
	}
	if s[0] == 0x1B { // without an introducer
		return skipRange(s, skipRange(s, 1, len(s), ' ', '/'), 1, '0', '~')
	}
	return 0
}

// introducer returns the introducer s begins with in its 8-bit form, and how
// many bytes it has in s: as a raw byte, in UTF-8, or after an escape. Zeros
// mean that there is none.
func introducer(s string) (intro byte, n int) {
	switch {
	case s[0] >= 0x80 && s[0] <= 0x9F:
		return s[0], 1
	case len(s) > 1 && s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F:
		return s[1], 2
	case len(s) > 1 && s[0] == 0x1B && s[1] >= 0x40 && s[1] <= 0x5F:
		return s[1] + 0x40, 2
	}
	return 0, 0
}

// skipRange returns the place after at most so many bytes between two from i.
func skipRange(s string, i, most int, low, high byte) int {
	for end := min(len(s), i+most); i < end && s[i] >= low && s[i] <= high; {
		i++
	}
	return i
}

// controlString returns the length of a control string after its introducer,
// terminator included, or 0 if no terminator comes before the next control
// character.
func controlString(s string) int {
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		raw := r == utf8.RuneError && width == 1
		switch {
		case r == 0x07, r == c1ST, raw && s[i] == c1ST:
			return i + width
		case r == 0x1B && strings.HasPrefix(s[i:], "\x1b\\"):
			return i + 2
		case raw, r < ' ' && r != '\t', r >= 0x80 && r <= 0x9F:
			return 0
		}
		i += width
	}
	return 0
}
