package trace

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ErrSince is wrapped when a text names no time in the past.
var ErrSince = errors.New("a date such as 2026-01-31 or an age such as 30d")

// ParseSince reads from when on a person asks for something: a date, RFC 3339, or an age
// in hours, days or weeks. It is zero for "".
func ParseSince(s string, now time.Time) (time.Time, error) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), nil
		}
	}
	if s == "" {
		return time.Time{}, nil
	}
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
	unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[s[len(s)-1]]
	if err != nil || unit == 0 {
		return time.Time{}, fmt.Errorf("--since is %w, not %q", ErrSince, s)
	}
	return now.Add(-time.Duration(n) * unit), nil
}
