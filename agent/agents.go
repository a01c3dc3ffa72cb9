package agent

import "slices"

// A Row describes one agent, according to its own documentation; docs/hooks.md says which rows were tried with
// the agent itself. Package install has the rest that an agent needs, such as the files for pi and opencode.
type Row struct {
	Name   string
	Events []event // at which it calls mem; none if it runs no hooks, or none that mem could use
	Answer form    // of what it reads

	Unsure bool // it does not say whether a command failed
	Late   bool // a session has no file before its first answer
	Wraps  bool // prompts and results are as Gemini CLI words them
	Shows  bool // it shows the person a hook's standard error, which is therefore kept quiet
	Mute   bool // it shows the person no line, although its documentation says it does

	Vars    []string // that it sets for the commands which it runs
	Session string   // the one of them that holds the id of the session

	Folder      string // of its settings in a project; "" is the project
	Env         string // variable with the folder of its settings for all projects
	Below, Home string // that folder in the one of the variable; in a home, where there is no variable; "" if there is none
	Files       []File
	Hidden      bool // in a project the settings are hidden from its git
	Millis      bool // a timeout counts milliseconds, and a hook has a name, which is shown

	// What a person must confirm in the agent before it runs what was installed: in a project, for all
	// projects, and after a change; "" if nothing.
	Trust, TrustGlobal, TrustAgain string

	// Off are settings that stop it from running hooks. OffIn are the files that may hold them, strongest first: in
	// the person's folder for the agent, in the project's, or in an administrator's place on any system.
	Off   []toggle
	OffIn []string
}

// A File is what of mem belongs into one file of an agent: the whole file, with Head, Each for each event, and Tail, in which
// {event}, {matcher}, {line}, {block} and {plugin} are replaced; or what Kind says.
type File struct {
	Project, Global string // its names; "" where there is none, and {event} for a file each

	// Kind is "script" for a whole file that can be run, "settings" for hooks in settings of Claude Code's form, "block" for a
	// block in a file of instructions, "tables" if Head, Each and Tail stand at the end of a file of TOML, and "notify" for a
	// key of Codex's, without which the others do.
	Kind             string
	Head, Each, Tail string
}

// An event is one at which an agent calls mem.
type event struct {
	Name   string
	Moment Moment
	flags  flags
	Tools  string // the agent's pattern of the tools that it is about; "" for everything
}

type flags int

const (
	takes flags = 1 << iota // the agent's model reads a text that mem prints then
	ends                    // the session ends, or is about to be summed up
	bare                    // it is not installed: older versions, mem's own plugins and other programs use it
)

// IsInstalled reports whether mem hook install asks for the event.
func (e event) IsInstalled() bool { return e.flags&bare == 0 }

// A form is how an agent reads an answer.
type form int

const (
	nested form = iota // Claude Code's
	text               // as it is; a line for the person stands on standard error
	plain              // as it is, and the agent shows no line
	flat               // GitHub Copilot's
	cline
)

// A toggle is a setting. It applies if the first of the keys, JSON pointers, that is present has a value that fits.
type toggle struct {
	Keys []string
	Fits string
}

const (
	yes, no = `^true$`, `^false$`
)

// Table is all that mem can be installed for, in the order in which help names it.
var Table = []Row{
	{Name: "claude", Vars: []string{"CLAUDECODE"}, Session: "CLAUDE_CODE_SESSION_ID",
		Events: []event{
			{"SessionStart", Begin, takes, ""}, {"SubagentStart", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""},
			{"PreCompact", Rest, ends, ""}, {"Stop", Rest, 0, ""}, {"SessionEnd", Rest, ends, ""},
			{"PreToolUse", Before, takes, "Bash|Edit|MultiEdit|Write|NotebookEdit"}, {"PostToolUse", After, takes, "Bash"},
			{"PostToolUseFailure", After, takes, ""}, {"StopFailure", Rest, 0, ""},
		},
		Folder: ".claude", Env: "CLAUDE_CONFIG_DIR", Home: ".claude", Hidden: true,
		Files: []File{{Project: "settings.local.json", Global: "settings.json", Kind: "settings"}}, // settings.json of a project is the whole team's
		Trust: "Claude Code asks whether you trust the folder, as it has hooks; say yes, which is not the default",
		Off:   []toggle{{[]string{"/disableAllHooks"}, yes}},
		OffIn: []string{
			"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json",
			`C:\Program Files\ClaudeCode\managed-settings.json`, "project/settings.local.json", "project/settings.json", "user/settings.json",
		}},
	{Name: "codex", Unsure: true, Session: "CODEX_THREAD_ID", Vars: []string{"CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"},
		Events: []event{
			{"SessionStart", Begin, takes, ""}, {"SubagentStart", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""},
			{"PreCompact", Rest, ends, ""}, {"Stop", Rest, 0, ""}, {"PreToolUse", Before, takes, ""}, {"PostToolUse", After, takes, ""},
			{"SessionEnd", Rest, ends | bare, ""}, {"Interrupt", Rest, 0, ""}, {"StopFailure", Rest, bare, ""}, {"agent-turn-complete", Rest, bare, ""},
		},
		Folder: ".codex", Env: "CODEX_HOME", Home: ".codex",
		Files:       []File{{Project: "hooks.json", Global: "hooks.json", Kind: "settings"}, {Global: "config.toml", Kind: "notify"}},
		Trust:       "Codex runs hooks only in a project that you trust, and once you trust the hooks: look at /hooks in it",
		TrustGlobal: "Codex runs hooks only once you trust them: look at /hooks in it",
		TrustAgain:  "Codex trusts hooks as they are written, and these have changed: trust them again at /hooks in it; until then it leaves them out without a word",
		Off:         []toggle{{[]string{"/features/hooks", "/features/codex_hooks"}, no}}, OffIn: []string{"project/config.toml", "user/config.toml"}},
	{Name: "pi", Answer: text, Late: true, Vars: []string{"PI_CODING_AGENT"},
		Events: []event{
			{"before_agent_start", Prompt, takes, ""}, {"tool_result", After, takes, ""}, {"agent_end", Rest, 0, ""},
			{"session_before_compact", Rest, ends, ""}, {"session_shutdown", Rest, ends, ""},
		},
		Folder: ".pi", Env: "PI_CODING_AGENT_DIR", Home: ".pi/agent", Files: []File{{Project: "extensions/mem.ts", Global: "extensions/mem.ts", Head: "{plugin}"}},
		Trust: "newer versions of pi run the extension only once you trust the project in pi itself; 'pi -p' leaves it out without a word",
		Off:   []toggle{{[]string{"/extensions"}, `^[^+]*"[-!][^"+]*(mem\.ts|\*|\*\.ts)"[^+]*$`}}, // what has a plus is put back
		OffIn: []string{"project/settings.json", "user/settings.json"}},
	{Name: "gemini", Wraps: true, Shows: true, Millis: true, Vars: []string{"GEMINI_CLI"},
		Events: []event{
			{"SessionStart", Begin, takes, ""}, {"BeforeAgent", Prompt, takes, ""}, {"AfterTool", After, takes, "run_shell_command"},
			{"AfterAgent", Rest, 0, ""}, {"SessionEnd", Rest, ends, ""}, {"PreCompress", Rest, ends | bare, ""},
		},
		Folder: ".gemini", Env: "GEMINI_CLI_HOME", Below: ".gemini", Home: ".gemini",
		Files: []File{{Project: "settings.json", Global: "settings.json", Kind: "settings"}},
		Trust: "Gemini CLI names a project's hooks when it starts, and runs them only in a folder that you trust",
		Off:   []toggle{{[]string{"/hooksConfig/enabled"}, no}, {[]string{"/hooksConfig/disabled", "/hooks/disabled"}, `mem hook gemini`}},
		OffIn: []string{"project/settings.json", "user/settings.json"}},
	{Name: "opencode", Answer: text, Vars: []string{"OPENCODE"},
		Events: []event{{"before_agent_start", Prompt, takes, ""}, {"tool_result", After, takes, ""}, {"agent_end", Rest, 0, ""}},
		Folder: ".opencode", Env: "OPENCODE_CONFIG_DIR", Home: ".config/opencode",
		Files: []File{{Project: "plugins/mem.js", Global: "plugins/mem.js", Head: "{plugin}"}}},
	// Cursor's hooks hand over no session that could be read, and Windsurf's take no text.
	{Name: "cursor", Vars: []string{"CURSOR_AGENT"}, Folder: ".cursor", Trust: "Cursor calls nothing: it reads the rule, and runs mem as that says", Files: []File{
		{Project: "rules/mem.mdc", Head: "---\ndescription: Written by \"mem hook install cursor\"\nalwaysApply: true\n---\n{block}\n"},
	}},
	{Name: "windsurf", Folder: ".windsurf", Trust: "Windsurf calls nothing: it reads the rule, and runs mem as that says", Files: []File{
		{Project: "rules/mem.md", Head: "---\ndescription: Written by \"mem hook install windsurf\"\ntrigger: always_on\n---\n{block}\n"},
	}},
	{Name: "copilot", Answer: flat, Unsure: true, Shows: true, Vars: []string{"COPILOT_CLI"}, Session: "COPILOT_AGENT_SESSION_ID",
		Events: []event{{"SessionStart", Begin, takes, ""}, {"PostToolUse", After, takes, "bash|powershell"}},
		Folder: ".github/hooks", Env: "COPILOT_HOME", Below: "hooks", Home: ".copilot/hooks",
		Files: []File{{Project: "mem.json", Global: "mem.json", Head: "{\n  \"version\": 1,\n  \"hooks\": {\n",
			Each: `    "{event}": [{"type": "command", {matcher}"command": "{line}", "timeoutSec": 3}]`, Tail: "\n  }\n}\n"}},
		Trust: "Copilot CLI also runs the hooks that Claude Code has in a project: install one of the two"},
	{Name: "qwen", Wraps: true, Shows: true, Mute: true, Millis: true, Vars: []string{"QWEN_CODE"}, Session: "QWEN_CODE_SESSION_ID",
		Events: []event{
			{"SessionStart", Begin, takes, ""}, {"SubagentStart", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""},
			{"PostToolUse", After, takes, "run_shell_command"}, {"PostToolUseFailure", After, takes, ""}, // what PreToolUse says is dropped
		},
		Folder: ".qwen", Home: ".qwen", Files: []File{{Project: "settings.json", Global: "settings.json", Kind: "settings"}},
		Trust: "Qwen Code runs a project's hooks only in a folder that you trust",
		Off:   []toggle{{[]string{"/disableAllHooks"}, yes}}, OffIn: []string{"project/settings.json", "user/settings.json"}},
	{Name: "factory", Unsure: true, Shows: true,
		Events: []event{{"SessionStart", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""}, {"PostToolUse", After, takes, "Execute|Bash"}},
		Folder: ".factory", Home: ".factory", Files: []File{{Project: "settings.json", Global: "settings.json", Kind: "settings"}},
		Trust:       "Droid reads these hooks only where there is no hooks.json beside them, and asks for a review in /hooks",
		TrustGlobal: "Droid reads these hooks only where there is no hooks.json beside them, and asks for a review in /hooks"},
	{Name: "cline", Answer: cline, Unsure: true, Shows: true, Vars: []string{"CLINE_ACTIVE"},
		Events: []event{
			{"TaskStart", Begin, takes, ""}, {"TaskResume", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""},
			{"PreToolUse", Before, takes, ""}, {"PostToolUse", After, takes, ""},
		},
		Folder: ".clinerules/hooks", Home: "Documents/Cline/Hooks", Files: []File{{Project: "{event}", Global: "{event}", Kind: "script",
			Head: "#!/bin/sh\n# Written by \"mem hook install cline\"; \"mem hook uninstall cline\" takes it away again.\n" +
				"said=$(command -v mem >/dev/null && mem hook cline 2>/dev/null)\n[ -n \"$said\" ] && printf '%s\\n' \"$said\" || echo '{\"cancel\": false}'\n"}},
		Trust: "Cline runs hooks once they are enabled in its settings", TrustGlobal: "Cline runs hooks once they are enabled in its settings"},
	{Name: "kiro", Answer: plain, Shows: true,
		Events: []event{{"SessionStart", Begin, takes, ""}, {"UserPromptSubmit", Prompt, takes, ""}, {"agentSpawn", Begin, takes | bare, ""}},
		Folder: ".kiro", Files: []File{{Project: "hooks/mem.json", Head: "{\n  \"version\": \"v1\",\n  \"hooks\": [\n",
			Each: `    {"name": "mem {event}", "trigger": "{event}", "action": {"type": "command", "command": "{line}"}, "timeout": 3}`, Tail: "\n  ]\n}\n"}}},
	{Name: "kimi", Answer: plain, Shows: true,
		Events: []event{{"UserPromptSubmit", Prompt, takes, ""}},
		Env:    "KIMI_CODE_HOME", Home: ".kimi-code", Files: []File{{Global: "config.toml", Kind: "tables", Head: "# mem: begin\n",
			Each: "[[hooks]]\nevent = \"{event}\"\ncommand = \"{line}\"\ntimeout = 3\n", Tail: "# mem: end"}}},
	{Name: "amp", Home: ".config/amp", Files: []File{{Project: "AGENTS.md", Global: "AGENTS.md", Kind: "block"}}},
	{Name: "goose", Vars: []string{"GOOSE_TERMINAL"}, Home: ".config/goose", Files: []File{{Project: ".goosehints", Global: ".goosehints", Kind: "block"}}},
	{Name: "zed", Home: ".config/zed", Files: []File{{Project: "AGENTS.md", Global: "AGENTS.md", Kind: "block"}}},
	{Name: "agents-md", Files: []File{{Project: "AGENTS.md", Kind: "block"}}},
	{Name: "claude-md", Env: "CLAUDE_CONFIG_DIR", Home: ".claude", Files: []File{{Project: "CLAUDE.md", Global: "CLAUDE.md", Kind: "block"}}},
}

// Find returns the row of an agent; an empty one if there is none.
func Find(name string) *Row {
	if i := slices.IndexFunc(Table, func(r Row) bool { return r.Name == name }); i >= 0 {
		return &Table[i]
	}
	return &Row{}
}

// Row is the row of the agent that said it.
func (p Payload) Row() *Row { return Find(p.Agent) }

// find returns an event, whatever its spelling: that differs between versions.
func (r *Row) find(name string) (e event) {
	for _, e := range r.Events {
		if fold(e.Name) == fold(name) {
			return e
		}
	}
	return e
}

// TellsBefore reports whether the agent's model reads what mem says before a command.
func (r *Row) TellsBefore() bool {
	return slices.ContainsFunc(r.Events, func(e event) bool { return e.Moment == Before && e.flags&takes != 0 })
}

// Names lists the agents whose rows fit.
func Names(fits func(*Row) bool) (names []string) {
	for i := range Table {
		if fits(&Table[i]) {
			names = append(names, Table[i].Name)
		}
	}
	return names
}

// Hooked names the agents that call mem.
func Hooked() []string { return Names(func(r *Row) bool { return len(r.Events) > 0 }) }
