package repo

import (
	"mem/guard"
	"mem/index"
)

// Withheld returns the words of the lessons that no session is shown. It is for a memory that is only read: they are as they
// were when it was asked first.
func (m *Memory) Withheld() *index.Withheld {
	if m.withheld == nil || m.withheldBy != m.Index {
		m.withheld, m.withheldBy = m.Index.Withheld(), m.Index
	}
	return m.withheld
}

// ReadShown reads a file as sessions are shown it: without the lines that say a lesson which is withheld, or that read as an
// order. A missing one wraps fs.ErrNotExist.
func (m *Memory) ReadShown(path string) (string, error) {
	data, err := m.ReadFile(path)
	text, _ := guard.DropOrders(m.Withheld().Drop(string(data)))
	return text, err
}

// ReadMarked reads a file as a person is shown it who asks for all: behind each line that says a lesson which is withheld
// stands what that is.
func (m *Memory) ReadMarked(path string) (string, error) {
	data, err := m.ReadFile(path)
	return m.Withheld().Mark(string(data)), err
}
