package heuristic

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/oracle/heuristic/decision"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/spelling"
	"mem/oracle/heuristic/talk"
	"mem/session"
)

// A moment is a scene, and what it means for the lessons in it.
type moment struct {
	speech.Scene
	denied *call // the call that was refused with these words or just before; nil if none was
	weight int
	reply  int // the event in which the agent answered; -1 if it did not
}

// findCorrections finds what people said against what the agent did or meant to do.
func findCorrections(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.result.Cause != session.DeniedByUser && c.result.Cause != session.Cancelled || c.result.Reason == "" || talk.IsForm(c.result.Reason) {
			continue
		}
		m := moment{denied: c, weight: weightWords}
		m.Refused, m.Explains, m.Command, m.File = true, true, c.cmd.Raw, c.args.File
		m.hearReply(talk.ReplyTo(s.events, c.end))
		out = append(out, s.hearLessons(m, c.result.Reason, c.end)...)
	}
	from := -1
	for _, p := range s.prompts {
		out = append(out, s.hearLessons(s.momentOf(p, from), p.text, p.at)...)
		from = p.at
	}
	settled, summed := s.findSettled()
	out = slices.DeleteFunc(out, func(f finding) bool { // said back, they have a subject
		return slices.ContainsFunc(settled, func(g finding) bool { return g.at == f.at }) ||
			f.at < summed && decision.Covers(s.events[summed].Text, f.Text)
	})
	return s.withoutTakenBack(append(out, settled...))
}

// withoutTakenBack leaves out what a person said last before they took it back.
func (s *timeline) withoutTakenBack(all []finding) []finding {
	from := -1
	for _, p := range s.prompts {
		if talk.TakesBack(p.text) {
			all = slices.DeleteFunc(all, func(f finding) bool { return f.at >= from && f.at < p.at })
		}
		from = p.at
	}
	return all
}

// momentOf describes the moment of a prompt; from is the prompt before it.
func (s *timeline) momentOf(p prompt, from int) moment {
	m := moment{weight: weightSteer}
	_, said := talk.LastSaid(s.events, p.at)
	m.First, m.Spec, m.Asked = p.first, speech.IsSpec(p.text), strings.HasSuffix(said, "?")
	m.hearReply(talk.ReplyTo(s.events, p.at))
	for _, c := range s.calls {
		if c.at > from && c.at < p.at && !c.subagent {
			m.addCall(c)
		}
	}
	m.Interrupted = slices.ContainsFunc(s.stops, func(i int) bool { return i > from && i < p.at })
	if m.Refused || m.Interrupted {
		m.weight = weightInterrupt
	}
	return m
}

// addCall adds what one call of the turn before means for a moment.
func (m *moment) addCall(c *call) {
	for _, part := range c.cmd.Parts {
		if part.Program != "" && !shell.Prepares(part.Program) {
			m.Ran = append(m.Ran, part.Program)
		}
		if f := part.Family(); c.worked() && (f == "git commit" || f == "git push") {
			m.Committed = part.Sub
		}
	}
	if c.changesFile() && c.answered {
		m.File = c.args.File
	}
	if c.result.Cause == session.DeniedByUser && c.result.Reason == "" { // a no without words
		m.denied, m.Refused, m.Command = c, true, c.cmd.Raw
	}
}

// hearReply notes what the agent said right after a moment, and where.
func (m *moment) hearReply(text string, at int) {
	m.Reply, m.reply = strings.TrimSpace(text), at
	m.Agreed = talk.Agrees(m.Reply)
}

// maxHeard bounds the lessons that one prompt can give.
const maxHeard = 4

// hearLessons turns a person's words into findings.
func (s *timeline) hearLessons(m moment, words string, at int) []finding {
	var out []finding
	for _, h := range speech.Hear(words, m.Scene) {
		if len(out) == maxHeard {
			break
		}
		if talk.IsQuoted(s.events, h.Sentence, at) || h.IsTask() && s.isDone(h.Text, at) {
			continue
		}
		f := finding{Lesson: Lesson{Text: s.attribute(h, m.denied), Events: []int{at + 1}}, side: fix, weight: m.weight, at: at}
		if utf8.RuneCountInString(f.Text) > MaxText {
			continue // a sentence is kept whole
		}
		if h.FromReply {
			f.Events = append(f.Events, m.reply+1)
		}
		if h.Avoid {
			f.side = mistake
		} else if h.Points() {
			f.Text = s.withSubject(f.Text, at-1)
		}
		if h.Standing {
			f.weight = max(f.weight, weightStanding)
		}
		f.Text = s.completeScripts(f.Text)
		s.joinRemedy(&f)
		out = append(out, f)
	}
	return out
}

// isDone reports whether a file that a person names is changed after they did.
func (s *timeline) isDone(said string, at int) bool {
	return slices.ContainsFunc(s.calls, func(c *call) bool {
		return c.at > at && c.changesFile() && c.worked() && slices.Contains(spelling.FileNames(said), path.Base(c.args.File))
	})
}

// attribute adds to a person's words which refused call they were said about,
// where the words alone would hang in the air.
func (s *timeline) attribute(h speech.Heard, denied *call) string {
	text := spelling.MarkCode(s.project.ShowText(h.Text))
	if denied == nil {
		return text
	}
	program := ""
	if denied.class == input.Shell {
		program = denied.cmd.MainPart().Program
	}
	return h.Attribute(text, s.targetOf(denied), program)
}

// targetOf says what a call works on, as code; "" if it has no name.
func (s *timeline) targetOf(c *call) string {
	if m := c.cmd.MainPart(); c.class == input.Shell && m.Program != "" {
		return shell.Code(shell.Clip(s.project.ShowCommand(m.WithoutSettings()), 50))
	}
	if c.class == input.Shell || c.class == input.Other || c.args.File == "" || shell.IsTemporary(c.args.File) {
		return ""
	}
	return s.project.ShowFile(c.args.File)
}

// joinRemedy gives what a person said of a command the failure that it is the remedy of: the
// last one for a variable, of the same program, before they said it.
func (s *timeline) joinRemedy(f *finding) {
	for _, code := range spelling.ListCode(f.Text) {
		cure := shell.Parse(code).MainPart()
		worked := func(c *call) bool { return c.at > f.at && c.worked() && shell.SameFamily(c.cmd.MainPart(), cure) }
		if cure.Sub == "" || !slices.ContainsFunc(s.calls, worked) {
			continue
		}
		for _, c := range slices.Backward(s.calls) {
			bad := c.blamedPart()
			if c.at > f.at || !c.failed() || c.subagent || c.abandoned || c.fault.NamesVariable() == "" || bad.Program != cure.Program || shell.SameFamily(bad, cure) {
				continue
			}
			f.Text = unlessLong(f.Text+"; "+s.showCommand(bad)+" alone fails with "+shell.Code(c.fault.Line), f.Text)
			f.Cue, f.Remedy, f.Events = s.cueOf(c.fault, bad), &Literals{Command: cure.General(true)}, append([]int{c.end + 1}, f.Events...)
			return
		}
	}
}

// completeScripts writes the scripts that a person names alone, such as "test:db", as the
// session ran them.
func (s *timeline) completeScripts(text string) string {
	for _, code := range spelling.ListCode(text) {
		if !strings.Contains(code, ":") || strings.Contains(code, " ") {
			continue
		}
		for _, c := range s.calls {
			if part := c.cmd.MainPart(); c.class == input.Shell && len(part.Words) > 1 && part.Words[len(part.Words)-1].Text == code && shell.HasSubcommands(part.Program) {
				text = strings.ReplaceAll(text, shell.Code(code), s.showCommand(part))
				break
			}
		}
	}
	return text
}
