package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"mem/render"
	"mem/session"
	"mem/words"
)

// How much of a session a prompt shows, in tokens: the latest events as they
// are, and of the earlier ones what tells most. The numbers are those with
// which pi compacts its own sessions.
const (
	keepRecent = 20000
	reserve    = 16384
	condensed  = reserve * 8 / 10
)

// What each part of the condensed events may take.
const (
	maxGoal      = 2000 // characters
	maxDecision  = 600
	maxFault     = 300
	decisionRoom = condensed / 2 // tokens
	faultRoom    = condensed / 4
	fileRoom     = condensed / 16 // for each of the two lists
)

// countTokens estimates how many tokens a text is: a quarter of its UTF-16 units.
func countTokens(s string) int { return (len(utf16.Encode([]rune(s))) + 3) / 4 }

// cutPoint returns the first event to show as it is, given what each event
// takes. The latest keepRecent tokens stay, and the cut is never between a
// call and its result, unless calls overlap all the way to the end.
func cutPoint(events []session.Event, size []int) int {
	from, sum := len(events), 0
	for from > 0 && sum+size[from-1] <= keepRecent {
		from--
		sum += size[from]
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

// condenseBefore tells in few words what happened before event n: what was asked,
// what a person decided, what failed and how it was resolved, and which files
// were touched. What resolved a failure may also come later.
func condenseBefore(events []session.Event, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[condensed] %d earlier events\n", n)
	goal := slices.IndexFunc(events[:n], saidByPerson)
	if goal >= 0 {
		fmt.Fprintf(&b, "[goal] %s\n", indented(events[goal].Text, maxGoal))
	}
	writeSection(&b, "decisions of the user", listDecisions(events[:n], goal), decisionRoom)
	writeSection(&b, "errors", listFaults(events, n), faultRoom)
	read, modified := listFiles(events[:n])
	writeSection(&b, "files read", read, fileRoom)
	writeSection(&b, "files modified", modified, fileRoom)
	return b.String()
}

// writeSection writes the latest lines that fit into room tokens.
func writeSection(b *strings.Builder, name string, lines []string, room int) {
	from := len(lines)
	for from > 0 && room >= countTokens(lines[from-1])+1 {
		from--
		room -= countTokens(lines[from]) + 1
	}
	if from == len(lines) {
		return
	}
	fmt.Fprintf(b, "[%s]\n", name)
	for _, l := range lines[from:] {
		fmt.Fprintf(b, "  - %s\n", l)
	}
}

// indented cuts a text and keeps its lines from passing for other events.
func indented(s string, n int) string { return strings.ReplaceAll(render.Shorten(s, n), "\n", "\n  ") }

func saidByPerson(e session.Event) bool {
	return e.Kind == session.UserText && e.Origin == session.Human
}

// listDecisions returns what a person said after the goal, and where they stopped the
// agent.
func listDecisions(events []session.Event, goal int) []string {
	var lines []string
	for i, e := range events {
		side := ""
		if e.Abandoned {
			side = " (abandoned)"
		}
		switch {
		case saidByPerson(e) && i != goal:
			lines = append(lines, onLine(e.Text, maxDecision)+side)
		case e.Kind == session.Interrupt, e.Cause == session.DeniedByUser:
			lines = append(lines, describeSignal(e)+side)
		}
	}
	return lines
}

// listFaults returns the calls before event n that failed, each once, with what
// the same tool did on the same target when it went well.
func listFaults(events []session.Event, n int) []string {
	inputs := map[string]string{} // of calls
	for _, e := range events {
		if e.Kind == session.ToolCall {
			inputs[e.CallID] = e.Input
		}
	}
	mends := map[string]int{} // the last success by target
	for i, e := range events {
		if e.Kind == session.ToolResult && e.Cause == session.OK {
			mends[callTarget(e.Tool, inputs[e.CallID])] = i
		}
	}
	var lines []string
	seen := map[string]bool{}
	for i, e := range events[:n] {
		if e.Kind != session.ToolResult || e.Cause != session.Failed && e.Cause != session.TimedOut {
			continue
		}
		input := inputs[e.CallID]
		line := fmt.Sprintf("%s %s: %s", e.Tool, onLine(input, maxFault), onLine(e.Text, maxFault))
		if seen[line] {
			continue
		}
		seen[line] = true
		mended := "not resolved"
		if m := mends[callTarget(e.Tool, input)]; m > i {
			mended = "later it worked"
			if other := inputs[events[m].CallID]; other != input {
				mended = "resolved by " + onLine(other, maxFault)
			}
		}
		lines = append(lines, line+" => "+mended)
	}
	return lines
}

// onLine is a text on one line of at most n characters.
func onLine(s string, n int) string { return render.Shorten(words.FoldSpace(s), n) }

// callTarget is what a call is about: its file, or the program that it runs.
func callTarget(tool, input string) string {
	a := readArguments(input)
	if file := a.file(); file != "" {
		return tool + " " + file
	}
	command := ""
	if n := len(a.commands); n > 0 {
		command = a.commands[n-1]
	}
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return tool + " $ " + program
}

// listFiles returns what the calls read and what they modified, in order and each
// once; what was modified is not also read.
func listFiles(events []session.Event) (read, modified []string) {
	for _, e := range events {
		if e.Kind != session.ToolCall {
			continue
		}
		file := onLine(readArguments(e.Input).file(), maxFault)
		if file == "" {
			continue
		}
		switch strings.ToLower(e.Tool) {
		case "read", "read_file", "view":
			read = append(read, file)
		case "edit", "write", "multiedit", "notebookedit", "write_file", "replace", "str_replace":
			modified = append(modified, file)
		}
	}
	read = slices.DeleteFunc(read, func(f string) bool { return slices.Contains(modified, f) })
	slices.Sort(read)
	slices.Sort(modified)
	return slices.Compact(read), slices.Compact(modified)
}

// The limits of signals, those of pi-self-learning.
const (
	maxSignals    = 8
	signalPreview = 180 // characters
)

// FindSignals returns the places where a person or a rule stopped the agent, at
// most eight, newest last, each once. They are where a session is most
// likely to teach something.
func FindSignals(events []session.Event) []string {
	var all []string
	seen := map[string]bool{}
	for _, e := range events {
		if s := describeSignal(e); s != "" && !seen[strings.ToLower(s)] {
			seen[strings.ToLower(s)] = true
			all = append(all, s)
		}
	}
	return all[max(0, len(all)-maxSignals):]
}

// describeSignal returns what stopped the agent; "" if e did not.
func describeSignal(e session.Event) string {
	what := ""
	switch {
	case e.Kind == session.Interrupt:
		what = "interrupted by the user"
	case e.Kind != session.ToolResult:
		return ""
	case e.Cause == session.DeniedByUser:
		what = e.Tool + " denied by the user"
	case e.Cause == session.DeniedByRule:
		what = e.Tool + " denied by a rule"
	case e.Cause == session.BlockedByHook:
		what = e.Tool + " blocked by a hook"
	case e.Cause == session.Cancelled:
		what = e.Tool + " cancelled"
	default:
		return ""
	}
	if detail := onLine(cmp.Or(e.Reason, e.Text), signalPreview); detail != "" {
		what += ": " + detail
	}
	return what
}
