package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mem/repo/disk"
)

// hide tells the repository around a root, if there is one, to ignore it:
// otherwise "git add -A" there would take the root in as a submodule. The
// line goes into info/exclude, which is never committed. A root that is a link
// is hidden where it is and where it leads to.
func hide(ctx context.Context, root string) error {
	abs, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	folder, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	if err := hidePath(ctx, folder, "/"); err != nil {
		return err
	}
	if info, err := os.Lstat(abs); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	return hidePath(ctx, abs, "")
}

// hidePath hides the file or, with the end "/", the folder at abs.
func hidePath(ctx context.Context, abs, end string) error {
	p, ok := projectOf(filepath.Dir(abs))
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(p.top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	d, err := disk.Open(p.common)
	if err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	line := "/" + literal.Replace(filepath.ToSlash(rel)) + end
	return errors.Join(exclude(ctx, d, line), d.Close())
}

// literal writes a path as a pattern that matches nothing else, as far as
// there is a way: a line end cannot be written, but it is one character.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "\n", "?", "\r", "?")

// exclude adds a line to info/exclude of a git directory.
func exclude(ctx context.Context, d *disk.Dir, line string) error {
	const name = "info/exclude"
	old, err := d.ReadFile(name, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("hide memory root: %w", err)
	}
	for have := range strings.Lines(string(old)) {
		if strings.TrimSpace(have) == line {
			return nil
		}
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	if err := d.MkdirAll("info"); err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	if err := d.SweepFolder(ctx, "info"); err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	if err := d.WriteShared(ctx, name, append(old, line+"\n"...), "info"); err != nil {
		return fmt.Errorf("hide memory root: %w", err)
	}
	return nil
}

// A project is a repository that mem serves and never writes to, but for its
// info/exclude.
type project struct {
	top    string // main work tree
	common string // its git directory, shared by all linked work trees
}

// projectOf finds the repository around dir. It looks at files only: no git
// runs and no variable counts, so that a hook of another repository cannot
// lead it astray.
func projectOf(dir string) (project, bool) {
	for {
		if p, ok := projectAt(dir); ok {
			return p, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return project{}, false
		}
		dir = parent
	}
}

func projectAt(dir string) (project, bool) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return project{}, false
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
			return project{}, false
		}
		return project{top: dir, common: git}, true
	}
	text, err := os.ReadFile(git)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return project{}, false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	text, err = os.ReadFile(filepath.Join(target, "commondir"))
	if err != nil { // a submodule: a repository of its own
		return project{top: dir, common: target}, true
	}
	common := strings.TrimSpace(string(text))
	if !filepath.IsAbs(common) {
		common = filepath.Join(target, common)
	}
	if filepath.Base(common) != ".git" { // linked to a bare repository
		return project{top: dir, common: common}, true
	}
	return project{top: filepath.Dir(common), common: common}, true
}
