package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/words"
)

// byProgram: the same job done by another program or through a runner.
func (r resolution) byProgram() (finding, bool) {
	switch r.fault.Kind {
	case shell.SourceCode, shell.NoFile, shell.TimedOut, shell.NoSchema:
		return finding{}, false
	case shell.NoService:
		if !shell.Wraps(r.good, r.bad) { // where the service is known
			return finding{}, false
		}
	}
	if r.isNamed() {
		r.bad.Words, r.good.Words = r.bad.Words[:1], r.good.Words[:1]
		r.bad.Sub, r.good.Sub = "", ""
	} else if !r.holds() {
		return finding{}, false
	}
	if r.mayBeEdit() || r.worked.failed() && r.fault.Kind != shell.NoCommand && r.fault.Kind != shell.BadSetup || shell.LooksAround(r.good.Program) && r.good.Program != r.bad.Program ||
		slices.ContainsFunc(r.worked.faults, func(f shell.Fault) bool { return words.ContainsWord(f.Line, r.good.Words[0].Text) }) {
		return finding{}, false
	}
	return r.useInstead(r.bad.Program + ">" + r.good.Program)
}

// isNamed reports whether the error says that the project goes with the other program.
func (r resolution) isNamed() bool {
	return r.fault.Kind == shell.BadSetup && r.good.Words[0].Text == r.good.Program && shell.AreKin(r.bad.Program, r.good.Program) &&
		r.good.Program != r.bad.Program && words.ContainsWord(r.fault.Line, r.good.Program)
}

// holds reports whether what stands in for the failed command did its work in this session,
// and did not show the error later.
func (r resolution) holds() bool {
	did := !r.worked.failed()
	for _, d := range r.calls[r.worked.index+1:] {
		if !slices.ContainsFunc(d.cmd.Parts, func(part shell.Simple) bool { return shell.SameFamily(part, r.good) }) {
			continue
		}
		if did = did || d.worked(); d.shows(r.fault) {
			return false
		}
	}
	return did
}

// byArguments: the same subcommand with other arguments, which the error names, or
// with one more flag and nothing else between.
func (r resolution) byArguments() (finding, bool) {
	added, dropped := shell.ArgumentsBeyond(r.good, r.bad), shell.ArgumentsBeyond(r.bad, r.good)
	flags := slices.DeleteFunc(slices.Clone(added), func(a string) bool {
		return !strings.HasPrefix(a, "-") || shell.IsForOutput(a) && !r.good.NamesSpace(a)
	})
	usage := r.fault.Kind == shell.BadUsage || r.fault.Kind == shell.NoCommand
	named := shell.NamesArgument(r.fault.Line, dropped)
	switch {
	case r.fault.IsOfAnother(r.bad), slices.ContainsFunc(added, shell.IsReckless), len(added) > 4, !usage && r.wasEdited(),
		r.worked.failed() && shell.NamesArgument(r.worked.fault.Line, added):
	case len(dropped) == 0 && len(flags) > 0 && len(added) <= len(flags)+2 && !slices.ContainsFunc(flags, shell.Selects) &&
		(shell.NamesArgument(r.failed.result.Text, flags) || !r.worked.cmd.HidesExit() && !r.failed.cmd.HidesExit() && !r.worked.failed()):
		with := shell.Code(shell.JoinQuoted(added))
		return r.teach(strings.Join(flags, " "), r.good, "Add "+with+" to "+r.showCommand(r.bad)+": without it, "+r.describeFailure(), r.worked)
	case usage && len(added) > 0 && (named || len(dropped) == 0) && shell.ShareArguments(r.bad, r.good):
		return r.useInstead(r.showCommand(r.bad))
	}
	return finding{}, false
}

// useInstead makes the finding of a command that another one stands in for.
func (r resolution) useInstead(what string) (finding, bool) {
	bad, good := r.showCommand(r.bad), r.showCommand(r.good)
	if bad == good || strings.HasPrefix(r.good.Words[0].Raw, "/") { // where this machine has it
		return finding{}, false
	}
	return r.teach(what, r.good, "Use "+good+" instead of "+bad+": the latter fails with "+shell.Code(r.fault.Line), r.worked)
}
