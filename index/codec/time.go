package codec

import "time"

// layouts are the spellings that JavaScript's Date accepts and that a hand-edited index
// may hold.
var layouts = [...]string{
	time.RFC3339Nano, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00",
	time.RFC1123, time.RFC1123Z,
}

// parseTime reads a date as it stands in an index, to the millisecond.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && inRange(t) {
			return t.UTC().Truncate(time.Millisecond), true
		}
	}
	return time.Time{}, false
}

// inRange reports whether the year has four digits.
func inRange(t time.Time) bool {
	y := t.UTC().Year()
	return y >= 0 && y <= 9999
}

// appendTime writes t as JavaScript's toISOString does: always with three digits of
// milliseconds. Only the seconds have a layout that AppendFormat writes fast.
func appendTime(dst []byte, t time.Time) []byte {
	dst = t.UTC().AppendFormat(dst, time.RFC3339)
	milli := t.Nanosecond() / 1e6
	return append(dst[:len(dst)-1], '.', byte('0'+milli/100), byte('0'+milli/10%10), byte('0'+milli%10), 'Z')
}
