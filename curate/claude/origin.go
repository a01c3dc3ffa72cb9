package claude

import (
	"cmp"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/lazy"
	"mem/trace"
	"mem/trace/jsonl"
)

// How much of a session is read to learn where it ran, and of how many.
const (
	maxHead     = 64 << 10
	maxSessions = 20
)

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
	names, err := os.ReadDir(f.projects)
	if err != nil {
		return ""
	}
	written := map[string]time.Time{}
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), ".jsonl") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			written[e.Name()] = info.ModTime()
		}
	}
	list := slices.SortedFunc(maps.Keys(written), func(a, b string) int {
		return cmp.Or(written[b].Compare(written[a]), cmp.Compare(a, b))
	})
	for _, name := range list[:min(len(list), maxSessions)] {
		for _, cwd := range workingFolders(filepath.Join(f.projects, name)) {
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
	data, err := readHead(path, maxHead)
	if err != nil {
		return nil
	}
	type line struct {
		Cwd string `json:"cwd"`
	}
	jsonl.ReadObjects(jsonl.FromBytes(data), func(l *line, _ jsonl.Span) {
		if filepath.IsAbs(l.Cwd) && !slices.Contains(list, l.Cwd) {
			list = append(list, l.Cwd)
		}
	})
	return list
}

// readHead returns the beginning of a regular file.
func readHead(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
