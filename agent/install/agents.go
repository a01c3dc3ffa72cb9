package install

import (
	"bytes"
	_ "embed" // for the extension
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"mem/config"
)

// ErrNoGlobal is returned by PlanAgent for an agent without settings of the person's own.
var ErrNoGlobal = errors.New("there is no AGENTS.md for all projects; leave out --global")

// A target is what mem can be installed for: an agent with hooks, or a file that
// agents without hooks read.
type target struct {
	name    string
	project string // folder of its settings in a project; "" is the project
	env     string // variable with the folder of its settings for all projects; "" if there are none
	home    string // that folder in a home, where the variable is not set
	edits   []fileEdit
}

// A fileEdit is what belongs into one file of an agent.
type fileEdit struct {
	project, global string // names of the file; "" where there is none
	add, remove     func([]byte) ([]byte, error)
	optional        bool // without it the others do
}

// The hooks of each agent. Codex trusts a hook as it is written, so that its
// command must not change with versions of mem.
var (
	claudeHooks = Hooks{Command: "mem hook claude", Timeout: 10, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd",
	}}
	codexHooks = Hooks{Command: "mem hook codex", Timeout: 10, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop",
	}}
)

var targets = []target{
	{name: "claude", project: ".claude", env: "CLAUDE_CONFIG_DIR", home: ".claude", edits: []fileEdit{
		// In a project the person's own file: settings.json is the whole team's.
		{project: "settings.local.json", global: "settings.json", add: claudeHooks.Add, remove: claudeHooks.Remove},
	}},
	{name: "pi", project: ".pi", env: "PI_CODING_AGENT_DIR", home: ".pi/agent", edits: []fileEdit{
		{project: "extensions/mem.ts", global: "extensions/mem.ts", add: AddExtension, remove: RemoveExtension},
	}},
	{name: "codex", project: ".codex", env: "CODEX_HOME", home: ".codex", edits: []fileEdit{
		{project: "hooks.json", global: "hooks.json", add: codexHooks.Add, remove: codexHooks.Remove},
		{global: "config.toml", add: addNotify, remove: removeNotify, optional: true},
	}},
	{name: "agents-md", edits: []fileEdit{
		{project: "AGENTS.md", global: "AGENTS.md", add: AddBlock, remove: RemoveBlock},
	}},
	{name: "claude-md", env: "CLAUDE_CONFIG_DIR", home: ".claude", edits: []fileEdit{
		{project: "CLAUDE.md", global: "CLAUDE.md", add: AddBlock, remove: RemoveBlock},
	}},
}

// notify is for versions of Codex that have no hooks, and until its hooks are
// trusted. Codex runs one such program, and takes it from no project.
const notify = `["mem", "hook", "codex"]`

func addNotify(b []byte) ([]byte, error)    { return config.AddTop(b, "notify", notify) }
func removeNotify(b []byte) ([]byte, error) { return config.RemoveTop(b, "notify", notify) }

// AgentNames lists what mem can be installed for.
func AgentNames() (names []string) {
	for _, a := range targets {
		names = append(names, a.name)
	}
	return names
}

// A Place is where settings are looked for.
type Place struct {
	Global  bool   // the person's own settings, for all projects
	Project string // folder of the project
	Dir     string // working directory
	Home    string // "" if it is not known
	Getenv  func(string) string
}

// PlanAgent plans the edits that install mem for an agent, or with remove take it
// out again. An edit without which the others do may have Left set.
func PlanAgent(name string, p Place, remove bool) ([]Edit, error) {
	edits, err := listEdits(name, p, remove)
	if err != nil {
		return nil, err
	}
	for i := range edits {
		e := &edits[i]
		switch err := e.Plan(); {
		case err != nil && e.optional:
			e.Left = err
		case err != nil:
			return nil, err
		}
	}
	return edits, nil
}

// IsInstalled reports whether mem is installed for an agent at a place.
func IsInstalled(name string, p Place) bool {
	edits, err := listEdits(name, p, false)
	return err == nil && edits[0].Plan() == nil && !edits[0].IsChange()
}

func listEdits(name string, p Place, remove bool) ([]Edit, error) {
	at := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
	if at < 0 {
		return nil, fmt.Errorf("%q: there is no such agent", name)
	}
	t := targets[at]
	dir, mode, project := filepath.Join(p.Project, t.project), fs.FileMode(0o644), p.Project
	if p.Global {
		var err error
		if dir, err = t.globalFolder(p); err != nil {
			return nil, err
		}
		mode, project = 0o600, ""
	}
	var edits []Edit
	for _, f := range t.edits {
		file, change := f.project, f.add
		if p.Global {
			file = f.global
		}
		if remove {
			change = f.remove
		}
		if file != "" {
			path := filepath.Join(dir, filepath.FromSlash(file))
			edits = append(edits, Edit{Path: path, Project: project, Mode: mode, Change: change, optional: f.optional})
		}
	}
	return edits, nil
}

// globalFolder is the folder with the settings for all projects.
func (t target) globalFolder(p Place) (string, error) {
	if t.env == "" {
		return "", ErrNoGlobal
	}
	if dir := p.Getenv(t.env); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Dir, dir)
		}
		return dir, nil
	}
	if p.Home == "" {
		return "", errors.New("no home folder is known for --global")
	}
	return filepath.Join(p.Home, filepath.FromSlash(t.home)), nil
}

// extension is for pi, which has no hooks but takes TypeScript. It is written so
// that it is JavaScript as well.
//
//go:embed mem.ts
var extension []byte

// extensionMark is how an extension starts that mem wrote, in this version or
// another one.
const extensionMark = `// Written by "mem hook install pi"`

// AddExtension returns the file with the extension for pi.
func AddExtension(data []byte) ([]byte, error) {
	if _, err := RemoveExtension(data); err != nil {
		return nil, err
	}
	return bytes.Clone(extension), nil
}

// RemoveExtension returns nil: the whole file is mem's.
func RemoveExtension(data []byte) ([]byte, error) {
	if data != nil && !bytes.HasPrefix(data, []byte(extensionMark)) {
		return nil, fmt.Errorf("%w: mem did not write it", ErrRefused)
	}
	return nil, nil
}
