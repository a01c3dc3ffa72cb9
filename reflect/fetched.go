package reflect

import (
	"iter"
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// markFetched returns a session in which what a tool of this machine fetched from
// outside, or read from what was fetched, is external, and so is what a subagent
// says that read something from there. s is not changed.
//
// What a command that asked another machine prints of itself, such as why it failed, is
// its own: lessons live from it. The rest is in Event.Outside. For showing it, the whole of
// what such a command printed is external where it failed: it may be that machine's answer.
func markFetched(s *session.Session, forShow bool) *session.Session {
	marked := *s
	marked.Events = slices.Clone(s.Events)
	t := tracker{forShow: forShow, events: marked.Events, reach: map[string]reach{}, brought: map[string]bool{}, started: map[string]int{}}
	for i := range marked.Events {
		e := &marked.Events[i]
		if t.bring(e) {
			e.Origin = session.External
		}
		isAnswer := e.Kind != session.ToolResult || e.Cause == session.OK || forShow && hasFailed(e)
		if t.isToldFromOutside(i) && isAnswer {
			e.Origin = session.External
		}
	}
	return &marked
}

func hasFailed(e *session.Event) bool {
	return e.Cause == session.Failed || e.Cause == session.TimedOut
}

// A tracker goes through the events of a session in order, and knows which calls get something from outside, and which
// words of subagents are from there.
type tracker struct {
	forShow bool
	events  []session.Event

	reach   map[string]reach // of calls
	brought map[string]bool  // names of files
	goesOn  bool             // a command that asked another machine may not have printed all yet
	foreign bool             // the work tree is a stranger's: a pull request

	started map[string]int // calls that started a subagent: where they stand
	fetched bool           // something came from outside since the last of them
	unsure  bool           // a report was from outside
}

var (
	// polling are the tools that read what a command in the background printed since.
	polling  = lazy.New(`(?i)^(functions\.)?((bash|task)_?output|write_stdin)$`)
	starting = lazy.New(`(?i)^(functions\.)?(task|agent|spawn_?agent)$`)
	// reachesOut matches what starts an agent that may look outside.
	reachesOut = lazy.New(`(?i)https?://|\b(?:web|internet|online|browse\w*|fetch\w*|research\w*|docs|documentation|search (?:for|the))\b`)
	awaiting   = lazy.New(`(?i)^(functions\.)?((task|agent)_?output|wait(_?agent)?|(send_?input|(resume|close)_?agent))$`)
)

// bring reports whether an event holds output that a call got from outside. It splits an event if only
// some of its lines do.
func (t *tracker) bring(e *session.Event) bool {
	switch {
	case e.CallID == "" || e.Origin == session.Injected:
	case e.Kind == session.ToolCall:
		t.reach[e.CallID] = t.follow(e)
	case e.Kind == session.ToolResult && e.Origin == session.Tool && (e.Cause == session.OK || hasFailed(e)):
		return t.bringResult(e, t.reach[e.CallID])
	}
	return false
}

// bringResult is bring for the result of a call that goes so far.
func (t *tracker) bringResult(e *session.Event, far reach) bool {
	isOwn := ofProgram.Matches
	_, told := partLines(e.Text, ofInstaller.Matches)
	switch {
	case far == here, far == taken && told == "" && !t.forShow:
		return false
	case far != served && e.Cause == session.OK, t.forShow && far == asked:
		return true
	case t.forShow:
		return false
	case far == served:
		isOwn = func(line string) bool { return !ofServer.Matches(line) || ofHost.Matches(line) }
	}
	e.Text, e.Outside = partLines(e.Text, isOwn)
	return false
}

// isToldFromOutside reports whether event i is what a subagent says from outside: its words if it read something from
// there, and its report, too, if it is not known what it read and it may have looked there, or for showing.
func (t *tracker) isToldFromOutside(i int) bool {
	e := &t.events[i]
	switch {
	case e.Origin == session.External:
		t.fetched = true
	case e.Kind == session.ToolCall && starting.Matches(e.Tool):
		t.started[e.CallID], t.fetched = i, false
	case e.Kind == session.AssistantText, e.Kind == session.Thinking:
		return t.fetched && e.Origin == session.Subagent
	case e.Kind == session.ToolResult && e.Origin == session.Tool && starting.Matches(e.Tool):
		return t.isReport(i)
	case e.Kind == session.ToolResult && e.Origin == session.Tool:
		return t.unsure && awaiting.Matches(e.Tool)
	}
	return false
}

// isReport reports whether event i, what a subagent returned, is from outside.
func (t *tracker) isReport(i int) bool {
	from := t.started[t.events[i].CallID]
	of := func(o session.Origin) bool {
		return slices.ContainsFunc(t.events[from:i], func(e session.Event) bool { return e.Origin == o })
	}
	isOutside := t.forShow || reachesOut.Matches(t.events[from].Input)
	if of(session.Subagent) {
		isOutside = of(session.External)
	}
	t.fetched, t.unsure = t.fetched || isOutside, t.unsure || isOutside
	return isOutside
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

func (t *tracker) follow(e *session.Event) reach {
	args := shell.ParseArguments(e.Input)
	t.foreign = checkingOut.Matches(args.Command) || t.foreign && !goingBack.Matches(args.Command)
	far := findReach(args, t.brought)
	if writing.Matches(e.Tool) && far == here {
		delete(t.brought, path.Base(args.File)) // the agent wrote it
	}
	if far == served && t.forShow || t.goesOn && polling.Matches(e.Tool) || t.foreign && far == here {
		far = asked
	}
	isInBackground := strings.Contains(e.Input, "run_in_background") || strings.HasSuffix(e.Tool, "exec_command")
	t.goesOn = t.goesOn || far == asked && isInBackground
	return far
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
func findReach(a shell.Arguments, brought map[string]bool) (far reach) {
	if foreignFolder.Matches(a.File) {
		far = taken
	} else if isPicture.Matches(a.File) || namesBrought(a.File, brought) {
		far = asked
	}
	for part := range splitCommand(a.Command) {
		far = max(far, reachOf(part, brought))
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

func programReach(command string) reach {
	switch {
	case posting.Matches(command):
		return served
	case fetching.Matches(command) || remoteURL.Matches(command) && !saying.Matches(command):
		return asked
	case installing.Matches(command), running.Matches(command) && !ownTools.Matches(command):
		return taken
	case serving.Matches(command):
		return served
	}
	return here
}

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
