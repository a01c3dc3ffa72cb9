package install

import (
	"bytes"
	"fmt"
	"strings"
)

// The markers around what mem puts into a file of instructions.
const (
	blockBegin = "<!-- mem: begin -->"
	blockEnd   = "<!-- mem: end -->"
)

// block is for agents that run no hooks: they read it and do it themselves.
const block = blockBegin + `
## Lessons from earlier sessions

Before a task, run ` + "`mem context`" + ` and read what it prints: what went wrong in this
project before, and what helped. When the task is done and something went wrong that
the next session should know, hand it in:

    echo '{"mistakes":["…"],"fixes":["…"]}' | mem reflect
` + blockEnd

// AddBlock returns a Markdown file with the block for agents without hooks at
// its end, or in the place of an earlier one.
func AddBlock(data []byte) ([]byte, error) {
	from, to, err := findBlock(data)
	if err != nil {
		return nil, err
	}
	nl := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		nl = "\r\n"
	}
	text := strings.ReplaceAll(block, "\n", nl)
	switch {
	case to > 0:
		return []byte(string(data[:from]) + text + string(data[to:])), nil
	case data == nil:
		return []byte(text + nl), nil
	}
	added := []byte(string(data) + nl + text + nl) // the break before tells an empty file from none
	if back, err := RemoveBlock(added); err != nil || !bytes.Equal(back, data) {
		return nil, fmt.Errorf("%w: %s", ErrRefused, noWayBack)
	}
	return added, nil
}

// RemoveBlock returns a Markdown file without the block.
func RemoveBlock(data []byte) ([]byte, error) {
	from, to, err := findBlock(data)
	if err != nil || to == 0 {
		return data, err
	}
	before := data[:from]
	after := trimBreak(data[to:])
	if from == 0 && len(after) == 0 {
		return nil, nil // there was no file
	}
	before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	return append(bytes.Clone(before), after...), nil
}

func trimBreak(s []byte) []byte {
	if rest, ok := bytes.CutPrefix(s, []byte("\r\n")); ok {
		return rest
	}
	return bytes.TrimPrefix(s, []byte("\n"))
}

// findBlock returns where the block is; to is 0 if it is not there.
func findBlock(data []byte) (from, to int, err error) {
	begins, ends := bytes.Count(data, []byte(blockBegin)), bytes.Count(data, []byte(blockEnd))
	if begins == 0 && ends == 0 {
		return 0, 0, nil
	}
	from = bytes.Index(data, []byte(blockBegin))
	to = bytes.Index(data, []byte(blockEnd)) + len(blockEnd)
	if begins != 1 || ends != 1 || to < from {
		return 0, 0, fmt.Errorf("%w: the marks %s and %s in it are no pair", ErrRefused, blockBegin, blockEnd)
	}
	return from, to, nil
}
