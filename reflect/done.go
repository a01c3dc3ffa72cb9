package reflect

import (
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/session"
	"mem/words"
)

// This file compares what a lesson says to do with what the session did, and when.

var (
	// reLooking matches orders that change nothing.
	reLooking = lazy.New(`(?i)^(?:read|look|check|see|inspect|search|grep|list|compare|verify|confirm|consult|find|review|view|open|watch|note|keep|leave|think|treat|wait)\s`)
	// reUsing matches orders of which one name says what is used, and others may say what for.
	reUsing = lazy.New(`(?i)^(?:use|run|call|execute|start|invoke|try|reuse|prefer|take|give|pass|publish|import|install|build)\s`)
	// reKeeping matches orders against which it speaks that the session took something away with reRemoving.
	reKeeping  = lazy.New(`(?i)^(?:keep|leave|retain|preserve|hold)\s`)
	reRemoving = lazy.New(`^(?:rm|rmdir|unlink|git rm)(?: |$)`)
	// reTouching matches programs that change something, of those that look around.
	reTouching = lazy.New(`^(?:cp|mv|rm|ln|touch|mkdir|rmdir|kill|pkill|killall|tee|curl|wget|open|\[)$`)
	// reSaying matches programs that print what they are given, and reStoring where that goes into a file.
	reSaying  = lazy.New(`^(?:echo|printf)$`)
	reStoring = lazy.New(`(?:^|[^&\d>])>>?\s*(?:[^\s&/]|/[^d])`)
	// reTalking matches tools that only look, or speak of what is to be done.
	reTalking  = lazy.New(`(?i)read|grep|glob|search|fetch|view|find|list|^ls$|todo|plan|task|agent|ask`)
	rePlanning = lazy.New(`(?i)todo|plan|task|ask`)
	// reWhen matches what says which of two things comes first, and reErrorCode an error by its name alone.
	reWhen      = lazy.New(`(?i)\b(before|after)\s+`)
	reUnset     = lazy.New(`^\S{0,2} (?:is |was |are )?(?:not set|missing|required|unset|undefined|not defined|must be set)\b`)
	reErrorCode = lazy.New(`^e[a-z]{4,}$`)
	reNotes     = lazy.New(`(?i)\.(?:md|mdx|txt|rst)$`)
	reFile      = lazy.New(`/|\.\w{1,5}$`)
)

// isProvenWrong says why the session speaks against what a lesson says to do, as far as its names show it; "" if it does not.
func (e *evidence) isProvenWrong(c claim) string {
	switch {
	case e.isUnwanted(c):
		return unwanted
	case e.isTakenBack(c):
		return takenBack
	case e.isInVain(c):
		return triedInVain
	case !e.hasHelped(c):
		return noHelp
	case !e.isInOrder(c):
		return inNoOrder
	case !e.wasDone(c):
		return notDone
	}
	return ""
}

// wasDone reports whether the session did what a lesson says to do, or a person asked for it: reading a name
// does not make it a remedy. Each file and number must be done, except those only used, and one of the names.
func (e *evidence) wasDone(c claim) bool {
	if reLooking.Matches(c.order) {
		return true
	}
	isUse, order := reUsing.Matches(c.order), wordsOf(c.order)
	isDone := func(name string) bool { return isAnyOf(name) || e.isDone(name, order, isUse) }
	missing := slices.DeleteFunc(slices.Clone(c.ordered), isDone)
	return !slices.ContainsFunc(c.figures, func(n string) bool { return !isDone(n) }) && (len(missing) == 0 || len(missing) < len(c.ordered) && (isUse || !slices.ContainsFunc(missing, reFile.Matches)))
}

// isDone reports whether a call does something with a name, a person names it while asking for the
// same action, or a program says that it is not set.
func (e *evidence) isDone(name string, order map[string]bool, isUse bool) bool {
	return e.isAny(func(i int) bool {
		_, behind, _ := strings.Cut(e.texts[i], name)
		isAsked := eventOrigin(e.Events[i]) == index.OriginUser && e.runs(i, name) && (isUse || shareOf(order, e.words[i]) >= isHalf)
		return isAsked || e.does(i, name) && !e.onlyNotes(i, name, order) || e.Events[i].Kind == session.ToolResult && reUnset.Matches(behind)
	})
}

// onlyNotes reports whether event i writes a command into a text that is not what these words are about, such as a plan.
func (e *evidence) onlyNotes(i int, name string, order map[string]bool) bool {
	file := shell.ParseArguments(e.Events[i].Input).File
	return strings.Contains(name, " ") && reNotes.Matches(file) && shareOf(wordsOf(file[strings.LastIndexByte(file, '/')+1:]), order) < 1
}

// does reports whether event i is a call that does something with a name, and does not only look at what has it.
func (e *evidence) does(i int, name string) bool {
	ev := e.Events[i]
	class := shell.ClassOf(ev.Tool)
	switch {
	case ev.Kind != session.ToolCall || !e.runs(i, name):
		return false
	case class == shell.EditTool:
		return e.edits(i, name)
	case class != shell.ShellTool:
		return !reTalking.Matches(ev.Tool) || strings.EqualFold(ev.Tool, name)
	case strings.Contains(name, " "):
		return true
	}
	command := e.commandOf(i)
	isFile := strings.Contains(name, "/") || reNotes.Matches(name)
	isTold := func(part shell.Simple) bool { return isFile && part.Family() == "git commit" } // by its message
	isDone := command.HoldsScript() && !slices.ContainsFunc(command.Parts, isTold) || command.ChangesFiles()
	return isDone || slices.ContainsFunc(command.Parts, func(part shell.Simple) bool {
		isHere := holdsName(part, name) || words.HoldsName(command.Dir, strings.TrimSuffix(name, "/"))
		return isHere && !isTold(part) && !isLook(part, command.Raw) || part.Program == name
	})
}

// edits reports whether an edit puts a name into a file, takes it out, or is one of a file of that name.
func (e *evidence) edits(i int, name string) bool {
	put, taken := e.changes(i)
	input := words.Lower(e.Events[i].Input)
	return put+taken == "" || strings.Contains(input, `"`+name+`":`) || words.HoldsName(shell.ParseArguments(input).File, name) || e.runsIn(put, name) || e.runsIn(taken, name)
}

func isLook(part shell.Simple, line string) bool {
	return shell.LooksAround(part.Program) && !reTouching.Matches(part.Program) || reSaying.Matches(part.Program) && !reStoring.Matches(line) || part.Program == "git" && shell.OnlyReads(part)
}

// commandOf reads the command line of event i, in small letters.
func (e *evidence) commandOf(i int) shell.Command {
	return shell.Parse(words.Lower(shell.ParseArguments(e.Events[i].Input).Command))
}

func holdsName(part shell.Simple, name string) bool {
	return slices.ContainsFunc(append(part.Arguments(), part.Settings...), func(arg string) bool { return words.HoldsName(arg, strings.TrimSuffix(name, "/")) })
}

func (e *evidence) isRemoved(name string) bool {
	isRemoval := func(part shell.Simple) bool { return reRemoving.Matches(part.Family()) && holdsName(part, name) }
	return e.isAny(func(i int) bool { return slices.ContainsFunc(e.commandOf(i).Parts, isRemoval) })
}

// hasHelped reports whether what a lesson says to do came between an error that it names and what worked, or a person
// said it there. Of an error that no command of the session gave it cannot tell, and says yes.
func (e *evidence) hasHelped(c claim) bool {
	errors := e.errorsOf(c)
	names := c.ordered
	if len(names) == 0 && c.remedy != "" {
		names = []string{c.remedy}
	}
	isThere := func(i int) bool {
		return slices.ContainsFunc(errors, func(l string) bool { return e.holds(i, l) || e.fits(i, l) }) ||
			len(errors) == 0 && e.calls[i] >= 0 && slices.ContainsFunc(c.failing, func(name string) bool { return e.holds(i, name) || e.holds(e.calls[i], name) })
	}
	gave := false
	for i := range e.Events {
		if e.failed[i] && isThere(i) {
			gave = true
			if e.isCuredBy(i, names, isThere) {
				return true
			}
		}
	}
	return !gave || len(names) == 0
}

// errorsOf returns the errors that a lesson names, but for those that stand in a call.
func (e *evidence) errorsOf(c claim) []string {
	return slices.DeleteFunc(slices.Concat(c.literals, c.asides, []string{c.error}), func(l string) bool {
		isError := l == c.error || strings.Contains(l, " ") || reErrorCode.Matches(l)
		return l == "" || !isError || slices.Contains(c.ordered, l) || slices.ContainsFunc(e.Events, func(ev session.Event) bool {
			return ev.Kind == session.ToolCall && strings.Contains(words.Lower(ev.Input), l)
		})
	})
}

// isCuredBy reports whether something with one of these names worked between the failure of event i and the next time
// that the same worked, or failed in another way without it.
func (e *evidence) isCuredBy(i int, names []string, isThere func(i int) bool) bool {
	for j := i + 1; j < len(e.Events); j++ {
		call := e.calls[j]
		switch ev := e.Events[j]; {
		case saidByPerson(ev), ev.Kind == session.ToolCall && !slices.Contains(e.calls[j:], j): // which the record ends with
			call = j
		case call >= i && e.failed[j] && !isThere(j) && e.isSame(e.calls[i], call) && !e.runsAny(call, names):
			return false
		case call < i, !e.worked(j):
			continue
		}
		if e.runsAny(call, names) && !rePlanning.Matches(e.Events[call].Tool) {
			return saidByPerson(e.Events[j]) || !e.curesAnother(i, call, isThere)
		}
		if call != j && e.isSame(e.calls[i], call) {
			return false
		}
	}
	return false
}

// curesAnother reports whether a call behind the failure of event i came behind another failure as well, and what
// that was about worked then, while what event i is about was not tried again.
func (e *evidence) curesAnother(i, call int, isThere func(i int) bool) bool {
	for k := i + 1; k < call; k++ {
		if e.failed[k] && !isThere(k) && e.worksBehind(call, e.calls[k]) {
			return !e.worksBehind(call, e.calls[i])
		}
	}
	return false
}

// worksBehind reports whether behind an event something worked that does the same as a call.
func (e *evidence) worksBehind(i, call int) bool {
	for j := i + 1; j < len(e.Events); j++ {
		if e.calls[j] >= 0 && e.worked(j) && e.isSame(call, e.calls[j]) {
			return true
		}
	}
	return false
}

func (e *evidence) worked(i int) bool { return !e.failed[i] && e.Events[i].Cause == session.OK }

func (e *evidence) runsAny(i int, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return e.runs(i, name) })
}

// isSame reports whether two calls do the same: run a command of one family, or edit one file.
func (e *evidence) isSame(a, b int) bool {
	class := shell.ClassOf(e.Events[a].Tool)
	if class != shell.ClassOf(e.Events[b].Tool) {
		return false
	} else if class == shell.ShellTool {
		x := e.commandOf(a).MainPart()
		return slices.ContainsFunc(e.commandOf(b).Parts, func(y shell.Simple) bool { return shell.SameFamily(x, y) || shell.StandsIn(x, y) })
	}
	file := shell.ParseArguments(e.Events[a].Input).File
	return file != "" && file == shell.ParseArguments(e.Events[b].Input).File && (class == shell.EditTool || e.Events[a].Tool == e.Events[b].Tool)
}

// isInOrder reports whether the session followed a lesson's order: one action before or after another.
// It is true if the session never did the other action, or the lesson orders none.
func (e *evidence) isInOrder(c claim) bool {
	first, then := c.ordered, c.beside
	if c.isAfter {
		first, then = then, first
	}
	started, came := false, false
	for i, call := range e.calls {
		if call >= 0 && e.worked(i) {
			started = started || e.runsAny(call, first)
			if started && e.runsAny(call, then) {
				return true
			}
			came = came || e.runsAny(call, c.beside)
		}
	}
	return !came || len(c.ordered) == 0
}
