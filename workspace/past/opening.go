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

	"mem/guard"
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
			last.Event = cmp.Or(last.Event, l.Event)
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
	talks := slices.Collect(maps.Values(readCache(root, cacheVersion(w), 1)))
	talks = slices.DeleteFunc(talks, s.isAsking)
	slices.SortFunc(talks, func(a, b *talk) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path)) })
	list := newFinder(render.Shorten(s.Text, maxPrompt), true, hidden{}).findAlike(talks)
	if len(list) == 0 { // mostly, and what is withheld takes longest to read
		return nil
	}
	hidden, err := readWithheld(w, s.Sources)
	if err != nil {
		return nil
	}
	for _, a := range list {
		if line := a.describe(hidden); line != "" && len(lines) < maxAlike && claim(a.ID) {
			lines = append(lines, line)
		}
	}
	return lines
}

// An alike is a talk that began as a text does, and the line that says so.
type alike struct {
	*talk
	title string
}

// describe returns a line about a talk; "" if its file is gone, or if it says what is withheld.
func (a alike) describe(hidden hidden) string {
	title := strings.TrimLeft(render.Shorten(guard.Line(hidden.drop(a.title)), maxTitle), "# ")
	states := hidden.findStates(a.Names, len(a.Lines), func(i int) (id, text string) { return a.Lines[i].Event, a.Lines[i].Text })
	if _, err := os.Stat(a.Path); err != nil || title == "" || len(states) > 0 {
		return ""
	}
	last := a.Lines[len(a.Lines)-1].Event
	return fmt.Sprintf("- %s %s: %s (`%s`)", a.At.UTC().Format(time.DateOnly), a.Agent, title, a.showCommand(last))
}

// findAlike returns the talks whose openings have enough of the text, the best first.
func (f finder) findAlike(talks []*talk) (list []alike) {
	if f.query == nil {
		return nil
	}
	hits := f.query.ScoreTexts(len(talks)+1, func(i int, visit func(string)) {
		if i == len(talks) { // the text itself is the measure
			visit(f.text)
			return
		}
		visit(talks[i].joinLines())
	})
	having, least := map[string]int{}, 0.0
	for _, h := range hits {
		least = max(least, minAlike*h.Score)
		for _, word := range f.query.WordsIn(&h) {
			having[word]++
		}
	}
	slices.SortStableFunc(hits, func(a, b score.Hit) int { return cmp.Compare(b.Score, a.Score) })
	isFew := func(word string) bool { return having[word] <= 1+max(2, len(talks)/rareIn) }
	for _, h := range hits {
		if rare := f.listTelling(&h, isFew); h.Doc < len(talks) && h.Score >= least && len(rare) >= minRare {
			t, about := talks[h.Doc], newFinder(strings.Join(rare, " "), true, f.hidden)
			list = append(list, alike{t, about.bestOf(strings.Split(t.joinLines(), "\n"))})
		}
	}
	return list
}

// listTelling returns the words of the text that a hit has, that few have and that are not common.
func (f finder) listTelling(h *score.Hit, isFew func(word string) bool) (list []string) {
	for _, word := range f.query.WordsIn(h) {
		isPart := slices.ContainsFunc(list, func(other string) bool { return strings.Contains(other, word) })
		isSaid := strings.Contains(strings.ToLower(f.text), word) // not only what it is about
		if isSaid && !isPart && !words.IsCommon(word) && isFew(word) {
			list = append(list, word)
		}
	}
	return list
}

// joinLines returns all that is kept of a talk.
func (t *talk) joinLines() string {
	var all strings.Builder
	for _, l := range t.Lines {
		all.WriteString(l.Text + "\n")
	}
	return all.String()
}

// DescribeSearch says for people how many sessions can be searched, with a command that finds those in
// which something failed that failed in most of the latest; "" if there are none.
func DescribeSearch(ctx context.Context, w *workspace.Workspace, s Search) (string, error) {
	found, err := trace.ListSessions(trace.DefaultPlaces(w.Home(), w.Getenv), trace.Filter{Project: w.At.Project})
	if err != nil || len(found) == 0 {
		return "", err
	}
	talks, err := s.readTalks(ctx, w, maxNamed)
	if err != nil {
		return "", err
	}
	n := render.Count(min(len(found), maxTalks), "session", "sessions")
	return n + " can be searched: mem search --sessions " + quoteWord(askAbout(findCommonFailure(talks))), nil
}

// findCommonFailure returns the signature of the failure of a command that most talks have; of several the latest.
func findCommonFailure(talks []*talk) (most string) {
	count, last := map[string]int{}, map[string]*talk{}
	for _, t := range talks {
		for _, l := range t.Lines {
			if !l.Command || l.Outside {
				continue
			}
			sign := (shell.Project{}).Signature(l.Text)
			if last[sign] != t {
				last[sign] = t
				count[sign]++
			}
			if count[sign] >= count[most] {
				most = sign
			}
		}
	}
	return most
}

// askAbout returns the words of a failure that say something. Without a failure it is what a person puts in.
func askAbout(sign string) string {
	var list []string
	words.EachWord(sign, func(word string, part bool) {
		if !part && len(list) < maxAsked && !words.IsCommon(word) && !words.IsSearchStop(word) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	})
	return cmp.Or(strings.Join(list, " "), sign, "WORDS")
}
