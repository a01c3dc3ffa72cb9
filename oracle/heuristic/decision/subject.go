package decision

import (
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/spelling"
	"mem/words"
)

// FindSubject returns what a talk is about: the first name in code, or else the one
// abbreviation that is named again and again; "" if there is none.
func FindSubject(talk []string) string {
	times := map[string]int{}
	best := ""
	for _, said := range talk {
		if name := spelling.FindName(said); name != "" {
			return "`" + name + "`"
		}
		for _, name := range reInitials.Get().FindAllString(said, -1) {
			if times[name]++; times[name] >= minNamed && times[name] > times[best] {
				best = name
			}
		}
	}
	return best
}

// AddSubject puts before a text that names nothing in code what the talk is about.
func AddSubject(text, subject string) string {
	if subject == "" || strings.HasPrefix(text, "`") || spelling.FindName(text) != "" || strings.Contains(text, strings.Trim(subject, "`")) {
		return text
	}
	sep := ": "
	if i := strings.Index(text, ": "); i > 0 && i < 35 {
		sep = ", "
	}
	return subject + sep + english.LowerFirst(text)
}

// Covers reports whether a reply that sums up says half of what was said before, or more.
func Covers(reply, said string) bool {
	said, _, _ = strings.Cut(said, " - ")
	a := words.SpeechWords(said)
	return 2*spelling.CountShared(a, words.SpeechWords(reply)) >= len(a)
}

// minNamed is how often an abbreviation must be named to be what a talk is about.
const minNamed = 3

var reInitials = lazy.New(`\b[A-Z]{3,5}\b`)
