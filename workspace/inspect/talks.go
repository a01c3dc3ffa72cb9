package inspect

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/trace"
	"mem/words"
	"mem/workspace"
)

// Bounds of a search: the latest sessions, up to so many bytes of lines.
const (
	maxTalks = 1000
	maxNamed = 100 // where it was not asked for sessions
	maxText  = 24 << 20
	maxID    = 200 // characters
)

// A talk is a session as it is searched.
type talk struct {
	Path  string    `json:"path"`
	Size  int64     `json:"size"`
	Time  time.Time `json:"time"` // when the file was written
	Agent string    `json:"agent"`
	ID    string    `json:"session"`
	Names []string  `json:"names"`         // as sightings name it, or what it goes on from
	At    time.Time `json:"at,omitzero"`   // when it ended
	Asks  bool      `json:"asks,omitzero"` // it ends with a search that is not answered yet
	Lines []line    `json:"lines"`
}

// A cache is the form in which talks are kept in a clone.
type cache struct {
	Version string  `json:"version"` // of mem, and how it read them
	Talks   []*talk `json:"talks"`
}

// A SessionSearch is a search in past sessions.
type SessionSearch struct {
	Text     string
	Since    time.Time // only sessions written since
	Limit    int       // 0 for none
	ForAgent bool      // nothing that came from outside, and nothing that reads as an order
	Asking   string    // the session that asks, which is not searched; "" if an agent does not say
}

// FindSessions finds the project's sessions with an event that has words of the text. more is the number that
// the limit leaves out.
func FindSessions(ctx context.Context, w *workspace.Workspace, s SessionSearch) (list []Hit, more int, err error) {
	hidden, err := readWithheld(w)
	if err != nil {
		return nil, 0, err
	}
	talks, err := s.readTalks(ctx, w, true)
	if err == nil {
		list, more = newFinder(s.Text, s.ForAgent, hidden).listHits(talks, s.Limit)
	}
	return list, more, err
}

// KeepTalks keeps what was said in the latest sessions of a project, for ListAlike and the next search.
func KeepTalks(ctx context.Context, w *workspace.Workspace, s SessionSearch) {
	if _, _, isOwn := w.FindOwn(); !isOwn && w.Config.Hook.Sessions {
		_, _ = s.readTalks(ctx, w, false) // what is not kept now is kept later
	}
}

// readTalks returns the latest sessions, oldest first: more if a search is asked for, which asks agents' programs,
// too. It takes unchanged ones from this clone's cache; without a memory there is no cache.
func (s SessionSearch) readTalks(ctx context.Context, w *workspace.Workspace, isAsked bool) (talks []*talk, err error) {
	places, most := trace.DefaultPlaces(w.Home(), w.Getenv), map[bool]int{true: maxTalks, false: maxNamed}[isAsked]
	places.Programs = isAsked
	found := trace.ListSessions(places, w.SessionFilter())
	root, _ := w.ListRoots()
	known := readCache(root, cacheVersion(w), 2)
	if !isAsked { // what they said before stands
		for _, t := range known {
			if trace.IsExported(t.Path) {
				found = append(found, trace.Listing{Path: t.Path, Agent: t.Agent, At: t.Time})
			}
		}
		slices.SortStableFunc(found, func(a, b trace.Listing) int { return a.At.Compare(b.At) })
	}
	found = found[max(0, len(found)-maxTalks):]
	show, clear := w.Progress("reading")
	defer clear()
	var kept []*talk
	room, isNew := maxText, false
	for i, l := range slices.Backward(found) {
		t, isWanted := known[l.Path], len(found)-i <= most && ctx.Err() == nil
		if isWanted {
			show(len(found)-i, min(most, len(found)))
		}
		if isWanted && (t == nil || t.Size != l.Size || !t.Time.Equal(l.At)) { // it is not as it was when it was read
			t, isNew = readTalk(w, l), true
		}
		if t == nil {
			continue
		}
		for _, said := range t.Lines {
			room -= len(said.Text)
		}
		if room < 0 {
			break
		}
		if kept = append(kept, t); isWanted {
			talks = append(talks, t)
		}
	}
	slices.Reverse(talks)
	if root != nil && (isNew || len(kept) != len(known)) {
		keepCache(root, cache{cacheVersion(w), kept})
	}
	return slices.DeleteFunc(talks, func(t *talk) bool {
		return t.Time.Before(s.Since) || s.isAsking(t)
	}), ctx.Err()
}

func (s SessionSearch) isAsking(t *talk) bool {
	if s.Asking != "" {
		return t.ID == s.Asking
	}
	return s.ForAgent && t.Asks
}

// readTalk reads a session; one that cannot be read has no lines.
func readTalk(w *workspace.Workspace, l trace.Listing) *talk {
	t := &talk{Path: l.Path, Agent: l.Agent, Size: l.Size, Time: l.At.UTC()} // as it was before it is read: what is added meanwhile is new
	if doc, err := w.ReadSession(l.Path); err == nil && doc.Session != nil {
		t.ID, t.At, t.Lines = render.Shorten(guard.Line(doc.Session.ID), maxID), doc.Session.Ended, readLines(doc.Session)
		t.Names = nameSession(doc.Session)
		if n := len(doc.Session.Events); n > 0 {
			last := doc.Session.Events[n-1]
			t.Asks = last.Kind == session.ToolCall && strings.HasSuffix(last.Tool, "search")
		}
	}
	return t
}

// cacheVersion names what reads sessions, and how.
func cacheVersion(w *workspace.Workspace) string {
	return strings.Join([]string{"5", w.Version, w.Config.Headless}, " ")
}

// readCache returns the talks that a clone keeps, by path: part 1 for their openings, 2 for all. What cannot be
// read is made anew.
func readCache(root *repo.Root, version string, part int) map[string]*talk {
	if root == nil {
		return nil
	}
	data, _ := root.ReadNote(repo.NoteCache)
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	var c cache
	for dec := jsontext.NewDecoder(io.LimitReader(in, 4*maxText)); part > 0; part-- {
		c = cache{}
		if json.UnmarshalDecode(dec, &c) != nil || c.Version != version {
			return nil
		}
	}
	known := map[string]*talk{}
	for _, t := range c.Talks {
		known[t.Path] = t
	}
	return known
}

// keepCache stores talks for the next search, behind their openings, so that a hook need not read the rest. It
// ignores errors: without the cache a search only takes longer.
func keepCache(root *repo.Root, c cache) {
	begun := cache{Version: c.Version}
	for _, t := range c.Talks {
		begun.Talks = append(begun.Talks, t.cutToOpening())
	}
	var out bytes.Buffer
	packed, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is one that exists
	if json.MarshalWrite(packed, begun) == nil && json.MarshalWrite(packed, c) == nil && packed.Close() == nil && out.Len() <= repo.MaxNote {
		_ = root.KeepNote(repo.NoteCache, out.Bytes())
	}
}

// isPlain matches what a shell takes as it is.
var isPlain = lazy.New(`^[\w./:@%+][\w./:@%+~#-]*$`)

// showCommand returns the command that shows more of an event: by the id of the session, if its
// file has the name that the agent gave it.
func (t *talk) showCommand(event string) string {
	mark := map[string]string{"claude": "/", "codex": "-", "pi": "_"}[t.Agent]
	ref := t.ID
	if ref == "" || strings.Contains(ref, "#") || !strings.HasSuffix("/"+filepath.Base(t.Path), mark+ref+".jsonl") {
		ref = t.Path
	}
	word := guard.Line(ref + "#" + event)
	if !isPlain.Matches(word) {
		word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return "mem trace show " + word
}

// A line is one thing that was said, or that failed. Its text is free of secrets and of
// what mem itself showed.
type line struct {
	Event   string    `json:"event"`
	At      time.Time `json:"at,omitzero"`
	Who     string    `json:"who"`
	Text    string    `json:"text"`
	Outside bool      `json:"outside,omitzero"` // it came over the network, or was pasted
}

// Bounds of the lines kept of a session, in bytes but for maxFailed. The latest lines win.
const (
	maxTalk   = 256 << 10
	maxSaid   = 4 << 10 // of what a person or the agent said at once
	maxFailed = 300     // characters of a command
)

// readLines returns what was said in a session and what failed in it, in order.
func readLines(s *session.Session) (lines []line) {
	calls := map[string]session.Event{}
	for _, e := range reflect.MarkOutside(s) {
		if e.Kind == session.ToolCall {
			calls[e.CallID] = e
			continue
		}
		call := calls[e.CallID]
		l := line{Event: render.Shorten(e.ID, maxID), At: e.Time, Outside: e.Origin == session.External || call.Origin == session.External}
		l.Who, l.Text = describeEvent(e, call)
		if l.Text = strings.TrimSpace(l.Text); l.Text != "" {
			lines = append(lines, l)
		}
	}
	size, from := 0, len(lines)
	for from > 0 && size+len(lines[from-1].Text) <= maxTalk {
		from--
		size += len(lines[from].Text)
	}
	return lines[from:]
}

// describeEvent returns who is behind an event and what it says; "" if it is neither
// something said nor a failure.
func describeEvent(e, call session.Event) (who, text string) {
	switch {
	case e.Reason != "":
		return "person", render.Shorten(strings.TrimSpace("no "+e.Tool)+": "+e.Reason, maxSaid)
	case e.Cause == session.Failed, e.Cause == session.TimedOut:
		return "failed", describeFailure(e, call)
	case e.Kind == session.AssistantText, e.Kind == session.UserText:
		return speakerOf(e), render.Shorten(e.Text, maxSaid)
	}
	return "", ""
}

func speakerOf(e session.Event) string {
	switch {
	case e.Headless:
		return "program"
	case e.Kind == session.AssistantText, e.Origin == session.Subagent:
		return "agent"
	case e.Origin == session.External:
		return "pasted"
	}
	return "person"
}

// describeFailure returns a command, or a tool and its file, and the line that says why it failed.
func describeFailure(result, call session.Event) string {
	args := shell.ParseArguments(call.Input)
	what := cmp.Or(args.Command, strings.TrimSpace(result.Tool+" "+args.File))
	why := "timed out"
	if faults := (shell.Project{}).FindFaults(result.Text, true); len(faults) > 0 {
		why = faults[0].Line
	} else if result.Cause == session.Failed {
		first, _, _ := strings.Cut(strings.TrimSpace(result.Text), "\n")
		why = render.Shorten(first, maxFailed)
	}
	return render.Shorten(words.FoldSpace(what), maxFailed) + ": " + why
}
