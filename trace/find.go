package trace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// FindByID returns the file of the session with this id, which all agents make a
// part of its name. Of several, such as copies, it is the one written last.
// The error wraps ErrNoSession if there is none.
func FindByID(places Places, agent, id string) (string, error) {
	if id == "" || strings.Trim(id, idLetters) != "" {
		return "", fmt.Errorf("session %q of %s: %w", id, agent, ErrNoSession)
	}
	var patterns []string
	add := func(dir string, below ...string) {
		if dir != "" {
			patterns = append(patterns, filepath.Join(append([]string{quotePattern(dir)}, below...)...))
		}
	}
	switch agent {
	case "claude":
		add(places.ClaudeDir, "projects", "*", id+".jsonl")
	case "codex":
		add(places.CodexDir, "sessions", "[0-9]*", "[0-9]*", "[0-9]*", "*-"+id+".jsonl")
		add(places.CodexDir, "archived_sessions", "*-"+id+".jsonl")
	case "pi":
		add(places.PiDir, "sessions", "*", "*_"+id+".jsonl")
		add(places.PiSession, "*_"+id+".jsonl")
		add(places.PiSession, "*", "*_"+id+".jsonl")
	}
	var found []candidate
	for _, p := range patterns {
		paths, _ := filepath.Glob(p) // the pattern is well formed
		for _, path := range paths {
			found = append(found, regularFile(path, agent)...)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("session %s of %s: %w", id, agent, ErrNoSession)
	}
	slices.SortFunc(found, newestFirst)
	return found[0].path, nil
}

// idLetters are those of session ids, none of which means anything in a path
// or pattern.
const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
