package lesson

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/repo"
)

// DistinctPath is the file that lists similar lessons which are all to stay.
const DistinctPath = "patterns/distinct.md"

const distinctHead = `# Distinct

Lessons that look alike, and that a person said are not the same. They are not
offered in a review again. Take a line out, and they are; a line with the ids of
two lessons is all it takes to add one.

`

const maxDistinct = 8 << 20

// The names in a line of the file.
var (
	pairName   = lazy.New(`\bpair-[0-9a-f]{8}\b`)
	lessonName = lazy.New(`\bm-[0-9a-f]{8,}\b`)
)

// readDistinct returns the ids of the pairs that are marked as distinct. A file
// that cannot be read is a problem, for a person to look at.
func readDistinct(m *repo.Memory) (map[string]bool, *proposal.Problem) {
	data, err := m.ReadFile(DistinctPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	problem := func(why string) *proposal.Problem { return &proposal.Problem{Path: DistinctPath, Why: why} }
	switch {
	case err != nil:
		return nil, problem("cannot be read: " + err.Error())
	case len(data) > maxDistinct:
		return nil, problem("is too large")
	case !utf8.Valid(data):
		return nil, problem("is not a text")
	}
	distinct := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if id := pairIn(line); id != "" {
			distinct[id] = true
		}
	}
	return distinct, nil
}

// pairIn returns the id of the pair that a line is about: the one that it names,
// else that of the first two lessons in it; "" if it is about none.
func pairIn(line string) string {
	if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "*") {
		return "" // not an item of the list
	}
	if id := pairName.Get().FindString(line); id != "" {
		return id
	}
	if names := lessonName.Get().FindAllString(line, 2); len(names) == 2 {
		return pairID(names[0], names[1])
	}
	return ""
}

func addDistinct(m *repo.Memory, a, b *index.Item, reason string) error {
	data, err := m.ReadFile(DistinctPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := cmp.Or(string(data), distinctHead)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if b.ID < a.ID {
		a, b = b, a
	}
	end := "\n"
	if strings.HasSuffix(text, "\r\n") {
		end = "\r\n"
	}
	text += "- " + pairID(a.ID, b.ID) + ": " + a.ID + " “" + guard.Line(a.Text) + "”, " + b.ID + " “" + guard.Line(b.Text) + "”"
	if reason = guard.Line(reason); reason != "" {
		text += ": " + reason
	}
	return m.WriteFile(DistinctPath, []byte(text+end))
}

// removeDistinct takes the lines about a pair out and returns them.
func removeDistinct(m *repo.Memory, id string) (lines []string, err error) {
	data, err := m.ReadFile(DistinctPath)
	if err != nil {
		return nil, err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(data)) {
		if pairIn(line) == id {
			lines = append(lines, line)
		} else {
			kept.WriteString(line)
		}
	}
	return lines, m.WriteFile(DistinctPath, []byte(kept.String()))
}
