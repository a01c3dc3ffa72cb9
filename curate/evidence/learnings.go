package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/words"
)

// Limits of the blocks of a LEARNINGS.md, in characters.
const (
	minBlock = 10
	maxBlock = 1000
)

// A Block is one lesson in a LEARNINGS.md.
type Block struct {
	ID    string // of a lesson of a memory, where mem wrote it; "" for a text of others
	Key   string
	Text  string // with white space folded
	Unfit string // why it cannot be a lesson; "" if it can
	Order bool   // that is because it reads like an order
	Line  int    // that it begins on, from 1
}

func (b *Block) kind() index.Kind {
	if index.SaysAvoid(b.Text) {
		return index.AntiPattern
	}
	return index.Learning
}

// ReadBlocks reads a LEARNINGS.md: blocks between lines that are nothing but "---".
// What comes before the first such line is a header if it starts with a heading, or
// if there is no such line. Blocks under 10 characters and repetitions are skipped.
func ReadBlocks(data []byte) (blocks []Block) {
	seen := map[string]bool{}
	for _, p := range splitParts(data) {
		if p.isBlock && !seen[p.Key] {
			seen[p.Key] = true
			blocks = append(blocks, p.Block)
		}
	}
	return blocks
}

// newBlock returns the block of a text, and whether it can be a lesson.
func newBlock(part []byte) Block {
	text := words.FoldSpace(guard.Clean(string(part))) // before secrets are looked for: a line break hides some
	b := Block{Text: index.FoldAvoid(guard.Scrub(text))}
	b.Key = index.KeyOf(b.Text)
	problems := guard.Lint(b.Text)
	switch n := utf8.RuneCountInString(b.Text); {
	case guard.CountSecrets(text) > 0:
		b.Unfit = "it holds what looks like a secret"
	case len(problems) > 0:
		b.Order = true
		b.Unfit = fmt.Sprintf("it reads like an order to the agent (%s)", problems[0].Rule)
	case n > maxBlock:
		b.Unfit = fmt.Sprintf("it has %d characters, more than %d", n, maxBlock)
	}
	return b
}

// CutBlocks returns a LEARNINGS.md without the blocks that have one of the keys. All other bytes stay as they are. With
// each block goes one of the lines around it; the first such line of the file stays for what will be appended.
func CutBlocks(data []byte, keys map[string]bool) []byte {
	isCut := func(p part) bool { return p.isBlock && keys[p.Key] }
	parts := splitParts(data)
	var out []byte
	if !isCut(parts[0]) {
		out = append(out, parts[0].data...)
	}
	if len(parts) > 1 {
		out = append(out, parts[1].mark...)
	}
	for i, p := range slices.DeleteFunc(parts[1:], isCut) {
		if i > 0 {
			out = append(out, p.mark...)
		}
		out = append(out, p.data...)
	}
	return out
}

// A part of a file stands between two lines of "---".
type part struct {
	Block
	isBlock bool
	mark    []byte // the line before it
	data    []byte
}

// divider matches a line that is nothing but "---".
var divider = lazy.New(`(?m)^\x{FEFF}?---[ \t\r]*(?:\n|\z)`)

// splitParts splits a file at the lines of "---". There is at least one part.
func splitParts(data []byte) (parts []part) {
	p, from, above := part{}, 0, 0
	for _, at := range append(divider.Get().FindAllIndex(data, -1), []int{len(data), len(data)}) {
		p.data = data[from:at[0]]
		p.Block = newBlock(p.data)
		blank := p.data[:len(p.data)-len(bytes.TrimLeft(p.data, " \t\r\n"))]
		p.Line = above + bytes.Count(blank, []byte("\n")) + 1
		parts = append(parts, p)
		above += bytes.Count(data[from:at[1]], []byte("\n"))
		p, from = part{mark: data[at[0]:at[1]]}, at[1]
	}
	for i := range parts {
		p := &parts[i]
		isHeader := i == 0 && (strings.HasPrefix(p.Text, "#") || len(parts) == 1)
		p.isBlock = !isHeader && utf8.RuneCountInString(p.Text) >= minBlock
	}
	return parts
}
