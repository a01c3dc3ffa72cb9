package pi

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
)

// skippedCall is what pi answers to a call that it did not make, since the person said
// something meanwhile.
const skippedCall = "Skipped due to queued user message."

// ownTools are pi's, which word their errors themselves.
var ownTools = []string{"read", "bash", "edit", "write", "grep", "find", "ls"}

// refusals are the words that pi-self-learning takes for a refusal, in its order.
var refusals = []struct {
	cause session.Cause
	words *lazy.Regexp
}{
	{session.DeniedByRule, lazy.New(`(?i)\b(permission\s+(denied|negated)|operation not permitted|access denied|eacces|eperm|unauthorized)\b`)},
	{session.BlockedByHook, lazy.New(`(?i)\b(blocked|(dis|not )allowed|forbidden|refused|policy|dangerous command|denied by|user denied)\b`)},
	{session.Cancelled, lazy.New(`(?i)\b((cancell?ed|aborted) by user|user cancell?ed)\b`)},
}

// findRefusal returns what an error that reads like a refusal says; OK for another one.
func findRefusal(s string) session.Cause {
	for _, r := range refusals {
		if r.words.Matches(s) {
			return r.cause
		}
	}
	return session.OK
}

// readCause says why a tool result of pi is an error, from its text. The words
// are at the end because the output of the tool comes first. pi does not mark a
// refusal: it counts where the tool cannot have said it, one of pi's own without
// the last line of a command that ran. Of those only bash has no other errors that
// hold the words of a refusal, such as a path with "policy" in it.
func readCause(s, tool string) (session.Cause, string) {
	s = strings.TrimSpace(s)
	lastLine := s[strings.LastIndexByte(s, '\n')+1:]
	ran := !slices.Contains(ownTools, tool) || s != lastLine && strings.HasPrefix(lastLine, "Command exited with ")
	if reason, ok := strings.CutPrefix(s, "Blocked by user"); ok && !ran {
		return session.DeniedByUser, strings.TrimLeft(reason, " :.-\n")
	}
	switch {
	case s == skippedCall, lastLine == "Command aborted", lastLine == "Operation aborted":
		return session.Cancelled, ""
	case strings.HasPrefix(lastLine, "Command timed out after "):
		return session.TimedOut, ""
	case s == "Tool execution was blocked", !ran && strings.HasPrefix(s, "Blocked"):
		return session.BlockedByHook, ""
	case !ran && tool == "bash" && findRefusal(s) != session.OK:
		return findRefusal(s), ""
	}
	return session.Failed, ""
}
