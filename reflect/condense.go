package reflect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/oracle/heuristic/shell"
	"mem/render"
	"mem/session"
	"mem/words"
)

// How much of a session a prompt shows, in tokens. One that fits is shown whole; of
// another the latest events, and of the earlier ones what tells most.
const (
	whole      = 19000
	keepRecent = 13000
	condensed  = whole - keepRecent
	keepBefore = 1500 // of what was asked about before: what the new part answers
)

// newFromHere separates the events of earlier questions from the new ones.
const newFromHere = "[new from here on: what stands above was noted before, and is here to be understood]\n"

// What each part of the condensed events may take.
const (
	maxGoal      = 2000 // characters
	maxDecision  = 600
	maxFault     = 300
	maxAsked     = 200
	maxEdited    = 3             // files behind a fault that went away
	decisionRoom = condensed / 2 // tokens
	faultRoom    = condensed / 3
)

// countTokens estimates how many tokens a text is: a quarter of its UTF-16 units.
func countTokens(s string) int { return (len(utf16.Encode([]rune(s))) + 3) / 4 }

// cutPoint returns the first event to show in full, given each event's size in tokens. If all fit into
// whole it has room for all, otherwise for the latest keepRecent tokens; either way it keeps at most
// keepBefore tokens of the first read events, those of earlier questions. It never cuts between a call
// and its result, unless calls overlap all the way to the end.
func cutPoint(events []session.Event, size []int, read int) int {
	from, sum, room := len(events), 0, keepRecent
	for _, n := range size {
		sum += n
	}
	if sum <= whole {
		room = whole
	}
	for sum = 0; from > 0; sum += size[from] {
		if from == read {
			room = min(room, sum+keepBefore)
		}
		if sum+size[from-1] > room {
			break
		}
		from--
	}
	if from == 0 {
		return 0
	}
	open := lastResults(events)
	for i := from; i < len(events); i++ {
		if i > open[i] && events[i].Kind != session.ToolResult {
			return i
		}
	}
	return from
}

// lastResults returns, for each event, where the last result of the calls
// before it is; -1 if there is none.
func lastResults(events []session.Event) []int {
	results := map[string]int{}
	for i, e := range events {
		if e.Kind == session.ToolResult && e.CallID != "" {
			results[e.CallID] = i
		}
	}
	last, open := make([]int, len(events)), -1
	for i, e := range events {
		last[i] = open
		if r, ok := results[e.CallID]; ok && e.Kind == session.ToolCall {
			open = max(open, r)
		}
	}
	return last
}

// condenseBefore summarizes the events before event n: the requests, a person's decisions, and the
// failures.
func condenseBefore(events []session.Event, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[condensed] %d earlier events\n", n)
	goal := slices.IndexFunc(events[:n], saidByPerson)
	if goal >= 0 {
		fmt.Fprintf(&b, "[goal] %s\n", indented(events[goal].Text, maxGoal))
	}
	left := writeSection(&b, "decisions of the user", listDecisions(events[:n], goal), decisionRoom)
	writeSection(&b, "errors", listFaults(events, n), faultRoom+left)
	return b.String()
}

// writeSection writes the latest lines that fit into room tokens, and returns what is left of that.
func writeSection(b *strings.Builder, name string, lines []string, room int) (left int) {
	from := len(lines)
	for from > 0 && room >= countTokens(lines[from-1])+1 {
		from--
		room -= countTokens(lines[from]) + 1
	}
	if from == len(lines) {
		return room
	}
	fmt.Fprintf(b, "[%s]\n", name)
	for _, l := range lines[from:] {
		fmt.Fprintf(b, "  - %s\n", l)
	}
	return room
}

// indented cuts a text and keeps its lines from passing for other events.
func indented(s string, n int) string { return strings.ReplaceAll(render.Shorten(s, n), "\n", "\n  ") }

func saidByPerson(e session.Event) bool {
	return e.Kind == session.UserText && e.Origin == session.Human
}

// listDecisions returns the words of a person after the goal, with those of the agent
// that it answers, and where they stopped the agent.
func listDecisions(events []session.Event, goal int) []string {
	var lines []string
	asked := ""
	for i, e := range events {
		side := map[bool]string{true: " (abandoned)"}[e.Abandoned]
		switch {
		case e.Kind == session.AssistantText:
			asked = e.Text
		case saidByPerson(e) && i != goal:
			if asked != "" {
				said := []rune(words.FoldSpace(asked))
				side += " (after the agent: …" + string(said[max(0, len(said)-maxAsked):]) + ")"
			}
			lines = append(lines, fmt.Sprintf("%d: %s%s", i+1, onLine(e.Text, maxDecision), side))
			asked = ""
		case e.Kind == session.Interrupt, e.Cause == session.DeniedByUser:
			lines = append(lines, fmt.Sprintf("%d: %s%s", i+1, describeSignal(e), side))
		}
	}
	return lines
}

// maxListed is how much listSaid returns of each sort, in bytes.
const maxListed = 3 << 10

// listSaid returns the latest of people's words, commands, edits and failed calls, as much as is
// needed to look up known lessons about them.
func listSaid(events []session.Event) string {
	var said, ran []string
	for _, e := range events {
		switch {
		case saidByPerson(e) || e.Reason != "":
			said = append(said, e.Text, e.Reason)
		case e.Kind == session.ToolCall:
			args := shell.ParseArguments(e.Input)
			if line := onLine(cmp.Or(args.File, args.Command), maxAsked); line != "" && !slices.Contains(ran, line) {
				ran = append(ran, line)
			}
		}
	}
	var all []string
	for _, lines := range [][]string{said, ran, listFaults(events, len(events))} {
		text := strings.Join(lines, "\n")
		all = append(all, strings.ToValidUTF8(text[max(0, len(text)-maxListed):], ""))
	}
	return strings.Join(all, "\n")
}

// listFaults returns the calls that failed before event n, each once, with what worked after it: without that the model would
// have to guess the remedy.
func listFaults(events []session.Event, n int) []string {
	calls := pairCalls(events)
	var lines []string
	seen := map[string]bool{}
	for i, e := range events[:n] {
		if e.Kind != session.ToolResult || !hasFailed(&e) {
			continue
		}
		input := ""
		if calls[i] >= 0 {
			input = events[calls[i]].Input
		}
		line := fmt.Sprintf("%s %s: %s", e.Tool, onLine(input, maxFault), onLine(e.Text, maxFault))
		if !seen[line] {
			seen[line] = true
			if shell.ParseArguments(input).Command != "" {
				line += cureOf(events, calls, i, input)
			}
			lines = append(lines, fmt.Sprintf("%d: %s", i+1, line))
		}
	}
	return lines
}

// cureOf tells what worked after a call failed in event i: the next command that does the same, and the files that
// were changed before it.
func cureOf(events []session.Event, calls []int, i int, input string) string {
	failed, edited := shell.Parse(shell.ParseArguments(input).Command).MainPart(), []string{}
	for j, e := range events[i+1:] {
		call := calls[i+j+1]
		if e.Cause != session.OK || call < i {
			continue
		}
		args := shell.ParseArguments(events[call].Input)
		switch shell.ClassOf(e.Tool) {
		case shell.EditTool:
			edited = append(edited, args.File)
		case shell.ShellTool:
			if !strings.Contains(args.Command, failed.Program) || !shell.SameFamily(shell.Parse(args.Command).MainPart(), failed) {
				continue
			}
			cure := fmt.Sprintf(" (worked in %d: %s", i+j+2, onLine(args.Command, maxAsked))
			if edited = slices.Compact(edited); len(edited) > 0 {
				cure += "; changed before: " + strings.Join(edited[max(0, len(edited)-maxEdited):], ", ")
			}
			return cure + ")"
		}
	}
	return ""
}

func onLine(s string, n int) string { return render.Shorten(words.FoldSpace(s), n) }

// The limits of signals, those of pi-self-learning.
const (
	maxSignals    = 8
	signalPreview = 180 // characters
)

// FindSignals returns the places where a person or a rule stopped the agent, at
// most eight, newest last, each once. They are where a session is most
// likely to teach something.
func FindSignals(events []session.Event) (texts []string) {
	for _, s := range findSignals(events, 0) {
		_, text, _ := strings.Cut(s, ": ")
		texts = append(texts, text)
	}
	return texts
}

// findSignals is FindSignals from an event on, with the numbers of the events.
func findSignals(events []session.Event, from int) (all []string) {
	seen := map[string]bool{}
	for i := from; i < len(events); i++ {
		s := describeSignal(events[i])
		if next := saidNext(events[i+1:]); events[i].Kind == session.Interrupt && events[i].Reason == "" && next != "" {
			s = "interrupted by the user, who then said: " + onLine(next, signalPreview)
		}
		if s != "" && !seen[strings.ToLower(s)] {
			seen[strings.ToLower(s)] = true
			all = append(all, fmt.Sprintf("%d: %s", i+1, s))
		}
	}
	return all[max(0, len(all)-maxSignals):]
}

// saidNext returns the next words of a person, unless the agent went on before.
func saidNext(events []session.Event) string {
	for _, e := range events {
		switch {
		case saidByPerson(e):
			return e.Text
		case e.Kind == session.AssistantText || e.Kind == session.ToolCall:
			return ""
		}
	}
	return ""
}

// describeSignal describes an event that stopped the agent; "" if e did not.
func describeSignal(e session.Event) string {
	what := ""
	switch {
	case e.Kind == session.Interrupt:
		what = "interrupted by the user"
	case e.Kind != session.ToolResult:
		return ""
	case stopped[e.Cause] != "":
		what = e.Tool + " " + stopped[e.Cause]
	case e.Stopped:
		what = e.Tool + " refused"
	default:
		return ""
	}
	if detail := onLine(cmp.Or(e.Reason, e.Text), signalPreview); detail != "" {
		what += ": " + detail
	}
	return what
}

// stopped says how a call ended that did not run.
var stopped = map[session.Cause]string{
	session.DeniedByUser: "denied by the user", session.DeniedByRule: "denied by a rule", session.BlockedByHook: "blocked by a hook",
	session.HeldByAgent: "held back by the agent's own check", session.Cancelled: "cancelled",
}

// listNoted returns the lessons that the agent noted itself in a session: with mem learn in a shell, or by
// the tool of mem mcp. Values of flags stand before the text; what came by standard input is not known.
func listNoted(events []session.Event) (texts []string) {
	for _, e := range events {
		switch isMem := strings.Contains(e.Tool, "mem") && strings.HasSuffix(e.Tool, "learn"); {
		case e.Kind != session.ToolCall:
		case shell.ClassOf(e.Tool) == shell.ShellTool && strings.Contains(e.Input, "learn"):
			texts = append(texts, listNotes(shell.ParseArguments(e.Input).Command)...)
		case isMem: // such as mcp__mem__learn
			var l struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal([]byte(e.Input), &l, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // what is not JSON says nothing
			texts = append(texts, l.Text)
		}
	}
	return texts
}

func listNotes(command string) (texts []string) {
	for _, s := range shell.Parse(command).Parts {
		args := slices.DeleteFunc(s.Arguments(), func(a string) bool { return strings.HasPrefix(a, "-") })
		if s.Program == "mem" && len(args) > 1 && args[0] == "learn" {
			texts = append(texts, strings.Join(args[1:], " "))
		}
	}
	return texts
}
