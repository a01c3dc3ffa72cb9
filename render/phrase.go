package render

import (
	"strconv"
	"strings"
	"unicode"
)

// Count writes a number with its noun: "1 lesson", "3 lessons".
func Count(n int, one, many string) string { return strconv.Itoa(n) + " " + Plural(n, one, many) }

// Plural returns one if n is 1, else many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Shorten returns the first most characters of s and "…", without white space
// before it, or s itself if it has no more than most.
func Shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n >= most {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return s
}
