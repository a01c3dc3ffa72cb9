package silo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IndexName is the file in a silo that lists the others.
const IndexName = "MEMORY.md"

// Places says where silos are looked for.
type Places struct {
	Claude string // Claude Code's folder, such as ~/.claude; "" for none
	Dir    string // looked at instead: a silo, a folder with some, or one such as ~/.claude
	Home   string // of the person, which links may not leave
}

// DefaultPlaces returns the usual places under home, or what Claude Code's
// variable says, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	p := Places{Home: home, Claude: getenv("CLAUDE_CONFIG_DIR")}
	switch rest, tilde := strings.CutPrefix(p.Claude, "~"); {
	case p.Claude == "" && home != "":
		p.Claude = filepath.Join(home, ".claude")
	case tilde && home != "" && (rest == "" || os.IsPathSeparator(rest[0])):
		p.Claude = filepath.Join(home, rest)
	}
	return p
}

// A Silo is a folder with memories.
type Silo struct {
	Dir  string // as it is found; a link is not resolved
	Slug string // what the agent calls the project

	real     string   // without links
	projects string   // the folder with the project's sessions; "" if there is none
	why      string   // it was left alone; "" if not
	notes    []string // what an earlier run left there and cannot be put right
	busy     string   // why its files are left alone for now; "" if they are not
	cwd      string   // of the newest sessions, once it is known
	asked    bool
}

// find returns the silos of these places, each real folder once, by slug.
func find(opts Options) (list []*Silo, err error) {
	p := opts.Places
	roots := []string{p.Dir}
	if p.Dir == "" {
		roots = []string{p.Claude}
		if moved := autoMemory(p); moved != "" {
			roots = append(roots, moved)
		}
	} else if _, err := os.Stat(p.Dir); err != nil {
		return nil, err
	}
	for _, root := range roots {
		if root == "" {
			continue
		}
		// Where a person says that the agent's folder is may well be a link.
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		found, err := below(root)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortStableFunc(list, func(a, b *Silo) int { return strings.Compare(a.Slug+"\x00"+a.Dir, b.Slug+"\x00"+b.Dir) })
	seen := map[string]bool{}
	for _, s := range list {
		s.resolve(opts)
		if s.why == "" && seen[s.real] {
			s.why = "the same folder as another one"
		}
		seen[s.real] = true
	}
	return list, nil
}

// below returns the silos of a folder that is one, that has some, or that is
// one such as ~/.claude.
func below(root string) (list []*Silo, err error) {
	if isSilo(root) {
		s := &Silo{Dir: root, Slug: filepath.Base(root)}
		if s.Slug == "memory" {
			s.Slug, s.projects = filepath.Base(filepath.Dir(root)), filepath.Dir(root)
		}
		return []*Silo{s}, nil
	}
	if projects := filepath.Join(root, "projects"); isDir(projects) {
		root = projects
	}
	names, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range names {
		dir := filepath.Join(root, e.Name())
		memory := filepath.Join(dir, "memory")
		if _, err := os.Lstat(memory); err == nil {
			list = append(list, &Silo{Dir: memory, Slug: e.Name(), projects: dir})
		} else if isSilo(dir) {
			list = append(list, &Silo{Dir: dir, Slug: e.Name()})
		}
	}
	return list, nil
}

// isSilo reports whether a folder itself holds memories.
func isSilo(dir string) bool {
	if !isDir(dir) {
		return false
	}
	if filepath.Base(dir) == "memory" {
		return true
	}
	info, err := os.Lstat(filepath.Join(dir, IndexName))
	if err == nil && info.Mode().IsRegular() {
		return true
	}
	names, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(names, func(e fs.DirEntry) bool {
		return candidate(e.Name()) && e.Type().IsRegular()
	})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// candidate reports whether a name can be that of a memory.
func candidate(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".") && name != IndexName
}

// resolve says where a silo really is, or why it is left alone.
func (s *Silo) resolve(opts Options) {
	real, err := filepath.EvalSymlinks(s.Dir)
	parent, parentErr := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(s.Dir)))
	switch {
	case err != nil:
		s.why = "it cannot be opened: " + reason(err)
	case !isDir(real):
		s.why = "not a folder"
	}
	s.real = real
	if s.why != "" {
		return
	}
	linked := parentErr != nil || real != filepath.Join(parent, filepath.Base(filepath.Dir(s.Dir)), filepath.Base(s.Dir))
	switch {
	case !linked:
	case !opts.Follow:
		s.why = "a link to " + real
	case !inside(real, opts.Places.Home):
		s.why = "a link that leads out of the home, to " + real
	}
}

// inside reports whether a path without links is below a folder.
func inside(path, folder string) bool {
	if folder == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(real, path)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}

// autoMemory is the folder that the person's settings name instead of the usual
// one. Those of a project cannot: they may be somebody else's.
func autoMemory(p Places) string {
	if p.Claude == "" {
		return ""
	}
	data, err := readHead(filepath.Join(p.Claude, "settings.json"), maxSettings)
	var settings struct {
		Dir string `json:"autoMemoryDirectory"`
	}
	if err != nil || json.Unmarshal(data, &settings) != nil || settings.Dir == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(settings.Dir, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(settings.Dir) {
		return ""
	}
	return settings.Dir
}

const maxSettings = 1 << 20

// reason is what went wrong, without the path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
