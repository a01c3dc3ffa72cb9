package story

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
)

// Write writes the facts of a lesson, and its story, below the line that names it.
func (s Story) Write(out io.Writer) {
	it := s.item
	say := func(name, format string, args ...any) {
		if text := guard.Line(fmt.Sprintf(format, args...)); text != "" {
			fmt.Fprintf(out, "  %s: %s\n", name, text)
		}
	}
	fmt.Fprintf(out, "  %s, seen %s, %s to %s\n", guard.Line(string(it.Kind)), render.Count(it.Hits, "time", "times"), formatMinute(it.FirstSeen), formatMinute(it.LastSeen))
	say("state", "%s since %s", cmp.Or(string(it.Status), "active"), formatMinute(s.Since))
	for _, fact := range [][2]string{
		{"confidence", it.Confidence}, {"severity", it.Severity}, {"origin", string(it.Origin)}, {"domain", it.Domain},
		{"tags", strings.Join(it.Tags, ", ")}, {"superseded by", it.SupersededBy}, {"why", s.Why}, {"merged from", strings.Join(s.MergedFrom, ", ")},
		{"applies at", describeLiterals(it.Cue)}, {"remedy", describeLiterals(it.Remedy)},
	} {
		say(fact[0], "%s", fact[1])
	}
	for i := range s.Sightings {
		s.Sightings[i].write(out, say)
	}
	if s.Uncounted > 0 {
		say("seen", "%s of which only the number is kept", render.Count(s.Uncounted, "time", "times"))
	}
	for _, d := range s.Decisions {
		because := ""
		if d.Reason != "" {
			because = ", because " + d.Reason
		}
		say("commit", "%.12s %s %s: %s%s", d.Commit, formatMinute(d.When), d.By, d.What, because)
	}
	s.writeUse(say)
}

// writeUse says whether sessions are shown the lesson, and whether it holds.
func (s Story) writeUse(say func(name, format string, args ...any)) {
	if s.Shown == nil {
		say("shown", "never, as far as receipts go back")
	} else {
		who := strings.TrimSpace(s.Shown.Agent + " session " + s.Shown.Session)
		if s.Shown.Place > 0 {
			ground := s.Shown.Ground
			if words, ok := strings.CutPrefix(ground, "fits "); ok {
				ground = `it fits "` + words + `"`
			}
			who += fmt.Sprintf(", %d of %d: %s", s.Shown.Place, s.Shown.Of, ground)
		}
		say("shown", "%s, last %s (%s) to %s", render.Count(s.Shown.Times, "time", "times"), formatMinute(s.Shown.Last), s.Shown.Kind, who)
	}
	if s.Place > 0 {
		say("rank", "%d of %d", s.Place, s.Active)
	}
	say("a session that starts now", "%s", cmp.Or(s.Told, "is not shown it"))
	say("verify first", "%s", s.Verify)
	if s.Shared != nil {
		say("promoted", "to %s as %s, %s there", s.Shared.Root, s.Shared.ID, s.Shared.Status)
	}
	switch {
	case len(s.Found) > 0:
		say("found in the code", "%s, at %s", strings.Join(s.Found, ", "), formatMinute(s.Checked))
	case !s.Checked.IsZero():
		say("found in the code", "not at %s", formatMinute(s.Checked))
	}
}

// write writes a sighting and the words that it rests on.
func (s *sighting) write(out io.Writer, say func(name, format string, args ...any)) {
	parts := []string{formatMinute(s.At)}
	for _, fact := range [][2]string{{"agent", s.Agent}, {"session", s.Session}, {"events", s.Span}, {"worded by", s.Model}} {
		if fact[1] != "" {
			parts = append(parts, fact[0]+" "+fact[1])
		}
	}
	if s.Commit != "" {
		parts = append(parts, fmt.Sprintf("commit %.12s", s.Commit))
	}
	say("seen", "%s", strings.Join(parts, ", "))
	for _, words := range s.Words {
		fmt.Fprintf(out, "    > %s\n", guard.Line(words))
	}
	if s.Network {
		fmt.Fprintf(out, "    (what came from outside is not repeated here)\n")
	}
}

// describeLiterals is what a lesson is about, or what cures it.
func describeLiterals(l *index.Literals) string {
	if l == nil {
		return ""
	}
	var parts []string
	for _, part := range []string{l.Tool, l.Command, l.Error, l.Path} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " | ")
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
