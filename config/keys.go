package config

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A key is one setting. The field of Config that it sets says what it is for.
type key struct {
	name  string // dotted, as in TOML
	inert bool   // may be set by a memory root's own file

	reset func(c *Config)                  // stores the default
	set   func(c *Config, value any) error // checks a value as TOML gives it and stores it
	read  func(text string) (any, error)   // makes such a value from the text of a variable or flag
	show  func(c *Config) any              // returns the stored value
}

// newKey makes the key of a field of Config.
func newKey[T any](name string, fallback T, k kind[T], field func(*Config) *T) key {
	return key{
		name:  name,
		reset: func(c *Config) { *field(c) = fallback },
		read:  func(text string) (any, error) { return readText(fallback, text) },
		set: func(c *Config, value any) error {
			v, err := k(value)
			if err == nil {
				*field(c) = v
			}
			return err
		},
		show: func(c *Config) any { return *field(c) },
	}
}

// newArgvKey makes the key of a program that is run.
func newArgvKey(name string, field func(*Config) *[]string) key {
	k := newKey(name, nil, argv, field)
	k.read = readArgv
	return k
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
		serverKeys("openai", func(c *Config) *Server { return &c.Oracle.OpenAI }),
		// They decide whose words sessions are shown, how many, whose count as the person's,
		// and whether they leave this machine.
		[]key{
			newKey("trust", nil, rootNames, func(c *Config) *[]string { return &c.Trust }),
			newKey("headless", "automation", word("automation", HeadlessPerson), func(c *Config) *string { return &c.Headless }),
			newKey("shared", "", oneLine(checkFolder), func(c *Config) *string { return &c.Shared }),
			newKey("sync.auto", false, boolean, func(c *Config) *bool { return &c.SyncAuto }),
		})
})

// keyNamed returns the key of a name.
func keyNamed(name string) (key, error) {
	for _, k := range keys() {
		if k.name == name {
			return k, nil
		}
	}
	return key{}, fmt.Errorf("unknown key %q", name)
}

// inertKeys are those that a memory root's own file may set.
func inertKeys() []key {
	list := []key{
		newKey("enabled", true, boolean, func(c *Config) *bool { return &c.Enabled }),
		newKey("mode", "project", word("project", ModeGlobal), func(c *Config) *string { return &c.Mode }),
		// A size below 1 has always meant the smallest there is.
		newKey("max_core_items", 20, atLeast(1, number(1, 1000)), func(c *Config) *int { return &c.MaxCoreItems }),
		newKey("max_lessons", 8, number(1, 100), func(c *Config) *int { return &c.MaxLessons }),
		newKey("budget_tokens", 3000, number(1, 1_000_000), func(c *Config) *int { return &c.BudgetTokens }),
		newKey("context.start", "few", word("few", StartCore), func(c *Config) *string { return &c.Start }),
		newKey("context.start_tokens", 600, number(1, 1_000_000), func(c *Config) *int { return &c.StartTokens }),
		newKey("instruction_mode", "strict", word("strict", "advisory", "off"), func(c *Config) *string { return &c.InstructionMode }),
		newKey("include_monthly", false, boolean, func(c *Config) *bool { return &c.IncludeMonthly }),
		newKey("include_daily", 0, number(0, 366), func(c *Config) *int { return &c.IncludeDaily }),
		newKey("hook.worker", true, boolean, func(c *Config) *bool { return &c.Hook.Worker }),
		newKey("hook.action", true, boolean, func(c *Config) *bool { return &c.Hook.Action }),
		newKey("hook.remind", true, boolean, func(c *Config) *bool { return &c.Hook.Remind }),
		newKey("hook.sessions", true, boolean, func(c *Config) *bool { return &c.Hook.Sessions }),
		newKey("hook.quiet", 10*time.Minute, duration(0, time.Hour), func(c *Config) *time.Duration { return &c.Hook.Quiet }),
		newKey("rules.auto_apply", true, boolean, func(c *Config) *bool { return &c.Rules.AutoApply }),
		newKey("prove.tests", true, boolean, func(c *Config) *bool { return &c.ProveTests }),
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
		newKey("oracle.order", oracleNames, someOf(oracleNames), func(c *Config) *[]string { return &c.Oracle.Order }),
		newKey("oracle.max_calls_per_day", 0, number(0, 1_000_000), func(c *Config) *int { return &c.Oracle.MaxCalls }),
		newKey("oracle.max_tokens_per_day", 0, number(0, 1_000_000_000), func(c *Config) *int { return &c.Oracle.MaxTokens }),
		newKey("oracle.command.preset", PresetNone, word(append([]string{PresetNone}, Programs...)...), func(c *Config) *string { return &c.Oracle.Command.Preset }),
		newKey("oracle.command.model", "", oneLine(nil), func(c *Config) *string { return &c.Oracle.Command.Model }),
		newArgvKey("oracle.command.argv", func(c *Config) *[]string { return &c.Oracle.Command.Argv }),
		newKey("oracle.command.timeout", 90*time.Second, duration(time.Second, time.Hour), func(c *Config) *time.Duration { return &c.Oracle.Command.Timeout }),
		newKey("oracle.session_model", "", oneLine(nil), func(c *Config) *string { return &c.Oracle.SessionModel }),
	}
}

// serverKeys are the keys of [oracle.NAME].
func serverKeys(name string, of func(*Config) *Server) []key {
	prefix := "oracle." + name + "."
	return []key{
		newKey(prefix+"model", "", oneLine(nil), func(c *Config) *string { return &of(c).Model }),
		newKey(prefix+"base_url", "", oneLine(CheckAddress), func(c *Config) *string { return &of(c).BaseURL }),
		newKey(prefix+"max_tokens", 0, number(0, 20_000), func(c *Config) *int { return &of(c).MaxTokens }),
		newKey(prefix+"context_tokens", 0, number(0, 10_000_000), func(c *Config) *int { return &of(c).ContextTokens }),
		newArgvKey(prefix+"key_command", func(c *Config) *[]string { return &of(c).KeyCommand }),
	}
}
