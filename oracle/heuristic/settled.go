package heuristic

import (
	"slices"
	"strings"

	"mem/index"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// How many lessons one recap, and all short answers, can give.
const (
	maxRecap   = 6
	maxSettled = 4
)

// findSettled finds a person's decisions against a proposal of the agent, or between its choices, in
// the agent's own restatement: this has a subject. Once the person decided something, a recap of all
// replaces the answers before it: summed is the event of the last recap, -1 if there is none.
func (s *timeline) findSettled() (settled []finding, summed int) {
	var short, recaps []finding
	decided := false
	summed = -1
	for _, p := range s.prompts {
		if slices.ContainsFunc(s.calls, func(c *call) bool { return c.at < p.at && (c.class == shell.EditTool || commandOf(c) != "") }) {
			break // from here on it is work
		}
		at, reply := s.answerTo(p.at)
		if p.first || at < 0 {
			continue
		}
		decides := speech.Decides(p.text, s.hasAsked(p.at))
		if decided = decided || decides; !decided {
			continue
		}
		if parts := readRecap(reply, s.subject(at), maxText); len(parts) > 0 {
			summed = at // what it says again it replaces
			recaps = slices.DeleteFunc(recaps, func(f finding) bool { return covers(reply, f.Text) })
			for _, text := range parts[:min(len(parts), maxRecap)] {
				recaps = append(recaps, s.settle(text, p.at, at))
			}
		} else if text := restate(reply, p.text); text != "" && decides {
			short = append(short, s.settle(text, p.at, at))
		}
	}
	if recaps != nil {
		return recaps, summed
	}
	return short[:min(len(short), maxSettled)], -1
}

// hasAsked reports whether what the agent said last before event at, since the person spoke, is a question.
func (s *timeline) hasAsked(at int) bool {
	for at--; at > 0 && s.events[at].Kind != session.UserText && s.events[at].Kind != session.AssistantText; at-- {
	}
	return at >= 0 && s.events[at].Kind == session.AssistantText && strings.HasSuffix(strings.TrimSpace(s.events[at].Text), "?")
}

// answerTo returns where and what the agent said next after event at, before the person spoke again; -1 if nothing.
func (s *timeline) answerTo(at int) (int, string) {
	for i, said := range s.saidAfter(at) {
		return i, said
	}
	return -1, ""
}

// settle makes a finding of what was decided at one event and said back at another.
func (s *timeline) settle(text string, decided, said int) finding {
	text = addSubject(speech.MarkCode(s.project.ShowText(text)), s.subject(decided))
	return finding{Lesson: index.Lesson{Text: text, Events: []int{decided + 1, said + 1}}, at: decided}
}

// subject returns the subject of the talk up to an event: the first name in code; "" if there is none.
func (s *timeline) subject(at int) string {
	for _, e := range s.events[:at+1] {
		if name := speech.FindName(e.Text); name != "" {
			return shell.Code(name)
		}
	}
	return ""
}
