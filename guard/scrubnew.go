package guard

import (
	"bytes"
	"strings"
)

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
