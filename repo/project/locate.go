package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Names of memory roots, relative to a project or a home.
const (
	rootName      = ".mem"
	piProjectRoot = ".pi/self-learning-memory"
	piGlobalRoot  = ".pi/agent/self-learning-memory"
)

// ErrNoFolder is wrapped when dir is relative and the working directory is gone.
var ErrNoFolder = errors.New("the working directory is gone")

// A Location is where the memory of a project lives, or would.
type Location struct {
	Project string // main work tree of the repository around, or the folder itself
	Root    string
	Exists  bool // there is something at Root
}

// Locate finds the root for a folder: the one that the folder is in, else
// that of the project around it. The project is the main work tree of the
// repository, so that linked work trees share one memory; without a
// repository it is the nearest folder that has a memory, else the folder
// itself. A root that pi-self-learning left is used where it is. home bounds
// the search: what lies above a home is not a project. The error wraps
// ErrNoFolder.
func LocateRoot(dir, home string) (Location, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Location{}, fmt.Errorf("locate memory: %w: %w", ErrNoFolder, err)
	}
	if root, ok := enclosing(dir); ok {
		return Location{Project: projectAbove(root), Root: root, Exists: true}, nil
	}
	if p, ok := Find(dir); ok {
		return rootOf(p.Top), nil
	}
	for at := dir; at != home; at = filepath.Dir(at) {
		if l := rootOf(at); l.Exists {
			return l, nil
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return rootOf(dir), nil
}

// GlobalRoot returns the root of a person's own memory, shared by all projects.
func GlobalRoot(home string) Location {
	l := Location{Project: home, Root: filepath.Join(home, rootName)}
	for _, name := range []string{rootName, piGlobalRoot} {
		if at := filepath.Join(home, filepath.FromSlash(name)); exists(at) {
			return Location{Project: home, Root: at, Exists: true}
		}
	}
	return l
}

func rootOf(top string) Location {
	for _, name := range []string{rootName, piProjectRoot} {
		if at := filepath.Join(top, filepath.FromSlash(name)); exists(at) {
			return Location{Project: top, Root: at, Exists: true}
		}
	}
	return Location{Project: top, Root: filepath.Join(top, rootName)}
}

// enclosing finds the root that dir is in.
func enclosing(dir string) (string, bool) {
	for {
		if exists(filepath.Join(dir, ".git", "mem")) && exists(filepath.Join(dir, "core")) {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// projectAbove is the project that a root serves.
func projectAbove(root string) string {
	if p, ok := Find(filepath.Dir(root)); ok {
		return p.Top
	}
	return filepath.Dir(root)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
