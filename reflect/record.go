package reflect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mem/guard"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/render"
	"mem/session"
	"mem/words"
)

// Placeholders for the output of a tool that printed secrets or the memory itself: reading a lesson
// does not count as seeing it again.
const (
	leftOut  = "[left out: it may hold secrets]"
	ownNotes = "[left out: mem's own notes]"
)

// record turns the events of a session that stand at these places, which are new, into what a model may see of them: it
// finds the results that came over the network, takes out secrets, invisible characters and what mem itself injected,
// parts what a person typed from what they pasted, and tells what mem showed the session, so that no lesson is learned
// from its own echo.
func (g *Reading) record(s *session.Session, places []int) {
	all := markFetched(s, false).Events
	var fresh []session.Event
	for _, i := range places {
		fresh = append(fresh, all[i])
	}
	if g.Events = Prepare(fresh); hasConversation(g.Events) {
		old := all[:places[0]]
		g.Before, g.Told = Prepare(keepLatest(old)), listShown(all)
		g.Outside = slices.ContainsFunc(old, func(e session.Event) bool { return e.Origin == session.External })
	}
}

// mostBefore limits how many events of earlier questions stay in a record.
const mostBefore = 100

// keepLatest returns the first words of a person, and the latest events.
func keepLatest(events []session.Event) []session.Event {
	cut := max(0, len(events)-mostBefore)
	if goal := slices.IndexFunc(events[:cut], saidByPerson); goal >= 0 {
		return slices.Concat(events[goal:goal+1], events[cut:])
	}
	return events[cut:]
}

// Prepare makes events safe to show to an oracle and to learn from: invisible
// characters out, what mem itself injected out, secrets out. Events without
// anything left are dropped. The events given are not changed.
func Prepare(events []session.Event) []session.Event {
	instead, found := replaceResults(events), secrets{}
	safe := slices.Clone(events)
	for i := range safe {
		scrubEvent(&safe[i], instead, found.note)
	}
	found.redact(safe)
	var kept []session.Event
	for _, e := range safe {
		if e.Origin == session.Injected ||
			e.Text == "" && e.Input == "" && e.Reason == "" && e.Kind != session.Interrupt && e.Kind != session.ToolResult {
			continue
		}
		kept = append(kept, partPasted(e)...)
	}
	return kept
}

// partPasted splits a prompt with pasted text into two events: the person's own words, and the words
// of others. The content of an accepted plan counts as the agent's own.
func partPasted(e session.Event) []session.Event {
	if e.Kind != session.UserText || e.Origin != session.Human {
		return []session.Event{e}
	}
	own, pasted := speech.SplitPasted(e.Text)
	typed, other := e, e
	other.Origin, other.Pasted = session.Tool, true
	if e.Planned {
		other.Origin, other.Pasted = session.Agent, false
		if pasted == "" {
			pasted, own = e.Text, ""
		} else {
			own, pasted, _ = strings.Cut(e.Text, "\n")
		}
	}
	typed.Text, other.Text = own, strings.TrimSpace(pasted)
	switch {
	case other.Text == "":
		return []session.Event{e}
	case own == "":
		return []session.Event{other}
	}
	return []session.Event{typed, other}
}

// replaceResults returns the texts that stand for the results of calls, by id, for
// those whose results must not be seen.
func replaceResults(events []session.Event) map[string]string {
	instead := map[string]string{}
	for _, e := range events {
		switch {
		case e.Kind != session.ToolCall || e.CallID == "" || e.Origin == session.Injected:
		case showsSecrets(e.Input):
			instead[e.CallID] = leftOut
		case showsNotes(e.Input):
			instead[e.CallID] = ownNotes
		}
	}
	return instead
}

func scrubEvent(e *session.Event, instead map[string]string, note func(secret, mark string)) {
	if e.Origin == session.Injected {
		return // it is dropped
	}
	for _, text := range textsOf(e) {
		*text = guard.ScrubNoting(render.StripFenced(guard.Clean(*text)), note)
	}
	if text, hidden := instead[e.CallID]; hidden && e.Kind == session.ToolResult {
		e.Text, e.Outside = text, ""
	}
	if e.Kind == session.ToolResult {
		e.Text = withoutNotes(e.Text)
	}
}

// Scrub is guard.Scrub for a text that may quote what mem injected, which goes
// too. Invisible characters go first: one inside a fence would hide it.
func Scrub(s string) string {
	return guard.Scrub(render.StripFenced(guard.Clean(s)))
}

func hasConversation(events []session.Event) bool {
	return slices.ContainsFunc(events, func(e session.Event) bool {
		return e.Kind == session.UserText || e.Kind == session.AssistantText || e.Kind == session.ToolCall
	})
}

// ownFiles are names that only lead into a memory root.
var ownFiles = [...]string{"long-term-memory.md", "core/CORE.md", "core/index.json", ".mem/", "self-learning-memory/"}

// ownCommand matches a command that prints what is in a memory root.
var ownCommand = lazy.New(`(?:^|[\s"'/;&|(])mem (?:-\S+ (?:\S+ )?)?(?:context|list|show|search|trace|log|why|daily|month|status|stats|review)\b|[\s"'=/]\.mem["'\s]`)

// showsNotes reports whether a tool call, given its arguments as JSON, reads
// the memory itself.
func showsNotes(input string) bool {
	if namesNotes(input) {
		return true
	}
	// Almost no call gets as far as the expression, which is slow.
	return (strings.Contains(input, "mem ") || strings.Contains(input, ".mem")) && ownCommand.Matches(input)
}

func namesNotes(s string) bool {
	return slices.ContainsFunc(ownFiles[:], func(name string) bool { return strings.Contains(s, name) })
}

// withoutNotes returns a tool's answer without the lines that a search found
// in the memory, such as ".mem/core/CORE.md:7:- Use pnpm".
func withoutNotes(s string) string {
	if !namesNotes(s) {
		return s
	}
	kept, _ := partLines(s, func(line string) bool {
		file, _, found := strings.Cut(line, ":")
		return !found || !namesNotes(file)
	})
	return kept
}

// maxShown bounds the lines that listShown returns; the latest win.
const maxShown = 4096

// listShown returns the lines that a session was shown and must not learn from, each once and cleaned
// for storage: lines that mem showed it, lines it read from the memory, and anything else that the
// client or a hook injected.
func listShown(events []session.Event) []string {
	var lines []string
	seen := map[string]bool{}
	looked := map[string]bool{} // calls that read the memory
	for _, e := range events {
		if e.Kind == session.ToolCall && showsNotes(e.Input) {
			looked[e.CallID] = true
		}
		injected := e.Origin == session.Injected && !e.Edited && e.Kind != session.Failure
		isNotes := e.Kind == session.ToolResult && (e.CallID != "" && looked[e.CallID] || namesNotes(e.Text))
		// A person's own words around a fence are evidence, which is looked for where the fence is gone.
		if !injected && !isNotes && render.StripFenced(e.Text) == e.Text {
			continue
		}
		for l := range strings.Lines(e.Text) {
			if l = strings.TrimSpace(l); l != "" && !seen[l] {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	lines = lines[max(0, len(lines)-maxShown):]
	for i, l := range lines {
		lines[i] = Scrub(l)
	}
	return lines
}

// showsSecrets reports whether a tool call, given its arguments as JSON,
// reads a place where secrets live.
func showsSecrets(input string) bool {
	a := shell.ParseArguments(input)
	return guard.PrintsSecrets(a.Command) || guard.HoldsSecrets(a.File)
}

// secrets maps each secret redacted somewhere in a session to its mark. A later repetition without the
// telling context is redacted too.
type secrets map[string]string

// Bounds of the second search.
const (
	minAgain = 6    // bytes
	maxAgain = 1000 // secrets, the longest
)

// note keeps a secret that no word of a text is by chance: one with letters and digits, a
// long one that is not made of words, or one of four words.
func (s secrets) note(secret, mark string) {
	isDrawn := words.HasDigit(secret) || len(secret) > 2*minAgain && (!words.IsWordy(secret) || strings.Count(secret, " ") > 2)
	if len(secret) < minAgain || !isDrawn || !words.HasLetter(secret) || strings.Contains(secret, "[redacted:") {
		return
	}
	if before, ok := s[secret]; !ok || mark < before {
		s[secret] = mark
	}
}

func (s secrets) redact(events []session.Event) {
	if len(s) == 0 {
		return
	}
	list := slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, secret := range list[:min(len(list), maxAgain)] {
		pairs = append(pairs, secret, s[secret])
	}
	again := strings.NewReplacer(pairs...)
	for i := range events {
		for _, text := range textsOf(&events[i]) {
			*text = again.Replace(*text)
		}
	}
}

func textsOf(e *session.Event) []*string { return []*string{&e.Text, &e.Input, &e.Reason, &e.Outside} }

// RedactEvents takes the secrets out of events that are to be shown as they are.
func RedactEvents(events []session.Event) {
	found := secrets{}
	for i := range events {
		for _, text := range textsOf(&events[i]) {
			*text = guard.ScrubNoting(*text, found.note)
		}
	}
	found.redact(events)
}
