package heuristic

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/words"
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

// undoneBy returns the edits before p that a git command or another edit takes back.
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

// describeReversal words what was changed where, and why it went back. It is false
// for a change that can be neither shown nor explained.
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
		Lesson: Lesson{Text: what + ": " + why}, side: mistake, weight: weightSteer, at: by.at, topic: "revert " + last.args.file,
	}, shown
}

// describeChange describes an edit by its replacement if shown, else by its file.
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

// changedLine returns the one line that an edit changes; empty if it changes more.
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

// findAmendments finds lines of an edit that people changed before they allowed it.
func findAmendments(s *timeline) []finding {
	var out []finding
	for i, c := range s.calls {
		if !c.result.Edited || !c.worked() || c.args.file == "" || shell.IsTemporary(c.args.file) || !c.changesFile() {
			continue
		}
		result := c.result.Text
		if !strings.ContainsAny(result, "→\n") {
			d := s.nextRead(i)
			if d == nil {
				continue
			}
			result = d.result.Text
		}
		if proposed, kept := findAmended(c.args, result); kept != "" {
			out = append(out, finding{
				side: fix, weight: weightSteer, at: c.at,
				Lesson: Lesson{Text: "In " + s.project.ShowFile(c.args.file) + ", write " + shell.Code(kept) + " rather than " + shell.Code(proposed) + " (changed by the user)"},
			})
		}
	}
	return out
}

// nextRead returns the next look at the file that call i changed, or nil if it
// was changed again before.
func (s *timeline) nextRead(i int) *call {
	for _, d := range s.calls[i+1:] {
		if d.args.file != s.calls[i].args.file || !d.worked() {
			continue
		}
		if d.class != readFile {
			break
		}
		return d
	}
	return nil
}

// findAmended returns the one line of a proposal that a person changed, and what
// they made of it; empty unless the two lines are versions of each other.
func findAmended(proposal arguments, result string) (proposed, kept string) {
	var wanted, old []string
	for _, e := range proposal.edits {
		wanted, old = append(wanted, trimLines(e.new)...), append(old, trimLines(e.old)...)
	}
	wanted = append(wanted, trimLines(proposal.content)...)
	lines := trimLines(reNumbered.Get().ReplaceAllString(result, ""))
	fresh := slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return len(l) < 6 || len(l) > 80 || slices.Contains(wanted, l) || slices.Contains(old, l)
	})
	for _, w := range wanted {
		if len(w) < 6 || len(w) > 80 || slices.Contains(lines, w) {
			continue
		}
		if i := slices.IndexFunc(fresh, func(l string) bool { return isVersion(w, l) }); i >= 0 {
			return w, fresh[i]
		}
	}
	return "", ""
}

// trimLines splits a text into lines without the space around them.
func trimLines(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// isVersion reports whether two lines share a beginning or an end, and most words.
func isVersion(a, b string) bool {
	x, y := words.SpeechWords(a), words.SpeechWords(b)
	shared := countShared(x, y)
	ends := len(a) > 3 && len(b) > 3 && (a[:4] == b[:4] || a[len(a)-4:] == b[len(b)-4:])
	return shared >= 1 && 3*shared >= max(len(x), len(y)) && ends
}

var reNumbered = lazy.New(`(?m)^\s*\d+[→\t:|] ?`)
