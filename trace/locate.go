package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/session"
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
}

// DefaultPlaces returns the usual places under home, or what the agents' own
// variables say, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	dir := func(name string, usual ...string) string {
		switch v := getenv(name); {
		case v == "" && (home == "" || len(usual) == 0):
			return ""
		case v == "":
			return filepath.Join(append([]string{home}, usual...)...)
		case v == "~" || strings.HasPrefix(v, "~/"):
			return filepath.Join(home, v[1:])
		default:
			return v
		}
	}
	return Places{
		ClaudeDir: dir("CLAUDE_CONFIG_DIR", ".claude"),
		PiDir:     dir("PI_CODING_AGENT_DIR", ".pi", "agent"),
		PiSession: dir("PI_CODING_AGENT_SESSION_DIR"),
		CodexDir:  dir("CODEX_HOME", ".codex"),
	}
}

// FindLatest looks at the heads of at most maxFiles files and opens at most
// maxCandidates.
const (
	maxFiles      = 1024
	maxCandidates = 64
)

// A candidate is a file that may be a session of the project.
type candidate struct {
	path, agent string
	at          time.Time
	size        int64
}

// FindLatest returns the session file of the project that was written last, and
// the agent that wrote it.
//
// The names of folders are only a hint, since different paths share them: the
// working directory that the session itself names must be project or below.
// Sessions in which no person said anything are skipped. The error wraps
// ErrNoSession if there is none.
func FindLatest(places Places, project string) (path string, agent string, err error) {
	abs, err := filepath.Abs(project)
	if err != nil {
		return "", "", fmt.Errorf("find sessions of %s: %w", project, err)
	}
	roots := withResolved(abs)
	opened := 0
	all := findCandidates(places, roots, maxFiles)
	for _, c := range all[:min(len(all), maxFiles)] {
		if opened == maxCandidates {
			break
		}
		if l, _ := readListing(c); l.CWD != "" && !isWithin(l.CWD, roots) {
			continue // saves reading the rest
		}
		opened++
		if c.isSession(roots) {
			return c.path, c.agent, nil
		}
	}
	return "", "", fmt.Errorf("sessions of %s: %w", abs, ErrNoSession)
}

// FindByID returns the file of the session with this id, which all agents make a
// part of its name. Of several, such as copies, it is the one written last.
// The error wraps ErrNoSession if there is none.
func FindByID(places Places, agent, id string) (string, error) {
	if id == "" || strings.Trim(id, idLetters) != "" {
		return "", fmt.Errorf("session %q of %s: %w", id, agent, ErrNoSession)
	}
	var patterns []string
	add := func(dir string, below ...string) {
		if dir != "" {
			patterns = append(patterns, filepath.Join(append([]string{quotePattern(dir)}, below...)...))
		}
	}
	switch agent {
	case "claude":
		add(places.ClaudeDir, "projects", "*", id+".jsonl")
	case "codex":
		add(places.CodexDir, "sessions", "[0-9]*", "[0-9]*", "[0-9]*", "*-"+id+".jsonl")
		add(places.CodexDir, "archived_sessions", "*-"+id+".jsonl")
	case "pi":
		add(places.PiDir, "sessions", "*", "*_"+id+".jsonl")
		add(places.PiSession, "*_"+id+".jsonl")
		add(places.PiSession, "*", "*_"+id+".jsonl")
	}
	var found []candidate
	for _, p := range patterns {
		paths, _ := filepath.Glob(p) // the pattern is well formed
		for _, path := range paths {
			found = append(found, regularFile(path, agent)...)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("session %s of %s: %w", id, agent, ErrNoSession)
	}
	return slices.MinFunc(found, newestFirst).path, nil
}

// idLetters are those of session ids, none of which means anything in a path
// or pattern.
const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"

// isSession reports whether c holds a session in one of roots in which a
// person took part.
func (c candidate) isSession(roots []string) bool {
	doc, _, err := openFile(c.path)
	if err != nil || doc.Session == nil {
		return false
	}
	s := doc.Session
	return s.Agent == c.agent && isWithin(s.CWD, roots) && hasPrompt(s)
}

// findCandidates lists the session files in all places, the newest first; with
// roots, only those in folders that may be one of them or below one, where the
// agent names folders after projects. Of Codex it lists about the latest most.
func findCandidates(places Places, roots []string, most int) (all []candidate) {
	every := func(string) bool { return true }
	ofClaude, ofPi := every, every
	if roots != nil {
		ofClaude = func(name string) bool { return isClaudeFolder(name, roots) }
		ofPi = func(name string) bool { return isPiFolder(name, roots) }
	}
	if dir := places.PiSession; dir != "" {
		all = slices.Concat(all, listFolder(dir, "pi"), listBelow(dir, "pi", every))
	}
	if dir := places.CodexDir; dir != "" {
		all = append(all, listCodex(dir, most)...)
	}
	if dir := places.ClaudeDir; dir != "" {
		all = append(all, listBelow(filepath.Join(dir, "projects"), "claude", ofClaude)...)
	}
	if dir := places.PiDir; dir != "" { // version 0.30.0 put sessions straight into it
		all = slices.Concat(all, listFolder(dir, "pi"), listBelow(filepath.Join(dir, "sessions"), "pi", ofPi))
	}
	slices.SortFunc(all, newestFirst)
	return slices.CompactFunc(all, func(a, b candidate) bool { return a.path == b.path })
}

// isClaudeFolder reports whether a folder of Claude Code may be that of one of
// roots or of a folder below it.
func isClaudeFolder(name string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		slug := claudeSlug(root)
		if len(slug) > maxSlug { // cut and followed by a hash that differs between versions
			return strings.HasPrefix(name, slug[:maxSlug]+"-")
		}
		return name == slug || strings.HasPrefix(name, slug+"-")
	})
}

// isPiFolder is isClaudeFolder for pi.
func isPiFolder(name string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		slug := piSlug(root)
		return name == slug || strings.HasPrefix(name, strings.TrimSuffix(slug, "--")+"-")
	})
}

// listCodex lists the latest rollouts, which are kept by day. The days
// are those of the machine's own clock, so they only say where to begin.
func listCodex(dir string, most int) []candidate {
	found := listFolder(filepath.Join(dir, "archived_sessions"), "codex")
	days, _ := filepath.Glob(filepath.Join(quotePattern(dir), "sessions", "[0-9]*", "[0-9]*", "[0-9]*"))
	slices.Sort(days)
	for _, day := range slices.Backward(days) {
		if len(found) >= most {
			break
		}
		found = append(found, listFolder(day, "codex")...)
	}
	return found
}

// quotePattern quotes what has a meaning in a pattern.
func quotePattern(path string) string {
	if filepath.Separator == '\\' {
		return path // where the quote is a separator nothing can be quoted
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// listBelow lists the sessions in the folders below dir that match.
func listBelow(dir, agent string, match func(name string) bool) []candidate {
	entries, _ := os.ReadDir(dir) // an agent that is not installed has none
	var found []candidate
	for _, e := range entries {
		if match(e.Name()) {
			found = append(found, listFolder(filepath.Join(dir, e.Name()), agent)...)
		}
	}
	return found
}

// listFolder lists the sessions in one folder, without those of sub-agents.
func listFolder(dir, agent string) []candidate {
	entries, _ := os.ReadDir(dir)
	var found []candidate
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".jsonl") || strings.HasPrefix(name, "agent-") {
			continue
		}
		found = append(found, regularFile(filepath.Join(dir, name), agent)...)
	}
	return found
}

// regularFile returns the file at path as a candidate, if it is one.
func regularFile(path, agent string) []candidate {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []candidate{{path, agent, info.ModTime(), info.Size()}}
}

const maxSlug = 200

// claudeSlug is the name that Claude Code gives the folder of a project:
// every UTF-16 unit but ASCII letters and digits becomes a dash.
func claudeSlug(path string) string {
	var s strings.Builder
	for _, r := range path {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			s.WriteRune(r)
		case r > 0xFFFF:
			s.WriteString("--")
		default:
			s.WriteByte('-')
		}
	}
	return s.String()
}

// piSlug is the name that pi gives the folder of a project.
func piSlug(path string) string {
	if path != "" && (path[0] == '/' || path[0] == '\\') {
		path = path[1:]
	}
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path) + "--"
}

// isWithin reports whether dir is one of roots or below one.
func isWithin(dir string, roots []string) bool {
	if dir == "" {
		return false
	}
	dirs := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, d := range dirs {
		for _, root := range roots {
			rel, err := filepath.Rel(root, d)
			if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return true
			}
		}
	}
	return false
}

// hasPrompt reports whether a person asked for something in s: in words, with
// a command, or as the arguments of one of the client's own commands.
func hasPrompt(s *session.Session) bool {
	return slices.ContainsFunc(s.Events, func(e session.Event) bool {
		if e.Origin == session.Human && (e.Kind == session.UserText || e.Kind == session.ToolCall) {
			return true
		}
		_, args, _ := strings.Cut(e.Text, "<command-args>")
		args, _, _ = strings.Cut(args, "</command-args>")
		return e.Kind == session.UserText && e.Origin == session.Injected && strings.TrimSpace(args) != "" &&
			strings.HasPrefix(strings.TrimSpace(e.Text), "<command-")
	})
}
