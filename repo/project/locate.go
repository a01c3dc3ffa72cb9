package project

import (
	"errors"
	"fmt"
	"iter"
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
	for at := range upwards(dir) {
		if exists(filepath.Join(at, ".git", "mem")) && exists(filepath.Join(at, "core")) {
			return Location{Project: projectAbove(at), Root: at, Exists: true}, nil
		}
	}
	if p, ok := Find(dir); ok {
		return rootOf(p.Top), nil
	}
	for at := range upwards(dir) {
		if at == home {
			break
		}
		if l := rootOf(at); l.Exists {
			return l, nil
		}
	}
	return rootOf(dir), nil
}

// GlobalRoot returns the root of a person's own memory, shared by all projects.
func GlobalRoot(home string) Location { return rootIn(home, rootName, piGlobalRoot) }

// rootOf returns the root of a project.
func rootOf(top string) Location { return rootIn(top, rootName, piProjectRoot) }

// rootIn returns the first root that a folder has under one of these names, or else
// where one would be.
func rootIn(folder string, names ...string) Location {
	for _, name := range names {
		if at := filepath.Join(folder, filepath.FromSlash(name)); exists(at) {
			return Location{Project: folder, Root: at, Exists: true}
		}
	}
	return Location{Project: folder, Root: filepath.Join(folder, names[0])}
}

// upwards lists a folder and those that it is in, from the inside out.
func upwards(folder string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(folder) && folder != filepath.Dir(folder) {
			folder = filepath.Dir(folder)
		}
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
