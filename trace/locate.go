package trace

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/fault"
	"mem/project"
	"mem/session"
	"mem/trace/gemini"
	"mem/trace/jsonl"
)

// ErrNoSession means that no agent wrote a session about the project.
var ErrNoSession = fault.New(fault.Missing, "no session found", "name a session file, or - to read one from a pipe")

// Bounds of what is looked at: the newest files by their heads, and how many of those are
// opened to find one in which a person spoke.
const (
	maxListed     = 1 << 14
	maxCandidates = 64
)

// A head grows until it names a folder: a session may begin with screenshots, or a long log.
const (
	headStep = 16
	maxHead  = 16 << 20
)

// A Listing is a session in one of the places where an agent keeps them.
type Listing struct {
	Path  string    // of its file, or "opencode:" and an id
	Agent string    // one of Agents
	At    time.Time // when it was written
	Size  int64

	cwd       string // where it started, of one that opencode keeps
	elsewhere bool   // its folder is named after another project, as it seems
}

// FindLatest returns the session of a project that was written last. Sessions in which no person said anything are
// skipped. The error wraps ErrNoSession if there is none, and says how many were skipped.
func FindLatest(places Places, f Filter) (Listing, error) {
	opened, unattended := 0, []string{}
	for l := range eachSession(places, f) {
		if opened++; opened > maxCandidates {
			break
		}
		switch doc, err := Open(l.Path); {
		case err != nil || doc.Session == nil || doc.Session.Agent != l.Agent:
		case hasPrompt(doc.Session, places.Headless):
			return l, nil
		default:
			unattended = append(unattended, l.Path)
		}
	}
	of := strings.Join(f.Folders, ", ")
	if n := len(unattended); n > 0 {
		return Listing{}, fmt.Errorf("sessions of %s: %w in which a person spoke; without one: %d, the latest %s", of, ErrNoSession, n, unattended[0])
	}
	return Listing{}, fmt.Errorf("sessions of %s: %w", of, ErrNoSession)
}

// FindByID returns the file of the session with this id, which all agents make a part of its name. Of several, such as
// copies, it is the one written last. The error wraps ErrNoSession if there is none.
func FindByID(places Places, agent, id string) (string, error) {
	var found []Listing
	if agent == "gemini" { // whose names have only the beginning
		id = id[:min(len(id), 8)]
	}
	for _, l := range places.list(nil) {
		if l.agent == agent {
			found = append(found, l.findFiles(l.mark+id+l.end, nil, func(Listing, string) {})...)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("session %q of %s: %w", id, agent, ErrNoSession)
	}
	return slices.MinFunc(found, newestFirst).Path, nil
}

// A Filter says which sessions ListSessions returns. The zero value means all.
type Filter struct {
	Agents []string                // only of these
	Since  time.Time               // only files written at this time or later
	Owns   func(project.Stay) bool // only sessions that started there; nil for all

	// Folders are those of the project, for what agents name and configure by folder.
	Folders []string

	// Unread gets files that may be sessions of these folders and cannot be read, or do not
	// name a folder; nil if that does not matter.
	Unread func(path, why string)
}

// ListSessions returns the sessions on this machine that the filter lets through,
// the one written last at the end. Of each file only as much is read as names its folder.
func ListSessions(places Places, f Filter) []Listing {
	list := slices.Collect(eachSession(places, f))
	slices.Reverse(list)
	return list
}

// eachSession lists the sessions that the filter lets through, the newest first.
func eachSession(places Places, f Filter) iter.Seq[Listing] {
	return func(yield func(Listing) bool) {
		unread := func(l Listing, why string) {
			if f.Unread != nil && !l.elsewhere && !f.isOut(l) {
				f.Unread(l.Path, why)
			}
		}
		roots := resolveAll(f.Folders)
		all := slices.DeleteFunc(findFiles(places, roots, unread), f.isOut)
		for _, l := range all[:min(len(all), maxListed)] {
			in, err := l.isOf(f, roots)
			if err != nil && !errors.Is(err, errEmpty) {
				unread(l, strings.TrimPrefix(err.Error(), l.Path+": "))
			}
			if in && !yield(l) {
				return
			}
		}
	}
}

// isOut reports whether the filter does not let a session through, wherever it was held.
func (f Filter) isOut(l Listing) bool {
	return l.At.Before(f.Since) || len(f.Agents) > 0 && !slices.Contains(f.Agents, l.Agent)
}

// errNoFolder is why a session may be of any project.
var errNoFolder = errors.New("it names no folder")

// isOf reports whether l is a session that the filter lets through. The error says why that cannot be known.
func (l Listing) isOf(f Filter, roots []string) (bool, error) {
	h, err := l.readHead()
	switch hashes := func(root string) bool { return fmt.Sprintf("%x", sha256.Sum256([]byte(root))) == h.hash }; {
	case err != nil || f.Owns == nil:
		return err == nil, err
	case h.Folder != "":
		return f.Owns(h.Stay), nil
	case h.hash != "":
		return slices.ContainsFunc(roots, hashes), nil
	}
	return false, errNoFolder
}

// FolderOf returns the folder that a session's file names first; "" if it names none.
func FolderOf(path string) string {
	_, h, _ := growHead(path, 0)
	return h.Folder
}

// readHead returns the headline of a session. The error says why it is not one of its agent.
func (l Listing) readHead() (headline, error) {
	if IsExported(l.Path) {
		return headline{Stay: project.Stay{Folder: l.cwd}}, nil
	}
	src, h, err := growHead(l.Path, 0)
	switch {
	case err != nil: // gone meanwhile, or not ours to read
	case h.writer == "":
		_, err = Open(l.Path)
		err = cmp.Or(err, ErrUnknownFormat)
	case h.writer != l.Agent:
		err = fmt.Errorf("a session of %s: %w", h.writer, ErrUnknownFormat)
	case h.Folder == "" && h.writer == "claude" && !src.Cut && !h.spoke: // bookkeeping alone
		err = errEmpty
	}
	return h, err
}

// A headline is what the beginning of a session says of it.
type headline struct {
	project.Stay
	writer string
	hash   string // of the folder, if it names that so
	spoke  bool   // it holds a message
}

// growHead reads as much of a file as says who wrote it and where that started, and its tail.
func growHead(path string, tail int64) (src *jsonl.Source, h headline, err error) {
	for head := int64(jsonl.HeadBytes); ; head *= headStep {
		src, err = jsonl.Open(path, head, tail)
		if err != nil {
			return src, h, err
		}
		h = probeHead(src)
		if !src.Cut || head >= maxHead || h.writer != "" && h.Folder+h.hash != "" {
			return src, h, nil
		}
	}
}

// probeHead reads the headline in what is kept of the beginning of a session.
func probeHead(src *jsonl.Source) (h headline) {
	h.Folder = readBeside(src.Path)
	for p, at := range jsonl.Objects[probe](src) {
		if at.Line == 0 {
			break // the tail: it may name where a shell went later
		}
		h.writer, h.hash, h.spoke = cmp.Or(h.writer, p.writer()), cmp.Or(h.hash, p.ProjectHash), h.spoke || p.Message != nil
		if h.Folder == "" {
			h.Stay = p.stay()
		}
		if h.writer != "" && h.Folder != "" {
			break
		}
	}
	if h.writer == "gemini" && h.Folder == "" {
		h.Folder = gemini.Read(src).CWD
	}
	return h
}

func (p *probe) stay() project.Stay {
	s := project.Stay{Folder: cmp.Or(p.CWD, p.Info.Directory), Branch: p.GitBranch}
	if p.Payload != nil {
		s.Folder, s.Branch, s.Remote = cmp.Or(s.Folder, p.Payload.CWD), cmp.Or(s.Branch, p.Payload.Git.Branch), p.Payload.Git.RepositoryURL
	}
	if p.Data != nil {
		s.Folder = cmp.Or(s.Folder, p.Data.Context.CWD)
	}
	return s
}

// readBeside returns a session's working directory from a file next to it, as with the Gemini CLI and
// GitHub Copilot CLI; "" if there is none.
func readBeside(path string) string {
	name, mark := filepath.Join(filepath.Dir(path), "..", ".project_root"), ""
	if filepath.Base(path) == "events.jsonl" {
		name, mark = filepath.Join(filepath.Dir(path), "workspace.yaml"), "cwd: "
	} else if filepath.Base(filepath.Dir(path)) != "chats" {
		return ""
	}
	text, _ := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		dir, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), mark)
		if dir = strings.Trim(dir, `"'`); ok && filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// resolveAll returns folders with what they are without links; nil for none.
func resolveAll(folders []string) (roots []string) {
	for _, folder := range folders {
		roots = append(roots, folder)
		if real := project.Resolve(folder); real != folder {
			roots = append(roots, real)
		}
	}
	return roots
}

func newestFirst(a, b Listing) int {
	return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Path, b.Path))
}

// hasPrompt reports whether a person asked for something in s: in words, with a command, or as the arguments of one of
// the client's own commands. headless says that the prompts of headless runs are a person's.
func hasPrompt(s *session.Session, headless bool) bool {
	return slices.ContainsFunc(s.Events, func(e session.Event) bool {
		if e.Origin == session.Human && (e.Kind == session.UserText || e.Kind == session.ToolCall) || e.Headless && headless {
			return true
		}
		_, args, _ := strings.Cut(e.Text, "<command-args>")
		args, _, _ = strings.Cut(args, "</command-args>")
		return e.Kind == session.UserText && e.Origin == session.Injected && strings.TrimSpace(args) != "" &&
			strings.HasPrefix(strings.TrimSpace(e.Text), "<command-")
	})
}

// ParseSince reads from when on a person asks for something: a date, RFC 3339, or an age
// in hours, days or weeks. It is zero for "".
func ParseSince(s string, now time.Time) (time.Time, error) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), nil
		}
	}
	if s == "" {
		return time.Time{}, nil
	}
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
	unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[s[len(s)-1]]
	if err != nil || unit == 0 {
		return time.Time{}, fault.Usagef("--since is a date such as 2026-01-31 or an age such as 30d, not %q", s)
	}
	return now.Add(-time.Duration(n) * unit), nil
}
