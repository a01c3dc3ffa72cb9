package heuristic

import (
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// blocks finds calls that a hook refused with a message: a fact about the
// environment that the next session will meet again.
func blocks(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.cause != session.BlockedByHook || c.abandoned || c.subagent {
			continue
		}
		said := c.reason
		if said == "" {
			said = c.out
		}
		if m := reHook.Get().FindStringSubmatch(said); m != nil {
			said = m[1]
		}
		said = strings.TrimSpace(said)
		said, _, _ = strings.Cut(said, "\n")
		target := s.target(c)
		if target == "" || len(strings.Fields(said)) < 3 || c.class == otherTool {
			continue
		}
		out = append(out, finding{
			side: mistake, rule: "block", weight: weightFact, at: c.at, refs: c.refs,
			text:  verbFor(c) + " " + target + ": a hook blocks it (" + shell.Clip(speech.MarkCode(s.project.ShowText(said)), 130) + ")",
			topic: "block " + shell.MaskNumbers(said),
		})
	}
	return out
}

var reHook = lazy.New(`(?s)^\w+:[\w.-]+ hook (?:blocking )?error:? ?(?:\[[^\]]*\]:? ?)?(.+)`)
