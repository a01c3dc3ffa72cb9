package config

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// A key is one setting. The table of keys is all there is to know about it.
type key struct {
	name     string // dotted, as in TOML
	doc      string // what it is for, in one line
	inert    bool   // may be set by a memory root's own file
	fallback any    // the default, as TOML would give it

	// set checks a value as TOML gives it and stores it.
	set func(c *Config, value any) error

	// read makes such a value from the text of a variable or flag.
	read func(text string) (any, error)

	// show returns the stored value as TOML would give it.
	show func(c *Config) any
}

// newKey makes the key of a field of Config.
func newKey[T any](name, doc string, fallback T, k kind[T], field func(*Config) *T) key {
	return key{
		name: name, doc: doc, fallback: k.show(fallback), read: k.read,
		set: func(c *Config, value any) error {
			v, err := k.parse(value)
			if err == nil {
				*field(c) = v
			}
			return err
		},
		show: func(c *Config) any { return k.show(*field(c)) },
	}
}

// envName returns the name of the variable that sets the key.
func (k key) envName() string {
	return "MEM_" + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
}

// flagName returns the name of the flag that sets the key.
func (k key) flagName() string {
	return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(k.name)
}

// keys is the table, in the order in which keys are shown. To add a key, add a
// field to Config and an entry here.
var keys = sync.OnceValue(func() []key {
	return slices.Concat(inertKeys(), oracleKeys(),
		serverKeys("anthropic", func(c *Config) *Server { return &c.Oracle.Anthropic }),
		serverKeys("openai", func(c *Config) *Server { return &c.Oracle.OpenAI }))
})

// inertKeys are those that a memory root's own file may set.
func inertKeys() []key {
	list := []key{
		newKey("enabled", "false: hooks and reflect --auto do nothing and say so",
			true, boolean, func(c *Config) *bool { return &c.Enabled }),
		newKey("mode", "project keeps repository detail; global asks for cross-project wording",
			ModeProject, word(ModeProject, ModeGlobal), func(c *Config) *Mode { return &c.Mode }),
		// A size below 1 has always meant the smallest there is.
		newKey("max_core_items", "size of CORE.md's selection; below 1 counts as 1",
			20, atLeast(1, number(1, 1000)), func(c *Config) *int { return &c.MaxCoreItems }),
		newKey("max_lessons", "most lessons per side and reflection",
			8, number(1, 100), func(c *Config) *int { return &c.MaxLessons }),
		newKey("budget_tokens", "size of mem context in tokens",
			3000, number(1, 1_000_000), func(c *Config) *int { return &c.BudgetTokens }),
		newKey("instruction_mode", "how the context speaks to the agent: off, advisory or strict",
			InstructionStrict, word(InstructionStrict, InstructionAdvisory, InstructionOff), func(c *Config) *InstructionMode { return &c.InstructionMode }),
		newKey("include_monthly", "put the month's summary into the context",
			false, boolean, func(c *Config) *bool { return &c.IncludeMonthly }),
		newKey("include_daily", "days of the journal in the context",
			0, number(0, 366), func(c *Config) *int { return &c.IncludeDaily }),
		newKey("hook.worker", "false: hooks queue sessions, and only 'mem worker' reads them",
			true, boolean, func(c *Config) *bool { return &c.Hook.Worker }),
		newKey("hook.quiet", "how long a session waits for more to happen before it is read",
			5*time.Second, duration(0, time.Hour), func(c *Config) *time.Duration { return &c.Hook.Quiet }),
		newKey("rules.auto_apply", "false: no rule is written without asking, not even on how code is formatted",
			true, boolean, func(c *Config) *bool { return &c.Rules.AutoApply }),
	}
	for i := range list {
		list[i].inert = true
	}
	return list
}

// oracleNames are all that may answer, in the default order.
var oracleNames = []string{"lessons", "command", "anthropic", "openai", "heuristic"}

// oracleKeys decide who reads the prompts and what is run.
func oracleKeys() []key {
	return []key{
		newKey("oracle.order", "who answers prompts: the first usable one",
			oracleNames, someOf(oracleNames), func(c *Config) *[]string { return &c.Oracle.Order }),
		newKey("oracle.max_calls_per_day", "most questions to models in a day (UTC) and memory; 0: any number",
			0, number(0, 1_000_000), func(c *Config) *int { return &c.Oracle.MaxCalls }),
		newKey("oracle.max_tokens_per_day", "most tokens, in and out, in a day (UTC) and memory; 0: any number",
			0, number(0, 1_000_000_000), func(c *Config) *int { return &c.Oracle.MaxTokens }),
		newKey("oracle.command.preset", "a program that mem knows how to ask, instead of argv",
			PresetNone, word(PresetNone, PresetClaude, PresetCodex, PresetPi, PresetGemini), func(c *Config) *Preset { return &c.Oracle.Command.Preset }),
		newKey("oracle.command.model", "the model that the preset uses",
			"", oneLine(nil), func(c *Config) *string { return &c.Oracle.Command.Model }),
		newKey("oracle.command.argv", "a program that reads a prompt and prints the answer, with its arguments",
			nil, argv, func(c *Config) *[]string { return &c.Oracle.Command.Argv }),
		newKey("oracle.command.timeout", "how long the program may take",
			90*time.Second, duration(time.Second, time.Hour), func(c *Config) *time.Duration { return &c.Oracle.Command.Timeout }),
	}
}

// serverKeys are the keys of [oracle.NAME].
func serverKeys(name string, of func(*Config) *Server) []key {
	prefix := "oracle." + name + "."
	return []key{
		newKey(prefix+"model", "the model to ask; without one nothing is sent there",
			"", oneLine(nil), func(c *Config) *string { return &of(c).Model }),
		newKey(prefix+"base_url", "the server, if it is not the provider's own",
			"", oneLine(CheckAddress), func(c *Config) *string { return &of(c).BaseURL }),
		newKey(prefix+"max_tokens", "most tokens of an answer, thinking included; 0: as the task needs",
			0, number(0, 20_000), func(c *Config) *int { return &of(c).MaxTokens }),
		newKey(prefix+"context_tokens", "what prompt and answer may hold together; 0: not known",
			0, number(0, 10_000_000), func(c *Config) *int { return &of(c).ContextTokens }),
		newKey(prefix+"key_command", "a program that prints the key, with its arguments",
			nil, argv, func(c *Config) *[]string { return &of(c).KeyCommand }),
	}
}
