package trace

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"mem/trace/jsonl"
	"mem/words"
)

// Agents are those whose own sessions are read.
var Agents = []string{"claude", "pi", "codex", "gemini", "opencode", "copilot"}

// Places says where the agents of this machine keep their sessions. An empty
// field means that the agent is not looked for.
type Places struct {
	Home       string
	ClaudeDir  string   // such as ~/.claude
	MoreClaude []string // other folders like it, such as ~/.config/claude
	PiDir      string   // such as ~/.pi/agent
	PiSession  string   // a folder that pi keeps all sessions in instead; usually ""
	CodexDir   string   // such as ~/.codex
	GeminiDir  string   // such as ~/.gemini
	CopilotDir string   // such as ~/.copilot
	Programs   bool     // opencode is asked, too, which keeps sessions in a database of its own
	Headless   bool     // the prompts of headless runs count as a person's
}

// DefaultPlaces returns the usual places under home, or what the agents' own
// variables say, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	dir := func(name, usual string) string { return expand(home, cmp.Or(getenv(name), usual)) }
	places := Places{
		Home:       home,
		PiDir:      dir("PI_CODING_AGENT_DIR", "~/.pi/agent"),
		PiSession:  dir("PI_CODING_AGENT_SESSION_DIR", ""),
		CodexDir:   dir("CODEX_HOME", "~/.codex"),
		CopilotDir: dir("COPILOT_HOME", "~/.copilot"),
	}
	claude := []string{cmp.Or(getenv("CLAUDE_CONFIG_DIR"), "~/.claude")}
	if _, err := os.Stat(expand(home, claude[0])); err != nil { // a list, as some programs take it
		claude = strings.Split(claude[0], ",")
	}
	if getenv("CLAUDE_CONFIG_DIR") == "" {
		claude = append(claude, cmp.Or(getenv("XDG_CONFIG_HOME"), "~/.config")+"/claude")
	}
	for i, one := range claude {
		claude[i] = expand(home, strings.TrimSpace(one))
	}
	places.ClaudeDir, places.MoreClaude = claude[0], claude[1:]
	if home := cmp.Or(getenv("GEMINI_CLI_HOME"), home); home != "" {
		places.GeminiDir = filepath.Join(home, ".gemini")
	}
	return places
}

// expand returns a path with home in place of its "~"; "" if there is no home.
func expand(home, dir string) string {
	switch {
	case dir != "~" && !strings.HasPrefix(dir, "~/"):
		return dir
	case home == "":
		return ""
	}
	return filepath.Join(home, dir[1:])
}

// A location is a set of folders in which an agent keeps sessions.
type location struct {
	agent, dir string
	folders    string                      // a pattern for those below dir
	mark, end  string                      // what stands around the id in the path of a file; "/" if nothing does
	slug       func(project string) string // how the folder of a project begins; nil if that says nothing
}

// list returns the locations that are looked in for sessions of roots.
func (p Places) list(roots []string) []location {
	all := []location{
		{"codex", p.CodexDir, "sessions/[0-9]*/[0-9]*/[0-9]*", "-", ".jsonl", nil},
		{"codex", p.CodexDir, "archived_sessions", "-", ".jsonl", nil},
		{"gemini", p.GeminiDir, "tmp/*/chats", "-", ".jsonl", nil},
		{"gemini", p.GeminiDir, "tmp/*/chats", "-", ".json", nil}, // of versions before 0.39
		{"copilot", p.CopilotDir, "session-state", "/", ".jsonl", nil},
		{"copilot", p.CopilotDir, "session-state/*", "/", "/events.jsonl", nil},
		{"copilot", p.CopilotDir, "history-session-state", "/", ".json", nil}, // of its first versions
		{"copilot", p.CopilotDir, "history-session-state", "/", ".jsonl", nil},
		{"pi", p.PiDir, "sessions/*", "_", ".jsonl", piSlug},
		{"pi", p.PiDir, ".", "_", ".jsonl", nil}, // of version 0.30.0
	}
	for _, dir := range append([]string{p.ClaudeDir}, p.MoreClaude...) {
		all = append(all, location{"claude", dir, "projects/*", "/", ".jsonl", ClaudeSlug})
	}
	for _, dir := range p.listPiSessions(roots) {
		all = append(all, location{"pi", dir, "*", "_", ".jsonl", piSlug}, location{"pi", dir, ".", "_", ".jsonl", nil})
	}
	return slices.DeleteFunc(all, func(l location) bool { return l.dir == "" })
}

// listPiSessions returns the folders that pi's settings name for sessions, the person's own and
// those of roots.
func (p Places) listPiSessions(roots []string) []string {
	list := []string{p.PiSession}
	read := func(base string, file ...string) {
		if file[0] == "" {
			return // that of an agent that is not looked for
		}
		var settings struct{ SessionDir string }
		data, _ := os.ReadFile(filepath.Join(file...))
		if jsonl.Unmarshal(bytes.TrimPrefix(data, []byte(jsonl.BOM)), &settings) && settings.SessionDir != "" {
			dir := expand(p.Home, settings.SessionDir)
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(base, dir)
			}
			list = append(list, dir)
		}
	}
	read(p.PiDir, p.PiDir, "settings.json")
	for _, root := range roots {
		read(root, p.PiDir, "settings.json") // a relative folder is one of where pi was started
		read(root, root, ".pi", "settings.json")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// packed are how names of compressed files end in a form that is not read.
var packed = []string{".gz", ".xz", ".bz2", ".br", ".lz4", ".zip"}

// findFiles returns the session files whose paths end in suffix, perhaps compressed, without those
// of sub-agents. unread gets those in a form that is not read.
func (l location) findFiles(suffix string, roots []string, unread func(l Listing, why string)) (found []Listing) {
	folders, _ := fs.Glob(os.DirFS(l.dir), l.folders) // an agent that is not installed has none
	for _, folder := range folders {
		// Its name, which is only a hint, may be that of one of roots or of a folder below it.
		mayHold := func(root string) bool { return strings.HasPrefix(path.Base(folder)+"-", l.slug(root)+"-") }
		elsewhere := roots != nil && l.slug != nil && !slices.ContainsFunc(roots, mayHold)
		entries, _ := os.ReadDir(filepath.Join(l.dir, folder))
		last := ""
		for _, e := range entries {
			one := Listing{Path: filepath.Join(l.dir, folder, e.Name()), Agent: l.agent, elsewhere: elsewhere}
			plain, isZst := strings.CutSuffix("/"+path.Join(folder, e.Name()), ".zst")
			form := path.Ext(plain)
			switch {
			case strings.HasPrefix(e.Name(), "agent-"), isZst && plain == last:
			case strings.HasSuffix(plain, suffix):
				if one.stat() {
					found, last = append(found, one), plain
				}
			case slices.Contains(packed, form) && strings.HasSuffix(strings.TrimSuffix(plain, form), suffix):
				one.stat()
				unread(one, "compressed in a form that mem does not read")
			}
		}
	}
	return found
}

// stat notes the time and the size of a file, and reports whether it is a regular one.
func (l *Listing) stat() bool {
	info, err := os.Stat(l.Path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	l.At, l.Size = info.ModTime(), info.Size()
	return true
}

// findFiles returns the sessions in all places, the newest first.
func findFiles(places Places, roots []string, unread func(l Listing, why string)) (all []Listing) {
	for _, l := range places.list(roots) {
		all = append(all, l.findFiles(l.end, roots, unread)...)
	}
	if places.Programs {
		all = append(all, listExports(roots)...)
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
