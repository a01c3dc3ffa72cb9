package claude

import (
	"os"
	"path/filepath"

	"mem/curate/claude/imported"
	"mem/repo"
)

// maxCounted is how many files are counted before it is enough to know that
// there are many.
const maxCounted = 10_000

// CountMemories returns how many files look like memories that were not imported, and
// how many folders they are in. The files themselves are not read; those that
// are pending or rejected are known by their paths.
func CountMemories(m *repo.Memory, opts Options) (memories, folders int, err error) {
	list, err := findFolders(opts)
	if err != nil {
		return 0, 0, err
	}
	var undecided map[string]bool
	for _, f := range list {
		if f.why != "" {
			continue
		}
		names, err := os.ReadDir(f.real)
		if err != nil {
			continue // the command that looks closer says so
		}
		here := 0
		for _, e := range names {
			if !e.Type().IsRegular() || !isMemoryName(e.Name()) || memories+here >= maxCounted {
				continue
			}
			if undecided == nil {
				s, err := imported.LoadStore(m)
				if err != nil {
					return 0, 0, err
				}
				undecided = s.UndecidedSources()
			}
			if !undecided[filepath.Join(f.Dir, e.Name())] {
				here++
			}
		}
		if here > 0 {
			memories, folders = memories+here, folders+1
		}
	}
	return memories, folders, nil
}
