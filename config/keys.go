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

// A key is one setting. Wherever its value is from, it has a form as text.
type key struct {
	name  string // dotted, as in TOML
	means string // what it is for, in sentences
	takes string // which values, such as "a number from 1 to 100"
	inert bool   // may be set by a memory root's own file

	reset func(c *Config)                    // stores the default
	store func(c *Config, text string) error // checks a value and stores it
	show  func(c *Config) any                // returns the stored value
}

func newKey[T any](name, means string, fallback T, k kind[T], field func(*Config) *T) key {
	return key{
		name: name, means: means, takes: k.takes,
		reset: func(c *Config) { *field(c) = fallback },
		store: func(c *Config, text string) error {
			if !utf8.ValidString(text) {
				return errors.New("not valid UTF-8")
			}
			v, err := k.parse(text)
			if err == nil {
				*field(c) = v
			}
			return err
		},
		show: func(c *Config) any { return *field(c) },
	}
}

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
			newKey("trust", "Which memories are yours although nothing on this account says so.",
				nil, rootNames, func(c *Config) *[]string { return &c.Trust }),
			newKey("headless", "Whose words the prompts of runs without a person are, such as those of `claude -p`.",
				"automation", word("automation", HeadlessPerson), func(c *Config) *string { return &c.Headless }),
			newKey("sync.auto", "Whether the worker exchanges commits with the memory's remote.", false, boolean, func(c *Config) *bool { return &c.SyncAuto }),
		})
})

func keyNamed(name string) (key, error) {
	k, known, err := findKey(keys(), strings.Split(name, "."), map[string]any{})
	if err == nil && !known {
		err = fmt.Errorf("%s is a group of keys", name)
	}
	return k, err
}

// inertKeys are those that a memory root's own file may set.
func inertKeys() []key {
	list := []key{
		newKey("enabled", "Whether hooks do anything.", true, boolean, func(c *Config) *bool { return &c.Enabled }),
		newKey("mode", "How lessons are worded: with the details of this project, or for any project.",
			"project", word("project", ModeGlobal), func(c *Config) *string { return &c.Mode }),
		newKey("max_core_items", "How many lessons the list in CORE.md has at most. One below 1 counts as 1.",
			20, itemCount(), func(c *Config) *int { return &c.MaxCoreItems }),
		newKey("max_lessons", "How many lessons one session may add at most, of what to do and of what to avoid each.",
			8, number(1, 100), func(c *Config) *int { return &c.MaxLessons }),
		newKey("budget_tokens", "How many tokens `mem context --for` prints at most, and a session's start with `context.start = \"core\"`.",
			3000, number(1, 1_000_000), func(c *Config) *int { return &c.BudgetTokens }),
		newKey("context.start", "What a session reads when it starts: a few lessons, or all that CORE.md has.",
			"few", word("few", StartCore), func(c *Config) *string { return &c.Start }),
		newKey("context.start_tokens", "How many tokens a session reads when it starts with few.",
			600, number(1, 1_000_000), func(c *Config) *int { return &c.StartTokens }),
		newKey("instruction_mode", "How the context speaks to an agent. A memory's own file cannot say off, which leaves out that notes are not orders.",
			"strict", word("strict", "advisory", "off"), func(c *Config) *string { return &c.InstructionMode }),
		newKey("include_monthly", "Whether the context has the summary of the month.", false, boolean, func(c *Config) *bool { return &c.IncludeMonthly }),
		newKey("include_daily", "How many days of the journal the context has.", 0, number(0, 366), func(c *Config) *int { return &c.IncludeDaily }),
		newKey("hook.worker", "Whether hooks start a worker in the background, which asks for the lessons of sessions.",
			true, boolean, func(c *Config) *bool { return &c.Hook.Worker }),
		newKey("hook.action", "Whether a lesson is shown beside the command, edit or error that it is about.",
			true, boolean, func(c *Config) *bool { return &c.Hook.Action }),
		newKey("hook.remind", "Whether an agent is reminded that it may note a lesson.", true, boolean, func(c *Config) *bool { return &c.Hook.Remind }),
		newKey("hook.sessions", "Whether past sessions that began like a first prompt are named.", true, boolean, func(c *Config) *bool { return &c.Hook.Sessions }),
		newKey("hook.notice", "Whether the person is shown a line when an agent is given a lesson, or when some were learned.",
			true, boolean, func(c *Config) *bool { return &c.Hook.Notice }),
		newKey("hook.quiet", "How long a session that did not end waits before it is asked about. What happens in it meanwhile is asked about together.",
			10*time.Minute, duration(0, time.Hour), func(c *Config) *time.Duration { return &c.Hook.Quiet }),
		newKey("rules.auto_apply", "Whether a rule that is a matter of form, such as how files are named, is written without asking a person.",
			true, boolean, func(c *Config) *bool { return &c.AutoApply }),
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
		newKey("oracle.order", "Who is asked for lessons, in this order: the first that can answer does.",
			oracleNames, someOf(oracleNames), func(c *Config) *[]string { return &c.Oracle.Order }),
		newKey("oracle.max_calls_per_day", "How often models may be asked in a day (UTC) for one memory. 0 is any number of times.",
			0, number(0, 1_000_000), func(c *Config) *int { return &c.Oracle.MaxCalls }),
		newKey("oracle.max_tokens_per_day", "How many tokens may be sent to models in a day (UTC) for one memory. 0 is any number.",
			0, number(0, 1_000_000_000), func(c *Config) *int { return &c.Oracle.MaxTokens }),
		newKey("oracle.command.preset", "Which agent's program is asked, with arguments that mem knows.",
			PresetNone, word(append([]string{PresetNone}, Programs...)...), func(c *Config) *string { return &c.Oracle.Command.Preset }),
		newKey("oracle.command.model", "Which model the preset is to use. Empty leaves it to the program.",
			"", oneLine(nil), func(c *Config) *string { return &c.Oracle.Command.Model }),
		newKey("oracle.command.argv", "Which program is asked instead of a preset: it reads the prompt and prints the answer. No shell runs it.",
			nil, argv, func(c *Config) *[]string { return &c.Oracle.Command.Argv }),
		newKey("oracle.command.timeout", "How long the program may take.",
			90*time.Second, duration(time.Second, time.Hour), func(c *Config) *time.Duration { return &c.Oracle.Command.Timeout }),
		newKey("oracle.session_model", "Which model of the pi session that a command belongs to is asked before the built-in rules are.",
			"", oneLine(nil), func(c *Config) *string { return &c.Oracle.SessionModel }),
	}
}

// serverKeys are the keys of [oracle.NAME].
func serverKeys(name string, of func(*Config) *Server) []key {
	prefix := "oracle." + name + "."
	return []key{
		newKey(prefix+"model", "Which model is asked over the network. Without one no server is asked.",
			"", oneLine(nil), func(c *Config) *string { return &of(c).Model }),
		newKey(prefix+"base_url", "Where the server is. Empty is where its maker has it.",
			"", oneLine(CheckAddress), func(c *Config) *string { return &of(c).BaseURL }),
		newKey(prefix+"max_tokens", "How long an answer may be. 0 leaves it to the task.", 0, number(0, 20_000), func(c *Config) *int { return &of(c).MaxTokens }),
		newKey(prefix+"context_tokens", "How much the model can read and write at once. 0 means that it is not known.",
			0, number(0, 10_000_000), func(c *Config) *int { return &of(c).ContextTokens }),
		newKey(prefix+"key_command", "Which program prints the key of the server. No shell runs it. Without one it comes from the environment.",
			nil, argv, func(c *Config) *[]string { return &of(c).KeyCommand }),
	}
}

// A kind says which values a key takes, and reads one.
type kind[T any] struct {
	takes string
	parse func(text string) (T, error)
}

var boolean = kind[bool]{"true or false", func(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("want true or false, got %q", text)
}}

func number(lowest, highest int) kind[int] {
	return kind[int]{fmt.Sprintf("a number from %d to %d", lowest, highest), func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			err = fmt.Errorf("want a whole number, got %q", text)
		} else if n < lowest || n > highest {
			err = fmt.Errorf("want %d to %d, got %d", lowest, highest, n)
		}
		return n, err
	}}
}

// itemCount is a number from 1 to 1000; any lower number counts as 1, as it always has.
func itemCount() kind[int] {
	k := number(1, 1000)
	return kind[int]{k.takes, func(text string) (int, error) {
		if n, err := strconv.Atoi(text); err == nil && n < 1 {
			return 1, nil
		}
		return k.parse(text)
	}}
}

func word(words ...string) kind[string] {
	return kind[string]{joinOr(words), func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("want %s, got %q", joinOr(words), text)
		}
		return text, nil
	}}
}

// parseList reads a list: a JSON array, as textOf makes it, or what split makes of another text.
func parseList(text string, split func(string) []string) (list []string, _ error) {
	if !strings.HasPrefix(text, "[") {
		list = split(text)
	} else if json.Unmarshal([]byte(text), &list) != nil {
		return nil, fmt.Errorf("want a JSON array of strings or words, got %q", text)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, nil
}

func splitCommas(text string) []string {
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// someOf is a list of some of the words, at least one and each at most once.
func someOf(words []string) kind[[]string] {
	return kind[[]string]{"a list of " + joinOr(words) + ", each at most once", func(text string) ([]string, error) {
		got, err := parseList(text, splitCommas)
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
	}}
}

// rootNames is a list of memories, each by the id of its first commit or by its path.
var rootNames = kind[[]string]{"a list of memories: the 40 digits of an id, or the whole path of a folder", func(text string) ([]string, error) {
	got, err := parseList(text, splitCommas)
	for _, s := range got {
		if _, bad := hex.DecodeString(s); (bad != nil || len(s) != 40) && !filepath.IsAbs(s) {
			return nil, fmt.Errorf("want the 40 digits of a memory's id or the whole path of its folder, got %q", s)
		}
	}
	return got, err
}}

// argv is a program and its arguments, or nothing: words between white space, without a JSON array.
var argv = kind[[]string]{"a program and its arguments: words, or a JSON array", func(text string) ([]string, error) {
	got, err := parseList(text, strings.Fields)
	if len(got) > 0 && got[0] == "" {
		return nil, errors.New("want the name of a program first, got \"\"")
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return nil, errors.New("an argument cannot hold a NUL")
	}
	return got, err
}}

// duration is a time such as 90s.
func duration(shortest, longest time.Duration) kind[time.Duration] {
	takes := "a time from " + formatDuration(shortest) + " to " + formatDuration(longest)
	return kind[time.Duration]{takes, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("want a time such as %q, got %q", "90s", text)
		}
		if d < shortest || d > longest {
			return 0, fmt.Errorf("want %s to %s, got %q", formatDuration(shortest), formatDuration(longest), text)
		}
		return d, nil
	}}
}

// formatDuration writes a time without its zero parts: 90s is 90s, an hour 1h.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 && d%time.Minute != 0 && d < 10*time.Minute || d == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

const maxText = 1000

// oneLine is a line of text that check accepts if it is not empty; nil accepts
// any.
func oneLine(check func(string) error) kind[string] {
	takes := "a line of text"
	if check != nil {
		takes = "an address such as http://localhost:11434/v1"
	}
	return kind[string]{takes, func(text string) (_ string, err error) {
		switch {
		case strings.ContainsFunc(text, unicode.IsControl) || strings.TrimSpace(text) != text || len(text) > maxText:
			err = errors.New("want one short line without white space around it")
		case check != nil && text != "":
			err = check(text)
		}
		return text, err
	}}
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
