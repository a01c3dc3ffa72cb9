package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/decision"
	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/spelling"
	"mem/oracle/heuristic/talk"
)

// How many lessons one recap, and all short answers, can give.
const (
	maxRecap   = 6
	maxSettled = 4
)

// findSettled finds what a person decided against a proposal of the agent's, or between
// its choices, in the words in which the agent said it back: these have a subject. A
// recap of it all, once the person decided something, stands for the answers before: summed
// is the event of the last one, -1 if there is none.
func (s *timeline) findSettled() (settled []finding, summed int) {
	var short, recaps []finding
	decided := false
	summed = -1
	for _, p := range s.prompts {
		before, asked := talk.LastSaid(s.events, p.at)
		worked := slices.ContainsFunc(s.calls, func(c *call) bool { return c.at < p.at })
		if text := decision.Confirm(asked, p.text); text != "" && (!worked || speech.Lays(text)) {
			short = append(short, s.settle(text, p.at, before))
			continue
		}
		at, reply := talk.AnswerTo(s.events, p.at)
		if p.first || at < 0 {
			continue
		}
		decides := decision.Decides(p.text, strings.HasSuffix(asked, "?"))
		if decided = decided || decides; !decided {
			continue
		}
		if parts := decision.ReadRecap(reply, s.subject(at), MaxText); len(parts) > 0 && !worked {
			summed = at // what it says again it replaces
			recaps = slices.DeleteFunc(recaps, func(f finding) bool { return decision.Covers(reply, f.Text) })
			for _, text := range parts[:min(len(parts), maxRecap)] {
				recaps = append(recaps, s.settle(text, p.at, at))
			}
		} else if text := speech.Restate(reply); text != "" && decides && spelling.Repeats(text, p.text) && (!worked || speech.Lays(text)) {
			short = append(short, s.settle(text, p.at, at))
		}
	}
	if recaps != nil {
		return recaps, summed
	}
	return short[:min(len(short), maxSettled)], -1
}

// settle makes a finding of what was decided at one event and said back at another.
func (s *timeline) settle(text string, decided, said int) finding {
	text = s.project.ShowText(text)
	text = unlessLong(spelling.MarkCode(text), text)
	return finding{
		Lesson: Lesson{Text: s.withSubject(text, min(decided, said)), Events: []int{min(decided, said) + 1, max(decided, said) + 1}},
		side:   fix, weight: weightStanding, at: decided,
	}
}

// withSubject puts before a text that names nothing in code what the talk before it is about.
func (s *timeline) withSubject(text string, at int) string {
	return unlessLong(decision.AddSubject(text, s.subject(at)), text)
}

// subject returns what the talk up to an event is about, if nothing but talk came before.
func (s *timeline) subject(at int) string {
	if slices.ContainsFunc(s.calls, func(c *call) bool { return c.at < at }) {
		return ""
	}
	var talk []string
	for _, e := range s.events[:at+1] {
		talk = append(talk, e.Text)
	}
	return decision.FindSubject(talk)
}
