// Package guard keeps three things out of a memory: characters that a person
// cannot see, secrets, and text that tries to give orders.
//
//   - [Scrub] is the one gate for text: it removes invisible characters, then
//     replaces secrets by [redacted:family]. [Line] does so on one line.
//   - [HoldsSecrets] and [PrintsSecrets] name sources that are left out
//     whole, because redaction alone is not trusted with them.
//   - [Lint] names what makes a lesson read as an instruction to fetch, run,
//     hide or disable something.
//
// All of it is pure: no files, no network, no clock, and the same text gives
// the same answer. Guard leaves to its callers what happens next (a lesson
// with a problem is quarantined by reflect, a blob with a secret is refused by
// repo), whom to trust, and how long a text may be.
package guard

import (
	"bytes"
	"strconv"
	"strings"

	"mem/words"
)

// Scrub returns s as it may be kept and shown: without characters that a person
// cannot see, and with a mark in place of each secret. It is the one gate that
// every text passes, because the order matters: an invisible character inside a
// secret hides it.
func Scrub(s string) string { return ScrubNoting(s, nil) }

// ScrubNoting is Scrub that calls note, unless it is nil, with each secret and the mark that
// stands for it.
func ScrubNoting(s string, note func(secret, mark string)) string {
	s, _ = redact(Clean(s), note)
	return s
}

// Line is Scrub on one line: what a value goes through that is printed in a
// list, a table or a sentence.
func Line(s string) string { return words.FoldSpace(Scrub(s)) }

// ListSome returns the first of some texts, each on a line behind a mark, and how many more there are.
func ListSome(mark string, texts []string, most int) (list string) {
	for _, text := range texts[:min(len(texts), most)] {
		list += mark + Line(text) + "\n"
	}
	if more := len(texts) - most; more > 0 {
		list += mark[:strings.LastIndex(mark, "  ")+2] + "and " + strconv.Itoa(more) + " more\n"
	}
	return list
}

// CountSecrets returns how many secrets Scrub would take out of s.
func CountSecrets(s string) int {
	_, n := redact(Clean(s), nil)
	return n
}

// ScrubNew returns data with every line scrubbed but those that old begins and
// ends with.
func ScrubNew(old, data []byte) []byte {
	head, tail := len(old), 0
	if !bytes.HasPrefix(data, old) {
		for head = 0; head < min(len(old), len(data)) && old[head] == data[head]; head++ {
		}
		head = bytes.LastIndexByte(data[:head], '\n') + 1
		for tail < min(len(old), len(data))-head && old[len(old)-1-tail] == data[len(data)-1-tail] {
			tail++
		}
		// Only whole lines are old: a secret may begin like the one before.
		if begin := len(data) - tail; begin > head && data[begin-1] != '\n' {
			line := bytes.IndexByte(data[begin:], '\n') + 1
			if line == 0 {
				line = tail
			}
			tail -= line
		}
	}
	fresh := string(data[head : len(data)-tail])
	middle := Scrub(fresh)
	if n := strings.Count(fresh, "\n"); n > 0 && n == strings.Count(fresh, "\r\n") { // in a file with such line ends
		middle = strings.ReplaceAll(middle, "\n", "\r\n")
	}
	return append(append(append(make([]byte, 0, len(data)), data[:head]...), middle...), data[len(data)-tail:]...)
}
