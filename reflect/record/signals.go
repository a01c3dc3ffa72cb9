package record

import (
	"cmp"
	"strings"

	"mem/session"
)

// The limits of signals, those of pi-self-learning.
const (
	maxSignals    = 8
	signalPreview = 180 // characters
)

// FindSignals returns the places where a person or a rule stopped the agent, at
// most eight, newest last, each once. They are where a session is most
// likely to teach something.
func FindSignals(events []session.Event) []string {
	var all []string
	seen := map[string]bool{}
	for _, e := range events {
		s := describeSignal(e)
		if s == "" || seen[strings.ToLower(s)] {
			continue
		}
		seen[strings.ToLower(s)] = true
		all = append(all, s)
	}
	if over := len(all) - maxSignals; over > 0 {
		all = all[over:]
	}
	return all
}

// describeSignal returns what stopped the agent; "" if e did not.
func describeSignal(e session.Event) string {
	what := ""
	switch {
	case e.Kind == session.Interrupt:
		what = "interrupted by the user"
	case e.Kind != session.ToolResult:
		return ""
	case e.Cause == session.DeniedByUser:
		what = e.Tool + " denied by the user"
	case e.Cause == session.DeniedByRule:
		what = e.Tool + " denied by a rule"
	case e.Cause == session.BlockedByHook:
		what = e.Tool + " blocked by a hook"
	case e.Cause == session.Cancelled:
		what = e.Tool + " cancelled"
	default:
		return ""
	}
	if detail := onLine(cmp.Or(e.Reason, e.Text), signalPreview); detail != "" {
		what += ": " + detail
	}
	return what
}
