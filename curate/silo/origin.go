package silo

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How much of a session is read to learn where it ran, and of how many.
const (
	maxHead     = 64 << 10
	maxLines    = 200
	maxSessions = 20
)

// isSessionID reports whether id may be the name of a session's file: 4 to 128
// letters, digits, hyphens and underscores, of which the first is a letter or a
// digit.
func isSessionID(id string) bool {
	odd := func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return len(id) >= 4 && len(id) <= 128 && id[0] != '_' && id[0] != '-' && !strings.ContainsFunc(id, odd)
}

// origin is where the session ran that a memory came from: what that session
// says, else the newest sessions of the project, else the project's slug. The
// slug is never decoded: many paths have the same.
func (s *Silo) origin(session string) string {
	if s.projects == "" {
		return s.Slug
	}
	if isSessionID(session) {
		if list := cwds(filepath.Join(s.projects, session+".jsonl")); len(list) > 0 {
			return list[0]
		}
	}
	if !s.asked {
		s.cwd, s.asked = s.newest(), true
	}
	return cmp.Or(s.cwd, s.Slug)
}

// newest is the shortest folder that the newest sessions ran in and that the
// agent calls by the silo's slug; "" if none says.
func (s *Silo) newest() (best string) {
	names, err := os.ReadDir(s.projects)
	if err != nil {
		return ""
	}
	type session struct {
		name string
		at   int64
	}
	var list []session
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), ".jsonl") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			list = append(list, session{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(list, func(a, b session) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.name, b.name)) })
	for _, l := range list[:min(len(list), maxSessions)] {
		for _, cwd := range cwds(filepath.Join(s.projects, l.name)) {
			if called(cwd, s.Slug) && (best == "" || len(cwd) < len(best)) {
				best = cwd
			}
		}
	}
	return best
}

// called reports whether the agent calls a folder by this slug, as far as that
// can be told: of a long path the slug is the beginning and a number.
func called(cwd, slug string) bool {
	own := Slug(cwd)
	return own == slug || len(own) > maxOwnSlug && strings.HasPrefix(slug, own[:maxOwnSlug]+"-")
}

const maxOwnSlug = 200

// Slug is what Claude Code makes of the path of a project.
func Slug(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, path)
}

// cwds returns the folders that the beginning of a session names, in order.
func cwds(path string) (list []string) {
	data, err := readHead(path, maxHead)
	if err != nil {
		return nil
	}
	r := bufio.NewReader(bytes.NewReader(data))
	for range maxLines {
		text, err := r.ReadBytes('\n')
		var l struct {
			Cwd string `json:"cwd"`
		}
		if bytes.Contains(text, []byte(`"cwd"`)) && json.Unmarshal(text, &l) == nil && filepath.IsAbs(l.Cwd) && !slices.Contains(list, l.Cwd) {
			list = append(list, l.Cwd)
		}
		if err != nil {
			break
		}
	}
	return list
}

// readHead returns the beginning of a plain file.
func readHead(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotPlain
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
