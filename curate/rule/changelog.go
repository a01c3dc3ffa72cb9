package rule

import (
	"errors"
	"fmt"
	"io/fs"

	"mem/render"
	"mem/repo"
)

// ChangelogPath is the file that tells people how the rules changed.
const ChangelogPath = "CHANGELOG.md"

const changelogHead = `# Changelog

How the rules of this memory changed, the latest last.
`

// An Entry is one change of a rule.
type Entry struct {
	Rule    Rule
	Written Written
	Pattern string // id
	Auto    bool   // nobody was asked
}

// NoteChange adds an entry at the end of the changelog. What is there stays as it
// is, whoever wrote it.
func NoteChange(m *repo.Memory, e Entry) error {
	old, err := m.Read(ChangelogPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte(changelogHead)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	text := fmt.Sprintf("## %s %s %s\n\n- %s %s, compiled from %s (%s)\n", e.Rule.Day, done(e.Written), e.Rule.Name,
		map[bool]string{false: "Added to", true: "Changed in"}[e.Written.Amended], e.Written.Path, render.Count(e.Rule.Learnings, "learning", "learnings"), e.Pattern)
	if e.Auto {
		text += "- Auto-applied: a matter of form, and nobody was asked. `git revert` of this commit takes it back.\n"
	}
	head := "\n"
	if len(old) > 0 && old[len(old)-1] != '\n' {
		head += "\n"
	}
	return m.Write(ChangelogPath, append(append([]byte{}, old...), withEnds(head+text, old)...))
}

func done(w Written) string {
	if w.Amended {
		return "amend"
	}
	return "add"
}

// Verb is what a commit says of a rule: add or amend.
func (w Written) Verb() string { return done(w) }
