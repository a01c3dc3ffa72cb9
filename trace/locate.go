package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"mem/session"
	"mem/trace/jsonl"
	"mem/words"
)

// ErrNoSession means that no agent wrote a session about the project.
var ErrNoSession = errors.New("no session found")

// Places says where the agents of this machine keep their sessions. An empty
// field means that the agent is not looked for.
type Places struct {
	ClaudeDir string // such as ~/.claude
	PiDir     string // such as ~/.pi/agent
	PiSession string // a folder that pi keeps all sessions in instead; usually ""
	CodexDir  string // such as ~/.codex
	GeminiDir string // such as ~/.gemini
	Headless  bool   // the prompts of headless runs count as a person's
}

// DefaultPlaces returns the usual places under home, or what the agents' own
// variables say, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	dir := func(name, usual string) string {
		v := cmp.Or(getenv(name), usual)
		switch {
		case v != "~" && !strings.HasPrefix(v, "~/"):
			return v
		case home == "":
			return ""
		}
		return filepath.Join(home, v[1:])
	}
	places := Places{
		ClaudeDir: dir("CLAUDE_CONFIG_DIR", "~/.claude"),
		PiDir:     dir("PI_CODING_AGENT_DIR", "~/.pi/agent"),
		PiSession: dir("PI_CODING_AGENT_SESSION_DIR", ""),
		CodexDir:  dir("CODEX_HOME", "~/.codex"),
	}
	if home := cmp.Or(getenv("GEMINI_CLI_HOME"), home); home != "" {
		places.GeminiDir = filepath.Join(home, ".gemini")
	}
	return places
}

// FindLatest looks at the heads of at most maxFiles files and opens at most
// maxCandidates.
const (
	maxFiles      = 1024
	maxCandidates = 64
)

// A Listing is a file in one of the places where an agent keeps its sessions.
type Listing struct {
	Path  string
	Agent string    // "claude", "pi", "codex" or "gemini"
	at    time.Time // when it was written
}

// FindLatest returns the session file of the project that was written last, and
// the agent that wrote it.
//
// The names of folders are only a hint, since different paths share them: the
// working directory that the session itself names must be project or below.
// Sessions in which no person said anything are skipped. The error wraps
// ErrNoSession if there is none, and says how many were skipped.
func FindLatest(places Places, project string) (file, agent string, err error) {
	abs, err := filepath.Abs(project)
	if err != nil {
		return "", "", fmt.Errorf("find sessions of %s: %w", project, err)
	}
	roots := withResolved(abs)
	opened, unattended := 0, []string{}
	all := findFiles(places, roots)
	for _, l := range all[:min(len(all), maxFiles)] {
		if opened == maxCandidates {
			break
		}
		if cwd, _ := l.readHead(); cwd != "" && !isWithin(cwd, roots) {
			continue // saves reading the rest
		}
		opened++
		switch s := l.readSession(roots); {
		case s == nil:
		case hasPrompt(s, places.Headless):
			return l.Path, l.Agent, nil
		default:
			unattended = append(unattended, l.Path)
		}
	}
	if n := len(unattended); n > 0 {
		return "", "", fmt.Errorf("sessions of %s: %w in which a person spoke; without one: %d, the latest %s", abs, ErrNoSession, n, unattended[0])
	}
	return "", "", fmt.Errorf("sessions of %s: %w", abs, ErrNoSession)
}

// FindByID returns the file of the session with this id, which all agents make a
// part of its name. Of several, such as copies, it is the one written last.
// The error wraps ErrNoSession if there is none.
func FindByID(places Places, agent, id string) (string, error) {
	var found []Listing
	if agent == "gemini" { // whose names have only the beginning
		id = id[:min(len(id), 8)]
	}
	for _, l := range places.list() {
		if l.agent == agent {
			found = append(found, l.findFiles(l.mark+id+".jsonl", nil)...)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("session %q of %s: %w", id, agent, ErrNoSession)
	}
	return slices.MinFunc(found, newestFirst).Path, nil
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
	all := slices.DeleteFunc(findFiles(places, roots), func(l Listing) bool {
		return l.at.Before(f.Since) || len(f.Agents) > 0 && !slices.Contains(f.Agents, l.Agent)
	})
	list := slices.DeleteFunc(all[:min(len(all), maxListed)], func(l Listing) bool {
		cwd, ok := l.readHead()
		return !ok || roots != nil && !isWithin(cwd, roots)
	})
	slices.Reverse(list)
	return list, nil
}

// readHead returns the folder that the first lines of a file name; "" if they do
// not. ok is false if its agent did not write it.
func (l Listing) readHead() (cwd string, ok bool) {
	src, err := jsonl.Open(l.Path, 0)
	if err != nil {
		return "", false // gone meanwhile, or not ours to read
	}
	writer := ""
	jsonl.EachObject(src, func(p *probe, _ jsonl.Span) bool {
		writer = cmp.Or(writer, p.writer())
		cwd = cmp.Or(cwd, string(cmp.Or(p.CWD, p.Payload.V.CWD)))
		return writer == "" || cwd == ""
	})
	if l.Agent == "gemini" {
		cwd = readProjectRoot(l.Path)
	}
	return cwd, writer == l.Agent
}

// FolderOf returns the folder that a session's file names first; "" if it names none.
func FolderOf(path string) string {
	cwd, _ := Listing{Path: path}.readHead()
	return cwd
}

// readProjectRoot returns the working directory of a session of the Gemini CLI, which
// stands in a file beside the folder of the sessions; "" if it does not.
func readProjectRoot(session string) string {
	src, err := os.ReadFile(filepath.Join(filepath.Dir(session), "..", ".project_root"))
	if err != nil || !filepath.IsAbs(string(src)) {
		return ""
	}
	return string(src)
}

// readSession reads the session of one of roots that l holds; nil if it does not.
func (l Listing) readSession(roots []string) *session.Session {
	doc, _, err := openFile(l.Path)
	if err != nil || doc.Session == nil || doc.Session.Agent != l.Agent || !isWithin(doc.Session.CWD, roots) {
		return nil
	}
	return doc.Session
}

// A location is a set of folders in which an agent keeps sessions.
type location struct {
	agent, dir string
	folders    string                      // a pattern for those below dir
	mark       string                      // what stands before the id in the name of a file; "/" if nothing does
	slug       func(project string) string // how the folder of a project begins; nil if that says nothing
}

// list returns the locations that are looked in.
func (p Places) list() []location {
	all := []location{
		{"claude", p.ClaudeDir, "projects/*", "/", ClaudeSlug},
		{"codex", p.CodexDir, "sessions/[0-9]*/[0-9]*/[0-9]*", "-", nil},
		{"codex", p.CodexDir, "archived_sessions", "-", nil},
		{"gemini", p.GeminiDir, "tmp/*/chats", "-", nil},
		{"pi", p.PiDir, "sessions/*", "_", piSlug},
		{"pi", p.PiDir, ".", "_", nil}, // of version 0.30.0
		{"pi", p.PiSession, "*", "_", nil},
		{"pi", p.PiSession, ".", "_", nil},
	}
	return slices.DeleteFunc(all, func(l location) bool { return l.dir == "" })
}

// findFiles returns the session files whose names end in suffix, without those
// of sub-agents; with roots, only those in folders that may be one of them or
// below one. A slash in the suffix stands for the beginning of a name.
func (l location) findFiles(suffix string, roots []string) (found []Listing) {
	folders, _ := fs.Glob(os.DirFS(l.dir), l.folders) // an agent that is not installed has none
	for _, folder := range folders {
		if roots != nil && !l.mayHold(path.Base(folder), roots) {
			continue
		}
		dir := filepath.Join(l.dir, folder)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "agent-") || !strings.HasSuffix("/"+e.Name(), suffix) {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				found = append(found, Listing{filepath.Join(dir, e.Name()), l.agent, info.ModTime()})
			}
		}
	}
	return found
}

// mayHold reports whether a folder may be that of one of roots or of a folder
// below it, going by its name.
func (l location) mayHold(folder string, roots []string) bool {
	return l.slug == nil || slices.ContainsFunc(roots, func(root string) bool {
		return strings.HasPrefix(folder+"-", l.slug(root)+"-")
	})
}

// findFiles returns the session files in all places that may be of one of
// roots, or all if roots is nil, the newest first.
func findFiles(places Places, roots []string) (all []Listing) {
	for _, l := range places.list() {
		all = append(all, l.findFiles(".jsonl", roots)...)
	}
	slices.SortFunc(all, newestFirst)
	return slices.CompactFunc(all, func(a, b Listing) bool { return a.Path == b.Path })
}

// MaxSlug is where Claude Code cuts a name. A hash follows that differs between
// versions.
const MaxSlug = 200

// ClaudeSlug is the name that Claude Code gives the folder of a project, as far
// as it is known: every UTF-16 unit but ASCII letters and digits becomes a dash.
func ClaudeSlug(project string) string {
	units := utf16.Encode([]rune(project))
	units = units[:min(len(units), MaxSlug)]
	slug := bytes.Repeat([]byte("-"), len(units))
	for i, unit := range units {
		if unit < utf8.RuneSelf && words.IsWordByte(byte(unit)) {
			slug[i] = byte(unit)
		}
	}
	return string(slug)
}

// piSlug is the name that pi gives the folder of a project, without the two
// dashes at its end.
func piSlug(project string) string {
	if project != "" && (project[0] == '/' || project[0] == '\\') {
		project = project[1:]
	}
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(project)
}

// withResolved returns a path and, if it is another one, the path without links.
func withResolved(abs string) []string {
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		return []string{abs, real}
	}
	return []string{abs}
}

func newestFirst(a, b Listing) int {
	return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.Path, b.Path))
}

// isWithin reports whether dir is one of roots or below one.
func isWithin(dir string, roots []string) bool {
	if dir == "" {
		return false
	}
	for _, d := range withResolved(filepath.Clean(dir)) {
		for _, root := range roots {
			if rel, err := filepath.Rel(root, d); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// hasPrompt reports whether a person asked for something in s: in words, with
// a command, or as the arguments of one of the client's own commands. headless
// says that the prompts of headless runs are a person's.
func hasPrompt(s *session.Session, headless bool) bool {
	return slices.ContainsFunc(s.Events, func(e session.Event) bool {
		if e.Origin == session.Human && (e.Kind == session.UserText || e.Kind == session.ToolCall) {
			return true
		}
		if e.Headless && headless {
			return true
		}
		_, args, _ := strings.Cut(e.Text, "<command-args>")
		args, _, _ = strings.Cut(args, "</command-args>")
		return e.Kind == session.UserText && e.Origin == session.Injected && strings.TrimSpace(args) != "" &&
			strings.HasPrefix(strings.TrimSpace(e.Text), "<command-")
	})
}

// ErrSince is wrapped when a text names no time in the past.
var ErrSince = errors.New("a date such as 2026-01-31 or an age such as 30d")

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
		return time.Time{}, fmt.Errorf("--since is %w, not %q", ErrSince, s)
	}
	return now.Add(-time.Duration(n) * unit), nil
}
