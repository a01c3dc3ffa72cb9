package heuristic

import (
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// amendments finds what people changed in an edit before they let it through:
// the agent proposed one line and the file now says another.
func amendments(s *timeline) []finding {
	var out []finding
	for i, c := range s.calls {
		if !c.edited || !c.worked() || c.args.file == "" || shell.IsTemporary(c.args.file) || !c.changesFile() {
			continue
		}
		result, refs := c.out, c.refs
		if !strings.Contains(result, "→") && !strings.Contains(result, "\n") {
			d := s.nextRead(i)
			if d == nil {
				continue
			}
			result, refs = d.out, append(append([]string(nil), c.refs...), d.refs...)
		}
		proposed, kept, ok := amended(c, result)
		if !ok {
			continue
		}
		out = append(out, finding{
			side: fix, rule: "amendment", weight: weightSteer, at: c.at, refs: refs,
			text: "In " + shell.Code(s.project.ShowFile(c.args.file)) + ", write " + shell.Code(kept) + " rather than " + shell.Code(proposed) + " (changed by the user)",
		})
	}
	return out
}

// nextRead returns the next look at the file that call i changed, unless it
// was changed again before.
func (s *timeline) nextRead(i int) *call {
	for _, d := range s.calls[i+1:] {
		if d.args.file != s.calls[i].args.file || !d.worked() {
			continue
		}
		if d.class == readFile {
			return d
		}
		return nil
	}
	return nil
}

// amended returns the one line of a proposal that a person changed, and what
// they made of it. It answers only where the two lines are plainly versions
// of each other.
func amended(c *call, result string) (proposed, kept string, ok bool) {
	var wanted, old []string
	for _, e := range c.args.edits {
		wanted = append(wanted, strings.Split(e.new, "\n")...)
		old = append(old, strings.Split(e.old, "\n")...)
	}
	if c.args.content != "" {
		wanted = append(wanted, strings.Split(c.args.content, "\n")...)
	}
	have := map[string]bool{}
	var lines []string
	for l := range strings.Lines(result) {
		l = strings.TrimSpace(reNumbered.Get().ReplaceAllString(l, ""))
		have[l] = true
		lines = append(lines, l)
	}
	known := map[string]bool{}
	for _, l := range append(append([]string(nil), wanted...), old...) {
		known[strings.TrimSpace(l)] = true
	}
	for _, w := range wanted {
		w = strings.TrimSpace(w)
		if len(w) < 6 || len(w) > 80 || have[w] {
			continue
		}
		for _, l := range lines {
			if len(l) >= 6 && len(l) <= 80 && !known[l] && alike(w, l) {
				return w, l, true
			}
		}
	}
	return "", "", false
}

// alike reports whether two lines are versions of one: they share a beginning
// or an end and most of their words.
func alike(a, b string) bool {
	x, y := words.SpeechWords(a), words.SpeechWords(b)
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	ends := len(a) > 3 && len(b) > 3 && (a[:4] == b[:4] || a[len(a)-4:] == b[len(b)-4:])
	return shared >= 1 && 3*shared >= max(len(x), len(y)) && ends
}

var reNumbered = lazy.New(`^\s*\d+[→\t:|] ?`)
