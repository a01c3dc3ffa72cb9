package project

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"mem/fault"
)

// Names of memory roots, relative to a project or a home.
const (
	rootName      = ".mem"
	piMemory      = "self-learning-memory"
	piProjectRoot = ".pi/" + piMemory
)

// ErrNoFolder is wrapped when dir is relative and the working directory is gone.
var ErrNoFolder = fault.New(fault.Missing, "the working directory is gone",
	"go to a folder that exists, or name a memory with --root and its whole path")

// A Location is where the memory of a project lives, or would.
type Location struct {
	Project string // main work tree of the repository around, or the folder itself
	Root    string
	Exists  bool   // there is something at Root
	ID      string // names the project: from all of its folders it is the same, and another project has another one
	Why     string // what the work tree around is, if the memory cannot lie there; "" if it can
	IsCode  bool   // there is a repository around
}

// LocateRoot finds the root for a folder: the one that the folder is in, else that of the project around it. In
// a repository the project is the main work tree, so that linked work trees share one memory, or a nearer
// folder of it with a memory of its own. Elsewhere it is the nearest folder with a memory, else the folder
// itself. A root that pi-self-learning left is used in place: where pi's settings name it, in a folder of the
// project, or one for all projects. Nothing above a home is a project. The error wraps ErrNoFolder.
func LocateRoot(dir string, person Person) (Location, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Location{}, fmt.Errorf("locate memory: %w: %w", ErrNoFolder, err)
	}
	dir = leaveLink(dir)
	for at := range upwards(dir) {
		if exists(filepath.Join(at, ".git", "mem")) && exists(filepath.Join(at, "core")) {
			return person.locateBeside(at), nil
		}
	}
	at := person.locateAround(dir)
	if !at.Exists && person.sharesMemory(dir) {
		at.Root = person.GlobalRoot().Root
		at.Exists = exists(at.Root)
	}
	return at, nil
}

// leaveLink returns the folder as git sees it: a link's target, if that is in another repository. A link to a
// project's folder is not in the project, if any, in which the link lies.
func leaveLink(dir string) string {
	real := Resolve(dir)
	there, isCode := Find(real)
	if here, _ := Find(dir); isCode && Resolve(here.GitDir) != Resolve(there.GitDir) {
		return real
	}
	return dir
}

// locateAround finds the root of the project around a folder.
func (p Person) locateAround(dir string) Location {
	project, isInRepository := Find(dir)
	if l := locateInside(dir, project); l.Exists {
		return l
	}
	for at := range upwards(dir) {
		if _, isTop := readProject(at); isTop || at == p.Home {
			break
		}
		if !isInRepository {
			if l := p.rootOf(at); l.Exists {
				return l
			}
		} else if exists(filepath.Join(at, ".pi", "settings.json")) && exists(p.piRoot(at)) {
			l := p.rootOfCode(project)
			l.Root, l.Exists = p.piRoot(at), true
			return l
		}
	}
	if isInRepository {
		return p.rootOfCode(project)
	}
	return p.rootOf(dir)
}

// rootOfCode returns the root of a repository, in a place that outlives every work tree. An existing root
// inside a work tree is used by all work trees until it is moved.
func (p Person) rootOfCode(code Project) Location {
	at := code.findPlace(p.Home)
	lasting := filepath.Join(at.folder, at.name)
	l := Location{Project: code.Top, Root: lasting, ID: lasting, Why: at.why, IsCode: true}
	if at.folder == Resolve(code.Top) && at.name == rootName {
		l.Root = filepath.Join(code.Top, rootName) // as the person calls it
	}
	if l = l.orElse(p.piRoot(code.Top)); l.Exists || l.Root != lasting {
		return l
	}
	for _, tree := range append([]string{code.Tree, code.GitDir}, code.Folders()...) {
		if root := filepath.Join(tree, rootName); holdsMemory(root) {
			return l.orElse(root)
		}
	}
	return l
}

func holdsMemory(root string) bool {
	return exists(filepath.Join(root, "core")) && exists(filepath.Join(root, dotGit))
}

// locateBeside returns the location of a root that the folder is in.
func (p Person) locateBeside(root string) Location {
	l := p.locateAround(filepath.Dir(root))
	if l.Root != root {
		l.Root, l.ID = root, Resolve(root)
	}
	l.Exists = true
	return l
}

// locateInside finds the nearest memory of a folder below a repository's top, as large code bases have them.
// For a linked work tree it looks at the same folder in the main one.
func locateInside(dir string, p Project) Location {
	for at := range upwards(dir) {
		rel, err := filepath.Rel(p.Tree, at)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			break
		}
		if l := rootIn(filepath.Join(p.Top, rel)); holdsMemory(l.Root) {
			l.Exists, l.IsCode = true, true
			return l
		}
	}
	return Location{}
}

// rootOf returns the root of a folder that is in no repository: mem's own, or else one that pi-self-learning left.
func (p Person) rootOf(top string) Location { return rootIn(top).orElse(p.piRoot(top)) }

func rootIn(folder string) Location {
	return Location{Project: folder, Root: filepath.Join(folder, rootName), ID: filepath.Join(Resolve(folder), rootName)}
}

// orElse returns the location, or where there is nothing there, with the first of other roots that is there.
func (l Location) orElse(roots ...string) Location {
	for _, root := range append([]string{l.Root}, roots...) {
		if filepath.IsAbs(root) && exists(root) {
			l.Root, l.Exists = root, true
			break
		}
	}
	return l
}

// upwards lists a folder and those that it is in, from the inside out.
func upwards(folder string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(folder) && folder != filepath.Dir(folder) {
			folder = filepath.Dir(folder)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A Stay is where a session was held, as far as it says so itself.
type Stay struct {
	Folder string // which may be gone
	Branch string // that was checked out there
	Remote string // that the repository was fetched from
}

// Owns reports whether a session was held in the project at a location. If so, its lessons are for that memory
// and no other. known are former folders of the project.
func (p Person) Owns(l Location, s Stay, known []string) bool {
	if !filepath.IsAbs(s.Folder) {
		return false
	}
	there := s.Folder
	for !exists(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	if there != s.Folder && slices.ContainsFunc(known, func(k string) bool { return IsWithin(s.Folder, k) }) {
		return true
	}
	at, err := LocateRoot(there, p)
	if err == nil && at.ID == l.ID {
		return true
	}
	if there != s.Folder {
		code, ok := Find(l.Project)
		return ok && !at.IsCode && code.mayHaveHeld(s)
	}
	isPlain := !at.IsCode && !at.Exists && !l.IsCode // a folder below one that has the memory
	return err == nil && isPlain && IsWithin(Resolve(s.Folder), filepath.Dir(l.ID))
}
