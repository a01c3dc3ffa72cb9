package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
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

// store checks the text of a value and stores it in a configuration; value is as TOML would give it.
func (k key) store(c *Config, text string) (value any, err error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("not valid UTF-8")
	}
	if value, err = k.read(text); err == nil {
		err = k.set(c, value)
	}
	return value, err
}

// envName returns the name of the variable that sets the key.
func (k key) envName() string {
	return "MEM_" + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
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
		newKey("max_core_items", 20, itemCount, func(c *Config) *int { return &c.MaxCoreItems }),
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
		newKey("hook.notice", true, boolean, func(c *Config) *bool { return &c.Hook.Notice }),
		newKey("hook.quiet", 10*time.Minute, duration(0, time.Hour), func(c *Config) *time.Duration { return &c.Hook.Quiet }),
		newKey("rules.auto_apply", true, boolean, func(c *Config) *bool { return &c.AutoApply }),
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

// A kind checks a value as TOML gives it, and returns what it stands for.
type kind[T any] func(value any) (T, error)

// readText makes a value as TOML gives it of the text of a variable or flag, for a
// key whose field is like this one.
func readText(field any, text string) (any, error) {
	switch field.(type) {
	case bool:
		switch strings.ToLower(text) {
		case "true", "1", "yes", "on":
			return true, nil
		case "false", "0", "no", "off":
			return false, nil
		}
		return nil, fmt.Errorf("want true or false, got %q", text)
	case int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("want a whole number, got %q", text)
		}
		return n, nil
	case []string:
		list := strings.Split(text, ",")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		return anyList(list), nil
	}
	return text, nil
}

// boolean is true or false.
func boolean(value any) (bool, error) { return asType[bool](value, "true or false") }

// number is a whole number from lowest to highest.
func number(lowest, highest int64) kind[int] {
	return func(value any) (int, error) {
		n, err := asType[int64](value, "a whole number")
		if err == nil && (n < lowest || n > highest) {
			err = fmt.Errorf("want %d to %d, got %d", lowest, highest, n)
		}
		return int(n), err
	}
}

// itemCount is a number of which one below 1 has always meant the smallest there is.
func itemCount(value any) (int, error) {
	if n, ok := value.(int64); ok {
		value = max(n, 1)
	}
	return number(1, 1000)(value)
}

// word is one of a few words.
func word(words ...string) kind[string] {
	return func(value any) (string, error) {
		s, err := asType[string](value, "a string")
		if err == nil && !slices.Contains(words, s) {
			err = fmt.Errorf("want %s, got %q", joinOr(words), s)
		}
		return s, err
	}
}

// someOf is a list of some of the words, at least one and each at most once.
func someOf(words []string) kind[[]string] {
	return func(value any) ([]string, error) {
		got, err := stringsOf(value)
		if err == nil && len(got) == 0 {
			err = fmt.Errorf("want at least one of %s", joinOr(words))
		}
		for i, s := range got {
			switch {
			case !slices.Contains(words, s):
				return nil, fmt.Errorf("want %s, got %q", joinOr(words), s)
			case slices.Contains(got[:i], s):
				return nil, fmt.Errorf("%q is there twice", s)
			}
		}
		return got, err
	}
}

// rootNames is a list of memories, each by the id of its first commit or by its
// path.
func rootNames(value any) ([]string, error) {
	got, err := stringsOf(value)
	for _, s := range got {
		if _, bad := hex.DecodeString(s); (bad != nil || len(s) != 40) && !filepath.IsAbs(s) {
			return nil, fmt.Errorf("want the 40 digits of a memory's id or the whole path of its folder, got %q", s)
		}
	}
	return got, err
}

// argv is a program and its arguments, or nothing.
func argv(value any) ([]string, error) {
	got, err := stringsOf(value)
	if len(got) > 0 && got[0] == "" {
		return nil, errors.New("want the name of a program first, got \"\"")
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return nil, errors.New("an argument cannot hold a NUL")
	}
	return got, err
}

// readArgv is readText for a program and its arguments: a JSON array, or else words
// between white space.
func readArgv(text string) (any, error) {
	words := strings.Fields(text)
	if strings.HasPrefix(text, "[") {
		words = nil
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			return nil, fmt.Errorf("want a JSON array of strings or words, got %q", text)
		}
	}
	return anyList(words), nil
}

// duration is a time such as 90s.
func duration(shortest, longest time.Duration) kind[time.Duration] {
	return func(value any) (time.Duration, error) {
		s, err := asType[string](value, `a string such as "90s"`)
		if err != nil {
			return 0, err
		}
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, fmt.Errorf("want a time such as %q, got %q", "90s", s)
		}
		if d < shortest || d > longest {
			return 0, fmt.Errorf("want %s to %s, got %q", formatDuration(shortest), formatDuration(longest), s)
		}
		return d, nil
	}
}

// formatDuration writes a time without its zero parts: 90s is 90s, an hour 1h.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 && d < 10*time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// maxText bounds a line of text.
const maxText = 1000

// oneLine is a line of text that check accepts if it is not empty; nil accepts
// any.
func oneLine(check func(string) error) kind[string] {
	return func(value any) (string, error) {
		s, err := asType[string](value, "a string")
		switch {
		case err != nil:
		case strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s || len(s) > maxText:
			err = errors.New("want one short line without white space around it")
		case check != nil && s != "":
			err = check(s)
		}
		return s, err
	}
}

// CheckAddress returns nil for the address of a server, in the form that
// base_url keys take. The error does not repeat it: it may hold a password.
func CheckAddress(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("want an address such as http://localhost:11434/v1")
	case u.User != nil:
		return errors.New("want an address without a user or password; a key comes from key_command or the environment")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want an address without a query or fragment")
	}
	return nil
}
