package ingest

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/lazy"
	"mem/trace"
	"mem/trace/jsonl"
)

// listName is the file in a folder that lists the others.
const listName = "MEMORY.md"

// Places says where Claude Code's memories are looked for.
type Places struct {
	Claude string // Claude Code's folder, such as ~/.claude; "" for none
	Dir    string // looked at instead: a folder of memories, a folder with some, or one such as ~/.claude
	Home   string // of the person
}

// DefaultPlaces returns the usual places under home, or what Claude Code's variable says, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	return Places{Home: home, Claude: trace.DefaultPlaces(home, getenv).Dirs["claude"][0]}
}

// A Folder holds Claude Code's memories of one project.
type Folder struct {
	Dir  string // as it is found; a link is not resolved
	Slug string // what Claude Code calls the project

	real     string   // without links
	projects string   // the folder with the project's sessions; "" if there is none
	why      string   // it was left alone; "" if not
	notes    []string // what an earlier run left there and cannot be put right
	busy     string   // why its files are left alone for now; "" if they are not
	owners   []string // see listOwners; nil until it is asked
}

// projectsName is the folder below Claude Code's own that has one for each project.
const projectsName = "projects"

// findFolders returns the folders of these places, each real folder once, by slug.
func findFolders(opts Options) (list []*Folder, err error) {
	p := opts.Places
	roots := []string{p.Dir}
	if p.Dir != "" {
		_, err = os.Stat(p.Dir)
	} else if roots = nil; p.Claude != "" { // a CLAUDE.md in it does not make it a folder of memories
		roots = []string{movedMemories(p), filepath.Join(p.Claude, projectsName)}
	}
	for _, root := range roots {
		if real, errReal := filepath.EvalSymlinks(root); root != "" && errReal == nil { // the agent's folder may well be a link
			found, errFound := foldersBelow(real)
			list, err = append(list, found...), cmp.Or(err, errFound)
		}
	}
	slices.SortStableFunc(list, func(a, b *Folder) int { return strings.Compare(a.Slug+"\x00"+a.Dir, b.Slug+"\x00"+b.Dir) })
	seen := map[string]bool{}
	for _, f := range list {
		if f.why == "" && seen[f.real] {
			f.why = "the same folder as another one"
		}
		seen[f.real] = true
	}
	return list, err
}

// foldersBelow returns the folders of a place without links: a folder of memories, one that
// has some, or one such as ~/.claude.
func foldersBelow(root string) (list []*Folder, err error) {
	projects := filepath.Join(root, projectsName)
	_, listErr := os.Lstat(filepath.Join(root, listName))
	switch {
	case filepath.Base(root) == projectsName:
	case isDir(projects) && listErr != nil: // and perhaps a CLAUDE.md
		root = projects
	case holdsMemories(root):
		return []*Folder{newFolder(root)}, nil
	}
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		memory := filepath.Join(dir, "memory")
		if _, err := os.Lstat(memory); err == nil {
			list = append(list, newFolder(memory))
		} else if holdsMemories(dir) {
			list = append(list, newFolder(dir))
		}
	}
	return list, err
}

func newFolder(dir string) *Folder {
	f := &Folder{Dir: dir, Slug: filepath.Base(dir)}
	if f.Slug == "memory" {
		f.projects = filepath.Dir(dir)
		f.Slug = filepath.Base(f.projects)
	}
	real, err := filepath.EvalSymlinks(dir)
	f.real = real
	switch {
	case err != nil:
		f.why = "it cannot be opened: " + err.Error()
	case !isDir(real):
		f.why = "not a folder"
	case real != dir:
		f.why = "a link to " + real
	}
	return f
}

func holdsMemories(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && (filepath.Base(dir) == "memory" || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && (e.Name() == listName || isMemoryName(e.Name()))
	}))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isMemoryName(name string) bool {
	return strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, ".") && name != listName
}

// movedMemories returns the folder that the person's settings name instead of the usual one; "" for none. The settings
// of a project do not count: they may come from elsewhere.
func movedMemories(p Places) string {
	var settings struct {
		Dir string `json:"autoMemoryDirectory"`
	}
	data, err := os.ReadFile(filepath.Join(p.Claude, "settings.json"))
	if err != nil || !jsonl.Unmarshal(data, &settings) {
		return ""
	}
	if rest, ok := strings.CutPrefix(settings.Dir, "~/"); ok && p.Home != "" {
		settings.Dir = filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(settings.Dir) {
		return ""
	}
	return settings.Dir
}

// sessionID matches the name of a session's file.
var sessionID = lazy.New(`^[0-9A-Za-z][0-9A-Za-z_-]{3,127}$`)

// findOrigin returns where the session ran that a file came from, and the folders that this
// may have been. The session in the file's own folder says it. Else these are all in which
// sessions beside the file ran, or those with the slug on this disk: many paths have the same.
func (f *Item) findOrigin(opts Options) (cwd string, owners []string) {
	session := ""
	if f.Note != nil {
		session = sessionOf(f.file)
	}
	isNamed := sessionID.Matches(session)
	if isNamed && f.Folder.projects != "" {
		if cwd = trace.FolderOf(filepath.Join(f.Folder.projects, session+".jsonl")); cwd != "" {
			return cwd, []string{cwd}
		}
	}
	owners = f.Folder.listOwners()
	if isNamed {
		if cwd = findBeside(session, opts.Places.Claude); cwd != "" {
			return cwd, append([]string{cwd}, owners...)
		}
	}
	fits := slices.DeleteFunc(slices.Clone(owners), func(dir string) bool { return !hasSlug(dir, f.Slug) })
	if len(fits) == 1 {
		return fits[0], owners
	}
	return f.Slug, owners
}

// findBeside returns the folder of a session of any project: one that ran in a linked work tree, or
// below the project, has the project's memories.
func findBeside(session, claude string) (cwd string) {
	files, _ := filepath.Glob(filepath.Join(claude, projectsName, "*", session+".jsonl"))
	for _, file := range files {
		cwd = cmp.Or(cwd, trace.FolderOf(file))
	}
	return cwd
}

// listOwners returns the folders in which the sessions of a folder ran; if none says, those on
// this disk that have its slug.
func (f *Folder) listOwners() (list []string) {
	if f.projects == "" || f.owners != nil {
		return f.owners
	}
	entries, _ := os.ReadDir(f.projects)
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".jsonl" {
			continue
		}
		if cwd := trace.FolderOf(filepath.Join(f.projects, e.Name())); cwd != "" && !slices.Contains(list, cwd) {
			list = append(list, cwd)
		}
	}
	if len(list) == 0 {
		list = foldersWithSlug(f.Slug, string(filepath.Separator))
	}
	if len(list) == 0 {
		list = []string{f.Slug}
	}
	f.owners = list
	return list
}

// foldersWithSlug returns the folders below at that Claude Code calls by a slug.
func foldersWithSlug(slug, at string) (list []string) {
	entries, _ := os.ReadDir(at)
	for _, e := range entries {
		dir := filepath.Join(at, e.Name())
		switch {
		case !e.IsDir():
		case hasSlug(dir, slug):
			list = append(list, dir)
		case strings.HasPrefix(slug, trace.ClaudeSlug(dir)+"-"):
			list = append(list, foldersWithSlug(slug, dir)...)
		}
	}
	return list
}

// hasSlug reports whether Claude Code calls a folder by this slug, as far as that
// can be known: of a long path the slug is the beginning and a number.
func hasSlug(cwd, slug string) bool {
	own := trace.ClaudeSlug(cwd)
	return own == slug || len(own) == trace.MaxSlug && strings.HasPrefix(slug, own+"-")
}
