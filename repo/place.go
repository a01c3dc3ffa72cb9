package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/fault"
	"mem/project"
	"mem/repo/disk"
	"mem/words"
)

// hide tells the repository around a memory root, if there is one, to ignore it: otherwise "git add -A" there would
// take the root in as a submodule. The line goes into info/exclude, which is never committed. A root that is a link is
// hidden where it is and where it leads to.
func hide(root string) error {
	folder, err := filepath.EvalSymlinks(root)
	if err == nil {
		err = hidePath(folder, "/")
	}
	if info, errLink := os.Lstat(root); err == nil && errLink == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = hidePath(root, "")
	}
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	return nil
}

// hidePath hides the file or, with the end "/", the folder at a path.
func hidePath(at, end string) error {
	abs, err := filepath.Abs(at)
	if err != nil {
		return err
	}
	p, ok := project.Find(filepath.Dir(abs))
	if _, err := os.Stat(p.GitDir); !ok || err != nil || p.Tree == p.GitDir { // git looks for nothing in its own folder
		return nil
	}
	rel, err := filepath.Rel(p.Top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	return exclude(p.GitDir, "/"+literal.Replace(filepath.ToSlash(rel))+end)
}

// literal writes a path as a pattern that matches nothing else. Only a line end
// cannot be written, and becomes any one character.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "\n", "?", "\r", "?")

// ErrExclude is wrapped when info/exclude of a project is not a regular file, nor a link to one.
var ErrExclude = fault.New(fault.Config, "not a regular file", "git reads there what the project ignores; make it a regular file, or a link to one")

const maxExclude = 1 << 20

// exclude adds a line to info/exclude of a git directory. The file is the project's: it keeps its mode, and a link
// stays one. Others of the project's users read it too, so a new one has the mode that git itself gives it.
func exclude(gitDir, line string) error {
	name := filepath.Join(gitDir, "info", "exclude")
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
	return disk.Files{}.WriteFile(name, []byte(words.EndLine(string(old))+line+"\n"), 0o644)
}

// ErrNotRoot is wrapped for a folder that holds something else than a memory.
var ErrNotRoot = fault.New(fault.NotMemory, "not a memory root", "name the memory itself with --root, usually the folder .mem")

// checkFolder refuses a folder that holds something else, such as the project
// itself: mem commits only to what is a memory, or could become one.
func checkFolder(path string, d *disk.Dir) error {
	if isMemory(d) {
		return nil
	}
	names, err := d.ListFolder(".")
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "core" || name == ".git" })
	if len(names) > 0 && !isMemory(d) { // else another process made the memory meanwhile
		return fmt.Errorf("%s holds %s: %w", path, names[0], ErrNotRoot)
	}
	return nil
}

// isMemory reports whether a folder holds something that only a memory holds.
func isMemory(d *disk.Dir) bool {
	return slices.ContainsFunc([]string{"core/index.json", "core/CORE.md", ".git/mem", "long-term-memory.md"}, d.Exists)
}
