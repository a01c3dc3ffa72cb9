package heuristic

import (
	"path"
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
)

// findReversals finds edits that were taken back after a person spoke.
func findReversals(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if !c.worked() || c.subagent || c.abandoned {
			continue
		}
		p, ok := s.promptOf(c)
		if !ok || !speech.Opposes(p.text) {
			continue // the agent changed its own mind
		}
		if undone := s.undoneBy(c, p); len(undone) > 0 {
			if f, ok := s.describeReversal(undone, c, p); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// promptOf returns the last prompt before a call, if something had been done
// before it.
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

// undoneBy returns the edits before p that a git command restores, or whose old
// and new text an edit swaps.
func (s *timeline) undoneBy(c *call, p prompt) []*call {
	var out []*call
	edits := s.editsBefore(p)
	for _, part := range c.cmd.Parts {
		names, all := part.RestoredFiles()
		for _, e := range edits {
			hit := all || slices.ContainsFunc(names, func(n string) bool { return isSameFile(n, e.args.file) })
			if hit && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	for _, e := range edits {
		if c.class == editFile && c.swaps(e) {
			out = append(out, e)
		}
	}
	return out
}

// isSameFile reports whether a name on a command line can be the edited file.
func isSameFile(name, file string) bool {
	name, file = path.Clean(name), path.Clean(file)
	return name == file || strings.HasSuffix(file, "/"+name) || strings.HasSuffix(name, "/"+file) || strings.HasPrefix(file, name+"/") || strings.Contains(file, "/"+name+"/")
}

// swaps reports whether one of the edits of c takes back one of e's.
func (c *call) swaps(e *call) bool {
	return e.args.file == c.args.file && slices.ContainsFunc(e.args.edits, func(was edit) bool {
		return was.old != was.new && slices.Contains(c.args.edits, edit{old: was.new, new: was.old})
	})
}

// maxBack is how many calls before a prompt an edit may lie.
const maxBack = 30

// editsBefore returns the edits that worked before p.
func (s *timeline) editsBefore(p prompt) []*call {
	var out []*call
	for _, c := range s.calls {
		if c.at < p.at && c.changesFile() && c.worked() && !c.subagent && c.args.file != "" && !shell.IsTemporary(c.args.file) {
			out = append(out, c)
		}
	}
	return out[max(0, len(out)-maxBack):]
}

// describeReversal words what was changed where, and why it went back. It is
// false for a change that can neither be shown nor explained.
func (s *timeline) describeReversal(undone []*call, by *call, p prompt) (finding, bool) {
	last := undone[len(undone)-1]
	what, shown := s.describeChange(last)
	var files []string
	for _, e := range undone {
		if f := s.project.ShowFile(e.args.file); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if len(files) > 1 {
		what = "changing " + files[0] + " and " + files[1]
	}
	why := "the user had it reverted"
	if r := speech.FindReason(p.text); r != "" && !s.isQuoted(r, p.at) {
		why += " (" + speech.MarkCode(s.project.ShowText(r)) + ")"
		shown = true
	}
	return finding{
		side: mistake, rule: "reversal", weight: weightSteer, at: by.at, text: what + ": " + why, topic: "revert " + last.args.file,
		refs: slices.Concat(refsOfCalls(undone), p.refs, by.refs),
	}, shown
}

// describeChange describes one edit by its short replacement, or else by its
// file; shown reports whether it does the former.
func (s *timeline) describeChange(e *call) (what string, shown bool) {
	file := s.project.ShowFile(e.args.file)
	if len(e.args.edits) == 1 {
		o, n := changedLine(e.args.edits[0])
		if o != "" && n != "" && len(o) <= 50 && len(n) <= 50 {
			return "replacing " + shell.Code(o) + " with " + shell.Code(n) + " in " + file, true
		}
	}
	return "changing " + file, false
}

// changedLine returns the one line that an edit changes, old and new; empty if
// it changes more.
func changedLine(e edit) (old, new string) {
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
