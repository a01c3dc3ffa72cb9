package heuristic

import (
	"path"
	"slices"
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
)

// reversals finds edits that were taken back after a person spoke.
func reversals(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if !c.worked() || c.subagent || c.abandoned {
			continue
		}
		p, ok := s.promptBefore(c)
		if !ok || !reAgainst.Get().MatchString(p.text) {
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

// promptBefore returns the last prompt before a call, if something had been
// done before it.
func (s *timeline) promptBefore(c *call) (prompt, bool) {
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
		if c.at < p.at && (c.class == editFile || c.class == writeFile) && c.worked() && !c.subagent && c.args.file != "" && !shell.IsTemporary(c.args.file) {
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
	if r := reasonFor(p.text); r != "" && !s.repeats(r, p.at) {
		why += " (" + tick(s.project.ShowText(r)) + ")"
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

// reasonFor returns what a person gave as the reason for taking something
// back; "" if they just asked for it.
func reasonFor(text string) string {
	for _, sen := range sentences(prose(text)) {
		t := strings.TrimRight(polish(sen.text), " .!")
		if strings.HasSuffix(t, "?") || len(t) > 160 {
			continue
		}
		if m := reReason.Get().FindStringSubmatch(t); m != nil {
			t = m[1]
		} else if reUndo.Get().MatchString(t) || !reClaim.Get().MatchString(t) || reUnsure.Get().MatchString(t) {
			continue
		}
		if len(strings.Fields(t)) >= 3 && !reRude.Get().MatchString(t) {
			return small(t)
		}
	}
	return ""
}

var (
	reReason  = lazy.New(`(?i)\b(?:revert|undo|roll(?:ed)? back|restore|put)\b.*?(?:,| -+| –| —|:|;| because| since| as)\s+(.+)`)
	reAgainst = lazy.New(`(?i)\b(?:revert|undo|undone|roll(?:ed)? ?back|restore|put .{0,30}back|take .{0,30}(?:out|back)|no|not|don't|wrong|leave|keep|shouldn't|broke|breaks?)\b`)
	reUndo    = lazy.New(`(?i)\b(?:revert|undo|roll(?:ed)? back|restore|put .* back)\b`)
)
