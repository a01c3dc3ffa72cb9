package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"mem/repo/disk"
)

const fileName = "SKILL.md"

// Bounds on what mem reads of a folder that it did not write.
const (
	maxFile    = 1 << 20
	maxFolders = 2000
)

// ignoreFiles hold patterns of what is not looked at, in the form of
// .gitignore, for the folder that they are in and all below.
var ignoreFiles = [...]string{".gitignore", ".ignore", ".fdignore"}

// A walk goes through one place.
type walk struct {
	place       Place
	found       []Skill
	diagnostics []Diagnostic
	folders     map[string]bool // real paths of those that were looked at
}

// note keeps a diagnostic about a name in the place.
func (w *walk) note(kind, name, format string, args ...any) {
	w.diagnostics = append(w.diagnostics, Diagnostic{
		Kind: kind, Path: w.place.locationOf(name), Message: fmt.Sprintf(format, args...),
	})
}

// walkFolder looks at one folder, under the patterns of those above it: once, whatever links
// lead to it, and only so many of them.
func (w *walk) walkFolder(dir string, patterns []gitignore.Pattern) {
	real := realPath(w.place.locationOf(dir))
	if w.folders[real] || len(w.folders) > maxFolders {
		return
	}
	if w.folders[real] = true; len(w.folders) > maxFolders {
		w.note(warning, dir, "not looked at: there are more than %d folders", maxFolders)
		return
	}
	entries, err := os.ReadDir(w.place.locationOf(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.note(warning, dir, "the folder cannot be read: %v", causeOf(err))
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { // what is there itself before a link to it
		return cmp.Compare(a.Type()&fs.ModeSymlink, b.Type()&fs.ModeSymlink)
	})
	patterns = slices.Concat(patterns, w.readPatterns(dir))
	ignored := func(name string, isDir bool) bool {
		return gitignore.NewMatcher(patterns).Match(strings.Split(name, "/"), isDir)
	}
	own := path.Join(dir, fileName)
	if info, err := os.Stat(w.place.locationOf(own)); err == nil && info.Mode().IsRegular() && !ignored(own, false) {
		w.readSkill(own)
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		info, err := os.Stat(w.place.locationOf(name)) // of what a link leads to
		switch {
		case err != nil || ignored(name, info.IsDir()):
		case info.IsDir():
			w.walkFolder(name, patterns)
		case info.Mode().IsRegular() && dir == "." && strings.HasSuffix(name, ".md"):
			w.readSkill(name)
		}
	}
}

func (w *walk) readPatterns(dir string) (list []gitignore.Pattern) {
	var domain []string
	if dir != "." {
		domain = strings.Split(dir, "/")
	}
	for _, file := range ignoreFiles {
		data, err := w.readFile(path.Join(dir, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "#") {
				list = append(list, gitignore.ParsePattern(line, domain))
			}
		}
	}
	return list
}

func (w *walk) readFile(name string) ([]byte, error) {
	return disk.ReadRegular(w.place.locationOf(name), maxFile)
}

func (w *walk) readSkill(name string) {
	data, err := w.readFile(name)
	if err != nil {
		w.note(rejected, name, "the file cannot be read: %v", causeOf(err))
		return
	}
	location := w.place.locationOf(name)
	s, warnings, err := parse(data, filepath.Base(filepath.Dir(location)))
	for _, text := range warnings {
		w.note(warning, name, "%s", text)
	}
	if err != nil {
		w.note(rejected, name, "%v", err)
		return
	}
	s.Location, s.Place = location, w.place.Name
	w.found = append(w.found, s)
}

// causeOf returns an error without the path that it names, which the diagnostic has already.
func causeOf(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
