package claude

import (
	"os"
	"path/filepath"

	"mem/curate/claude/imported"
	"mem/repo"
)

// CountMemories returns how many files look like memories that were not imported,
// and how many folders they are in. The files themselves are not read; pending and
// rejected ones are known by their paths.
func CountMemories(m *repo.Memory, opts Options) (memories, folders int, err error) {
	list, err := findFolders(opts)
	if err != nil {
		return 0, 0, err
	}
	s, err := imported.LoadStore(m)
	if err != nil {
		return 0, 0, err
	}
	undecided := s.UndecidedSources()
	for _, f := range list {
		if f.why != "" {
			continue
		}
		names, _ := os.ReadDir(f.real) // the command that looks closer reports an error
		here := 0
		for _, e := range names {
			if e.Type().IsRegular() && isMemoryName(e.Name()) && !undecided[filepath.Join(f.Dir, e.Name())] {
				here++
			}
		}
		if here > 0 {
			memories, folders = memories+here, folders+1
		}
	}
	return memories, folders, nil
}
