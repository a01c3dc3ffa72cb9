package heuristic

import (
	"cmp"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// findBlocks finds calls that a hook refused with a message: a fact about the
// environment that the next session will meet again.
func findBlocks(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.result.Cause != session.BlockedByHook || c.abandoned || c.subagent {
			continue
		}
		said := cmp.Or(c.result.Reason, c.result.Text)
		if m := reHook.Get().FindStringSubmatch(said); m != nil {
			said = m[1]
		}
		said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
		doing, target := s.targetOf(c)
		if target == "" || len(strings.Fields(said)) < 3 {
			continue
		}
		out = append(out, finding{
			side: mistake, rule: "block", weight: weightFact, at: c.at, refs: c.refs,
			text:  doing + " " + target + ": a hook blocks it (" + shell.Clip(speech.MarkCode(s.project.ShowText(said)), 130) + ")",
			topic: "block " + shell.MaskNumbers(said),
		})
	}
	return out
}

var reHook = lazy.New(`(?s)^\w+:[\w.-]+ hook (?:blocking )?error:? ?(?:\[[^\]]*\]:? ?)?(.+)`)
