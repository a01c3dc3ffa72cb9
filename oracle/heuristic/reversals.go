package heuristic

import (
	"path"
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
)

// reversals finds edits that were taken back after a person spoke.
func reversals(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if !c.worked() || c.subagent || c.abandoned {
			continue
		}
		p, ok := s.promptOf(c)
		if !ok || !speech.Opposes(p.text) {
			continue // the agent changed its own mind
		}
		var undone []*call
		switch c.class {
		case shellTool:
			undone = s.undoneBy(c, p)
		case editFile:
			undone = s.swappedBy(c, p)
		}
		if len(undone) == 0 {
			continue
		}
		if f, ok := s.reversal(undone, c, p); ok {
			out = append(out, f)
		}
	}
	return out
}

// promptOf returns the last prompt before a call, if something had been
// done before it.
func (s *timeline) promptOf(c *call) (prompt, bool) {
	var last prompt
	ok := false
	for _, p := range s.prompts {
		if p.at < c.at {
			last, ok = p, !p.first
		}
	}
	return last, ok
}

// undoneBy returns the edits before p that a git command takes back.
func (s *timeline) undoneBy(c *call, p prompt) []*call {
	var out []*call
	for _, seg := range c.cmd.Parts {
		if seg.Program != "git" {
			continue
		}
		names, all := seg.RestoredFiles()
		for _, e := range s.editsBefore(p) {
			hit := slices.ContainsFunc(names, func(n string) bool { return sameFile(n, e.args.file) })
			if (all || hit) && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// sameFile reports whether a name on a command line can be the edited file.
func sameFile(name, file string) bool {
	name, file = path.Clean(name), path.Clean(file)
	return name == file || strings.HasSuffix(file, "/"+name) || strings.HasSuffix(name, "/"+file) || strings.HasPrefix(file, name+"/") || strings.Contains(file, "/"+name+"/")
}

// maxBack is how many calls before a prompt an edit may lie.
const maxBack = 30

// editsBefore returns the edits that worked in the turn before p.
func (s *timeline) editsBefore(p prompt) []*call {
	var out []*call
	for _, c := range s.calls {
		if c.at < p.at && c.changesFile() && c.worked() && !c.subagent && c.args.file != "" && !shell.IsTemporary(c.args.file) {
			out = append(out, c)
		}
	}
	return out[max(0, len(out)-maxBack):]
}

// swappedBy returns the edits before p whose old and new text this one swaps.
func (s *timeline) swappedBy(c *call, p prompt) []*call {
	var out []*call
	for _, e := range s.editsBefore(p) {
		if e.args.file != c.args.file {
			continue
		}
		for _, was := range e.args.edits {
			for _, now := range c.args.edits {
				if was.old == now.new && was.new == now.old && was.old != was.new && !slices.Contains(out, e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// reversal words the watch-out: what was changed where, and why it went back.
// A change that can neither be shown nor explained is passed over.
func (s *timeline) reversal(undone []*call, by *call, p prompt) (finding, bool) {
	last := undone[len(undone)-1]
	what := s.changeOf(last)
	telling := strings.HasPrefix(what, "replacing")
	if files := distinctFiles(undone); len(files) > 1 {
		var names []string
		for _, f := range files[:min(2, len(files))] {
			names = append(names, shell.Code(s.project.ShowFile(f)))
		}
		what = "changing " + strings.Join(names, " and ")
	}
	why := "the user had it reverted"
	if r := speech.FindReason(p.text); r != "" && !s.isQuoted(r, p.at) {
		why += " (" + speech.MarkCode(s.project.ShowText(r)) + ")"
		telling = true
	}
	f := finding{side: mistake, rule: "reversal", weight: weightSteer, at: by.at, text: what + ": " + why, topic: "revert " + last.args.file}
	for _, e := range undone {
		f.refs = append(f.refs, e.refs...)
	}
	f.refs = append(append(f.refs, ref(p.ref)...), by.refs...)
	return f, telling
}

// changeOf describes one edit by its short replacement, or else by its file.
func (s *timeline) changeOf(e *call) string {
	file := shell.Code(s.project.ShowFile(e.args.file))
	if len(e.args.edits) == 1 {
		o, n := changedPart(e.args.edits[0])
		if o != "" && n != "" && len(o) <= 50 && len(n) <= 50 {
			return "replacing " + shell.Code(o) + " with " + shell.Code(n) + " in " + file
		}
	}
	return "changing " + file
}

// changedPart returns the one line that an edit changes, old and new; empty
// if it changes more.
func changedPart(e edit) (old, new string) {
	o, n := strings.Split(strings.TrimSpace(e.old), "\n"), strings.Split(strings.TrimSpace(e.new), "\n")
	if len(o) != len(n) {
		return "", ""
	}
	changed := 0
	for i := range o {
		if o[i] != n[i] {
			old, new = strings.TrimSpace(o[i]), strings.TrimSpace(n[i])
			changed++
		}
	}
	if changed != 1 {
		return "", ""
	}
	return old, new
}

func distinctFiles(calls []*call) []string {
	var out []string
	for _, c := range calls {
		if !slices.Contains(out, c.args.file) {
			out = append(out, c.args.file)
		}
	}
	return out
}
