// Package notes reads what memories hold beside their lessons: rules, the notes
// of a person, and memories imported from other tools. It gives their lines in a
// form that may stand in a context or a list, free of secrets and of marks that
// would change what comes after them.
package notes

import "mem/repo"

// A Source is one memory that a session reads or a person searches.
type Source struct {
	Memory *repo.Memory // nil where there is none
	Global bool         // the person's own, shared by all projects
	Root   string       // the folder as it is shown, so that more can be looked up
	Notes  string       // what MEMORY.md says; "" for nothing

	// Learnings is what agents noted in the project's LEARNINGS.md, the latest
	// last. What a memory knows, in whatever state, is not read from here.
	Learnings []string
}

// Label tells the two memories apart for people.
func (s *Source) Label() string {
	if s.Global {
		return "global"
	}
	return "project"
}

// RuleFiles returns the paths of the files that hold what was agreed: those in
// rules/, and those in context/ and one folder below.
func RuleFiles(m *repo.Memory) (paths []string, err error) {
	for _, folder := range []string{"rules", "context", "context/strategies", "context/voice", "context/preferences"} {
		names, err := m.ListTexts(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			paths = append(paths, folder+"/"+name)
		}
	}
	return paths, nil
}
