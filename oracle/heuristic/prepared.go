package heuristic

import (
	"path"
	"slices"

	"mem/oracle/heuristic/shell"
)

// byPreparation: the same command, after something was made ready.
func (s *timeline) byPreparation(r resolution, edited bool) []finding {
	helper, from := s.preparation(r, edited)
	if helper == "" {
		return s.bySetupFile(r)
	}
	r.refs = append(slices.Clone(r.refs), from.refs...)
	cmd := shell.Code(s.project.ShowCommand(r.bad))
	return s.pair(r, helper,
		"running "+cmd+" before "+shell.Code(helper)+": "+because(r.failed.fault),
		"Run "+shell.Code(helper)+" before "+cmd+": otherwise "+because(r.failed.fault))
}

// preparation returns the last command between failure and success that made
// ready what was missing. Where nothing was edited, the only preparation of
// any sort will do for a failure that explains nothing by itself.
func (s *timeline) preparation(r resolution, edited bool) (string, *call) {
	calls := s.between(r.failed, r.worked)
	if r.failed.at != r.worked.at {
		calls = append(calls, r.worked) // "make build && npm test"
	}
	var helper shell.Simple
	var from *call
	loose := 0
	for _, c := range calls {
		if c.class != shellTool || !c.worked() {
			continue
		}
		for _, seg := range c.cmd.Parts {
			p := seg.Provides()
			if p == shell.Nothing || shell.SameWords(seg, r.bad) || slices.ContainsFunc(seg.Words, func(w shell.Word) bool { return shell.IsTemporary(w.Text) }) {
				continue
			}
			switch {
			case p.Cures(r.failed.fault.Kind):
				helper, from = seg, c
			case r.failed.fault.Kind == shell.Unknown && !edited && p != shell.MakesFolder && p != shell.CopiesSetup:
				loose++
				helper, from = seg, c
			}
		}
	}
	if from == nil || loose > 1 {
		return "", nil
	}
	shown := s.project.ShowCommand(helper)
	if d := s.project.ShowDir(from.cmd.Dir); d != "" && d != s.project.ShowDir(r.failed.cmd.Dir) && !shell.IsTemporary(from.cmd.Dir) {
		shown = "cd " + d + " && " + shown
	}
	return shown, from
}

// bySetupFile: the same command, after the very file that the error names was
// written.
func (s *timeline) bySetupFile(r resolution) []finding {
	if r.failed.fault.Kind != shell.NoFile && r.failed.fault.Kind != shell.BadSetup {
		return nil
	}
	for _, c := range s.between(r.failed, r.worked) {
		base := path.Base(c.args.file)
		if c.class != writeFile || !c.worked() || len(base) < 4 || !shell.ContainsWord(r.failed.out, base) || shell.IsTemporary(c.args.file) {
			continue
		}
		r.refs = append(slices.Clone(r.refs), c.refs...)
		cmd, file := shell.Code(s.project.ShowCommand(r.bad)), shell.Code(s.project.ShowFile(c.args.file))
		return s.pair(r, base,
			"running "+cmd+" without "+file+": "+because(r.failed.fault),
			"Create "+file+" before running "+cmd+": without it, "+because(r.failed.fault))
	}
	return nil
}
