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

// Places says where the agents of this machine keep their sessions.
type Places struct {
	Home      string
	Dirs      map[string][]string // by agent, such as ~/.claude; "" for none
	PiSession string              // a folder that pi keeps all sessions in instead; usually ""
	Programs  bool                // opencode is asked, too, which keeps sessions in a database of its own
	Headless  bool                // the prompts of headless runs count as a person's
}

// DefaultPlaces returns the usual places under home, or what the agents' own variables say, read through getenv.
func DefaultPlaces(home string, getenv func(string) string) Places {
	claude := []string{cmp.Or(getenv("CLAUDE_CONFIG_DIR"), "~/.claude")}
	if _, err := os.Stat(expand(home, claude[0])); err != nil { // a list, as some programs take it
		claude = strings.Split(claude[0], ",")
	}
	if getenv("CLAUDE_CONFIG_DIR") == "" {
		claude = append(claude, cmp.Or(getenv("XDG_CONFIG_HOME"), "~/.config")+"/claude")
	}
	dirs := map[string][]string{
		"claude":  claude,
		"pi":      {cmp.Or(getenv("PI_CODING_AGENT_DIR"), "~/.pi/agent")},
		"codex":   {cmp.Or(getenv("CODEX_HOME"), "~/.codex")},
		"gemini":  {cmp.Or(getenv("GEMINI_CLI_HOME"), "~") + "/.gemini"},
		"copilot": {cmp.Or(getenv("COPILOT_HOME"), "~/.copilot")},
	}
	for _, list := range dirs {
		for i, dir := range list {
			list[i] = expand(home, strings.TrimSpace(dir))
		}
	}
	return Places{Home: home, Dirs: dirs, PiSession: expand(home, getenv("PI_CODING_AGENT_SESSION_DIR"))}
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
	agent     string
	folders   string                      // a pattern for those below dir
	mark, end string                      // what stands around the id in the path of a file; "/" if nothing does
	slug      func(project string) string // how the folder of a project begins; nil if that says nothing
	dir       string
}

var locations = []location{
	{"claude", "projects/*", "/", ".jsonl", ClaudeSlug, ""},
	{"codex", "sessions/[0-9]*/[0-9]*/[0-9]*", "-", ".jsonl", nil, ""},
	{"codex", "archived_sessions", "-", ".jsonl", nil, ""},
	{"gemini", "tmp/*/chats", "-", ".jsonl", nil, ""},
	{"gemini", "tmp/*/chats", "-", ".json", nil, ""}, // of versions before 0.39
	{"copilot", "session-state", "/", ".jsonl", nil, ""},
	{"copilot", "session-state/*", "/", "/events.jsonl", nil, ""},
	{"copilot", "history-session-state", "/", ".json", nil, ""}, // of its first versions
	{"copilot", "history-session-state", "/", ".jsonl", nil, ""},
	{"pi", "sessions/*", "_", ".jsonl", piSlug, ""},
	{"pi", ".", "_", ".jsonl", nil, ""}, // of version 0.30.0
}

// list returns the locations that are looked in for sessions of roots.
func (p Places) list(roots []string) (all []location) {
	for _, l := range locations {
		for _, l.dir = range p.Dirs[l.agent] {
			all = append(all, l)
		}
	}
	for _, dir := range p.listPiSessions(roots) {
		all = append(all, location{"pi", "*", "_", ".jsonl", piSlug, dir}, location{"pi", ".", "_", ".jsonl", nil, dir})
	}
	return slices.DeleteFunc(all, func(l location) bool { return l.dir == "" })
}

// listPiSessions returns the folders that pi's settings name for sessions, the person's own and those of roots.
func (p Places) listPiSessions(roots []string) []string {
	list := []string{p.PiSession}
	read := func(base, file string) {
		var settings struct{ SessionDir string }
		data, _ := os.ReadFile(file)
		if jsonl.Unmarshal(bytes.TrimPrefix(data, []byte(jsonl.BOM)), &settings) && settings.SessionDir != "" {
			dir := expand(p.Home, settings.SessionDir)
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(base, dir)
			}
			list = append(list, dir)
		}
	}
	for _, dir := range p.Dirs["pi"] {
		for _, base := range append(slices.Clone(roots), dir) { // a relative folder is one of where pi was started
			if dir != "" {
				read(base, filepath.Join(dir, "settings.json"))
			}
		}
	}
	for _, root := range roots {
		read(root, filepath.Join(root, ".pi", "settings.json"))
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

// MaxSlug is where Claude Code cuts a name. A hash follows that differs between versions.
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

// piSlug is the name that pi gives the folder of a project, without the two dashes at its end.
func piSlug(project string) string {
	if project != "" && (project[0] == '/' || project[0] == '\\') {
		project = project[1:]
	}
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(project)
}
