package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxSlug is how long a slug is at most, in bytes.
const MaxSlug = 60

// Slug returns a text as it may be part of the name of a file on any system:
// letters a to z, digits, and single hyphens between them. A letter of another
// alphabet is spelled with those where it can be, such as ß and é. A longer text ends
// at a word. One that leaves nothing, or only the name of a device of Windows,
// is named after fallback, which must be a slug itself.
func Slug(text, fallback string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(spellLatin(text)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '\'' || r == '’': // "don't" is one word
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 2*MaxSlug {
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if len(slug) > MaxSlug {
		cut := strings.LastIndexByte(slug[:MaxSlug+1], '-')
		if cut < MaxSlug/2 { // one long word
			cut = MaxSlug
		}
		slug = strings.TrimRight(slug[:cut], "-")
	}
	port := strings.TrimRight(slug, "0123456789")
	switch {
	case slug == "":
		return fallback
	case slices.Contains([]string{"con", "prn", "aux", "nul"}, slug), len(slug) == 4 && (port == "com" || port == "lpt"): // a device of Windows
		return slug + "-" + fallback
	}
	return slug
}

// spelled are the letters that are more than a base with a mark, or that lose their sense
// without it.
var spelled = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o",
	'þ': "th", 'ð': "d", 'đ': "d", 'ł': "l", 'ħ': "h", 'ı': "i",
}

// spellLatin spells the letters of other Latin alphabets with a to z, and leaves the rest.
func spellLatin(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(text)) {
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		switch word := spelled[r]; {
		case word != "":
			b.WriteString(word)
		case base < utf8.RuneSelf:
			b.WriteRune(base)
		case !unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
