package heuristic

import (
	"slices"
	"strings"

	"mem/index"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// How far ahead of a failure its cure is looked for.
const maxRunsAhead = 30

// A failure is a command that failed, and the next attempt at the same that tells how it went.
type failure struct {
	*timeline
	failed    *call // showed the error
	last      *call // the latest that still did
	worked    *call // no longer does; it may show another error
	bad, good shell.Simple
}

// findFailures finds the commands that failed for a reason that may come back, and what the
// next attempt had that they lacked.
func findFailures(s *timeline) (out []finding) {
	for _, c := range s.calls {
		r := failure{timeline: s, failed: c, last: c, bad: c.blamedPart()}
		if r.bad.Program == "" {
			continue
		}
		if f, ok := r.findCure(); ok {
			out = append(out, f)
		}
	}
	return out
}

// findCure looks for the next attempt. It is false if what helped is of this session alone: an edit, or time.
func (r failure) findCure() (finding, bool) {
	runs := 0
	for _, d := range r.calls[r.failed.index+1:] {
		if d.class != shell.ShellTool || d.subagent != r.failed.subagent || d.abandoned != r.failed.abandoned {
			continue
		}
		if runs++; runs > maxRunsAhead || len(r.promptsBetween(r.failed.at, d.at)) > 1 {
			break // by now the talk is of something else
		}
		i := slices.IndexFunc(d.cmd.Parts, r.isAttempt)
		if i < 0 {
			continue
		}
		if d.shows(r.failed.fault) {
			r.last = d
			continue
		}
		if !d.tells() {
			continue
		}
		r.worked, r.good = d, d.cmd.Parts[i]
		if r.failed.fault.Kind != shell.Usage && slices.ContainsFunc(r.last.cmd.Parts, func(p shell.Simple) bool { return shell.SameFamily(p, r.good) }) {
			r.good = r.good.Bare() // what stood in front when it failed, too, is no cure
		}
		if f, ok := r.explain(); ok {
			return f, ok
		} else if r.isAgain() {
			return r.describe(r.editedBetween(r.last, d))
		}
	}
	r.worked = nil
	return r.describe(false)
}

// next returns the commands that worked after the failure and may have cured it, until the person spoke twice or it was
// cured: what makes something ready, or is of the program that failed, and is new in the session.
func (r failure) next() (list []string) {
	known := map[string]bool{}
	for _, d := range r.calls {
		later := d.index > r.failed.index
		switch {
		case later && (len(r.promptsBetween(r.failed.at, d.at)) > 1 || r.worked != nil && d.index > r.worked.index):
			return list
		case d.class != shell.ShellTool || d.subagent != r.failed.subagent || d.abandoned != r.failed.abandoned || later && !d.worked() && !d.shows(r.failed.fault):
			continue
		case later && d.shows(r.failed.fault):
			list = nil // what ran before did not help
		}
		for _, p := range d.cmd.Parts {
			ran := p.General(true)
			if later && !known[ran] && p.Op != "|" && !p.NamesTemporary() && (p.Provides() || p.Program == r.bad.Program && !shell.OnlyReads(p) && !p.OnlyAsks()) {
				list = append(list, ran)
			}
			known[ran] = true
		}
	}
	return list
}

// isAttempt reports whether a command of a later line is the failed one again, or does the same, or has a subcommand that
// the failed output names: it advises it.
func (r failure) isAttempt(s shell.Simple) bool {
	verb := s.Sub[strings.LastIndexByte(s.Sub, ' ')+1:]
	isNamed := verb != "" && s.Program == r.bad.Program && words.ContainsWord(r.failed.result.Text, verb)
	return (s.Op != "|" || r.bad.Op == "|") && s.Program != "" && !shell.Prepares(s.Program) && !s.OnlyAsks() &&
		(shell.SameFamily(r.bad, s) || shell.StandsIn(r.bad, s) || r.failed.fault.Kind == shell.Usage && isNamed)
}

// isAgain reports whether the later command is the failed one, word for word.
func (r failure) isAgain() bool {
	return shell.SameWords(r.bad, r.good) && r.bad.Runner == r.good.Runner
}

// blamedPart returns the command of a line that failed. It is the zero value for
// failures that depend on nothing but this one session.
func (c *call) blamedPart() shell.Simple {
	if c.class != shell.ShellTool || !c.failed() || c.fault.Line == "" {
		return shell.Simple{}
	}
	bad, line, kind := c.cmd.BlamedPart(c.fault.Line), c.fault.Line, c.fault.Kind
	if kind != shell.Usage {
		bad = bad.Bare() // what stands in front was found, and is not to blame
	}
	switch {
	case kind == shell.Usage && namedFlag(bad, line) != "" && bad.Op != "|": // whatever else there is
	case kind == shell.Routine, bad.Op == "|" && kind != shell.Usage, strings.Contains(line, "/tmp/"), bad.NamesTemporary(),
		c.cmd.HoldsScript() && !bad.HasPayload() && bad.Program != "git",
		shell.LooksAround(bad.Program) && kind != shell.Usage, bad.Family() == "git push",
		bad.Program == "git" && (kind == shell.NoFile || strings.Contains(line, "pathspec") || strings.Contains(line, "ambiguous argument")):
		return shell.Simple{}
	}
	return bad
}

// isStuck reports whether the attempt failed as well, and no later than the failed one: code is run last.
func (r failure) isStuck() bool {
	isCode := r.worked.fault.Kind == shell.SourceCode || r.worked.fault.Kind == shell.Vague || r.worked.fault.Line == ""
	return r.worked.failed() && (!isCode || r.isInCode())
}

func (r failure) explain() (finding, bool) {
	kind := r.failed.fault.Kind
	edited := r.editedBetween(r.last, r.worked)
	switch {
	case r.isAgain() && r.worked.cmd.Dir != r.failed.cmd.Dir:
		return r.byFolder(edited)
	case r.isAgain(), r.failed.fault.NamesVariable() != "" && shell.SameFamily(r.bad, r.good): // whatever it ran
		if f, ok := r.bySetting(edited); ok {
			return f, true
		}
		return r.byPreparation(edited)
	case kind == shell.Usage && namedFlag(r.bad, r.failed.fault.Line) != "" && !slices.ContainsFunc(r.good.Arguments(), func(a string) bool { return a[:min(1, len(a))] == "-" }):
		return r.teach(r.good, "Leave "+shell.Code(namedFlag(r.bad, r.failed.fault.Line))+" out of "+shell.Code(r.bad.Program)+": it fails with "+shell.Code(r.failed.fault.Line), r.worked)
	case kind == shell.SourceCode, edited && kind != shell.Usage, r.isStuck() && kind != shell.Usage,
		shell.LooksAround(r.good.Program) && r.good.Program != r.bad.Program:
		return finding{}, false
	case !shell.StandsIn(r.bad, r.good):
		return r.byArguments()
	case kind == shell.NoFile, kind == shell.TimedOut:
		return finding{}, false
	}
	return r.useInstead()
}

// bySetting: the same command with an environment variable set.
func (r failure) bySetting(edited bool) (finding, bool) {
	name := r.failed.fault.NamesVariable()
	var added []string
	for _, e := range r.good.Settings {
		if !slices.Contains(r.bad.Settings, e) {
			added = append(added, shell.ShowSetting(e))
		}
	}
	isHidden := func(e string) bool { return strings.HasSuffix(e, "=…") }
	if len(added) == 0 || len(added) > 3 || edited || name == "" && r.isStuck() || !slices.ContainsFunc(added, func(e string) bool { return !isHidden(e) }) {
		return finding{}, false
	}
	set := strings.Join(added, " ")
	r.bad.Settings = nil
	return r.teach(shell.Simple{Program: set}, "Set "+shell.Code(set)+" for "+r.showCommand(r.bad)+": without it, it fails with "+shell.Code(r.failed.fault.Line), r.worked)
}

// byFolder: the same command in the folder to which the line goes first.
func (r failure) byFolder(edited bool) (finding, bool) {
	dir := r.project.ShowText(r.worked.cmd.Dir)
	place := shell.Code(dir)
	if dir != "" && strings.HasPrefix(r.project.Root+"/", r.worked.cmd.Dir+"/") { // what a session names may all lie in a part
		dir, place = ".", "the root of the repository"
	}
	if edited || r.isInCode() || dir == "" || strings.HasPrefix(dir, "..") || strings.HasPrefix(dir, "~") || shell.IsTemporary(dir) {
		return finding{}, false
	}
	f, ok := r.teach(shell.Simple{Program: "cd " + dir}, "Run "+r.showCommand(r.bad)+" in "+place+": elsewhere it fails with "+shell.Code(r.failed.fault.Line), r.worked)
	f.Cue = r.afterwards(f.Cue) // where it runs is not seen before it fails
	return f, ok
}

// isInCode reports whether the code that is worked on may be to blame: then a cure matters once the command failed.
func (r failure) isInCode() bool {
	return r.failed.fault.Kind == shell.SourceCode || r.failed.fault.Kind == shell.Vague
}

// byPreparation: the same command, after another one made something ready. It has to be the only
// one that can, or the last if the error is about what the command needs.
func (r failure) byPreparation(edited bool) (finding, bool) {
	var helper shell.Simple
	var from *call
	var shown []string
	found := 0
	for _, c := range append(r.callsBetween(r.last, r.worked), r.worked) { // "make build && npm test"
		var line []string // as far as the attempt
		for _, part := range c.cmd.Parts {
			if c == r.worked && shell.SameWords(part, r.good) {
				break
			}
			line = append(line, r.project.ShowCommand(part))
			if (c == r.worked || c.worked()) && (part.Provides() || part.Sub != "" && !shell.OnlyReads(part) && strings.Contains(r.failed.result.Text, part.Family())) && r.isNew(part) {
				helper, from, shown = part, c, line[len(line)-1:]
				found++
			}
		}
		if from == r.worked {
			shown = line // with what belongs to it, such as "set +a"
		}
	}
	if from == nil || edited || found > 1 && !slices.Contains([]shell.Kind{shell.Usage, shell.Setup, shell.NoFile}, r.failed.fault.Kind) || helper.HasPayload() {
		return finding{}, false
	}
	run := shell.Code(strings.Join(shown, " && "))
	if r.isInCode() {
		return r.teach(helper, "When "+shell.Code(r.bad.General(true))+" fails with "+shell.Code(r.failed.fault.Line)+", run "+r.showCommand(helper), from)
	}
	f, ok := r.teach(helper, "Run "+run+" before "+r.showCommand(r.bad)+": otherwise it fails with "+shell.Code(r.failed.fault.Line), from)
	if helper.Program != "source" && helper.Program != "." && helper.Program != "eval" {
		f.Cue.Tool = r.afterwards(f.Cue).Tool // so that it Lasts
	}
	return f, ok
}

// isNew reports whether a part of a call was not in the line that failed, and is not about a temporary file.
func (r failure) isNew(part shell.Simple) bool {
	stood := func(p shell.Simple) bool { return p.Op != "|" && shell.SameWords(part, p) }
	return !slices.ContainsFunc(r.last.cmd.Parts, stood) && !shell.SameWords(part, r.bad) && !part.NamesTemporary()
}

// byArguments: the same subcommand with one flag more, or without an argument that the error names.
func (r failure) byArguments() (finding, bool) {
	added, dropped := shell.ArgumentsBeyond(r.good, r.bad), shell.ArgumentsBeyond(r.bad, r.good)
	line, kind := r.failed.fault.Line, r.failed.fault.Kind
	isFlag := func(a string) bool { return strings.HasPrefix(a, "-") && !shell.IsForOutput(a) && !shell.Selects(a) }
	switch {
	case slices.ContainsFunc(added, func(a string) bool { return slices.Contains(shell.Reckless, a) }), len(added) > 3, r.worked.failed() && shell.NamesArgument(r.worked.fault.Line, added):
	case len(dropped) == 0 && slices.ContainsFunc(added, isFlag):
		return r.teach(r.good, "Add "+shell.Code(strings.Join(added, " "))+" to "+r.showCommand(r.bad)+": without it, it fails with "+shell.Code(r.failed.fault.Line), r.worked)
	case len(dropped) > 2, kind != shell.Usage:
	case shell.NamesArgument(line, dropped), kind == shell.Usage && len(dropped) == 0:
		return r.useInstead()
	}
	return finding{}, false
}

func (r failure) useInstead() (finding, bool) {
	if inner, ok := r.good.Inner(); ok && shell.SameFamily(inner, r.bad) && r.good.Runner == "" {
		front := r.good
		front.Words = front.Words[:len(front.Words)-len(inner.Words)]
		return r.teach(front, "Run "+shell.Code(r.bad.Family())+" behind "+r.showCommand(front)+": alone it fails with "+shell.Code(r.failed.fault.Line), r.worked)
	}
	if inner, ok := r.bad.Inner(); ok && r.bad.Runner == "" && shell.SameFamily(inner, r.good) {
		return r.teach(r.good, "Run "+shell.Code(inner.Program)+" without "+shell.Code(r.bad.Program)+" in front: "+shell.Code(r.bad.Program+" "+inner.Program)+" fails with "+shell.Code(r.failed.fault.Line), r.worked)
	}
	bad, good := r.showCommand(r.bad), r.showCommand(r.good)
	if bad == good || strings.HasPrefix(r.good.Words[0].Raw, "/") { // where this machine has it
		return finding{}, false
	}
	return r.teach(r.good, "Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.failed.fault.Line), r.worked)
}

// describe makes the finding of a failure of which no cure was seen: in many sessions it is one to
// know of, or they ran the same next.
func (r failure) describe(edited bool) (finding, bool) {
	line, kind := r.failed.fault.Line, r.failed.fault.Kind
	isKnown := r.worked == nil && shell.NamesOnly(line, r.failed.cmd.Raw) && // of another file, it is another error
		(kind == shell.Usage || kind == shell.Setup || kind == shell.Unknown && !shell.OnlyReads(r.bad) && !r.bad.Provides())
	f, ok := r.teach(shell.Simple{}, shell.Code(r.bad.General(true))+" fails with "+shell.Code(line), r.failed)
	if kind != shell.SourceCode && !edited && (kind != shell.Usage || namedFlag(r.bad, line) == "") {
		f.Next = strings.Join(r.next(), "; ")
	}
	if kind != shell.Usage || !isKnown { // what is wrongly called fails each time
		f.Cue = r.afterwards(f.Cue)
	}
	return f, ok && (isKnown || f.Next != "")
}

// namedFlag returns the flag of a command that an error names; "" if there is none.
func namedFlag(bad shell.Simple, line string) string {
	for _, a := range bad.Arguments() {
		if strings.HasPrefix(a, "-") && shell.NamesArgument(line, []string{a}) {
			return strings.SplitN(a, "=", 2)[0]
		}
	}
	return ""
}

// teach makes the candidate of a failure. remedy is the command that cures, if any does.
func (r failure) teach(remedy shell.Simple, text string, by *call) (finding, bool) {
	l := index.Lesson{Text: text, Cue: r.cueOf(), Events: []int{r.failed.end + 1}, Op: Once}
	until := len(r.events)
	if r.worked != nil {
		until = r.worked.at
		proof := r.worked.end
		if r.worked.isExternal() { // the words of others count for nothing here
			proof = until
		}
		l.Events = append(l.Events, by.at+1, proof+1)
	}
	if remedy.Program != "" {
		l.Remedy = index.Literals{Command: remedy.General(true)}
	}
	l.Why = r.findReason(r.last, until)
	if l.Cue.Command == "" || r.isInCode() { // before it fails, nothing is known
		l.Cue = r.afterwards(l.Cue)
	}
	topic := "fail " + l.Cue.Command + " " + l.Cue.Error
	return finding{Lesson: l, at: r.failed.at, topic: topic}, shell.IsLasting(text)
}

// cueOf says under which command, and error of a program, a lesson matters. Without a command it matters after the
// failure alone. A common program matters with its flags only, and a flag that the error names with that.
func (r failure) cueOf() index.Literals {
	command, line := r.bad.General(shell.LooksAround(r.bad.Program)), r.failed.fault.Line
	if flag := namedFlag(r.bad, line); flag != "" && r.failed.fault.Kind == shell.Usage {
		if command = r.bad.General(false) + " " + flag; !words.ContainsWord(r.bad.General(true), flag) {
			command = "" // no command is looked up with it
		}
	}
	return index.Literals{Command: command, Error: r.project.Signature(line)}
}

// afterwards returns a cue that is found once the command failed.
func (r failure) afterwards(c index.Literals) index.Literals {
	tool, _, _ := strings.Cut(r.bad.General(false), " ")
	return index.Literals{Tool: tool, Error: c.Error}
}

func (s *timeline) showCommand(c shell.Simple) string { return shell.Code(s.project.ShowCommand(c)) }
