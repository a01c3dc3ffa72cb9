package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mem/recall"
	"mem/render"
	"mem/words"
	"mem/workspace"
)

// What a prompt is compared with, and how much of it a session must have to be named.
const (
	maxOpening = 500  // characters that a person said first in a session
	maxPrompt  = 300  // characters of a prompt: what follows are details, which fit anything
	maxTitle   = 80   // characters that are shown of a session
	maxAlike   = 2    // sessions
	minAlike   = 0.25 // of the score that the prompt itself has
	minRare    = 2    // words that few sessions have: two, or one in rareIn
	rareIn     = 8
)

// cutToOpening returns a talk as far as a prompt is compared with it: what the person said first, but for what
// announces the rest, and behind that, without its words, what the agent said last.
func (t *talk) cutToOpening() *talk {
	cut, first, last := *t, line{}, line{}
	for _, l := range t.Lines {
		switch {
		case l.Outside:
		case l.Who == "agent":
			last.Event = l.Event
		case l.Who == "person" && first.Text == "" && !strings.HasSuffix(l.Text, ":"):
			first, last.Event = l, l.Event
			first.Text = render.Shorten(l.Text, maxOpening)
		}
	}
	cut.Lines = []line{first, last}
	return &cut
}

// ListAlike returns lines for an agent that name past sessions which began as the text does, the best
// first: what the person said, and the command that shows how it ended. claim reports whether one may be
// named. It reads no session, only what the clone holds of them, to answer in milliseconds.
func (s SessionSearch) ListAlike(w *workspace.Workspace, claim func(session string) bool) (lines []string) {
	root, _ := w.ListRoots()
	hidden, err := readWithheld(w)
	if _, _, isOwn := w.FindOwn(); isOwn || err != nil { // the sessions of one's own memory may be of another project
		return nil
	}
	talks := slices.Collect(maps.Values(readCache(root, cacheVersion(w), 1)))
	talks = slices.DeleteFunc(talks, s.isAsking)
	slices.SortFunc(talks, func(a, b *talk) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Path, b.Path)) })
	f := newFinder(render.Shorten(s.Text, maxPrompt), true, hidden)
	for _, found := range f.findAlike(talks) {
		t := found.talk
		title := strings.TrimLeft(f.clean(found, t.Lines[0].Text, maxTitle), "# ")
		if _, err := os.Stat(t.Path); err == nil && title != "" && len(lines) < maxAlike && claim(t.ID) {
			lines = append(lines, fmt.Sprintf("- %s %s: %s (`%s`)", t.At.UTC().Format(time.DateOnly), t.Agent, title, t.showCommand(t.Lines[1].Event)))
		}
	}
	return lines
}

// findAlike returns the openings that have enough of the text, the best first.
func (f finder) findAlike(talks []*talk) (list []spot) {
	if f.query == nil {
		return nil
	}
	own := &talk{Lines: []line{{Text: f.text}}} // what the text itself would score is the measure
	found, hits := f.findLines(append(slices.Clip(talks), own))
	having, least := map[string]int{}, 0.0
	for i := range hits {
		least = max(least, minAlike*hits[i].Score)
		for _, word := range f.listTelling(&hits[i]) {
			having[word]++
		}
	}
	most := 1 + max(2, len(talks)/rareIn)
	for i, s := range found {
		rare := slices.DeleteFunc(f.listTelling(&hits[i]), func(word string) bool { return having[word] > most })
		if s.talk != own && hits[i].Score >= least && len(rare) >= minRare {
			list = append(list, s)
		}
	}
	return list
}

// listTelling returns the words of the text that a hit has and that are not common.
func (f finder) listTelling(h *recall.Hit) (list []string) {
	for _, word := range f.query.WordsIn(h) {
		isPart := slices.ContainsFunc(list, func(other string) bool { return strings.Contains(other, word) })
		isSaid := strings.Contains(words.Lower(f.text), word) // not only what it is about
		if isSaid && !isPart && !words.IsCommon(word) {
			list = append(list, word)
		}
	}
	return list
}
