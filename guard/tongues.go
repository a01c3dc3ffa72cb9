package guard

import (
	"cmp"
	_ "embed" // for the words
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

//go:embed tongues.txt
var tongues string

// spoken has the words of tongues.txt by their role, the longest first.
var spoken = sync.OnceValue(func() map[string][]string {
	words := map[string][]string{}
	for line := range strings.Lines(tongues) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		for _, word := range f[2:] {
			words[f[1]] = append(words[f[1]], strings.ReplaceAll(word, "␣", " "))
		}
	}
	for _, list := range words {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
	return words
})

// isSpoken reports whether a word in lower case has a role in some language.
func isSpoken(role, word string) bool { return slices.Contains(spoken()[role], word) }

// nounLen returns the length of the longest name with a role at i, with its ending, or 0.
func nounLen(role, s string, i int) int {
	isBegin := i == 0 || !words.IsAlnum(s[i-1]) && s[i-1] != '_'
	for _, noun := range spoken()[role] {
		end := len(noun)
		if len(s)-i < end || s[i]|0x20 != noun[0]|0x20 || !strings.EqualFold(s[i:i+end], noun) {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(noun); first >= utf8.RuneSelf && !unicode.Is(unicode.Cyrillic, first) {
			return end // no blanks part words there
		}
		isLong := end >= 6
		if isLong {
			end = len(s) - i - len(strings.TrimLeftFunc(s[i+end:], isEnding))
		}
		if isWhole := words.NameLen(s[i+end:]) == 0; isWhole && (isLong || isBegin) {
			return end
		}
	}
	return 0
}

// isEnding reports whether the endings of nouns have a letter.
func isEnding(r rune) bool {
	return strings.ContainsRune("aeinrst", r) || unicode.Is(unicode.Cyrillic, r)
}

func lettersOf(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}
