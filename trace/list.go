package trace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mem/trace/jsonl"
)

// A Listing is what the first lines of a session file say of it.
type Listing struct {
	Path     string
	Agent    string // "claude", "pi" or "codex"
	ID       string
	CWD      string    // "" if the first lines do not say
	Started  time.Time // zero if they carry no time
	Modified time.Time // of the file
	Size     int64     // of the file, in bytes
}

// A Filter says which sessions ListSessions returns. The zero value means all.
type Filter struct {
	Agents  []string  // only of these
	Since   time.Time // only files written at this time or later
	Project string    // only sessions that started in this folder or below it
}

// maxListed bounds the files that ListSessions opens; the newest win.
const maxListed = 1 << 14

// ListSessions returns the sessions on this machine that the filter lets through,
// the one written last at the end. Only the head of each file is read, so a
// session that names its folder later counts as of no project, and files
// that hold something else are left out.
func ListSessions(places Places, f Filter) ([]Listing, error) {
	var roots []string
	if f.Project != "" {
		abs, err := filepath.Abs(f.Project)
		if err != nil {
			return nil, fmt.Errorf("list sessions of %s: %w", f.Project, err)
		}
		roots = withResolved(abs)
	}
	all := slices.DeleteFunc(findCandidates(places, roots, maxListed), func(c candidate) bool {
		return c.at.Before(f.Since) || len(f.Agents) > 0 && !slices.Contains(f.Agents, c.agent)
	})
	var list []Listing
	for _, c := range all[:min(len(all), maxListed)] {
		if l, ok := readListing(c); ok && (roots == nil || isWithin(l.CWD, roots)) {
			list = append(list, l)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// readListing reads the first lines of a file. ok is false if its agent did not
// write it.
func readListing(c candidate) (l Listing, ok bool) {
	f, err := os.Open(c.path)
	if err != nil {
		return l, false // gone meanwhile, or not ours to read
	}
	defer f.Close()
	head := make([]byte, jsonl.HeadBytes)
	n, _ := f.ReadAt(head, 0) // short files end early
	l = Listing{Path: c.path, Modified: c.at.UTC(), Size: c.size}
	jsonl.EachObject(jsonl.FromBytes(head[:n]), func(p *probe, _ jsonl.Span) bool {
		if l.Agent == "" {
			l.Agent = p.writer()
		}
		if l.ID == "" {
			l.ID = p.sessionID()
		}
		if l.CWD == "" {
			l.CWD = string(cmp.Or(p.CWD, p.Payload.V.CWD))
		}
		if l.Started.IsZero() {
			l.Started = p.Timestamp.Time
		}
		return l.Agent == "" || l.ID == "" || l.CWD == "" || l.Started.IsZero()
	})
	return l, l.Agent == c.agent
}

// sessionID returns the id of the session, if a line names it.
func (p *probe) sessionID() string {
	switch p.Type {
	case "session":
		return string(p.ID)
	case "session_meta":
		return string(p.Payload.V.ID)
	case "":
		if p.writer() == "codex" {
			return string(p.ID)
		}
	}
	return string(p.SessionID)
}

// withResolved returns a path and, if it is another one, the path without links.
func withResolved(abs string) []string {
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		return []string{abs, real}
	}
	return []string{abs}
}

func newestFirst(a, b candidate) int {
	return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path))
}
