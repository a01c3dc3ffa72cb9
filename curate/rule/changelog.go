package rule

import (
	"bytes"
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
	Auto    bool   // without asking a person
}

// NoteChange adds an entry at the end of the changelog. What is there stays as it
// is.
func NoteChange(m *repo.Memory, e Entry) error {
	old, err := m.ReadFile(ChangelogPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte(changelogHead)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	where := "Added to"
	if e.Written.Amended {
		where = "Changed in"
	}
	text := fmt.Sprintf("\n## %s %s %s\n\n- %s %s, compiled from %s (%s)\n", e.Rule.Day, e.Written.Verb(), e.Rule.Name,
		where, e.Written.Path, render.Count(e.Rule.Learnings, "learning", "learnings"), e.Pattern)
	if e.Auto {
		text += "- Auto-applied: a matter of form, written without asking. `git revert` of this commit takes it back.\n"
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	return m.WriteFile(ChangelogPath, append(bytes.Clone(old), withEnds(text, old)...))
}

// Verb returns what a commit says of a rule: add or amend.
func (w Written) Verb() string {
	if w.Amended {
		return "amend"
	}
	return "add"
}
