package topic

import "unicode"

func inTag(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) }

// File returns the domain and the tags of a text that came without them. A
// mistake is filed as one.
func File(text string, mistake bool) (domain string, tags []string) {
	if mistake {
		return Mistake, nil
	}
	return General, nil
}
