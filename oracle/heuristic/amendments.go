package heuristic

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// findAmendments finds what people changed in an edit before they let it through:
// the agent proposed one line and the file now has another.
func findAmendments(s *timeline) []finding {
	var out []finding
	for i, c := range s.calls {
		if !c.result.Edited || !c.worked() || c.args.file == "" || shell.IsTemporary(c.args.file) || !c.changesFile() {
			continue
		}
		result, refs := c.result.Text, c.refs
		if !strings.ContainsAny(result, "→\n") {
			d := s.nextRead(i)
			if d == nil {
				continue
			}
			result, refs = d.result.Text, slices.Concat(c.refs, d.refs)
		}
		if proposed, kept := findAmended(c.args, result); kept != "" {
			out = append(out, finding{
				side: fix, rule: "amendment", weight: weightSteer, at: c.at, refs: refs,
				text: "In " + s.project.ShowFile(c.args.file) + ", write " + shell.Code(kept) + " rather than " + shell.Code(proposed) + " (changed by the user)",
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

// findAmended returns the one line of a proposal that a person changed, and
// what they made of it. Both are empty unless the two lines are plainly
// versions of each other.
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

// isVersion reports whether two lines are versions of one: they share a
// beginning or an end, and most of their words.
func isVersion(a, b string) bool {
	x, y := words.SpeechWords(a), words.SpeechWords(b)
	shared := countShared(x, y)
	ends := len(a) > 3 && len(b) > 3 && (a[:4] == b[:4] || a[len(a)-4:] == b[len(b)-4:])
	return shared >= 1 && 3*shared >= max(len(x), len(y)) && ends
}

var reNumbered = lazy.New(`(?m)^\s*\d+[→\t:|] ?`)
