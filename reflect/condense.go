package reflect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// tokens estimates how many tokens a text is: a quarter of its UTF-16 units.
func tokens(s string) int {
	units := 0
	for _, r := range s {
		units++
		if r > 0xFFFF {
			units++
		}
	}
	return (units + 3) / 4
}

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
	results := map[string]int{}
	for i, e := range events {
		if e.Kind == session.ToolResult && e.CallID != "" {
			results[e.CallID] = i
		}
	}
	open := -1 // the last result of the calls so far
	for i, e := range events {
		if i >= from && i > open && e.Kind != session.ToolResult {
			return i
		}
		if r, ok := results[e.CallID]; ok && e.Kind == session.ToolCall {
			open = max(open, r)
		}
	}
	return from
}

// condense tells in few words what happened before event n: what was asked,
// what a person decided, what failed and how it was resolved, and which files
// were touched. What resolved a failure may also come later.
func condense(events []session.Event, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[condensed] %d earlier events\n", n)
	goal := slices.IndexFunc(events[:n], said)
	if goal >= 0 {
		fmt.Fprintf(&b, "[goal] %s\n", indented(events[goal].Text, maxGoal))
	}
	section(&b, "decisions of the user", decisions(events[:n], goal), decisionRoom)
	section(&b, "errors", faults(events, n), faultRoom)
	read, modified := files(events[:n])
	section(&b, "files read", read, fileRoom)
	section(&b, "files modified", modified, fileRoom)
	return b.String()
}

// section writes the latest lines that fit into room tokens.
func section(b *strings.Builder, name string, lines []string, room int) {
	from := len(lines)
	for from > 0 && room >= tokens(lines[from-1])+1 {
		from--
		room -= tokens(lines[from]) + 1
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

// said reports whether a person said something.
func said(e session.Event) bool { return e.Kind == session.UserText && e.Origin == session.Human }

// decisions are what a person said after the goal, and where they stopped the
// agent.
func decisions(events []session.Event, goal int) []string {
	var lines []string
	for i, e := range events {
		side := ""
		if e.Abandoned {
			side = " (abandoned)"
		}
		switch {
		case said(e) && i != goal:
			lines = append(lines, render.Shorten(words.FoldSpace(e.Text), maxDecision)+side)
		case e.Kind == session.Interrupt, e.Cause == session.DeniedByUser:
			lines = append(lines, signal(e)+side)
		}
	}
	return lines
}

// faults are the calls before event n that failed, each once, with what the
// same tool did on the same target when it went well.
func faults(events []session.Event, n int) []string {
	inputs := map[string]string{} // of calls
	for _, e := range events {
		if e.Kind == session.ToolCall {
			inputs[e.CallID] = e.Input
		}
	}
	mends := map[string]int{} // the last success by target
	for i, e := range events {
		if e.Kind == session.ToolResult && e.Cause == session.OK {
			mends[target(e.Tool, inputs[e.CallID])] = i
		}
	}
	var lines []string
	seen := map[string]bool{}
	for i, e := range events[:n] {
		if e.Kind != session.ToolResult || e.Cause != session.Failed && e.Cause != session.TimedOut {
			continue
		}
		input := inputs[e.CallID]
		line := fmt.Sprintf("%s %s: %s", e.Tool, render.Shorten(words.FoldSpace(input), maxFault), render.Shorten(words.FoldSpace(e.Text), maxFault))
		if seen[line] {
			continue
		}
		seen[line] = true
		mended := "not resolved"
		if m := mends[target(e.Tool, input)]; m > i {
			mended = "later it worked"
			if other := inputs[events[m].CallID]; other != input {
				mended = "resolved by " + render.Shorten(words.FoldSpace(other), maxFault)
			}
		}
		lines = append(lines, line+" => "+mended)
	}
	return lines
}

// target is what a call is about: its file, or the program that it runs.
func target(tool, input string) string {
	file, command := argumentsOf(input)
	if file != "" {
		return tool + " " + file
	}
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return tool + " $ " + program
}

// files are what the calls read and what they modified, in order and each
// once; what was modified is not also read.
func files(events []session.Event) (read, modified []string) {
	for _, e := range events {
		file, _ := argumentsOf(e.Input)
		file = render.Shorten(words.FoldSpace(file), maxFault)
		if e.Kind != session.ToolCall || file == "" {
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

// argumentsOf returns the file and the command that a call names.
func argumentsOf(input string) (file, command string) {
	var args struct {
		Command  any    `json:"command"`
		Cmd      any    `json:"cmd"`
		FilePath string `json:"file_path"`
		Path     string `json:"path"`
	}
	// Arguments of another shape name no file and no command.
	_ = json.Unmarshal([]byte(input), &args)
	file = args.FilePath
	if file == "" {
		file = args.Path
	}
	if all := slices.Concat(commands(args.Command), commands(args.Cmd)); len(all) > 0 {
		command = all[len(all)-1]
	}
	return file, command
}
