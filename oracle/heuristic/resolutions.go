package heuristic

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/talk"
)

// How far ahead of a failure its cure is looked for, and how long a script may be that cures.
const (
	maxCallsAhead = 80
	maxRunsAhead  = 30
	maxScript     = 80 // bytes
)

// A resolution is a failure, the next attempt at the same that no longer shows it, and
// what lies between.
type resolution struct {
	*timeline
	failed    *call // showed the error
	last      *call // the latest that still did
	worked    *call // the first that does not; it may show another error
	bad, good shell.Simple
	fault     shell.Fault // that is gone
}

// findResolutions finds failed commands whose error was gone in the next run, if what
// was different explains it.
func findResolutions(s *timeline) []finding {
	var out []finding
	var again []*call // whose cure was part of an earlier one
	for _, c := range s.calls {
		if !c.failed() || slices.Contains(again, c) {
			continue
		}
		if f, ok := s.findResolution(c); ok {
			out = append(out, f)
			again = append(again, f.next)
		}
	}
	return out
}

// findResolution looks for the next attempts at what a call failed to do.
func (s *timeline) findResolution(c *call) (f finding, ok bool) {
	bad := c.blamedPart()
	if bad.Program == "" || c.fault.Line == "" || c.fault.IsPassing() || c.fault.Kind == shell.SourceCode || c.fault.Kind == shell.Routine {
		return finding{}, false
	}
	last, runs := c, 0
	for _, d := range s.calls[c.index+1 : min(len(s.calls), c.index+1+maxCallsAhead)] {
		if d.class != input.Shell || d.subagent != c.subagent || d.abandoned != c.abandoned {
			continue
		}
		if runs++; runs > maxRunsAhead || len(s.promptsBetween(c.at, d.at)) > 1 && c.fault.Kind != shell.BadUsage {
			break // by now the talk is of something else
		}
		for _, good := range d.cmd.Parts {
			if good.Op == "|" || good.Program == "" || shell.Prepares(good.Program) {
				continue
			}
			r := resolution{timeline: s, failed: c, last: last, worked: d, bad: bad, good: good}
			again := r.isSameCommand()
			if !r.isGone() {
				if again && d.shows(c.fault) {
					last = d
				}
				continue
			}
			if f, ok = r.explain(); ok || again && c.dir == d.dir {
				return f, ok // the next run tells; a later one says no more
			}
		}
	}
	return finding{}, false
}

// isSameCommand reports whether the later command is the failed one again. A script on
// the command line may differ, if it is about what the error names.
func (r resolution) isSameCommand() bool {
	if r.bad.Runner != r.good.Runner {
		return false
	}
	return shell.SameWords(r.bad, r.good) || r.bad.HasPayload() && r.good.HasPayload() && r.bad.General(false) == r.good.General(false) &&
		(shell.NamesAny(r.failed.fault.Line, r.good) || r.failed.fault.NamesVariable() != "")
}

// isGone reports whether the error is not shown any more by an attempt that tells, and
// which of the errors it is: one that is still there was not cured.
func (r *resolution) isGone() bool {
	d := r.worked
	if !d.tells() {
		return false
	}
	for _, f := range r.failed.faults {
		if f.Kind != shell.SourceCode && !d.shows(f) {
			r.fault = f
			return true
		}
	}
	return false
}

// blamedPart returns the command of a line that failed. It is the zero value for
// failures that depend on nothing but this one session.
func (c *call) blamedPart() shell.Simple {
	bad, line, kind := c.cmd.BlamedPart(c.fault.Line), c.fault.Line, c.fault.Kind
	switch {
	case c.class != input.Shell, strings.Contains(line, "/tmp/"), bad.NamesTemporary(),
		c.cmd.HoldsScript() && !bad.HasPayload(),
		shell.LooksAround(bad.Program) && kind != shell.BadUsage && kind != shell.NoCommand,
		bad.Family() == "git push", bad.Program == "git" && (kind == shell.NoFile || strings.Contains(line, "pathspec") || strings.Contains(line, "ambiguous argument")):
		return shell.Simple{}
	}
	return bad
}

// explain tells what made the difference; false if that is not known.
func (r resolution) explain() (finding, bool) {
	same := r.isSameCommand()
	switch {
	case same && r.failed.dir != r.worked.dir:
		return r.byFolder()
	case same:
		for _, by := range []func(resolution) (finding, bool){resolution.bySetting, resolution.byPreparation} {
			if f, ok := by(r); ok {
				return f, true
			}
		}
	case shell.SameWords(r.bad, r.good), shell.SameJob(r.bad, r.good), r.isNamed():
		return r.byProgram()
	case shell.SameTask(r.bad, r.good) && r.fault.Kind == shell.NoModule && !r.wasEdited():
		r.bad.Words = r.bad.Words[:1+len(strings.Fields(r.bad.Sub))] // whatever part it was for
		return r.byProgram()
	case r.isSuggested():
		return r.useInstead(r.showCommand(r.bad))
	case r.bad.Runner == r.good.Runner && (r.bad.Family() == r.good.Family() || r.bad.Program == r.good.Program && len(shell.ArgumentsBeyond(r.bad, r.good)) == 0):
		return r.byArguments()
	}
	return finding{}, false
}

// isSuggested reports whether the failed output names what the later command has instead.
func (r resolution) isSuggested() bool {
	added, dropped := shell.ArgumentsBeyond(r.good, r.bad), shell.ArgumentsBeyond(r.bad, r.good)
	ranAgain := func(c *call) bool {
		return slices.ContainsFunc(c.cmd.Parts, func(part shell.Simple) bool { return shell.SameWords(part, r.bad) })
	}
	if r.worked.failed() || r.bad.Program == "git" || !shell.ShareArguments(r.bad, r.good) || slices.ContainsFunc(added, shell.IsReckless) ||
		slices.ContainsFunc(r.calls[r.worked.index:], ranAgain) {
		return false
	}
	return r.failed.advises(r.good) || len(dropped) == 1 && len(added) == 1 && shell.Suggests(r.failed.result.Text, added[0])
}

// wasEdited reports whether files were changed between failure and success.
func (r resolution) wasEdited() bool { return r.editedBetween(r.last, r.worked) }

// mayBeEdit reports whether an edit may be what helped.
func (r resolution) mayBeEdit() bool { return !r.fault.Kind.IsEnvironment() && r.wasEdited() }

// bySetting: the same command with an environment variable set, or a file of them read.
func (r resolution) bySetting() (finding, bool) {
	name := r.fault.NamesVariable()
	before, after := r.failed.cmd.SettingsOf(r.bad), r.worked.cmd.SettingsOf(r.good)
	var added []string
	for _, e := range after {
		if !slices.Contains(before, e) {
			added = append(added, shell.ShowSetting(e))
		}
	}
	cmd := r.showCommand(r.bad.WithoutSettings())
	switch read := r.worked.cmd.ReadsSettings(); {
	case name != "" && read != "" && read != r.failed.cmd.ReadsSettings():
		return r.teach(read, shell.Simple{Program: "source"}, "Run "+shell.Code(r.project.ShowText(read))+" before "+cmd+": otherwise "+r.describeFailure(), r.worked)
	case len(added) == 0, len(added) > 3, r.wasEdited(), name == "" && (r.fault.IsOfAnother(r.bad) || r.worked.failed()), slices.ContainsFunc(added, shell.IsForDiagnosis),
		!shell.SameWords(r.bad, r.good) && !slices.ContainsFunc(added, func(e string) bool { return strings.HasPrefix(e, name+"=") }):
		return finding{}, false
	}
	if !slices.ContainsFunc(added, func(e string) bool { return !strings.HasSuffix(e, "=…") }) {
		return finding{}, false // the error names it, too
	}
	set := shell.Code(strings.Join(added, " "))
	return r.teach(set, shell.Simple{Program: strings.Join(added, " ")}, "Set "+set+" for "+cmd+": without it, "+r.describeFailure(), r.worked)
}

// byFolder: the same command in another folder.
func (r resolution) byFolder() (finding, bool) {
	switch r.fault.Kind {
	case shell.NoCommand, shell.NoModule, shell.BadSetup, shell.NoFile, shell.BadUsage:
	default:
		return finding{}, false // what it works on may differ from folder to folder
	}
	from, to := r.project.ShowDir(r.failed.dir), r.project.ShowDir(r.worked.dir)
	_, _, prepared := r.findPreparation()
	if from == to || shell.IsTemporary(r.failed.dir) || shell.IsTemporary(r.worked.dir) || strings.HasPrefix(to, "..") || strings.HasPrefix(to, "~") || to == "-" ||
		prepared != nil || r.wasEdited() || shell.LooksAround(r.bad.Program) {
		return finding{}, false
	}
	cmd := r.showCommand(r.bad)
	return r.teach(to, shell.Simple{Program: "cd " + to}, "Run "+cmd+" "+shell.NameFolder("from", to)+": "+shell.NameFolder("in", from)+" "+r.describeFailure(), r.worked)
}

// describeFailure says how the failed command fails.
func (r resolution) describeFailure() string {
	if r.fault.Kind == shell.TimedOut {
		return "it times out"
	}
	return "it fails with " + shell.Code(r.fault.Line)
}

// teach makes the finding of a resolution. remedy is the command that cures, what
// tells remedies for one error apart.
func (r resolution) teach(what string, remedy shell.Simple, text string, by *call) (finding, bool) {
	dir := r.project.ShowDir(r.worked.dir)
	if dir = cmp.Or(dir, strings.Trim(path.Base(r.project.Root), "./")); dir != "" && strings.Contains(text, "../") {
		text = english.UpperFirst(shell.NameFolder("in", dir) + ", " + english.LowerFirst(text))
	}
	why := ""
	if !r.worked.failed() {
		why = talk.FindDiagnosis(r.events[r.last.end:r.worked.at])
	}
	once := slices.ContainsFunc(r.promptsBetween(r.failed.at, r.worked.at), func(p prompt) bool { return speech.IsForNow(p.text) })
	return finding{
		Lesson: Lesson{
			Text: text, Why: why, Cue: r.cueOf(r.fault, r.bad), Remedy: &Literals{Command: remedy.General(true)},
			Events: []int{r.failed.end + 1, by.at + 1, r.worked.proof() + 1}, Op: Once,
		},
		side: fix, weight: weightFact, at: r.failed.at, what: what,
		topic: "fail " + r.bad.General(false) + " " + shell.MaskNumbers(r.fault.Line) + " " + what,
	}, shell.IsLasting(text) && !once
}

// cueOf says under which command and error a lesson matters.
func (s *timeline) cueOf(f shell.Fault, bad shell.Simple) *Literals {
	return &Literals{Command: bad.General(false), Error: s.project.Signature(f.Line)}
}

// showCommand writes a command as code, as shown in a lesson.
func (s *timeline) showCommand(c shell.Simple) string { return shell.Code(s.project.ShowCommand(c)) }

// byPreparation: the same command, after another one made something ready. If that led
// to a second error, which the same preparation with other arguments cured, it is the
// latter that counts.
func (r resolution) byPreparation() (finding, bool) {
	shown, helper, by := r.findPreparation()
	if by == nil {
		return finding{}, false
	}
	var next *call
	if r.worked.failed() {
		if f, ok := r.findResolution(r.worked); ok && f.Remedy.Command != "" && strings.HasPrefix(f.Remedy.Command, helper.Family()) {
			shown, by, next = f.what, r.calls[f.by], r.worked
		}
	}
	text := "Run " + shell.Code(shown) + " before " + r.showCommand(r.bad) + ": otherwise " + r.describeFailure()
	missing := r.fault.Kind == shell.NoModule || r.fault.Kind == shell.NoCommand || r.fault.Kind == shell.NoFile
	if gives := helper.Provides(); gives == shell.Installs && len(helper.Words) == 2 && helper.Runner == "" {
		r.bad = shell.Simple{Program: helper.Program} // whatever it was that missed what is installed
		if missing && !r.failed.advises(helper) {
			text = "Run " + shell.Code(shown) + " first in a fresh checkout or worktree: until then packages, and programs that come with them, are not found"
		}
	} else if gives == shell.Builds && missing { // whatever part was built, for whatever missed it
		r.bad, helper = shell.Simple{Program: r.bad.Program}, shell.Simple{Program: helper.General(false)}
	}
	f, ok := r.teach(shown, helper, text, by)
	f.next, f.by = next, by.index
	return f, ok
}

// findPreparation returns the last command between failure and success that
// made ready what was missing. If nothing was edited, the only preparation of
// any sort will do for a failure that explains nothing by itself.
func (r resolution) findPreparation() (shown string, helper shell.Simple, from *call) {
	kind := r.fault.Kind
	service := kind == shell.NoService || kind == shell.NoSchema || kind == shell.NoLogin
	if r.changedSetup() || !service && r.wasEdited() {
		return "", helper, nil // the edit may be what helped
	}
	loose := 0
	for _, c := range append(r.callsBetween(r.last, r.worked), r.worked) { // "make build && npm test"
		for _, part := range c.cmd.Parts {
			if c == r.worked && shell.SameWords(part, r.good) {
				break
			}
			p, advised := part.Provides(), r.failed.advises(part)
			switch {
			case !r.mayPrepare(c, part):
			case advised, p.Cures(kind):
				helper, from = part, c
			case kind == shell.Unknown && p != shell.Nothing && p != shell.MakesFolder && p != shell.CopiesSetup:
				helper, from = part, c
				loose++
			}
		}
	}
	if from == nil || loose > 1 {
		return "", helper, nil
	}
	if shown = r.project.ShowCommand(helper); helper.HasPayload() { // what it runs is what cures
		if shown = helper.Program + " " + shell.JoinQuoted(helper.Arguments()); len(shown) > maxScript || strings.Contains(shown, "\n") {
			return "", helper, nil
		}
	}
	if d := r.project.ShowDir(from.dir); d != "" && d != r.project.ShowDir(r.failed.dir) && !shell.IsTemporary(from.dir) {
		shown = "cd " + d + " && " + shown
	}
	return shown, helper, from
}

// mayPrepare reports whether a part of a call ran well, as far as can be seen, and is
// neither the failed command nor about a temporary file.
func (r resolution) mayPrepare(c *call, part shell.Simple) bool {
	ran := c == r.worked || c.worked() && !(c.cmd.HidesExit() && len(c.faults) > 0)
	stood := func(p shell.Simple) bool { return p.Op != "|" && shell.SameWords(part, p) }
	return ran && !slices.ContainsFunc(r.last.cmd.Parts, stood) && !shell.SameWords(part, r.bad) && !part.NamesTemporary()
}

// changedSetup reports whether what a project needs was changed in between: that, and
// not the preparation, is then what helped, once and for all.
func (r resolution) changedSetup() bool {
	return slices.ContainsFunc(append(r.callsBetween(r.last, r.worked), r.worked), func(c *call) bool {
		return c.changesFile() && c.worked() && shell.IsSetup(c.args.File) || slices.ContainsFunc(c.cmd.Parts, shell.Simple.AddsDependency)
	})
}
