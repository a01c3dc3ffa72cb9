package record

import (
	"iter"
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
)

// MarkFetched returns a session in which what a tool of this machine fetched from
// outside, or read from what was fetched, is external, and so is what a subagent
// says that read something from there. s is not changed.
//
// What a command that asked another machine prints of itself, such as why it failed, is
// its own: lessons live from it. The rest is in Event.Outside. For showing it, the whole of
// what such a command printed is external where it failed: it may be that machine's answer.
func MarkFetched(s *session.Session, forShow bool) *session.Session {
	marked := *s
	marked.Events = slices.Clone(s.Events)
	calls := fetches{forShow: forShow, reach: map[string]reach{}, brought: map[string]bool{}}
	told := reports{forShow: forShow, events: marked.Events, calls: map[string]int{}}
	for i := range marked.Events {
		e := &marked.Events[i]
		if calls.bring(e) {
			e.Origin = session.External
		}
		isAnswer := e.Kind != session.ToolResult || e.Cause == session.OK || forShow && hasFailed(e)
		if told.isFromOutside(i) && isAnswer {
			e.Origin = session.External
		}
	}
	return &marked
}

func hasFailed(e *session.Event) bool {
	return e.Cause == session.Failed || e.Cause == session.TimedOut
}

// fetches tell which calls get something from outside.
type fetches struct {
	forShow bool
	reach   map[string]reach // of calls
	brought map[string]bool  // names of files
	goesOn  bool             // a command that asked another machine may not have printed all yet
	foreign bool             // the work tree is a stranger's: a pull request
}

// polling are the tools that read what a command in the background printed since.
var polling = lazy.New(`(?i)^(functions\.)?((bash|task)_?output|write_stdin)$`)

// bring reports whether an event is what a call got from outside, and parts one of which
// only some lines are. It is asked for each event in order.
func (f *fetches) bring(e *session.Event) bool {
	switch {
	case e.CallID == "" || e.Origin == session.Injected:
	case e.Kind == session.ToolCall:
		f.reach[e.CallID] = f.follow(e)
	case e.Kind == session.ToolResult && e.Origin == session.Tool:
		return f.bringResult(e, f.reach[e.CallID])
	}
	return false
}

// bringResult is bring for the result of a call that goes so far.
func (f *fetches) bringResult(e *session.Event, far reach) bool {
	switch {
	case far == here || e.Cause != session.OK && !hasFailed(e):
		return false
	case far != served && e.Cause == session.OK, f.forShow && far == asked:
		return true
	case f.forShow:
		return false
	}
	isOwn := ofProgram.Matches
	if far == served {
		isOwn = func(line string) bool { return !ofServer.Matches(line) || ofHost.Matches(line) }
	}
	e.Text, e.Outside = partLines(e.Text, isOwn)
	return false
}

// partLines parts the lines of a text into those that a program says of itself and others.
func partLines(text string, isOwn func(line string) bool) (own, others string) {
	var parts [2]strings.Builder
	for line := range strings.Lines(text) {
		part := &parts[1]
		if isOwn(line) {
			part = &parts[0]
		}
		part.WriteString(line)
	}
	return parts[0].String(), parts[1].String()
}

// JoinOutside returns events in which commands printed all that they did: rules learn from how
// one command failed and another did not, and repeat no advice.
func JoinOutside(events []session.Event) []session.Event {
	joined := slices.Clone(events)
	for i := range joined {
		joined[i].Text, joined[i].Outside = joined[i].Text+joined[i].Outside, ""
	}
	return joined
}

// follow says how far a call goes.
func (f *fetches) follow(e *session.Event) reach {
	args := readArguments(e.Input)
	f.noteCheckouts(args.commands)
	far := findReach(args, f.brought)
	if writing.Matches(e.Tool) && far == here {
		delete(f.brought, path.Base(args.file())) // the agent wrote it
	}
	if far == served && f.forShow || f.goesOn && polling.Matches(e.Tool) || f.foreign && far == here {
		far = asked
	}
	isInBackground := strings.Contains(e.Input, "run_in_background") || strings.HasSuffix(e.Tool, "exec_command")
	f.goesOn = f.goesOn || far == asked && isInBackground
	return far
}

// noteCheckouts notes whether the work tree is a stranger's after these commands.
func (f *fetches) noteCheckouts(commands []string) {
	for _, command := range commands {
		if checkingOut.Matches(command) {
			f.foreign = true
		} else if goingBack.Matches(command) {
			f.foreign = false
		}
	}
}

// A reach says how far a call goes.
type reach int

const (
	here   reach = iota // this machine alone
	served              // a server may say something to it
	taken               // it reads what others made, or installs it
	asked               // it prints what another machine, or a file that came from there, says
)

// findReach says how far a call goes; brought has the names of files that came from outside
// and gets new ones.
func findReach(a arguments, brought map[string]bool) (far reach) {
	if file := a.file(); foreignFolder.Matches(file) {
		far = taken
	} else if isPicture.Matches(file) || namesBrought(file, brought) {
		far = asked
	}
	for _, command := range a.commands {
		for part := range splitCommand(command) {
			far = max(far, reachOf(part, brought))
		}
	}
	return far
}

// splitCommand returns the commands that a line of a shell is made of, without what is
// only said, written or searched for in them.
func splitCommand(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		line = hereDocument.Get().ReplaceAllString(line, "$1\n")
		for _, part := range separators.Get().Split(line, -1) {
			if saying.Matches(part) {
				part = quoted.Get().ReplaceAllString(part, " ")
			}
			if !yield(part) {
				return
			}
		}
	}
}

// programReach says how far the program of a command goes.
func programReach(command string) reach {
	switch {
	case fetching.Matches(command) || remoteURL.Matches(command) && !saying.Matches(command):
		return asked
	case installing.Matches(command), running.Matches(command) && !ownTools.Matches(command):
		return taken
	case serving.Matches(command):
		return served
	}
	return here
}

// reachOf is findReach for one command.
func reachOf(command string, brought map[string]bool) (far reach) {
	if far = programReach(command); far >= taken {
		noteBrought(command, brought)
	}
	switch {
	case foreignFolder.Matches(command) && !moving.Matches(command):
		far = max(far, taken)
	case namesBrought(command, brought) && !moving.Matches(command) && far < taken:
		far = asked
	}
	if far == here {
		for _, m := range target.Get().FindAllStringSubmatch(command, 8) {
			delete(brought, path.Base(strings.Trim(m[1], `"'/`)))
		}
	}
	return far
}

// noteBrought notes the files that a command that fetches may write.
func noteBrought(command string, brought map[string]bool) {
	for _, m := range target.Get().FindAllStringSubmatch(command, 8) {
		note(m[1], brought)
	}
	for _, url := range remoteURL.Get().FindAllString(command, 8) {
		note(strings.TrimSuffix(url, ".git"), brought)
	}
	if words := strings.Fields(command); strings.Contains(command, " clone ") {
		note(strings.TrimSuffix(words[len(words)-1], ".git"), brought)
	}
}

func note(name string, brought map[string]bool) {
	name = path.Base(strings.Trim(name, `"'/`))
	if len(name) > 2 && name != "null" && len(brought) < 256 {
		brought[name] = true
	}
}

// namesBrought reports whether a path, or a command with paths, names a file that was brought.
func namesBrought(s string, brought map[string]bool) bool {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t\n/\"'=;|&<>()", r) }) {
		if brought[word] {
			return true
		}
	}
	return false
}
