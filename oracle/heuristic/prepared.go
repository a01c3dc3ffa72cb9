package heuristic

import (
	"path"

	"mem/oracle/heuristic/shell"
)

// byPreparation: the same command, after another one made something ready.
func (r resolution) byPreparation() []finding {
	helper, from := r.findPreparation()
	if from == nil {
		return nil
	}
	r.helped = from
	cmd, first := r.showCommand(r.bad), shell.Code(helper)
	return r.makePair(helper, cmd+" before "+first, "Run "+first+" before "+cmd+": otherwise "+r.describeFailure())
}

// findPreparation returns the last command between failure and success that
// made ready what was missing, and the call that ran it. If nothing was edited,
// the only preparation of any sort will do for a failure that explains nothing
// by itself.
func (r resolution) findPreparation() (string, *call) {
	kind := r.failed.fault.Kind
	anySort := kind == shell.Unknown && !r.wasEdited()
	var helper shell.Simple
	var from *call
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
		return "", nil
	}
	shown := r.project.ShowCommand(helper)
	if d := r.project.ShowDir(from.cmd.Dir); d != "" && d != r.project.ShowDir(r.failed.cmd.Dir) && !shell.IsTemporary(from.cmd.Dir) {
		shown = "cd " + d + " && " + shown
	}
	return shown, from
}

// bySetupFile: the same command, after the very file that the error names was
// written.
func (r resolution) bySetupFile() []finding {
	if r.failed.fault.Kind != shell.NoFile && r.failed.fault.Kind != shell.BadSetup {
		return nil
	}
	for _, c := range r.callsBetween(r.failed, r.worked) {
		base := path.Base(c.args.file)
		if c.class != writeFile || !c.worked() || len(base) < 4 || !shell.ContainsWord(r.failed.result.Text, base) || shell.IsTemporary(c.args.file) {
			continue
		}
		r.helped = c
		cmd, file := r.showCommand(r.bad), r.project.ShowFile(c.args.file)
		return r.makePair(base, cmd+" without "+file, "Create "+file+" before running "+cmd+": without it, "+r.describeFailure())
	}
	return nil
}
