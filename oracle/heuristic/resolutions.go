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
	failed, worked *call
	bad, good      shell.Simple
	refs           []string
}

// resolutions finds failed commands that worked later in another form or
// after something was prepared. It speaks only when the difference explains
// the failure; that the code was wrong and was then mended is no lesson.
func resolutions(s *timeline) []finding {
	var out []finding
	for i, c := range s.calls {
		if c.class != shellTool || !c.failed() || c.fault.Line == "" || c.fault.Kind == shell.SourceCode || c.fault.Kind == shell.Routine {
			continue
		}
		out = append(out, s.resolve(i)...)
	}
	return out
}

// resolve looks for the first later call that explains a failure.
func (s *timeline) resolve(i int) []finding {
	c := s.calls[i]
	bad := c.cmd.BlamedPart(c.fault.Line)
	if bad.Program == "" || s.throwaway(bad, c.fault) || c.cmd.HoldsScript() {
		return nil
	}
	runs := 0
	for j := i + 1; j < len(s.calls) && j <= i+maxCallsAhead && runs < maxRunsAhead; j++ {
		d := s.calls[j]
		if d.class != shellTool || d.subagent != c.subagent || d.abandoned != c.abandoned {
			continue
		}
		if s.promptsBetween(c.at, d.at) > 1 && c.fault.Kind != shell.BadUsage {
			break // by now the talk is of something else
		}
		runs++
		if !d.worked() || d.cmd.HidesExit() && silent(d.out) {
			continue
		}
		for _, good := range d.cmd.Parts {
			if good.Op == "|" || good.Program == "" || shell.Prepares(good.Program) {
				continue
			}
			r := resolution{c, d, bad, good, append(slices.Clone(c.refs), d.refs...)}
			if fs := s.explain(r); fs != nil {
				return fs
			}
		}
	}
	return nil
}

// silent reports whether an output shows that something was done: a filter
// ends well also when what feeds it does not.
func silent(out string) bool {
	out = strings.TrimSpace(out)
	return out == "" || out == "0" || out == "(no output)" || strings.HasPrefix(out, "(Bash completed with no output")
}

// throwaway reports failures that depend on nothing but this one session:
// looking at files that are not there, and work in temporary folders.
func (s *timeline) throwaway(bad shell.Simple, f shell.Fault) bool {
	if shell.LooksAround(bad.Program) && f.Kind != shell.BadUsage && f.Kind != shell.NoCommand {
		return true
	}
	if bad.Program == "git" && (f.Kind == shell.NoFile || strings.Contains(f.Line, "pathspec") || strings.Contains(f.Line, "ambiguous argument")) {
		return true
	}
	for _, w := range bad.Words {
		if shell.IsTemporary(w.Text) {
			return true
		}
	}
	return strings.Contains(f.Line, "/tmp/")
}

// explain tells what made the difference, or returns nil.
func (s *timeline) explain(r resolution) []finding {
	same, job := shell.SameWords(r.bad, r.good), shell.SameJob(r.bad, r.good)
	if !same && !job && r.bad.Family() != r.good.Family() {
		return nil
	}
	edited := s.editedBetween(r)
	switch {
	case same && r.bad.Runner == r.good.Runner:
		if f := s.bySetting(r); f != nil {
			return f
		}
		if f := s.byFolder(r, edited); f != nil {
			return f
		}
		return s.byPreparation(r, edited)
	case same || job:
		if edited && !r.failed.fault.Kind.IsEnvironment() {
			return nil
		}
		return s.byProgram(r)
	case edited && r.failed.fault.Kind != shell.BadUsage:
		return nil
	}
	return s.byArguments(r)
}

// bySetting: the same command with an environment variable set.
func (s *timeline) bySetting(r resolution) []finding {
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
	set := shell.Code(strings.Join(added, " "))
	cmd := shell.Code(s.project.ShowCommand(withoutSettings(r.bad)))
	return s.pair(r, set,
		"running "+cmd+" without "+set+": "+because(r.failed.fault),
		"Set "+set+" for "+cmd+": without it, "+because(r.failed.fault))
}

// byFolder: the same command in another folder.
func (s *timeline) byFolder(r resolution, edited bool) []finding {
	from, to := s.project.ShowDir(r.failed.cmd.Dir), s.project.ShowDir(r.worked.cmd.Dir)
	if from == to || r.worked.cmd.Dir == "" || edited && !r.failed.fault.Kind.IsEnvironment() ||
		shell.IsTemporary(r.worked.cmd.Dir) || shell.LooksAround(r.bad.Program) || strings.HasPrefix(to, "..") || to == "-" {
		return nil
	}
	cmd := shell.Code(s.project.ShowCommand(r.bad))
	where := "from " + shell.Code(to)
	wrong := "outside " + shell.Code(to)
	if to == "" || to == "~" {
		where, wrong = "from the root of the repository", "outside the root of the repository"
	}
	if from != "" && !shell.IsTemporary(r.failed.cmd.Dir) {
		wrong = "in " + shell.Code(from)
	}
	return s.pair(r, to,
		"running "+cmd+" "+wrong+": "+because(r.failed.fault),
		"Run "+cmd+" "+where+": elsewhere "+because(r.failed.fault))
}

// byProgram: the same job done by another program or through a runner.
func (s *timeline) byProgram(r resolution) []finding {
	switch r.failed.fault.Kind {
	case shell.SourceCode, shell.NoFile, shell.TimedOut, shell.NoSchema, shell.NoService:
		return nil
	}
	bad, good := shell.Code(s.project.ShowCommand(r.bad)), shell.Code(s.project.ShowCommand(r.good))
	if bad == good || shell.LooksAround(r.good.Program) && r.good.Program != r.bad.Program {
		return nil
	}
	return s.pair(r, r.bad.Program+">"+r.good.Program,
		"running "+bad+": "+because(r.failed.fault),
		"Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.failed.fault.Line))
}

// byArguments: the same subcommand with other arguments.
func (s *timeline) byArguments(r resolution) []finding {
	added, dropped := shell.ArgumentsBeyond(r.good, r.bad), shell.ArgumentsBeyond(r.bad, r.good)
	flags := slices.DeleteFunc(slices.Clone(added), func(a string) bool { return !strings.HasPrefix(a, "-") || shell.IsForOutput(a) })
	if len(flags) == 0 && slices.ContainsFunc(added, shell.IsForOutput) {
		return nil // it looked at something else
	}
	usage := r.failed.fault.Kind == shell.BadUsage || r.failed.fault.Kind == shell.NoCommand
	bad, good := shell.Code(s.project.ShowCommand(r.bad)), shell.Code(s.project.ShowCommand(r.good))
	switch {
	case bad == good:
		return nil
	case len(dropped) == 0 && len(flags) > 0 && len(added) <= len(flags)+2:
		with := shell.Code(strings.Join(added, " "))
		return s.pair(r, strings.Join(flags, " "),
			"running "+bad+" without "+with+": "+because(r.failed.fault),
			"Add "+with+" to "+bad+": without it, "+because(r.failed.fault))
	case usage && len(added) <= 3 && shell.ShareArguments(r.bad, r.good) &&
		(r.bad.Sub != "" || len(dropped) == 0 || shell.NamesArgument(r.failed.fault.Line, dropped)):
		return s.pair(r, bad,
			"running "+bad+": "+because(r.failed.fault),
			"Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.failed.fault.Line))
	case r.failed.fault.Kind == shell.BadSetup && len(added) > 0 && len(added) <= 4 && len(dropped) == 0:
		return s.pair(r, bad,
			"running "+bad+" as it stands: "+because(r.failed.fault),
			"Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.failed.fault.Line))
	}
	return nil
}

// pair makes the two findings of a resolution: what fails, and what helps.
func (s *timeline) pair(r resolution, what, bad, good string) []finding {
	topic := "fail " + r.bad.Family() + " " + shell.MaskNumbers(r.failed.fault.Line) + " " + what
	f := finding{rule: "resolution", weight: weightFact, at: r.failed.at, topic: topic, refs: r.refs}
	m := f
	m.side, m.text = mistake, bad
	f.side, f.text = fix, good
	return []finding{m, f}
}

// editedBetween reports whether files were changed between failure and
// success, so that the change may be what helped.
func (s *timeline) editedBetween(r resolution) bool {
	for _, c := range s.between(r.failed, r.worked) {
		if c.changesFile() && c.worked() {
			return true
		}
		if c.class == shellTool && c.worked() && c.cmd.ChangesFiles() {
			return true
		}
	}
	return false
}

// because returns the clause that says how a command fails, or "".
func because(f shell.Fault) string {
	if f.Line == "" {
		return ""
	}
	if f.Kind == shell.TimedOut {
		return "it times out"
	}
	return "it fails with " + shell.Code(f.Line)
}

// withoutSettings is a command without its settings.
func withoutSettings(c shell.Simple) shell.Simple {
	c.Settings = nil
	return c
}
