package install

import (
	"bytes"
	"fmt"
	"strings"

	"mem/agent"
	"mem/topic"
	"mem/words"
)

// The markers around what mem puts into a file of instructions.
const (
	blockBegin = "<!-- mem: begin -->"
	blockEnd   = "<!-- mem: end -->"
)

// block is for agents that run no hooks: they read it and do it themselves.
var block = blockBegin + `
## Lessons from earlier sessions

Before a task, run ` + "`mem context --for \"what it is about\"`" + ` and read what it prints: what went
wrong in this project before, and what helped. When the task is done and something went wrong that
the next session should know, hand it in:

    echo '{"mistakes":["…"],"fixes":["…"]}' | mem reflect

` + topic.HowToLearn() + `
Rules that mem proposes wait in ` + "`mem review`" + ` for the user.
` + blockEnd

// A Block is a part of a person's file that belongs to mem, between two marks. Neither mark may hold the other.
type Block struct{ Begin, End string }

// Put returns a file with the text, which begins and ends with the marks, at its end, or in the place of an earlier
// one. Line ends become those of the file; nil means that there is no file yet.
func (b Block) Put(data []byte, text string) ([]byte, error) {
	from, to, err := b.find(data)
	if err != nil {
		return nil, err
	}
	nl := words.LineEnd(string(data))
	text = strings.ReplaceAll(text, "\n", nl)
	switch {
	case to > 0:
		return []byte(string(data[:from]) + text + string(data[to:])), nil
	case data == nil:
		return []byte(text + nl), nil
	}
	added := []byte(string(data) + nl + text + nl) // the break before tells an empty file from none
	if back, err := b.Remove(added); err != nil || !bytes.Equal(back, data) {
		return nil, fmt.Errorf("%w: %s", ErrRefused, noWayBack)
	}
	return added, nil
}

// Remove returns a file without the block; nil if the block is all of it.
func (b Block) Remove(data []byte) ([]byte, error) {
	from, to, err := b.find(data)
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

// find returns where the block is; to is 0 if it is not there.
func (b Block) find(data []byte) (from, to int, err error) {
	begins, ends := bytes.Count(data, []byte(b.Begin)), bytes.Count(data, []byte(b.End))
	if begins == 0 && ends == 0 {
		return 0, 0, nil
	}
	from = bytes.Index(data, []byte(b.Begin))
	to = bytes.Index(data, []byte(b.End)) + len(b.End)
	isQuoted := func(at int) bool { return at > 0 && data[at-1] != '\n' }
	if begins != 1 || ends != 1 || to < from || isQuoted(from) || isQuoted(to-len(b.End)) {
		return 0, 0, fmt.Errorf("%w: the marks %s and %s in it are not a pair on lines of their own", ErrRefused, b.Begin, b.End)
	}
	return from, to, nil
}

// hidden is the line that makes git ignore the file, which is the person's own, in all of a project's work
// trees. Claude Code does that itself when it creates the file.
const hidden = "**/.claude/settings.local.json"

var hiddenBlock = Block{Begin: "# mem: begin", End: "# mem: end"}

// planHidden returns the edit that makes the project's git ignore new settings, or stop ignoring them once they
// are deleted; none if that is not wanted or not possible.
func (p Place) planHidden(r *agent.Row, settings *Edit, remove bool) []Edit {
	isNew := settings.Before == nil && !remove
	isGone := settings.After == nil && remove
	if p.Exclude == "" || p.Global || !r.Hidden || !isNew && !isGone {
		return nil
	}
	e := Edit{Path: p.Exclude, Mode: 0o644, optional: true, Change: hide}
	if remove {
		e.Change = hiddenBlock.Remove
	}
	if e.Plan() != nil {
		return nil // git shows the file, then
	}
	return []Edit{e}
}

// hide adds the line, unless a person did.
func hide(data []byte) ([]byte, error) {
	for line := range strings.Lines(string(data)) {
		if strings.HasSuffix(strings.TrimSpace(line), strings.TrimPrefix(hidden, "**/")) {
			return data, nil
		}
	}
	return hiddenBlock.Put(data, hiddenBlock.Begin+"\n"+hidden+"\n"+hiddenBlock.End)
}
