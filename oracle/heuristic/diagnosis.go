package heuristic

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// maxDiagnosis is the most characters of an explanation.
const maxDiagnosis = 300

// findDiagnosis returns the last short explanation of the agent's own in these events: why something
// is as it is, without a guess.
func findDiagnosis(events []session.Event) string {
	for _, e := range slices.Backward(events) {
		said, _, _ := strings.Cut(strings.TrimSpace(e.Text)+" ", ". ")
		said = strings.TrimRight(said, " .")
		if e.Kind == session.AssistantText && e.Origin == session.Agent && len(said) <= maxDiagnosis && reExplains.Matches(said) && !reGuesses.Matches(said) && shell.IsLasting(said) {
			return said
		}
	}
	return ""
}

var (
	reExplains = lazy.New(`(?i)\S+ \S+ \S+.*\b(?:because|since|requires?|depends?|not (?:installed|built|running)|must)\b`)
	reGuesses  = lazy.New(`(?i)[\n?]|\b(?:might|maybe|may|perhaps|seems?|probably|likely|let me|let's|I'll|I will)\b`)
)
