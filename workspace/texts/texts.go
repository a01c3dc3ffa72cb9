// Package texts reads what people and agents write in a project's folder, or in a memory, for
// sessions to read: MEMORY.md, LEARNINGS.md, AGENTS.md and CLAUDE.md.
package texts

import (
	"os"
	"path/filepath"
	"strings"

	"mem/curate/evidence"
	"mem/repo"
)

// maxNotes bounds a file of notes that is read.
const maxNotes = 256 << 10

// ReadFile returns what a file of notes says, and whether it could be read: one that is
// not a regular file as stat sees it, or that is too large, is not, and counts as none, as in pi.
func ReadFile(stat func(string) (os.FileInfo, error), folder, name string) (text string, ok bool) {
	path := filepath.Join(folder, name)
	if info, err := stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxNotes {
		return "", false
	}
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err == nil
}

// ReadMemo returns what the MEMORY.md of a memory says, or that of a folder without one.
// What git brought waits as the rest of the memory does.
func ReadMemo(m *repo.Memory, folder string) string {
	if m == nil {
		text, _ := ReadFile(os.Lstat, folder, "MEMORY.md")
		return text
	}
	data, _ := m.ReadFile("MEMORY.md")
	if len(data) > maxNotes {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// ReadLearnings returns what agents noted in the LEARNINGS.md of a folder and may
// be shown: what reads like an order, or holds a secret, may not.
func ReadLearnings(folder string) (texts []string) {
	text, _ := ReadFile(os.Lstat, folder, "LEARNINGS.md")
	for _, b := range evidence.ReadBlocks([]byte(text)) {
		if b.Unfit == "" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}
