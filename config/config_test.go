package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// defaults is the configuration of a fresh machine.
func defaults() Config {
	return Config{
		Enabled: true, Mode: "project", MaxCoreItems: 20, MaxLessons: 8, BudgetTokens: 3000, InstructionMode: "strict", Headless: "automation",
		Start: "few", StartTokens: 600,
		Hook:      Hook{Worker: true, Action: true, Remind: true, Sessions: true, Notice: true, Quiet: 10 * time.Minute},
		AutoApply: true,
		Oracle:    Oracle{Order: []string{"lessons", "command", "anthropic", "openai", "heuristic"}, Command: Command{Preset: PresetNone, Timeout: 90 * time.Second}},
	}
}

func user(text string) *Source {
	return &Source{Name: "/home/bob/.config/mem/config.toml", Data: []byte(text)}
}
func root(text string) *Source { return &Source{Name: "/p/.mem/mem.toml", Data: []byte(text)} }

// loads are sources and what they make of the defaults.
var loads = []struct {
	name       string
	user, root *Source
	environ    []string
	want       func(c *Config)
}{
	{name: "nothing", want: func(*Config) {}},
	{name: "empty files", user: user(""), root: root("# nothing\n"), want: func(*Config) {}},
	{name: "a partial file switches nothing off", user: user("max_lessons = 3"), want: func(c *Config) { c.MaxLessons = 3 }},
	{name: "an empty section", user: user("[oracle]\n[oracle.command]"), want: func(*Config) {}},
	{
		name: "every key", user: user(`
enabled = false
mode = "global"
max_core_items = 1000
max_lessons = 1
budget_tokens = 500
instruction_mode = "off"
include_monthly = true
include_daily = 7
hook.worker = false
hook.action = false
hook.remind = false
hook.sessions = false
hook.notice = false
hook.quiet = "1m"
rules.auto_apply = false
[oracle]
order = ["heuristic", "command"]
[oracle.command]
argv = ["claude", "-p", "a b"]
timeout = "2m"
[oracle.anthropic]
model = "claude-haiku-5-5"
base_url = "https://proxy.example.com"
max_tokens = 4000
context_tokens = 200000
key_command = ["pass", "anthropic"]
[oracle.openai]
model = "qwen3:8b"
base_url = "http://localhost:11434/v1"`),
		want: func(c *Config) {
			*c = Config{Headless: "automation", MaxCoreItems: 1000, Mode: ModeGlobal, MaxLessons: 1, BudgetTokens: 500, InstructionMode: "off", IncludeMonthly: true, IncludeDaily: 7,
				Start: "few", StartTokens: 600}
			c.Hook.Quiet = time.Minute
			c.Oracle.Order = []string{"heuristic", "command"}
			c.Oracle.Command = Command{Argv: []string{"claude", "-p", "a b"}, Preset: PresetNone, Timeout: 2 * time.Minute}
			c.Oracle.Anthropic = Server{
				Model: "claude-haiku-5-5", BaseURL: "https://proxy.example.com", MaxTokens: 4000, ContextTokens: 200000, KeyCommand: []string{"pass", "anthropic"},
			}
			c.Oracle.OpenAI = Server{Model: "qwen3:8b", BaseURL: "http://localhost:11434/v1"}
		},
	},
	{
		name: "later wins", user: user("max_lessons = 1\nbudget_tokens = 1\nmax_core_items = 1\ninclude_daily = 1"),
		root: root("max_lessons = 2\nbudget_tokens = 2\nmax_core_items = 2"), environ: []string{"MEM_BUDGET_TOKENS=3"},
		want: func(c *Config) { c.MaxLessons, c.BudgetTokens, c.MaxCoreItems, c.IncludeDaily = 2, 3, 2, 1 },
	},
	{name: "a size below one counts as one", user: user("max_core_items = -5"), want: func(c *Config) { c.MaxCoreItems = 1 }},
	{name: "also from a variable", environ: []string{"MEM_MAX_CORE_ITEMS=0"}, want: func(c *Config) { c.MaxCoreItems = 1 }},
	{
		name: "empty variables and other variables", environ: []string{"MEM_MODE=", "MEM_ENABLED= ", "MEM_ROOT=/x", "MEM_CHILD=1", "MEM_NOW=now", "MEM", "=x", ""},
		want: func(*Config) {},
	},
	{name: "the first of two variables", environ: []string{"MEM_MODE=global", "MEM_MODE=project"}, want: func(c *Config) { c.Mode = ModeGlobal }},
	{
		name:    "variables",
		environ: []string{"MEM_ENABLED=off", "MEM_INCLUDE_MONTHLY=1", "MEM_INSTRUCTION_MODE=advisory", "MEM_ORACLE_ORDER=heuristic, lessons", "MEM_ORACLE_COMMAND_ARGV=llm -m \"x $Y\"", "MEM_ORACLE_COMMAND_TIMEOUT=5s"},
		want: func(c *Config) {
			c.Enabled, c.IncludeMonthly, c.InstructionMode = false, true, "advisory"
			c.Oracle.Order = []string{"heuristic", "lessons"}
			c.Oracle.Command = Command{Argv: []string{"llm", "-m", `"x`, `$Y"`}, Preset: PresetNone, Timeout: 5 * time.Second}
		},
	},
	{name: "argv as JSON", environ: []string{`MEM_ORACLE_COMMAND_ARGV=["llm","a b"]`}, want: func(c *Config) { c.Oracle.Command.Argv = []string{"llm", "a b"} }},
	{
		name: "servers and budgets", environ: []string{"MEM_ORACLE_OPENAI_MODEL=m", "MEM_ORACLE_ANTHROPIC_KEY_COMMAND=[\"pass\",\"a b\"]", "MEM_ORACLE_MAX_CALLS_PER_DAY=20", "MEM_ORACLE_MAX_TOKENS_PER_DAY=100000"},
		want: func(c *Config) {
			c.Oracle.OpenAI.Model, c.Oracle.Anthropic.KeyCommand = "m", []string{"pass", "a b"}
			c.Oracle.MaxCalls, c.Oracle.MaxTokens = 20, 100000
		},
	},
	{name: "a preset", user: user("[oracle.command]\npreset = 'claude'\nmodel = 'haiku'"), want: func(c *Config) {
		c.Oracle.Command.Preset, c.Oracle.Command.Model = "claude", "haiku"
	}},
	{name: "a program instead of the preset", user: user("oracle.command.preset = 'claude'"), environ: []string{"MEM_ORACLE_COMMAND_PRESET=none", "MEM_ORACLE_COMMAND_ARGV=llm"}, want: func(c *Config) {
		c.Oracle.Command.Argv = []string{"llm"}
	}},
	{name: "another preset for one run", user: user("oracle.command.argv = ['llm']"), environ: []string{"MEM_ORACLE_COMMAND_PRESET=pi"}, want: func(c *Config) {
		c.Oracle.Command.Preset = "pi"
	}},
	{name: "another program for one run", user: user("oracle.command.preset = 'pi'"), environ: []string{"MEM_ORACLE_COMMAND_ARGV=llm"}, want: func(c *Config) {
		c.Oracle.Command.Argv = []string{"llm"}
	}},
	{name: "inline tables", user: user(`oracle = {order = ["lessons"], command = {timeout = "1s"}}`), want: func(c *Config) {
		c.Oracle.Order, c.Oracle.Command.Timeout = []string{"lessons"}, time.Second
	}},
	{name: "keys of a newer version", root: root("max_lessons = 7\nnewer = 1\n[later]\nx = true"), want: func(c *Config) { c.MaxLessons = 7 }},
}

func TestLoad(t *testing.T) {
	for _, tt := range loads {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(tt.user, tt.root, tt.environ)
			envtest.StopIf(t, err != nil, "Load() = %v, want no error", err)
			want := defaults()
			tt.want(&want)
			envtest.Same(t, want, got.Config, "Load")
		})
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	const userFile, rootFile = "user file /home/bob/.config/mem/config.toml: ", "root file /p/.mem/mem.toml: "
	tests := []struct {
		user, root, env string
		want            string
	}{
		{user: "modee = 'global'", want: userFile + `unknown key "modee"; did you mean "mode"?`},
		{user: "[oracel]\norder = []", want: userFile + `unknown key "oracel"; did you mean "oracle"?`},
		{user: "[oracle]\nordre = []", want: userFile + `unknown key "oracle.ordre"; did you mean "oracle.order"?`},
		{user: "timeout = '1s'", want: userFile + `unknown key "timeout"; did you mean "oracle.command.timeout"?`},
		{user: "oracle = {anthropic = {key = 'x'}}", want: userFile + `unknown key "oracle.anthropic.key`},
		{user: "oracle.openai.base_url = 'localhost:1'", want: userFile + "oracle.openai.base_url: want an address such as"},
		{user: "oracle.openai.model = \"a\\nb\"", want: userFile + "oracle.openai.model: want one short line"},
		{user: "oracle.openai.max_tokens = 30000", want: userFile + "oracle.openai.max_tokens: want 0 to 20000, got 30000"},
		{user: "oracle.command.preset = 'vim'", want: userFile + `oracle.command.preset: want none, claude, codex, pi, gemini or opencode, got "vim"`},
		{user: "oracle.command = {argv = ['x'], preset = 'pi'}", want: userFile[:len(userFile)-2] + ": oracle.command.argv and oracle.command.preset (" + userFile[:len(userFile)-2] + ") exclude each other: take one of them out"},
		{user: "'oracle.order' = ['lessons']", want: userFile + "unknown key"},
		{user: "zzzzzzzzzzzz = 1", want: userFile + `unknown key "zzzzzzzzzzzz"`},
		{user: "mode = 'both'", want: userFile + `mode: want project or global, got "both"`},
		{user: "mode = 3", want: userFile + `mode: want project or global, got "3"`},
		{user: "[mode]\nx = 1", want: userFile + "mode: want a value, got a table"},
		{user: "oracle = 'x'", want: userFile + "oracle: want a table"},
		{user: "[[oracle]]\norder = []", want: userFile + "oracle: want a table"},
		{user: "max_core_items = 1001", want: userFile + "max_core_items: want 1 to 1000, got 1001"},
		{user: "max_core_items = 2.5", want: userFile + "max_core_items: want a whole number, got \"2.5\""},
		{user: "max_lessons = 0", want: userFile + "max_lessons: want 1 to 100, got 0"},
		{user: "[context]\nheldout = 0.2", want: userFile + `unknown key "context.heldout"`},
		{user: "include_daily = -1", want: userFile + "include_daily: want 0 to 366, got -1"},
		{user: "instruction_mode = 'loud'", want: userFile + `instruction_mode: want strict, advisory or off, got "loud"`},
		{user: "oracle.order = ['gpt']", want: userFile + `oracle.order: want lessons, command, anthropic, openai or heuristic, got "gpt"`},
		{user: "oracle.order = ['command', 'command']", want: userFile + `oracle.order: "command" is there twice`},
		{user: "oracle.order = []", want: userFile + "oracle.order: want at least one of"},
		{user: "oracle.command.argv = [1]", want: userFile + "oracle.command.argv: want a JSON array of strings or words, got"},
		{user: "oracle.command.argv = ['']", want: userFile + "oracle.command.argv: want the name of a program"},
		{user: "oracle.command.timeout = 90", want: userFile + `oracle.command.timeout: want a time such as "90s", got "90"`},
		{user: "oracle.command.timeout = '90'", want: userFile + `oracle.command.timeout: want a time such as "90s", got "90"`},
		{user: "oracle.command.timeout = '2h'", want: userFile + `oracle.command.timeout: want 1s to 1h, got "2h"`},
		{user: "mode = ", want: userFile + "toml: line 1"},
		{user: "mode = 'global'\nmode = 'global'", want: userFile + "toml: line 2"},
		{env: "MEM_ENABLED=perhaps", want: `environment MEM_ENABLED: want true or false, got "perhaps"`},
		{env: "MEM_BUDGET_TOKENS=many", want: `environment MEM_BUDGET_TOKENS: want a whole number, got "many"`},
		{env: "MEM_ORACLE_ORDER=,", want: `environment MEM_ORACLE_ORDER: want lessons, command, anthropic, openai or heuristic, got ""`},
		{env: "MEM_ORACLE_COMMAND_ARGV=[1]", want: "environment MEM_ORACLE_COMMAND_ARGV: want a JSON array of strings or words"},
		{env: "MEM_MODE=\xff", want: "environment MEM_MODE: not valid UTF-8"},
	}
	for _, tt := range tests {
		_, err := Load(user(tt.user), root(tt.root), []string{tt.env})
		envtest.FailIf(t, err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrInvalid),
			"Load(%q, %q, %q) = %v, want an ErrInvalid with %s", tt.user, tt.root, tt.env, err, tt.want)
	}
}

// defaultOf is the default of a key as TOML.
func defaultOf(k key) string {
	var c Config
	k.reset(&c)
	return asTOML(k.show(&c))
}

// The matrix of threat T10: what a memory's own file may set.
func TestRootFileSetsInertKeysOnly(t *testing.T) {
	for _, k := range keys() {
		text := k.name + " = " + defaultOf(k)
		if k.name == "oracle.command.argv" {
			text = k.name + " = ['sh', '-c', 'x']"
		}
		if _, err := Load(user(text), nil, nil); err != nil {
			t.Errorf("Load of a user file with %s = %v, want no error", text, err)
		}
		_, err := Load(user(""), root(text), nil)
		if k.inert {
			envtest.FailIf(t, err != nil, "Load of a root file with %s = %v, want no error", text, err)
			continue
		}
		for _, part := range []string{"root file /p/.mem/mem.toml", k.name, "user file /home/bob/.config/mem/config.toml"} {
			envtest.FailIf(t, !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), part),
				"Load of a root file with %s = %v, want an ErrInvalid with %q", text, err, part)
		}
		if (strings.HasPrefix(k.name, "oracle.") || k.name == "trust" || k.name == "headless" || k.name == "sync.auto") == k.inert {
			t.Errorf("%s is inert, but it decides who reads the prompts", k.name)
		}
	}
	if _, err := Load(nil, root("oracle.order = ['command']"), nil); err == nil || !strings.Contains(err.Error(), "~/.config") {
		t.Errorf("without a user file: %v, want where to put one", err)
	}
	_, err := Load(nil, root("oracle = {command = {argv = ['sh']}}"), nil)
	envtest.FailIf(t, err == nil, "an inline table gets around the check")
}

// What Load accepts, Values writes, and a user file with that means the same.
func FuzzLoad(f *testing.F) {
	f.Add("mode = 'global'", "max_lessons = 5", "MEM_ORACLE_COMMAND_ARGV=[\"a\"]")
	f.Add("[oracle.command]\nargv = ['a']\ntimeout = '1m'", "", "MEM_MODE=global")
	f.Add("[[oracle]]", "oracle = {order = []}", "MEM_ENABLED")
	f.Fuzz(func(t *testing.T, userText, rootText, variable string) {
		l, err := Load(user(userText), root(rootText), []string{variable})
		if err != nil {
			envtest.StopIf(t, !errors.Is(err, ErrInvalid), "Load() = %v, want an ErrInvalid", err)
			return
		}
		var text strings.Builder
		for _, v := range l.Values() {
			text.WriteString(v.Key + " = " + v.Value + "\n")
		}
		again, err := Load(user(text.String()), nil, nil)
		envtest.StopIf(t, err != nil, "Load(%q) = %v, want no error", text.String(), err)
		envtest.Same(t, l.Config, again.Config, "Load", text.String())
	})
}
