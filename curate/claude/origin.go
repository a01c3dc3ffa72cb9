package claude

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/lazy"
	"mem/repo/disk"
	"mem/trace"
	"mem/trace/jsonl"
)

// maxSessions is how many sessions are read to learn where they ran.
const maxSessions = 20

// sessionID is what may be the name of a session's file.
var sessionID = lazy.New(`^[0-9A-Za-z][0-9A-Za-z_-]{3,127}$`)

// originOf returns where the session ran that a memory came from: what that
// session says, else the newest sessions of the project, else the project's
// slug. A slug is never decoded: many paths have the same.
func (f *Folder) originOf(session string) string {
	if f.projects == "" {
		return f.Slug
	}
	if sessionID.Matches(session) {
		if list := workingFolders(filepath.Join(f.projects, session+".jsonl")); len(list) > 0 {
			return list[0]
		}
	}
	if !f.asked {
		f.cwd, f.asked = f.newestOrigin(), true
	}
	return cmp.Or(f.cwd, f.Slug)
}

// newestOrigin returns the shortest folder that the newest sessions ran in and
// that Claude Code calls by the slug; "" if none says.
func (f *Folder) newestOrigin() (best string) {
	entries, _ := os.ReadDir(f.projects) // by name
	var list []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range list[:min(len(list), maxSessions)] {
		for _, cwd := range workingFolders(filepath.Join(f.projects, info.Name())) {
			if hasSlug(cwd, f.Slug) && (best == "" || len(cwd) < len(best)) {
				best = cwd
			}
		}
	}
	return best
}

// hasSlug reports whether Claude Code calls a folder by this slug, as far as that
// can be known: of a long path the slug is the beginning and a number.
func hasSlug(cwd, slug string) bool {
	own := trace.ClaudeSlug(cwd)
	return own == slug || len(own) == trace.MaxSlug && strings.HasPrefix(slug, own+"-")
}

// workingFolders returns the folders that the beginning of a session names, in order.
func workingFolders(path string) (list []string) {
	src, err := jsonl.Open(path, 0) // the head alone
	if err != nil {
		return nil
	}
	type line struct {
		Cwd string `json:"cwd"`
	}
	jsonl.ReadObjects(src, func(l *line, _ jsonl.Span) {
		if filepath.IsAbs(l.Cwd) && !slices.Contains(list, l.Cwd) {
			list = append(list, l.Cwd)
		}
	})
	return list
}

// readRegular returns the content of a regular file of at most limit bytes.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > limit:
		return nil, disk.ErrTooLarge
	}
	return os.ReadFile(path)
}
