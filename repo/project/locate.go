package project

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Names of memory roots, relative to a project or a home.
const (
	rootName      = ".mem"
	piMemory      = "self-learning-memory"
	piProjectRoot = ".pi/" + piMemory
)

// ErrNoFolder is wrapped when dir is relative and the working directory is gone.
var ErrNoFolder = errors.New("the working directory is gone")

// A Location is where the memory of a project lives, or would.
type Location struct {
	Project string // main work tree of the repository around, or the folder itself
	Root    string
	Exists  bool // there is something at Root
}

// LocateRoot finds the root for a folder: the one that the folder is in, else that of
// the project around it. The project is the main work tree of the repository, so that
// linked work trees share one memory, or a folder of it that has a memory of its own and is
// nearer; without a repository it is the nearest folder that has a memory, else the folder itself. A root that pi-self-learning left is used where
// it is: where pi's settings name it, also in a folder of the project, or in one for
// all projects. What lies above a home is not a project. The error wraps ErrNoFolder.
func LocateRoot(dir string, person Person) (Location, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Location{}, fmt.Errorf("locate memory: %w: %w", ErrNoFolder, err)
	}
	for at := range upwards(dir) {
		if exists(filepath.Join(at, ".git", "mem")) && exists(filepath.Join(at, "core")) {
			return Location{Project: projectAbove(at), Root: at, Exists: true}, nil
		}
	}
	at := person.locateAround(dir)
	if !at.Exists && person.sharesMemory(dir) {
		at.Root = person.GlobalRoot().Root
		at.Exists = exists(at.Root)
	}
	return at, nil
}

// locateAround finds the root of the project around a folder.
func (p Person) locateAround(dir string) Location {
	project, isInRepository := Find(dir)
	if l := locateInside(dir, project.Top); l.Exists {
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
			return Location{Project: project.Top, Root: p.piRoot(at), Exists: true}
		}
	}
	if isInRepository {
		return p.rootOf(project.Top)
	}
	return p.rootOf(dir)
}

// locateInside finds the nearest memory of a folder of a repository below its top, as large
// code bases have them. In a linked work tree it is that of the same folder in the main one.
func locateInside(dir, top string) Location {
	var below []string // folders, relative to the work tree's top
	for at := range upwards(dir) {
		if _, isTop := readProject(at); isTop {
			break
		}
		below = append(below, at)
	}
	if top == "" || len(below) == 0 {
		return Location{}
	}
	work := filepath.Dir(below[len(below)-1])
	for _, at := range below {
		rel, err := filepath.Rel(work, at)
		folder := filepath.Join(top, rel)
		if root := filepath.Join(folder, rootName); err == nil && exists(filepath.Join(root, "core")) && exists(filepath.Join(root, ".git")) {
			return Location{Project: folder, Root: root, Exists: true}
		}
	}
	return Location{}
}

// rootOf returns the root of a project: mem's own, or else one that pi-self-learning left.
func (p Person) rootOf(top string) Location {
	own := filepath.Join(top, rootName)
	if exists(own) {
		return Location{Project: top, Root: own, Exists: true}
	}
	if root := p.piRoot(top); exists(root) {
		return Location{Project: top, Root: root, Exists: true}
	}
	return Location{Project: top, Root: own}
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

// ErrPassing is wrapped for a folder that git can throw away.
var ErrPassing = errors.New("git can delete it together with a memory in it")

// CheckLasting refuses a place for a memory in a work tree that git can delete, with all that it ignores there: one that is
// linked to a repository, a submodule, or one whose repository is elsewhere. A repository inside such a tree goes with it.
// A home and what is above it are not looked at.
func CheckLasting(root, home string) error {
	folder := filepath.Dir(root)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	inner := "" // the top of the repository inside, that was looked at before
	for at := range upwards(folder) {
		if at == home {
			break
		}
		if inner != "" && listsModule(at, inner) { // with its own repository still in it
			return fmt.Errorf("%s is a submodule: %w", inner, ErrPassing)
		}
		p, isTop := readProject(at)
		if !isTop {
			continue
		}
		if what := p.describePassing(at); what != "" && (inner == "" || !strings.HasPrefix(what, apart)) {
			return fmt.Errorf("%s %s: %w", at, what, ErrPassing)
		}
		inner = at
	}
	return nil
}

const apart = "has its repository elsewhere"

// describePassing says why git can delete the work tree at a top; "" if it does not.
func (p Project) describePassing(at string) string {
	text, _ := os.ReadFile(filepath.Join(at, ".git"))
	dir, isLink := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(at, dir)
	}
	switch {
	case !isLink:
		return ""
	case exists(filepath.Join(dir, "commondir")):
		return "is a work tree of " + p.GitDir
	case strings.Contains(filepath.ToSlash(dir), "/modules/"):
		return "is a submodule"
	case !strings.HasPrefix(dir, at+string(filepath.Separator)):
		return apart + ", in " + dir
	}
	return ""
}

// listsModule reports whether the repository at top lists a folder as a submodule.
func listsModule(top, folder string) bool {
	text, _ := os.ReadFile(filepath.Join(top, ".gitmodules"))
	rel, err := filepath.Rel(top, folder)
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		if err == nil && strings.TrimSpace(key) == "path" && strings.Trim(strings.TrimSpace(value), `"`) == filepath.ToSlash(rel) {
			return true
		}
	}
	return false
}
