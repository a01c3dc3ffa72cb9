package score

import (
	"strings"
	"unicode"

	"mem/words"
)

// findLiterals returns the names in a text that say more than their words do:
// paths, options, identifiers, codes of errors. They are in lower case.
func findLiterals(text string) []string {
	var found []string
	seen := map[string]bool{}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`\"'()[]{},;<>|=", r)
	}) {
		s = strings.Trim(s, ".:!?*#&")
		if len(s) < 4 || len(s) > 200 || !isName(s) {
			continue
		}
		for _, name := range [...]string{s, s[strings.LastIndexByte(s, '/')+1:]} {
			low := strings.ToLower(name)
			if len(name) >= 4 && isName(name) && !seen[low] {
				seen[low] = true
				found = append(found, low)
			}
		}
	}
	return found
}

// isName reports whether a word looks like a name in a program: it has a sign
// or a digit inside, or a capital after a small letter.
func isName(s string) bool {
	letters, sign := false, false
	for i := range len(s) {
		switch c := words.ClassOf(s[i]); {
		case c == 0:
			sign = sign || strings.IndexByte("_/.-@:", s[i]) >= 0
		case c&words.Digit != 0:
			sign = true
		default:
			letters = true
			sign = sign || i > 0 && words.IsHump(s, i) && words.ClassOf(s[i-1]) != 0
		}
	}
	return letters && sign
}
