package past

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/oracle/heuristic/shell"
	"mem/recall/score"
	"mem/render"
	"mem/trace"
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
	maxAsked   = 5 // words of a question
)

// cutToOpening returns a talk as far as a prompt is compared with it: what the person said first, and
// behind that, without its words, what the agent said last.
func (t *talk) cutToOpening() *talk {
	cut, room, last := *t, maxOpening, line{}
	cut.Lines = nil
	for _, l := range t.Lines {
		switch {
		case l.Outside:
		case l.Who == "agent":
			last.Event = l.Event
		case l.Who == "person" && room > 0:
			l.Text = render.Shorten(l.Text, room)
			room -= len(l.Text)
			cut.Lines = append(cut.Lines, l)
		}
	}
	cut.Lines = append(cut.Lines, last)
	return &cut
}

// ListAlike returns lines for an agent that name past sessions which began as the text does, the best
// first: what the person said, and the command that shows how it ended. claim reports whether one may be
// named. It reads no session, only what the clone holds of them, to answer in milliseconds.
func (s Search) ListAlike(w *workspace.Workspace, claim func(session string) bool) (lines []string) {
	root, _ := w.ListRoots()
	if _, _, isOwn := w.FindOwn(); isOwn { // its sessions may be of another project
		return nil
	}
	talks := slices.Collect(maps.Values(readCache(root, cacheVersion(w), openings)))
	talks = slices.DeleteFunc(talks, s.isAsking)
	slices.SortFunc(talks, func(a, b *talk) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path)) })
	f := newFinder(render.Shorten(s.Text, maxPrompt), true, hidden{})
	alike := f.findAlike(talks)
	if len(alike) == 0 {
		return nil
	}
	var err error
	if f.hidden, err = readWithheld(w, s.Sources); err != nil {
		return nil
	}
	for _, t := range alike {
		title := f.findTitle(t)
		if _, err := os.Stat(t.Path); err == nil && title != "" && len(lines) < maxAlike && claim(t.ID) {
			lines = append(lines, fmt.Sprintf("- %s %s: %s (`%s`)", t.At.UTC().Format(time.DateOnly), t.Agent, title, t.showCommand(t.Lines[len(t.Lines)-1].Event)))
		}
	}
	return lines
}

// findAlike returns the talks whose openings have enough of the text, the best first.
func (f finder) findAlike(talks []*talk) (alike []*talk) {
	if f.query == nil {
		return nil
	}
	hits := f.query.ScoreTexts(len(talks)+1, func(i int, visit func(string)) {
		if i == len(talks) { // the text itself is the measure
			visit(f.text)
			return
		}
		for _, l := range talks[i].Lines {
			visit(l.Text)
		}
	})
	having, least := map[string]int{}, 0.0
	for _, h := range hits {
		least = max(least, minAlike*h.Score)
		for _, word := range f.query.WordsIn(&h) {
			having[word]++
		}
	}
	slices.SortStableFunc(hits, func(a, b score.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, h := range hits {
		var rare []string
		for _, word := range f.query.WordsIn(&h) {
			isPart := slices.ContainsFunc(rare, func(other string) bool { return strings.Contains(other, word) })
			isSaid := strings.Contains(strings.ToLower(f.text), word) // not only what it is about
			if isSaid && !isPart && !words.IsCommon(word) && having[word] <= 1+max(2, len(talks)/rareIn) {
				rare = append(rare, word)
			}
		}
		if h.Doc < len(talks) && h.Score >= least && len(rare) >= minRare {
			alike = append(alike, talks[h.Doc])
		}
	}
	return alike
}

// findTitle returns the line of an opening that has most of the text, as an agent may read it.
func (f finder) findTitle(t *talk) string {
	states := f.hidden.findStates(t.Names, len(t.Lines), func(i int) (id, text string) { return t.Lines[i].Event, t.Lines[i].Text })
	var parts []string
	for i, l := range t.Lines {
		if states[i] == index.Active {
			parts = append(parts, strings.Split(l.Text, "\n")...)
		}
	}
	return strings.TrimLeft(f.clean(spot{}, f.bestOf(parts), maxTitle), "# ")
}

// DescribeSearch says for people how many sessions can be searched, with a command that finds those in
// which something failed that failed in most of the latest; "" if there are none.
func DescribeSearch(ctx context.Context, w *workspace.Workspace, s Search) (string, error) {
	found, err := trace.ListSessions(trace.DefaultPlaces(w.Home(), w.Getenv), trace.Filter{Project: w.At.Project})
	if err != nil || len(found) == 0 {
		return "", err
	}
	talks, err := s.readTalks(ctx, w, maxNamed)
	n := render.Count(min(len(found), maxTalks), "session", "sessions")
	return n + " can be searched: mem search --sessions " + quoteWord(askOfFailures(talks)), err
}

// askOfFailures returns words of the failure of a command that most talks have; of several the latest.
// Without a failure it is what a person puts in.
func askOfFailures(talks []*talk) string {
	count, most := map[string]int{}, ""
	for _, t := range talks {
		seen := map[string]bool{}
		for _, l := range t.Lines {
			if sign := (shell.Project{}).Signature(l.Text); l.Command && !l.Outside && !seen[sign] {
				seen[sign] = true
				if count[sign]++; count[sign] >= count[most] {
					most = sign
				}
			}
		}
	}
	var list []string
	words.EachWord(most, func(word string, part bool) {
		if !part && len(list) < maxAsked && !words.IsCommon(word) && !words.IsSearchStop(word) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	})
	return cmp.Or(strings.Join(list, " "), most, "WORDS")
}
