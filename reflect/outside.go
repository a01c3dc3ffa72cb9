package reflect

import (
	"hash/maphash"
	"slices"
	"strings"

	"mem/session"
	"mem/words"
)

// MarkOutside returns the events of Prepare for display. External are data from the network, errors
// from failed requests to it, pasted text, prompts of programs, and any repetition of these by the
// agent, a command or an error.
func MarkOutside(s *session.Session) []session.Event {
	events := Prepare(markFetched(s, true).Events)
	outside := Copies{}
	for i := range events {
		switch e := &events[i]; {
		case e.Origin == session.External || e.Pasted && e.Origin == session.Tool || e.Headless:
			e.Origin = session.External
			outside.Add(e.Text)
		case e.Origin != session.Human && outside.Repeats(e.Text+" "+strings.ReplaceAll(e.Input, `\n`, " ")):
			e.Origin = session.External
		}
	}
	return events
}

// runLength is how many words that follow each other make a copy.
const runLength = 8

// Copies know which words followed each other in texts.
type Copies map[uint64]bool

var copySeed = maphash.MakeSeed()

// Add adds a text.
func (c Copies) Add(text string) {
	for _, run := range listRuns(text) {
		c[run] = true
	}
}

// Repeats reports whether a text has as many words in a row from one of the texts.
func (c Copies) Repeats(text string) bool {
	return len(c) > 0 && slices.ContainsFunc(listRuns(text), func(run uint64) bool { return c[run] })
}

// listRuns returns a number for each runLength words of a text that follow each other. A text of fewer words has none.
func listRuns(text string) (runs []uint64) {
	var list []string
	words.EachWord(text, func(word string, part bool) {
		if !part {
			list = append(list, words.Lower(word))
		}
	})
	for i := range max(0, len(list)-runLength+1) {
		runs = append(runs, maphash.String(copySeed, strings.Join(list[i:i+runLength], " ")))
	}
	return runs
}
