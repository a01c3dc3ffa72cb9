package evidence

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"mem/guard"
	"mem/index"
	"mem/words"
)

// Limits of the blocks of a LEARNINGS.md, in characters.
const (
	minBlock = 10
	maxBlock = 1000
)

// A Block is one lesson in a LEARNINGS.md.
type Block struct {
	Key   string
	Text  string // with white space folded
	Unfit string // why it is not taken into a memory; "" if it may be
	Order bool   // that is because it reads like an order
	Line  int    // that it begins on, from 1

	part int
}

// ReadBlocks reads a LEARNINGS.md: a header, then blocks between lines that are
// nothing but "---". What comes before the first such line is the header if it
// starts with a heading, and a block otherwise. ReadBlocks under 10 characters are
// passed over, and so are repetitions of one.
//
// A file without any such line has no blocks.
func ReadBlocks(data []byte) (blocks []Block) {
	parts, marks := split(data)
	if len(marks) == 0 {
		return nil
	}
	seen := map[string]bool{}
	above := 0 // lines
	for i, part := range parts {
		b := newBlock(part, i)
		blank := part[:len(part)-len(bytes.TrimLeft(part, " \t\r\n"))]
		b.Line = above + bytes.Count(blank, []byte("\n")) + 1
		above += bytes.Count(part, []byte("\n")) + 1
		if i == 0 && strings.HasPrefix(b.Text, "#") || utf8.RuneCountInString(b.Text) < minBlock || seen[b.Key] {
			continue
		}
		seen[b.Key] = true
		blocks = append(blocks, b)
	}
	return blocks
}

// HasMarks reports whether a LEARNINGS.md has a line of "---", without which it
// has no blocks.
func HasMarks(data []byte) bool {
	_, marks := split(data)
	return len(marks) > 0
}

// newBlock is the block that a part of a file holds.
func newBlock(part []byte, at int) Block {
	text, _ := guard.Clean(string(part))
	text = words.FoldSpace(text) // before secrets are looked for: a line break hides some
	b := Block{Text: guard.Line(text), part: at}
	if index.SaysAvoid(b.Text) {
		b.Text = index.Avoid(b.Text)
	}
	b.Key = index.Key(b.Text)
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

// CutBlocks returns a LEARNINGS.md without the blocks that have one of the keys. All
// other bytes stay as they are, and with each block goes one of the lines around
// it; the first such line of the file stays for what will be appended.
func CutBlocks(data []byte, keys map[string]bool) []byte {
	gone := map[int]bool{}
	parts, marks := split(data)
	for i, part := range parts {
		b := newBlock(part, i)
		header := i == 0 && (strings.HasPrefix(b.Text, "#") || len(marks) == 0)
		gone[i] = keys[b.Key] && !header && utf8.RuneCountInString(b.Text) >= minBlock
	}
	var out []byte
	first := true
	for i, part := range parts {
		if i == 0 {
			if !gone[0] {
				out = append(out, part...)
			}
			if len(marks) > 0 {
				out = append(out, marks[0]...)
			}
			continue
		}
		if gone[i] {
			continue
		}
		if !first {
			out = append(out, marks[i-1]...)
		}
		out, first = append(out, part...), false
	}
	return out
}

// split takes a file apart at the lines that are nothing but "---", white space
// at the end aside. There is one more part than there are marks.
func split(data []byte) (parts, marks [][]byte) {
	from, at := 0, 0
	for line := range bytes.Lines(data) {
		end := at + len(line)
		bare := bytes.TrimRight(line, " \t\r\n")
		if at == 0 {
			bare = bytes.TrimPrefix(bare, []byte("\ufeff"))
		}
		if string(bare) == "---" {
			parts, marks = append(parts, data[from:at]), append(marks, line)
			from = end
		}
		at = end
	}
	return append(parts, data[from:]), marks
}
