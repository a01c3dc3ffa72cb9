package reflect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/speech"
	"mem/session"
	"mem/words"
)

// An evidence is the subject of an answer, and what prepare reads of it.
type evidence struct {
	Events  []session.Event
	Read    int // of the events at the beginning, that were asked about before
	Known   []Known
	Outside bool // text from outside was read before the events or, once they are prepared, in them
	ByCode  bool // code found the events that the lessons name, so that the words need no search

	texts   []string            // by event, folded, in small letters
	words   []map[string]bool   // by event
	calls   []int               // by event that is a result: its call; -1 of another
	failed  []bool              // by event, whether it is how a call failed, though a pipe may hide that
	foreign []string            // what of each is from outside, as texts
	known   map[string]bool     // the words of our own events
	retold  int                 // behind this event, what the model says may be what others wrote
	opaque  int                 // and behind this one, in words that cannot be compared
	theirs  map[string]bool     // the words of the texts from outside
	bans    []map[string]bool   // the words of what a person said not to do
	remarks [][]map[string]bool // the words of each short sentence that a person said, by event
	parts   map[string][]string
}

func eventOrigin(e session.Event) index.Origin {
	if e.Cause == session.DeniedByUser && e.Reason != "" {
		return index.OriginUser // the person's words, whatever tool was refused
	}
	return cmp.Or(origins[e.Origin], index.OriginAgent)
}

// origins has what is not the agent's.
var origins = map[session.Origin]index.Origin{session.Human: index.OriginUser, session.External: index.OriginExternal, session.Tool: index.OriginTool}

func lessTrusted(a, b index.Origin) index.Origin {
	return byTrust[min(slices.Index(byTrust, a), slices.Index(byTrust, b))]
}

// byTrust orders the origins of events, the least trusted first.
var byTrust = []index.Origin{index.OriginExternal, index.OriginTool, index.OriginAgent, index.OriginUser}

// shareOf is how many of the words wanted are among these.
func shareOf(want, words map[string]bool) float64 {
	return float64(speech.CountShared(want, words)) / float64(max(1, len(want)))
}

// unescape gives the words of an input their own, of which a tab is no letter.
var unescape = strings.NewReplacer(`\\`, `\\`, `\n`, "\n", `\t`, "\t", `\"`, `"`)

// prepare reads what grounding needs of the events, once.
func (e *evidence) prepare() {
	if e.texts != nil || len(e.Events) == 0 {
		return
	}
	e.retold, e.opaque = len(e.Events), len(e.Events)
	if e.Outside {
		e.retold, e.opaque = -1, -1
	}
	e.foreign, e.theirs = make([]string, len(e.Events)), map[string]bool{}
	e.calls, e.parts = pairCalls(e.Events), map[string][]string{}
	for i, ev := range e.Events {
		call := e.calls[i]
		e.failed = append(e.failed, call >= 0 && (hasFailed(&ev) || ev.Cause == session.OK && e.commandOf(call).HidesFault(ev.Text)))
		text := unescape.Replace(ev.Tool + "\n" + ev.Text + "\n" + ev.Input + "\n" + ev.Reason)
		e.texts = append(e.texts, words.FoldSpace(words.Lower(text)))
		e.words = append(e.words, wordsOf(text))
		e.remarks = append(e.remarks, remarksIn(&ev))
		foreign := ev.Outside
		if ev.Origin == session.External || ev.Pasted {
			foreign += text
		}
		if eventOrigin(ev) == index.OriginUser && !ev.Pasted {
			e.bans = append(e.bans, bansIn(ev.Text+"\x00"+ev.Reason)...)
		}
		opaque := foreign != "" && isOpaque(foreign) || ev.Pasted && ev.Origin == session.Human // a picture
		if opaque {
			e.opaque = min(e.opaque, i)
		}
		if foreign == "" || ev.Pasted && !opaque { // what a person pasted can be compared
			continue
		}
		e.retold, e.Outside = min(e.retold, i), e.Outside || ev.Origin != session.Human
		if !ev.Pasted {
			e.foreign[i] = words.FoldSpace(words.Lower(foreign))
			maps.Copy(e.theirs, wordsOf(foreign))
		}
	}
	e.known = map[string]bool{}
	for i, ev := range e.Events {
		maps.Copy(e.known, wordsOf(ev.Reason)) // a person's, whatever was refused
		if e.isOurs(i, e.retold) {
			maps.Copy(e.known, e.words[i])
		}
	}
}

// pairCalls returns, by event, the call that it is the result of; -1 of another.
func pairCalls(events []session.Event) (calls []int) {
	byID := map[string]int{}
	for i, e := range events {
		call, isKnown := byID[e.CallID]
		if e.Kind == session.ToolCall {
			byID[e.CallID] = i
		}
		if !isKnown || e.Kind != session.ToolResult {
			call = -1
		}
		calls = append(calls, call)
	}
	return calls
}

// isOwn reports whether event i is our own: it did not come from outside, and the model did not say
// it, or write it into a file, after reading something that cannot be compared with it.
func (e *evidence) isOwn(i int) bool { return e.isOurs(i, e.opaque) }

// isOurs is isOwn for a model that may retell what it read in event from.
func (e *evidence) isOurs(i, from int) bool {
	ev, isSaid := e.Events[i], false
	switch ev.Kind {
	case session.AssistantText, session.Compaction, session.BranchSummary:
		isSaid = true
	case session.ToolCall:
		isSaid = e.Outside && reWrites.Matches(ev.Input)
	}
	return ev.Origin != session.External && ev.Kind != session.Thinking && !(isSaid && i > from)
}

// reWrites matches the input of a call that writes a text into a file.
var reWrites = lazy.New(`"(?:content|new_?(?:string|str|text|source)|patch|contents)":`)

// isAny reports whether one of the events is as asked for, by its place.
func (e *evidence) isAny(is func(i int) bool) bool {
	for i := range e.Events {
		if is(i) {
			return true
		}
	}
	return false
}

// existing returns the places of the events with these numbers, in order and each once.
func (e *evidence) existing(numbers []int) (at []int) {
	for _, n := range numbers {
		if n >= 1 && n <= len(e.Events) {
			at = append(at, n-1)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// spanOf names the events from the first to the last of these; "" of none.
func (e *evidence) spanOf(at []int) string {
	if len(at) == 0 {
		return ""
	}
	ends := []string{e.Events[at[0]].ID, e.Events[at[len(at)-1]].ID}
	return strings.Join(slices.Compact(ends), "..")
}

func (e *evidence) weakest(at []int) index.Origin {
	origin := index.OriginUser
	for _, i := range at {
		origin = lessTrusted(origin, eventOrigin(e.Events[i]))
	}
	return origin
}

func (e *evidence) holds(i int, literal string) bool {
	if folder := strings.TrimSuffix(literal, "/"); len(folder) > 2 {
		literal = folder
	}
	return words.HoldsName(e.texts[i], literal)
}

// fits reports whether event i holds a literal that has names to put in, as in `npm view <name>`, or leaves words out.
func (e *evidence) fits(i int, literal string) bool {
	if !strings.ContainsAny(literal, "<…") && !strings.Contains(literal, "...") { // most have no hole
		return false
	}
	parts := reHole.Get().Split(literal, -1)
	isLong := slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(strings.TrimSpace(p), " ") })
	return len(parts) > 1 && isLong && !slices.ContainsFunc(parts, func(p string) bool { return !e.holds(i, strings.TrimSpace(p)) })
}

// together returns the words that stand closest together in event i, the most of them; none if they cannot be enough of them.
func (e *evidence) together(want map[string]bool, i int, enough float64) (most map[string]bool) {
	if shareOf(want, e.words[i]) < enough {
		return nil
	}
	type place struct {
		at   int
		word string
	}
	var places []place
	for _, at := range reWord.Get().FindAllStringIndex(e.texts[i], -1) {
		for w := range wordsOf(e.texts[i][at[0]:at[1]]) {
			if want[w] {
				places = append(places, place{at[0], w})
			}
		}
	}
	first := 0
	for last := range places {
		for places[last].at-places[first].at > windowSize {
			first++
		}
		set := map[string]bool{}
		for _, p := range places[first : last+1] {
			set[p.word] = true
		}
		if len(set) > len(most) {
			most = set
		}
	}
	if float64(len(most)) < enough*float64(len(want)) {
		return nil
	}
	return most
}

// reWord matches a word, or names that are joined.
var reWord = lazy.New(`[\pL\pN_]+`)

// wordsOf returns the words of a text that carry meaning, each as its stem.
func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range words.AlignWords(text) {
		set[words.StemWord(w)] = true
	}
	return set
}

// isKnown reports whether a literal, or each of its parts, occurs in an event of our own. If it also
// occurs in a text from outside, that event must not retell the text.
func (e *evidence) isKnown(literal string) bool {
	stands := func(name string) bool {
		return e.isAny(func(i int) bool {
			return e.isOurs(i, e.opaque) && e.stands(i, name) && (e.isOurs(i, e.retold) || !e.isForeign(name))
		})
	}
	parts := partsOf(literal)
	return stands(literal) || len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool { return !stands(part) })
}

// stands reports whether a name, or each part of a compound name, occurs in event i.
func (e *evidence) stands(i int, name string) bool { return e.runs(i, name) || e.fits(i, name) }

func (e *evidence) isForeign(literal string) bool {
	return slices.ContainsFunc(e.foreign, func(text string) bool { return words.HoldsName(text, literal) })
}
