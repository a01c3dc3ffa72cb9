package named

import (
	"strings"

	"mem/guard/chars"
)

// A replacement begins and ends with these.
const (
	MarkOpen  = "[redacted:"
	MarkClose = "]"

	LongestMark = 48
)

// MarkLen returns the length of the replacement s begins with, or 0. A family's
// name has only lower-case letters and hyphens, so that [redacted:hunter2]
// hides nothing.
func MarkLen(s string) int {
	if !strings.HasPrefix(s, MarkOpen) {
		return 0
	}
	n := len(MarkOpen)
	for n < min(len(s), LongestMark) && (chars.IsLower(s[n]) || s[n] == '-') {
		n++
	}
	if n == len(MarkOpen) || !strings.HasPrefix(s[n:], MarkClose) {
		return 0
	}
	return n + len(MarkClose)
}
