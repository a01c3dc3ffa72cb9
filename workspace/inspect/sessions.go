package inspect

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/trace"
	"mem/words"
	"mem/workspace"
)

// A Hit is a session in which a text was found: the line that fits best, with the lines
// around it.
type Hit struct {
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Event   string    `json:"event"`
	Before  string    `json:"before,omitzero"` // who said what
	Who     string    `json:"who"`             // "person", "agent", "failed", "pasted" or "program"
	Text    string    `json:"text"`
	After   string    `json:"after,omitzero"`
	Outside bool      `json:"outside,omitzero"` // it came over the network, or was pasted
	More    string    `json:"more"`             // the command that shows more
}

// Bounds of a line that is shown, in characters.
const (
	maxShown  = 300
	maxBeside = 120
)

type spot struct {
	talk *talk
	at   int
}

// A finder finds lines in talks.
type finder struct {
	forAgent bool // nothing from outside
	hidden   redactor
	states   map[*talk]map[int]index.Status // of lines that rest on what is withheld
	query    *recall.Query
	text     string // of the query
	literal  string // the text on one line, in lower case
}

func newFinder(text string, forAgent bool, hidden redactor) finder {
	return finder{forAgent, hidden, map[*talk]map[int]index.Status{}, recall.NewQuery(text, ""), text, words.Lower(words.FoldSpace(text))}
}

// findLines returns the lines that have a word of the text, or, if none has, that have it letter
// for letter, the best first.
func (f finder) findLines(talks []*talk) (found []spot, hits []recall.Hit) {
	var all []spot
	seen := map[[2]string]bool{} // a session that goes on in another file is copied there
	for _, t := range talks {
		f.states[t] = f.hidden.findStates(t.Names, len(t.Lines), func(i int) (id, text string) { return t.Lines[i].Event, t.Lines[i].Text })
		for i, l := range t.Lines {
			key := [2]string{l.Event, l.Text}
			if !seen[key] && !f.keepsBack(t, i) {
				all = append(all, spot{t, i})
			}
			seen[key] = true
		}
	}
	textOf := func(i int) string { return all[i].talk.Lines[all[i].at].Text }
	hits = f.query.ScoreTexts(len(all), func(i int) []string { return []string{textOf(i)} })
	if len(hits) == 0 && f.literal != "" {
		for i := range all {
			if recall.HasName(f.literal, textOf(i)) {
				hits = append(hits, recall.Hit{Doc: i})
			}
		}
	}
	slices.Reverse(hits) // of equals the latest
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	for _, h := range hits {
		found = append(found, all[h.Doc])
	}
	return found, hits
}

// keepsBack reports whether a line is withheld from an agent that searches.
func (f finder) keepsBack(t *talk, i int) bool {
	return f.forAgent && (t.Lines[i].Outside || f.states[t][i] != index.Active)
}

// listHits returns the best line of each session that may be shown, at most limit.
func (f finder) listHits(talks []*talk, limit int) (list []Hit, more int) {
	found, _ := f.findLines(talks)
	done := map[*talk]bool{}
	for _, s := range found {
		if done[s.talk] {
			continue
		}
		l := s.talk.Lines[s.at]
		text := cmp.Or(f.bestOf(strings.Split(l.Text, "\n")), l.Text)
		if len(text) > maxShown { // then its best sentence, and what follows
			text = text[strings.Index(text, f.bestOf(strings.SplitAfter(text, ". "))):]
		}
		if text = f.clean(s, text, maxShown); text == "" {
			continue
		}
		done[s.talk] = true
		if limit > 0 && len(list) == limit {
			more++
			continue
		}
		list = append(list, Hit{
			Agent: s.talk.Agent, Session: s.talk.ID, At: cmp.Or(l.At, s.talk.At), Event: l.Event, Who: l.Who, Text: text, Outside: l.Outside,
			Before: f.lineBeside(s, -1), After: f.lineBeside(s, 1), More: s.talk.showCommand(l.Event),
		})
	}
	return list, more
}

// clean returns a text of a line, as far as it may be shown, on one line.
func (f finder) clean(s spot, text string, most int) string {
	if f.forAgent {
		return render.Shorten(guard.Line(f.hidden.drop(text)), most)
	}
	marked, status := text, f.states[s.talk][s.at]
	for _, w := range f.hidden.words {
		marked = w.Mark(marked)
	}
	line := render.Shorten(guard.Line(marked), most)
	if marked == text && status != index.Active {
		line += " (" + string(status) + ")"
	}
	return line
}

// lineBeside returns the next line before or after one that may be shown, and who said it.
func (f finder) lineBeside(s spot, step int) string {
	for i := s.at + step; i >= 0 && i < len(s.talk.Lines); i += step {
		l := s.talk.Lines[i]
		if f.keepsBack(s.talk, i) {
			continue
		}
		if text := f.clean(spot{s.talk, i}, l.Text, maxBeside); text != "" {
			return l.label() + ": " + text
		}
	}
	return ""
}

func (l line) label() string {
	if l.Outside {
		return l.Who + " (from outside)"
	}
	return l.Who
}

// bestOf returns the part that has most of the query, or that has it letter for letter; "" if none has.
func (f finder) bestOf(parts []string) string {
	if best := f.query.Best(parts); best != "" {
		return best
	}
	if at := slices.IndexFunc(parts, func(part string) bool { return recall.HasName(f.literal, part) }); at >= 0 {
		return parts[at]
	}
	return ""
}

// Write writes what was found in a session for people.
func (h Hit) Write(out io.Writer) {
	fmt.Fprintln(out, guard.Line(h.At.UTC().Format(time.DateOnly)+" "+h.Agent+" "+h.Session))
	for _, l := range [][2]string{{"   ", h.Before}, {" > ", line{Who: h.Who, Outside: h.Outside}.label() + ": " + h.Text}, {"   ", h.After}, {"   ", h.More}} {
		if l[1] != "" {
			fmt.Fprintf(out, "%s%s\n", l[0], l[1])
		}
	}
}

// SplitRef returns the file and the event that an argument of 'mem trace show' names: FILE, ID,
// FILE#EVENT or ID#EVENT. What names no session is returned as it is.
func SplitRef(w *workspace.Workspace, ref string) (file, event string) {
	isFile := func(path string) bool {
		info, err := os.Stat(w.AbsPath(path))
		return err == nil && info.Mode().IsRegular()
	}
	if ref == "" || ref == "-" || isFile(ref) {
		return ref, ""
	}
	for i, r := range ref {
		if r == '#' && isFile(ref[:i]) {
			return ref[:i], ref[i+1:]
		}
	}
	id, event, _ := strings.Cut(ref, "#")
	if trace.IsExported(id) {
		return "opencode:" + strings.TrimPrefix(id, "opencode:"), event
	}
	for _, agent := range trace.Agents {
		if path, err := trace.FindByID(trace.DefaultPlaces(w.Home(), w.Getenv), agent, id); err == nil && id != "" {
			return path, event
		}
	}
	return ref, ""
}

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

// cutToOpening returns the part of a talk that a prompt is compared with: the person's first words, without an
// announcement of the rest, followed by the agent's last line, without its text.
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

// ListAlike returns lines for an agent that name past sessions which began like the text, best first: the
// person's words, and the command that shows how the session ended. claim reports whether a session may be
// named. It reads only this clone's cache, no sessions, to answer in milliseconds.
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

// listTelling returns the uncommon words of the text that a hit contains.
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
