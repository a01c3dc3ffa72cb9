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
	"mem/fault"
)

// A target is what mem can be installed for: an agent with hooks, or a file that
// agents without hooks read.
type target struct {
	name    string
	project string // folder of its settings in a project; "" is the project
	env     string // variable with the folder of its settings for all projects; "" if there are none
	below   string // that folder in the one of the variable; "" if they are the same
	home    string // that folder in a home, where the variable is not set
	edits   []fileEdit
	hidden  bool // in a project, from its git

	// What the agent wants a person to say yes to before it runs what was
	// installed: in a project, for all projects, and after a change; "" for nothing.
	trust, trustGlobal, trustAgain string
}

// A fileEdit is what belongs into one file of an agent.
type fileEdit struct {
	project, global string // names of the file; "" where there is none
	add, remove     func([]byte) ([]byte, error)
	optional        bool // without it the others do
}

// patience is how many seconds an agent waits for a hook that hangs. The largest
// part of a session that a hook reads takes a tenth of it.
const patience = 3

// The hooks of each agent. Codex trusts a hook as it is written, so that what is
// installed should not change with versions of mem.
var (
	claudeHooks = hooks{Command: "mem hook claude", Timeout: patience, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure",
	}, Tools: map[string]string{"PreToolUse": "Bash|Edit|MultiEdit|Write|NotebookEdit", "PostToolUse": "Bash"}}
	codexHooks = hooks{Command: "mem hook codex", Timeout: patience, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop", "PreToolUse", "PostToolUse",
	}}
	geminiHooks = hooks{Command: "mem hook gemini", Timeout: 1000 * patience, Events: []string{
		"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd",
	}, Tools: map[string]string{"AfterTool": "run_shell_command"}}
)

var targets = []target{
	{name: "claude", project: ".claude", env: "CLAUDE_CONFIG_DIR", home: ".claude", hidden: true, edits: []fileEdit{
		// In a project the person's own file: settings.json is the whole team's.
		{project: "settings.local.json", global: "settings.json", add: claudeHooks.add, remove: claudeHooks.remove},
	}, trust: "Claude Code asks whether you trust the folder, as it has hooks; say yes, which is not the default"},
	{name: "pi", project: ".pi", env: "PI_CODING_AGENT_DIR", home: ".pi/agent", edits: []fileEdit{
		{project: "extensions/mem.ts", global: "extensions/mem.ts", add: piFile.add, remove: piFile.remove},
	}, trust: "newer versions of pi run the extension only once you trust the project in pi itself; 'pi -p' leaves it out without a word"},
	{name: "codex", project: ".codex", env: "CODEX_HOME", home: ".codex", edits: []fileEdit{
		{project: "hooks.json", global: "hooks.json", add: codexHooks.add, remove: codexHooks.remove},
		{global: "config.toml", add: addNotify, remove: removeNotify, optional: true},
	}, trust: "Codex runs hooks only in a project that you trust, and once you trust the hooks: look at /hooks in it",
		trustGlobal: "Codex runs hooks only once you trust them: look at /hooks in it",
		trustAgain:  "Codex trusts hooks as they are written, and these have changed: trust them again at /hooks in it; until then it leaves them out without a word"},
	{name: "gemini", project: ".gemini", env: "GEMINI_CLI_HOME", below: ".gemini", home: ".gemini", edits: []fileEdit{
		{project: "settings.json", global: "settings.json", add: geminiHooks.add, remove: geminiHooks.remove},
	}, trust: "Gemini CLI names a project's hooks when it starts, and runs them only in a folder that you trust"},
	{name: "opencode", project: ".opencode", env: "OPENCODE_CONFIG_DIR", home: ".config/opencode", edits: []fileEdit{
		{project: "plugins/mem.js", global: "plugins/mem.js", add: opencodeFile.add, remove: opencodeFile.remove},
	}},
	{name: "cursor", project: ".cursor", edits: []fileEdit{
		{project: "rules/mem.mdc", global: "rules/mem.mdc", add: cursorFile.add, remove: cursorFile.remove},
	}, trust: "Cursor calls nothing: it reads the rule, and runs mem as that says"},
	{name: "agents-md", edits: []fileEdit{
		{project: "AGENTS.md", global: "AGENTS.md", add: addBlock, remove: removeBlock},
	}},
	{name: "claude-md", env: "CLAUDE_CONFIG_DIR", home: ".claude", edits: []fileEdit{
		{project: "CLAUDE.md", global: "CLAUDE.md", add: addBlock, remove: removeBlock},
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

// HookedAgents lists the agents that mem can be installed for, without the files that any
// agent may read.
func HookedAgents() []string {
	return []string{"claude", "codex", "pi", "gemini", "opencode", "cursor"}
}

// findTarget returns one of AgentNames.
func findTarget(name string) target {
	return targets[slices.IndexFunc(targets, func(t target) bool { return t.name == name })]
}

// A Place is where settings are looked for.
type Place struct {
	Global  bool   // the person's own settings, for all projects
	Project string // folder of the project
	Exclude string // what the project's git ignores in this clone alone; "" without git
	Dir     string // working directory
	Home    string // "" if it is not known
	Machine string // before the paths of the machine's own settings; for tests
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
	return append(edits, p.planHidden(findTarget(name), &edits[0], remove)...), nil
}

// IsInstalled reports whether something of mem is installed for an agent at a place,
// by this version or an earlier one.
func IsInstalled(name string, p Place) bool {
	edits, err := listEdits(name, p, true)
	return err == nil && edits[0].Plan() == nil && edits[0].IsChange()
}

// TrustHint says what the agent asks of a person before it runs what edits
// installed; "" if it asks nothing.
func TrustHint(name string, p Place, edits []Edit) string {
	t := findTarget(name)
	for _, e := range edits {
		bare, err := t.edits[0].remove(e.Before)
		if t.trustAgain != "" && !e.optional && err == nil && !bytes.Equal(bare, e.Before) {
			return t.trustAgain
		}
	}
	if p.Global {
		return t.trustGlobal
	}
	return t.trust
}

func listEdits(name string, p Place, remove bool) ([]Edit, error) {
	t := findTarget(name)
	dir, mode, project, within := filepath.Join(p.Project, t.project), fs.FileMode(0o644), p.Project, p.Project
	if p.Global {
		var err error
		if dir, err = t.globalFolder(p); err != nil {
			return nil, err
		}
		mode, project, within = 0o600, "", dir
		if rel, err := filepath.Rel(p.Home, dir); err == nil && filepath.IsLocal(rel) && p.Home != "" {
			within = p.Home
		}
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
			edits = append(edits, Edit{Path: path, Project: project, Mode: mode, Change: change, optional: f.optional, within: within})
		}
	}
	return edits, nil
}

// globalFolder is the folder with the settings for all projects.
func (t target) globalFolder(p Place) (string, error) {
	if t.env == "" {
		return "", fault.Usagef("there is no such file for all projects; leave out --global")
	}
	if dir := p.Getenv(t.env); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Dir, dir)
		}
		return filepath.Join(dir, t.below), nil
	}
	if p.Home == "" {
		return "", errors.New("no home folder is known for --global")
	}
	return filepath.Join(p.Home, filepath.FromSlash(t.home)), nil
}

// piExtension is for pi, which has no hooks but takes TypeScript. It is written so
// that it is JavaScript as well. opencodePlugin is for opencode.
//
//go:embed mem.ts
var piExtension []byte

//go:embed opencode.js
var opencodePlugin []byte

// An ownFile is a file that an agent reads and that is mem's as a whole.
type ownFile struct {
	text []byte
	mark string // how it begins, in this version or another one
}

// The files that are mem's as a whole. Cursor's hooks hand over no session that could be
// read, so that it gets a rule.
var (
	piFile       = ownFile{piExtension, `// Written by "mem hook install pi"`}
	opencodeFile = ownFile{opencodePlugin, `// Written by "mem hook install opencode"`}
	cursorFile   = ownFile{[]byte(cursorMark + "\nalwaysApply: true\n---\n" + block + "\n"), cursorMark}
)

const cursorMark = "---\ndescription: Written by \"mem hook install cursor\""

// add returns the file. One that mem did not write is refused.
func (f ownFile) add(data []byte) ([]byte, error) {
	if _, err := f.remove(data); err != nil {
		return nil, err
	}
	return bytes.Clone(f.text), nil
}

// remove returns nil: there is nothing else in it.
func (f ownFile) remove(data []byte) ([]byte, error) {
	if data != nil && !bytes.HasPrefix(data, []byte(f.mark)) {
		return nil, fmt.Errorf("%w: mem did not write it", ErrRefused)
	}
	return nil, nil
}
