package inspect

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"mem/agent"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall"
	"mem/reflect"
	"mem/reflect/record"
	"mem/render"
	"mem/session"
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

// Bounds of what is shown of a line, in characters.
const (
	maxShown  = 300
	maxBeside = 120
)

// A spot is a line of a talk.
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
	field := func(i int, visit func(string)) { visit(all[i].talk.Lines[all[i].at].Text) }
	if f.query != nil {
		hits = f.query.ScoreTexts(len(all), field)
	}
	if len(hits) == 0 && f.literal != "" {
		for i := range all {
			if recall.HasName(f.literal, i, field) {
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

// keepsBack reports whether an agent is not handed a line, where one asks.
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
		text := f.show(s)
		if text == "" {
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

// show returns what may be shown of the best part of a line.
func (f finder) show(s spot) string { return f.clean(s, f.bestPart(s.talk.Lines[s.at].Text), maxShown) }

// clean returns what may be shown of a text of a line, on one line.
func (f finder) clean(s spot, text string, most int) string {
	if f.forAgent {
		return render.Shorten(guard.Line(f.hidden.drop(text)), most)
	}
	marked, status := f.hidden.mark(text), f.states[s.talk][s.at]
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

// label says who is behind a line.
func (l line) label() string {
	if l.Outside {
		return l.Who + " (from outside)"
	}
	return l.Who
}

// bestPart returns the line of a text that has most of the query, or of a long one its best
// sentence and what follows.
func (f finder) bestPart(text string) string {
	part := cmp.Or(f.bestOf(strings.Split(text, "\n")), text)
	if len(part) > maxShown {
		part = part[strings.Index(part, f.bestOf(strings.SplitAfter(part, ". "))):]
	}
	return part
}

// bestOf returns the part that has most of the query, or that has it letter for letter; "" if none has.
func (f finder) bestOf(parts []string) (best string) {
	part := func(i int, visit func(string)) { visit(parts[i]) }
	if f.query != nil {
		most := 0.0
		for _, h := range f.query.ScoreTexts(len(parts), part) {
			if best == "" || h.Score > most {
				best, most = parts[h.Doc], h.Score
			}
		}
	}
	for i := range parts {
		if best == "" && recall.HasName(f.literal, i, part) {
			best = parts[i]
		}
	}
	return best
}

// countAbout returns how many sessions have a line with more than half of the words of the text.
func (f finder) countAbout(talks []*talk) int {
	about, asked := map[*talk]bool{}, 0
	if f.query != nil {
		asked = f.query.CountIn(f.text)
	}
	found, hits := f.findLines(talks)
	for i, s := range found {
		isLiteral := hits[i].Score == 0
		if !about[s.talk] && (isLiteral || 2*len(f.query.WordsIn(&hits[i])) > asked) && f.show(s) != "" {
			about[s.talk] = true
		}
	}
	return len(about)
}

// A redactor knows what the memories withhold. The zero value is nothing.
type redactor struct {
	words  []*withheld.Words
	events withheld.Events
}

// readWithheld returns what the memories withhold. Without any it reads them.
func readWithheld(w *workspace.Workspace, sources []recall.Source) (h redactor, err error) {
	if sources == nil {
		sources, err = w.ReadMemories()
	}
	h.events = withheld.Events{}
	for _, s := range sources {
		if s.Memory != nil {
			h.words = append(h.words, withheld.WordsOf(s.Memory.Index))
			h.events.AddOf(s.Memory.Index)
		}
	}
	return h, err
}

// nameSession returns what sightings call a session, and the one whose events it goes on from.
func nameSession(s *session.Session) []string {
	return []string{reflect.Identity(s), s.Agent + ":" + reflect.PlainID(s.Parent)}
}

// findStates returns the status of each of n events of a session that a withheld lesson rests
// on, or that repeat one, by their places; at returns the id and the text of one.
func (h redactor) findStates(names []string, n int, at func(i int) (id, text string)) map[int]index.Status {
	var states map[int]index.Status
	copies := map[index.Status]*record.Copies{}
	for i := range n {
		id, text := at(i)
		var status index.Status
		for _, name := range names {
			status = cmp.Or(status, h.events[[2]string{name, id}])
		}
		if status == index.Active {
			continue
		}
		if states == nil {
			states = map[int]index.Status{}
		}
		if copies[status] == nil {
			copies[status] = record.NewCopies()
		}
		states[i] = status
		copies[status].Add(text)
	}
	for status, said := range copies {
		for i := range n {
			if _, text := at(i); states[i] == index.Active && said.Repeats(text) {
				states[i] = status
			}
		}
	}
	return states
}

// drop returns a text without what an agent is not handed of it.
func (h redactor) drop(text string) string {
	for _, w := range h.words {
		text = w.Drop(text)
	}
	text, _ = guard.DropOrders(text)
	return text
}

// mark returns a text with the status behind each line that says a withheld lesson.
func (h redactor) mark(text string) string {
	for _, w := range h.words {
		text = w.Mark(text)
	}
	return text
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

// CountSessions returns how many of the latest sessions talk of a text; 0 if that is not known, as it was not
// asked for.
func CountSessions(ctx context.Context, w *workspace.Workspace, s SessionSearch) int {
	f, talks, err := s.prepare(ctx, w, maxNamed)
	if err != nil {
		return 0
	}
	return f.countAbout(talks)
}

// NameSessions tells the person in a line how many sessions talk of a text that no lesson fits,
// and which command finds them.
func NameSessions(ctx context.Context, w *workspace.Workspace, s SessionSearch) {
	if n := CountSessions(ctx, w, s); n > 0 {
		w.Note("no lesson fits; of it %s: mem search --sessions %s", render.Count(n, "past session talks", "past sessions talk"), quoteWord(guard.Line(s.Text)))
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

// FitSession makes a session fit to be shown to the caller. An agent is not handed what came from outside, what
// reads as an order, and what the memory withholds; a person sees the state of that.
func FitSession(w *workspace.Workspace, s *session.Session) {
	forAgent, _ := agent.FindCaller(w.Getenv)
	hidden, _ := readWithheld(w, nil) // of a memory that cannot be read nothing is shown
	names := nameSession(s)
	if forAgent {
		s.Events = record.MarkOutside(s)
	} else {
		record.RedactEvents(s.Events)
	}
	states := hidden.findStates(names, len(s.Events), func(i int) (id, text string) {
		return s.Events[i].ID, s.Events[i].Text + " " + s.Events[i].Reason
	})
	for i := range s.Events {
		e, status := &s.Events[i], states[i]
		for _, text := range []*string{&e.Text, &e.Input, &e.Reason} {
			switch {
			case *text == "":
			case forAgent && e.Origin == session.External:
				*text = "[from outside: not shown to an agent]"
			case forAgent && status != index.Active:
				*text = "[" + string(status) + ": not shown to an agent]"
			case status != index.Active:
				*text = "(" + string(status) + ") " + *text
			}
		}
		if forAgent {
			e.Text = hidden.drop(e.Text)
		}
	}
}

// quoteWord writes an argument as it is typed.
func quoteWord(s string) string {
	if isPlain.Matches(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
