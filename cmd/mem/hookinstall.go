package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"mem/agent"
	"mem/agent/install"
	"mem/config"
	"mem/guard"
	"mem/workspace"
)

// What is installed for agents that run no hooks.
const (
	agentsMD = "agents-md"
	claudeMD = "claude-md"
)

// The hooks of each agent. Codex trusts a hook as it is written, so that its
// command must not change with versions of mem.
var (
	claudeHooks = install.Hooks{Command: "mem hook claude", Timeout: 10, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd",
	}}
	codexHooks = install.Hooks{Command: "mem hook codex", Timeout: 10, Events: []string{
		"SessionStart", "SubagentStart", "UserPromptSubmit", "PreCompact", "Stop",
	}}
)

const codexNotify = `["mem", "hook", "codex"]`

var installable = []string{agent.Claude, agent.Pi, agent.Codex, agentsMD, claudeMD}

type installOptions struct {
	Agent  string
	Remove bool
	Global bool
	DryRun bool
	Yes    bool
}

func newHookInstall(env Env, g *globals) *cobra.Command {
	return hookSettings(env, g, installOptions{}, &cobra.Command{
		Use:   "install claude|pi|codex|agents-md|claude-md",
		Short: "Put the hooks into an agent's settings",
		Long: `Put the hooks into the settings of an agent, for this project or, with --global,
for all. The change is shown before it is made; everything else in the file stays
as it is, and 'mem hook uninstall' gives back the same bytes.

  claude     .claude/settings.local.json; ~/.claude/settings.json
  codex      .codex/hooks.json; ~/.codex/hooks.json, and notify in ~/.codex/config.toml
             if nobody else has it. Codex asks whether you trust hooks: see /hooks
  pi         an extension, .pi/extensions/mem.ts; ~/.pi/agent/extensions/mem.ts
  agents-md  for agents without hooks, a block in AGENTS.md that tells them what to
             run; claude-md the same in CLAUDE.md

CLAUDE_CONFIG_DIR, CODEX_HOME and PI_CODING_AGENT_DIR are honoured.`,
		Example: `  mem hook install claude --dry-run
  mem hook install codex --global --yes`,
	})
}

func newHookUninstall(env Env, g *globals) *cobra.Command {
	return hookSettings(env, g, installOptions{Remove: true}, &cobra.Command{
		Use:   "uninstall claude|pi|codex|agents-md|claude-md",
		Short: "Take the hooks out of an agent's settings",
		Long: `Take what 'mem hook install' put into the settings of an agent out again, and
nothing else. A file that it made is removed.`,
		Example: `  mem hook uninstall claude --dry-run`,
	})
}

// hookSettings completes a command that changes an agent's settings.
func hookSettings(env Env, g *globals, opts installOptions, c *cobra.Command) *cobra.Command {
	c.ValidArgs = installable
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one of %s", c.CommandPath(), strings.Join(installable, ", "))
		}
		if !slices.Contains(installable, args[0]) {
			return usagef("no agent is called %q; there are %s", args[0], strings.Join(installable, ", "))
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		opts.Agent = args[0]
		return runHookSettings(c.Context(), env, g, opts)
	}
	c.Flags().BoolVar(&opts.Global, "global", false, "in your own settings, for all projects")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print what would change and change nothing")
	c.Flags().BoolVar(&opts.Yes, "yes", false, "do not ask")
	return c
}

// An edit changes one settings file.
type edit struct {
	path          string
	project       string      // that the file must be in; "" for a person's own
	mode          fs.FileMode // of a new file
	add, remove   func([]byte) ([]byte, error)
	optional      string // what is said if it is not possible; "" if that is an error
	before, after []byte // nil is no file
}

func runHookSettings(ctx context.Context, env Env, g *globals, opts installOptions) error {
	edits, err := opts.edits(env, g)
	if err != nil {
		return err
	}
	all := edits
	if edits, err = opts.plan(env, edits); err != nil {
		return err
	}
	for _, e := range all {
		if !opts.DryRun {
			env.Files.SweepFile(e.path)
		}
	}
	if len(edits) == 0 {
		if opts.Remove {
			env.Printf("nothing of mem is in the settings of %s\n", opts.Agent)
		} else {
			env.Printf("everything is in the settings of %s already\n", opts.Agent)
		}
		return nil
	}
	if opts.DryRun {
		env.Printf("%s", diffs(edits))
		return nil
	}
	if !opts.Yes {
		if env.Interactive() {
			fmt.Fprintf(env.Err, "%s", diffs(edits)) // the question, not the result
		}
		yes, err := env.Confirm(ctx, "Change "+paths(edits)+"?")
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("changing %s: %w", paths(edits), errNeedsYes)
		}
	} else {
		env.Printf("%s", diffs(edits))
	}
	for _, e := range edits {
		if err := env.changeUserFile(e.path, e.before, e.after, e.mode); err != nil {
			return err
		}
	}
	env.Printf("%s %s\n", map[bool]string{false: "installed in", true: "uninstalled from"}[opts.Remove], paths(edits))
	if !opts.Remove {
		sayMissing(env, g, opts)
	}
	return nil
}

// plan reads the files and says what becomes of them; those that stay are left
// out.
func (o installOptions) plan(env Env, edits []edit) ([]edit, error) {
	var list []edit
	for _, e := range edits {
		switch err := e.plan(o.Remove); {
		case err != nil && e.optional != "":
			env.Note("%s: %s", e.optional, errorText(err))
		case err != nil:
			return nil, err
		case !bytes.Equal(e.before, e.after) || (e.before == nil) != (e.after == nil):
			list = append(list, e)
		}
	}
	return list, nil
}

// plan reads the file and says what becomes of it.
func (e *edit) plan(remove bool) (err error) {
	if e.project != "" {
		if err := within(e.project, e.path); err != nil {
			return err
		}
	}
	if e.before, err = readUserFile(e.path); err != nil {
		return err
	}
	change := e.add
	if remove {
		change = e.remove
	}
	if e.after, err = change(e.before); err != nil {
		return fmt.Errorf("%s: %w", e.path, err)
	}
	return nil
}

// edits are the files that an installation may change.
func (o installOptions) edits(env Env, g *globals) ([]edit, error) {
	if !o.Global {
		at, err := workspace.Locate(env.world(), g.Root)
		if err != nil {
			return nil, err
		}
		edits := o.editsIn(filepath.Join(at.Project, projectDirs[o.Agent]))
		for i := range edits {
			edits[i].project = at.Project
		}
		return edits, nil
	}
	dir, err := o.globalDir(env)
	if err != nil {
		return nil, err
	}
	return o.editsIn(dir), nil
}

// projectDirs are the folders with an agent's settings in a project.
var projectDirs = map[string]string{agent.Claude: ".claude", agent.Codex: ".codex", agent.Pi: ".pi"}

func (o installOptions) editsIn(dir string) []edit {
	mode := fs.FileMode(0o644)
	if o.Global {
		mode = 0o600
	}
	switch o.Agent {
	case agent.Claude:
		name := "settings.local.json" // the person's own: a project's settings.json is the whole team's
		if o.Global {
			name = "settings.json"
		}
		return []edit{hookEdit(filepath.Join(dir, name), mode, claudeHooks)}
	case agent.Codex:
		edits := []edit{hookEdit(filepath.Join(dir, "hooks.json"), mode, codexHooks)}
		if o.Global { // Codex does not take it from a project
			edits = append(edits, notifyEdit(filepath.Join(dir, "config.toml")))
		}
		return edits
	case agent.Pi:
		path := filepath.Join(dir, "extensions", "mem.ts")
		return []edit{{path: path, mode: mode, add: install.AddExtension, remove: install.RemoveExtension}}
	case claudeMD:
		dir = filepath.Join(dir, "CLAUDE.md")
	default:
		dir = filepath.Join(dir, "AGENTS.md")
	}
	return []edit{{path: dir, mode: mode, add: install.AddBlock, remove: install.RemoveBlock}}
}

func hookEdit(path string, mode fs.FileMode, h install.Hooks) edit {
	return edit{path: path, mode: mode, add: h.Add, remove: h.Remove}
}

// notifyEdit is for versions of Codex that have no hooks, and until its hooks
// are trusted. There can be one program only.
func notifyEdit(path string) edit {
	return edit{
		path: path, mode: 0o600, optional: "notify is left alone, the hooks do without it",
		add:    func(b []byte) ([]byte, error) { return config.AddTop(b, "notify", codexNotify) },
		remove: func(b []byte) ([]byte, error) { return config.RemoveTop(b, "notify", codexNotify) },
	}
}

// globalDir is the folder with an agent's settings for all projects.
func (o installOptions) globalDir(env Env) (string, error) {
	own, ok := map[string][2]string{ // the variable, and the folder in a home
		agent.Claude: {"CLAUDE_CONFIG_DIR", ".claude"},
		claudeMD:     {"CLAUDE_CONFIG_DIR", ".claude"},
		agent.Codex:  {"CODEX_HOME", ".codex"},
		agent.Pi:     {"PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent")},
	}[o.Agent]
	if !ok {
		return "", usagef("there is no AGENTS.md for all projects; leave out --global")
	}
	if dir := env.Getenv(own[0]); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
		return dir, nil
	}
	if env.Home() == "" {
		return "", errors.New("no home folder is known for --global")
	}
	return filepath.Join(env.Home(), own[1]), nil
}

// diffs shows what changes. Settings may hold secrets, and those of a project
// come from somebody else.
func diffs(edits []edit) string {
	var b strings.Builder
	for _, e := range edits {
		from, to := e.path, e.path
		if e.before == nil {
			from = "/dev/null"
		}
		if e.after == nil {
			to = "/dev/null"
		}
		_, text, _ := bytes.Cut(diff.Diff(from, e.before, to, e.after), []byte("\n")) // without the line for patch(1)
		b.WriteString(guard.Scrub(string(text)))
	}
	return b.String()
}

func paths(edits []edit) string {
	var list []string
	for _, e := range edits {
		list = append(list, e.path)
	}
	return strings.Join(list, " and ")
}

// sayMissing tells what else it takes before hooks do anything.
func sayMissing(env Env, g *globals, opts installOptions) {
	if _, err := exec.LookPath("mem"); err != nil {
		env.Note("the hooks run 'mem', which is not on the PATH")
	}
	if opts.Agent == agent.Codex {
		env.Hint("Codex runs hooks only once you trust them: look at /hooks in it")
	}
	if opts.Global {
		return
	}
	if opts.everywhere(env) {
		env.Note("they are in your own settings as well, for all projects; once is enough")
	}
	if at, err := workspace.Locate(env.world(), g.Root); err == nil && !at.Exists {
		env.Hint("there is no memory here yet: run 'mem init'")
	}
}

// everywhere reports whether the same is installed for all projects.
func (o installOptions) everywhere(env Env) bool {
	dir, err := o.globalDir(env)
	if err != nil {
		return false
	}
	o.Global = true
	edits := o.editsIn(dir)
	return edits[0].plan(false) == nil && bytes.Equal(edits[0].before, edits[0].after)
}
