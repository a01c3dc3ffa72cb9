package heuristic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/spelling"
	"mem/session"
)

// maxSettled bounds the lessons that one recap and all short answers can give.
const maxSettled = 4

// findSettled finds what a person decided against a proposal of the agent's, or between
// its choices, in the words in which the agent said it back: these have a subject. A
// recap of it all, once the person decided something, stands for the answers before.
func (s *timeline) findSettled() []finding {
	var short, recaps []finding
	decided := 0
	for _, p := range s.prompts {
		before, asked := s.lastSaid(p.at)
		worked := slices.ContainsFunc(s.calls, func(c *call) bool { return c.at < p.at })
		if text := speech.Confirm(asked, p.text); text != "" && (!worked || speech.Lays(text)) {
			short = append(short, s.settle(text, p.at, before))
			continue
		}
		at, reply := s.answerTo(p.at)
		if p.first || at < 0 {
			continue
		}
		decides := speech.Decides(p.text, strings.HasSuffix(asked, "?"))
		if decides {
			decided++
		}
		if decided == 0 {
			continue
		}
		if parts := speech.Recap(reply); len(parts) > 0 && !worked {
			recaps = nil // a later one replaces it
			for _, text := range parts[:min(len(parts), maxSettled)] {
				recaps = append(recaps, s.settle(text, p.at, at))
			}
		} else if text := speech.Restate(reply); text != "" && decides && spelling.Repeats(text, p.text) && (!worked || speech.Lays(text)) {
			short = append(short, s.settle(text, p.at, at))
		}
	}
	if recaps != nil {
		return recaps
	}
	return short[:min(len(short), maxSettled)]
}

// settle makes a finding of what was decided at one event and said back at another.
func (s *timeline) settle(text string, decided, said int) finding {
	return finding{
		Lesson: Lesson{Text: s.withSubject(spelling.MarkCode(s.project.ShowText(text)), min(decided, said)), Events: []int{min(decided, said) + 1, max(decided, said) + 1}},
		side:   fix, weight: weightStanding, at: decided,
	}
}

// withSubject puts before a text that names nothing in code what the talk before it is about:
// the first name in code, if nothing but talk came before.
func (s *timeline) withSubject(text string, at int) string {
	if text[0] == '`' || spelling.FindName(text) != "" || slices.ContainsFunc(s.calls, func(c *call) bool { return c.at < at }) {
		return text
	}
	for _, e := range s.events[:at+1] {
		name := spelling.FindName(e.Text)
		if name == "" {
			continue
		}
		sep := ": "
		if i := strings.Index(text, ": "); i > 0 && i < 35 {
			sep = ", "
		}
		if with := "`" + name + "`" + sep + speech.LowerFirst(text); utf8.RuneCountInString(with) <= MaxText {
			return with
		}
		break
	}
	return text
}

// answerTo returns where and what the agent said next after event at, before the person
// spoke again; -1 if nothing.
func (s *timeline) answerTo(at int) (int, string) {
	i := slices.IndexFunc(s.events[at+1:], func(e session.Event) bool {
		return e.Kind == session.UserText && e.Origin == session.Human || e.Kind == session.AssistantText && e.Origin == session.Agent
	})
	if i < 0 || s.events[at+1+i].Kind == session.UserText {
		return -1, ""
	}
	return at + 1 + i, strings.TrimSpace(s.events[at+1+i].Text)
}
