package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
)

// How far ahead of a failure its resolution is looked for.
const (
	maxCallsAhead = 80
	maxRunsAhead  = 30
)

// A resolution is a failure, what worked in the end, and why that helped.
type resolution struct {
	*timeline
	failed, worked *call
	bad, good      shell.Simple
}

// findResolutions finds failed commands that worked later in another form or after
// something was prepared, if the difference explains the failure.
func findResolutions(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.class == shellTool && c.failed() && c.fault.Line != "" && c.fault.Kind != shell.SourceCode && c.fault.Kind != shell.Routine {
			out = append(out, s.findResolution(c)...)
		}
	}
	return out
}

// findResolution looks for the first later call that explains a failure.
func (s *timeline) findResolution(c *call) []finding {
	bad := c.blamedPart()
	if bad.Program == "" {
		return nil
	}
	for _, d := range s.runsAfter(c) {
		for _, good := range d.cmd.Parts {
			if good.Op == "|" || good.Program == "" || shell.Prepares(good.Program) {
				continue
			}
			r := resolution{timeline: s, failed: c, worked: d, bad: bad, good: good}
			if fs := r.explain(); fs != nil {
				return fs
			}
		}
	}
	return nil
}

// runsAfter returns the calls after a failure that worked and may have to do
// with it.
func (s *timeline) runsAfter(c *call) []*call {
	var out []*call
	runs := 0
	for _, d := range s.calls[c.index+1 : min(len(s.calls), c.index+1+maxCallsAhead)] {
		if d.class != shellTool || d.subagent != c.subagent || d.abandoned != c.abandoned {
			continue
		}
		if runs++; runs > maxRunsAhead || s.countPrompts(c.at, d.at) > 1 && c.fault.Kind != shell.BadUsage {
			break // by now the talk is of something else
		}
		if d.worked() && !(d.cmd.HidesExit() && isSilent(d.result.Text)) {
			out = append(out, d)
		}
	}
	return out
}

// isSilent reports whether an output shows nothing that was done: a filter ends
// well also when what feeds it does not.
func isSilent(out string) bool {
	out = strings.TrimSpace(out)
	return out == "" || out == "0" || out == "(no output)" || strings.HasPrefix(out, "(Bash completed with no output")
}

// blamedPart returns the command of a line that failed. It is the zero value for
// failures that depend on nothing but this one session.
func (c *call) blamedPart() shell.Simple {
	bad, line, kind := c.cmd.BlamedPart(c.fault.Line), c.fault.Line, c.fault.Kind
	switch {
	case c.cmd.HoldsScript(), strings.Contains(line, "/tmp/"), bad.NamesTemporary(),
		shell.LooksAround(bad.Program) && kind != shell.BadUsage && kind != shell.NoCommand,
		bad.Program == "git" && (kind == shell.NoFile || strings.Contains(line, "pathspec") || strings.Contains(line, "ambiguous argument")):
		return shell.Simple{}
	}
	return bad
}

// explain tells what made the difference, or returns nil.
func (r resolution) explain() []finding {
	same, job := shell.SameWords(r.bad, r.good), shell.SameJob(r.bad, r.good)
	switch {
	case same && r.bad.Runner == r.good.Runner:
		for _, by := range []func(resolution) []finding{resolution.bySetting, resolution.byFolder, resolution.byPreparation} {
			if fs := by(r); fs != nil {
				return fs
			}
		}
		return nil
	case same || job:
		return r.byProgram()
	case r.bad.Family() == r.good.Family():
		return r.byArguments()
	}
	return nil
}

// wasEdited reports whether files were changed between failure and success.
func (r resolution) wasEdited() bool { return r.editedBetween(r.failed, r.worked) }

// mayBeEdit reports whether an edit may be what helped.
func (r resolution) mayBeEdit() bool { return !r.failed.fault.Kind.IsEnvironment() && r.wasEdited() }

// bySetting: the same command with an environment variable set.
func (r resolution) bySetting() []finding {
	before, after := r.failed.cmd.SettingsOf(r.bad), r.worked.cmd.SettingsOf(r.good)
	var added []string
	for _, e := range after {
		if !slices.Contains(before, e) {
			added = append(added, shell.ShowSetting(e))
		}
	}
	if len(added) == 0 || len(added) > 3 {
		return nil
	}
	set, cmd := shell.Code(strings.Join(added, " ")), r.showCommand(r.bad.WithoutSettings())
	return r.teach(set, r.good, "Set "+set+" for "+cmd+": without it, "+r.describeFailure(), r.worked)
}

// byFolder: the same command in another folder.
func (r resolution) byFolder() []finding {
	dir, wrongDir := r.worked.cmd.Dir, r.failed.cmd.Dir
	from, to := r.project.ShowDir(wrongDir), r.project.ShowDir(dir)
	if from == to || dir == "" || shell.IsTemporary(dir) || strings.HasPrefix(to, "..") || to == "-" ||
		r.mayBeEdit() || shell.LooksAround(r.bad.Program) {
		return nil
	}
	where, wrong := "from "+shell.Code(to), "outside "+shell.Code(to)
	if to == "" || to == "~" {
		where, wrong = "from the root of the repository", "outside the root of the repository"
	}
	if from != "" && !shell.IsTemporary(wrongDir) {
		wrong = "in " + shell.Code(from)
	}
	cmd := r.showCommand(r.bad)
	return r.teach(to, r.good, "Run "+cmd+" "+where+": "+wrong+" "+r.describeFailure(), r.worked)
}

// byProgram: the same job done by another program or through a runner.
func (r resolution) byProgram() []finding {
	switch r.failed.fault.Kind {
	case shell.SourceCode, shell.NoFile, shell.TimedOut, shell.NoSchema, shell.NoService:
		return nil
	}
	if r.mayBeEdit() || shell.LooksAround(r.good.Program) && r.good.Program != r.bad.Program {
		return nil
	}
	return r.useInstead(r.bad.Program + ">" + r.good.Program)
}

// byArguments: the same subcommand with other arguments.
func (r resolution) byArguments() []finding {
	kind := r.failed.fault.Kind
	added, dropped := shell.ArgumentsBeyond(r.good, r.bad), shell.ArgumentsBeyond(r.bad, r.good)
	flags := slices.DeleteFunc(slices.Clone(added), func(a string) bool { return !strings.HasPrefix(a, "-") || shell.IsForOutput(a) })
	if kind != shell.BadUsage && r.wasEdited() || len(flags) == 0 && slices.ContainsFunc(added, shell.IsForOutput) {
		return nil // the edit may have helped, or it looked at something else
	}
	cmd := r.showCommand(r.bad)
	usage := (kind == shell.BadUsage || kind == shell.NoCommand) && len(added) <= 3 && shell.ShareArguments(r.bad, r.good) &&
		(r.bad.Sub != "" || len(dropped) == 0 || shell.NamesArgument(r.failed.fault.Line, dropped))
	switch {
	case len(dropped) == 0 && len(flags) > 0 && len(added) <= len(flags)+2 && cmd != r.showCommand(r.good):
		with := shell.Code(strings.Join(added, " "))
		return r.teach(strings.Join(flags, " "), r.good, "Add "+with+" to "+cmd+": without it, "+r.describeFailure(), r.worked)
	case usage:
		return r.useInstead(cmd)
	case kind == shell.BadSetup && len(added) > 0 && len(added) <= 4 && len(dropped) == 0:
		return r.useInstead(cmd)
	}
	return nil
}

// useInstead makes the finding of a command that another one stands in for.
func (r resolution) useInstead(what string) []finding {
	bad, good := r.showCommand(r.bad), r.showCommand(r.good)
	if bad == good {
		return nil
	}
	return r.teach(what, r.good, "Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.failed.fault.Line), r.worked)
}

// describeFailure says how the failed command fails.
func (r resolution) describeFailure() string {
	if r.failed.fault.Kind == shell.TimedOut {
		return "it times out"
	}
	return "it fails with " + shell.Code(r.failed.fault.Line)
}

// teach makes the finding of a resolution. remedy is the command that cures, what
// tells remedies for one error apart.
func (r resolution) teach(what string, remedy shell.Simple, text string, by *call) []finding {
	return []finding{{
		Lesson: Lesson{
			Text: text, Cue: r.cueOf(r.failed, r.bad), Remedy: &Literals{Command: remedy.General(true)},
			Events: []int{r.failed.end + 1, by.end + 1},
		},
		side: fix, weight: weightFact, at: r.failed.at,
		topic: "fail " + r.bad.Family() + " " + shell.MaskNumbers(r.failed.fault.Line) + " " + what,
	}}
}

// cueOf says under which command and error a lesson matters.
func (s *timeline) cueOf(c *call, bad shell.Simple) *Literals {
	return &Literals{Command: bad.General(false), Error: s.project.Signature(c.fault.Line)}
}

// showCommand writes a command as code, as shown in a lesson.
func (s *timeline) showCommand(c shell.Simple) string { return shell.Code(s.project.ShowCommand(c)) }

// byPreparation: the same command, after another one made something ready.
func (r resolution) byPreparation() []finding {
	shown, helper, by := r.findPreparation()
	if by == nil {
		return nil
	}
	return r.teach(shown, helper, "Run "+shell.Code(shown)+" before "+r.showCommand(r.bad)+": otherwise "+r.describeFailure(), by)
}

// findPreparation returns the last command between failure and success that
// made ready what was missing. If nothing was edited, the only preparation of
// any sort will do for a failure that explains nothing by itself.
func (r resolution) findPreparation() (shown string, helper shell.Simple, from *call) {
	kind := r.failed.fault.Kind
	anySort := kind == shell.Unknown && !r.wasEdited()
	loose := 0
	for _, c := range append(r.callsBetween(r.failed, r.worked), r.worked) { // "make build && npm test"
		for _, part := range c.cmd.Parts {
			p := part.Provides()
			if !c.worked() || p == shell.Nothing || shell.SameWords(part, r.bad) || part.NamesTemporary() {
				continue
			}
			if p.Cures(kind) {
				helper, from = part, c
			} else if anySort && p != shell.MakesFolder && p != shell.CopiesSetup {
				helper, from = part, c
				loose++
			}
		}
	}
	if from == nil || loose > 1 {
		return "", helper, nil
	}
	shown = r.project.ShowCommand(helper)
	if d := r.project.ShowDir(from.cmd.Dir); d != "" && d != r.project.ShowDir(r.failed.cmd.Dir) && !shell.IsTemporary(from.cmd.Dir) {
		shown = "cd " + d + " && " + shown
	}
	return shown, helper, from
}
