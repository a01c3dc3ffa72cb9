// Package project is the code around a memory: the repository that mem serves and
// never writes to, but for lines in its info/exclude.
//
// It finds the repository, says where the memory of a folder lives, hides the
// memory from the repository's git, and lists and reads the files of the code.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
)

// Hide tells the repository around a memory root, if there is one, to ignore it:
// otherwise "git add -A" there would take the root in as a submodule. The
// line goes into info/exclude, which is never committed. A root that is a link
// is hidden where it is and where it leads to.
func Hide(root string) error {
	abs, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	folder, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	if err := hidePath(folder, "/"); err != nil {
		return err
	}
	if info, err := os.Lstat(abs); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	return hidePath(abs, "")
}

// hidePath hides the file or, with the end "/", the folder at abs.
func hidePath(abs, end string) error {
	p, ok := Find(filepath.Dir(abs))
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(p.Top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	if err := exclude(p.GitDir, "/"+literal.Replace(filepath.ToSlash(rel))+end); err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	return nil
}

// literal writes a path as a pattern that matches nothing else. Only a line end
// cannot be written, and becomes any one character.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "\n", "?", "\r", "?")

// ErrExclude is wrapped when info/exclude of a project is not a regular file, nor a
// link to one.
var ErrExclude = errors.New("not a regular file")

// maxExclude bounds what is read of info/exclude.
const maxExclude = 1 << 20

// exclude adds a line to info/exclude of a git directory. The file is the
// project's: it keeps its mode, and a link stays one. Others of the project's
// users read it too, so a new one has the mode that git itself gives it.
func exclude(gitDir, line string) error {
	name := Project{GitDir: gitDir}.ExcludePath()
	if info, err := os.Stat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > maxExclude) {
		return fmt.Errorf("%s: %w", name, ErrExclude)
	} else if _, errLink := os.Lstat(name); err != nil && errLink == nil {
		return fmt.Errorf("%s leads nowhere: %w", name, ErrExclude)
	}
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for have := range strings.Lines(string(old)) {
		if strings.TrimSpace(have) == line {
			return nil
		}
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	return disk.Files{}.WriteFile(name, append(old, line+"\n"...), 0o644)
}

// A Project is a repository of code.
type Project struct {
	Top    string // main work tree
	GitDir string // shared by all linked work trees
	Linked string // the linked work tree around the folder; "" for none
}

// ExcludePath is the file that says what git ignores in this clone alone.
func (p Project) ExcludePath() string { return filepath.Join(p.GitDir, "info", "exclude") }

// Find finds the repository around dir. It looks at files only: no git
// runs and no variable counts, so that a hook of another repository cannot
// mislead it.
func Find(dir string) (Project, bool) {
	for at := range upwards(dir) {
		if p, ok := readProject(at); ok {
			return p, true
		}
	}
	return Project{}, false
}

func readProject(dir string) (Project, bool) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return Project{}, false
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
			return Project{}, false
		}
		return Project{Top: dir, GitDir: git}, true
	}
	text, err := os.ReadFile(git)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return Project{}, false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	text, err = os.ReadFile(filepath.Join(target, "commondir"))
	if err != nil { // a submodule: a repository of its own
		return Project{Top: dir, GitDir: target}, true
	}
	common := strings.TrimSpace(string(text))
	if !filepath.IsAbs(common) {
		common = filepath.Join(target, common)
	}
	if filepath.Base(common) != ".git" { // linked to a bare repository
		return Project{Top: dir, GitDir: common}, true
	}
	return Project{Top: filepath.Dir(common), GitDir: common, Linked: dir}, true
}

// ErrNotRoot is wrapped for a folder that holds something else than a memory.
var ErrNotRoot = errors.New("not a memory root")

// CheckFolder refuses a folder that holds something else, such as the project
// itself: mem commits only to what is a memory, or could become one.
func CheckFolder(path string, d *disk.Dir) error {
	if isMemory(d) {
		return nil
	}
	names, err := d.ListFolder(".")
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	for _, name := range names {
		if name != "core" && name != ".git" && !strings.HasPrefix(name, ".mem-init") {
			if isMemory(d) { // another process made the memory meanwhile
				return nil
			}
			return fmt.Errorf("%s holds %s: %w", path, name, ErrNotRoot)
		}
	}
	return nil
}

// isMemory reports whether a folder holds something that only a memory holds.
func isMemory(d *disk.Dir) bool {
	return slices.ContainsFunc([]string{"core/index.json", "core/CORE.md", ".git/mem", "long-term-memory.md"}, d.Exists)
}
