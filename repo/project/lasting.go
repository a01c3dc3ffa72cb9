package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
