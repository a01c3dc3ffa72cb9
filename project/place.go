package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mem/fault"
)

// A place is the location of a repository's memory, chosen to outlive every work tree.
type place struct {
	folder string // that it lies in
	name   string // its own
	why    string // reason why it is not in the work tree around the folder; "" if it is
}

// findPlace returns the place for a repository's memory. It is the main work tree, unless there is none or git
// would delete it with all ignored files. Then it is beside a bare repository that has a folder of its own,
// else in the git folder. For a submodule, or a repository inside a linked work tree, it is beside the memory
// of the repository around it. The search stops below home.
func (p Project) findPlace(home string) place {
	git := Resolve(p.GitDir)
	at := filepath.Dir(git)
	if outer, module, ok := cutModule(git); ok {
		return outer.findPlace(home).inside(module, "is a submodule")
	}
	if target, ok := readPointer(filepath.Join(at, dotGit)); ok && Resolve(target) == git {
		return place{at, rootName, p.describe()}
	}
	if filepath.Base(git) != dotGit {
		return place{git, rootName, p.describe()}
	}
	if found, ok := findAround(at, home); ok {
		return found
	}
	why := ""
	if p.Tree != p.Top {
		why = p.describe()
	}
	return place{at, rootName, why}
}

// findAround returns the place for a repository at a folder that goes with the work tree around it.
func findAround(at, home string) (place, bool) {
	for above := range upwards(filepath.Dir(at)) {
		if above == home {
			break
		}
		outer, ok := readProject(above)
		if !ok {
			continue
		}
		name, found := strings.TrimPrefix(at, above), outer.findPlace(home)
		if found.folder != Resolve(above) || found.name != rootName {
			return found.inside(name, "lies in "+above+", which "+found.why), true
		}
		return found.inside(name, "is a submodule"), listsModule(above, at)
	}
	return place{}, false
}

// describe says what the work tree around the folder is, if it is not the main one.
func (p Project) describe() string {
	if git, ok := readPointer(filepath.Join(p.Tree, dotGit)); ok && git == p.GitDir {
		return "has its repository elsewhere, in " + p.GitDir
	}
	if p.Tree == p.GitDir {
		return "is a bare repository"
	}
	return "is a work tree of " + p.GitDir
}

// maxName is the limit of the name of a folder; disks take 255 bytes, some less.
const maxName = 128

// inside returns the place for a repository that lies inside the one with this place.
func (at place) inside(name, why string) place {
	name = strings.NewReplacer("+", "++", "/", "+").Replace(strings.Trim(filepath.ToSlash(name), "/"))
	if name = at.name + "@" + name; len(name) > maxName {
		sum := sha256.Sum256([]byte(name))
		name = rootName + "@" + hex.EncodeToString(sum[:16])
	}
	return place{at.folder, name, why}
}

// cutModule returns the repository around a submodule whose git folder this is, and its name there.
func cutModule(git string) (outer Project, name string, ok bool) {
	slashed := filepath.ToSlash(git)
	for from := 0; ; {
		i := strings.Index(slashed[from:], "/modules/")
		if i < 0 {
			return outer, "", false
		}
		dir := git[:from+i]
		if from += i + len("/modules/"); isGitFolder(dir) {
			common := commonFolder(dir)
			outer = Project{Top: filepath.Dir(common), Tree: filepath.Dir(common), GitDir: common}
			return outer, slashed[from:], true
		}
	}
}

// listsModule reports whether the repository at top lists a folder as a submodule.
func listsModule(top, folder string) bool {
	rel, err := filepath.Rel(top, folder)
	return err == nil && slices.Contains(listAll("submodule", "path", top, ".gitmodules"), filepath.ToSlash(rel))
}

// ErrPassing is wrapped for a folder that git can throw away.
var ErrPassing = fault.New(fault.Refused, "git can delete it together with a memory in it",
	"'mem init --global' makes your own memory, which '--root ~/.mem' names here; or use --root with a folder that git does not delete")

// CheckLasting refuses a memory in a work tree that git can delete with all ignored files: a linked work tree,
// a submodule, one whose repository is elsewhere, or a repository inside such a tree. It ignores the home and
// folders above. A git folder is safe, and so is a tree whose git folder is gone.
func CheckLasting(root, home string) error {
	folder := Resolve(filepath.Dir(root))
	p, ok := Find(folder)
	if !ok || IsWithin(home, p.Tree) || p.Tree == p.GitDir || !exists(p.GitDir) {
		return nil
	}
	if at := p.findPlace(home); at.folder != Resolve(p.Tree) {
		return fmt.Errorf("%s %s: %w", p.Tree, at.why, ErrPassing)
	}
	return nil
}

// Resolve returns a path without links, as far as it exists.
func Resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(Resolve(dir), filepath.Base(path))
	}
	return path
}

// IsWithin reports whether a path is a folder or below it.
func IsWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}
