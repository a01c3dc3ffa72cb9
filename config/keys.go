package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
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

// A Key describes one setting for documentation and completion.
type Key struct {
	Name    string // dotted, as in TOML
	Env     string // the variable that sets it
	Default string // as TOML
	Doc     string // what it is for, in one line
	Inert   bool   // may be set by a memory root's own mem.toml
}

// Keys returns every key in the order in which they are documented.
func Keys() []Key {
	var all []Key
	for _, k := range keys() {
		all = append(all, Key{Name: k.name, Env: k.env(), Default: asTOML(k.fallback), Doc: k.doc, Inert: k.inert})
	}
	return all
}

// env returns the name of the variable that sets the key.
func (k key) env() string {
	return "MEM_" + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
}

// flag returns the name of the flag that sets the key.
func (k key) flag() string {
	return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(k.name)
}

// keys is the table. To add a key, add a field to Config and a line here.
func keys() []key {
	return slices.Concat(inertKeys(), oracleKeys(),
		serverKeys("anthropic", func(c *Config) *Server { return &c.Oracle.Anthropic }),
		serverKeys("openai", func(c *Config) *Server { return &c.Oracle.OpenAI }))
}

// inertKeys are those that a memory root's own file may set.
func inertKeys() []key {
	inert := func(k key, name, doc string) key { k.name, k.doc, k.inert = name, doc, true; return k }
	return []key{
		inert(boolean(true, func(c *Config) *bool { return &c.Enabled }),
			"enabled", "false: hooks and reflect --auto do nothing and say so"),
		inert(word(func(c *Config) *Mode { return &c.Mode }, ModeProject, ModeGlobal),
			"mode", "project keeps repository detail; global asks for cross-project wording"),
		// A size below 1 has always meant the smallest there is.
		inert(floored(number(20, 1, 1000, func(c *Config) *int { return &c.MaxCoreItems }), 1),
			"max_core_items", "size of CORE.md's selection; below 1 counts as 1"),
		inert(number(8, 1, 100, func(c *Config) *int { return &c.MaxLessons }),
			"max_lessons", "most lessons per side and reflection"),
		inert(number(3000, 1, 1_000_000, func(c *Config) *int { return &c.BudgetTokens }),
			"budget_tokens", "size of mem context in tokens"),
		inert(word(func(c *Config) *InstructionMode { return &c.InstructionMode }, InstructionStrict, InstructionAdvisory, InstructionOff),
			"instruction_mode", "how the context speaks to the agent: off, advisory or strict"),
		inert(boolean(false, func(c *Config) *bool { return &c.IncludeMonthly }),
			"include_monthly", "put the month's summary into the context"),
		inert(number(0, 0, 366, func(c *Config) *int { return &c.IncludeDaily }),
			"include_daily", "days of the journal in the context"),
		inert(boolean(true, func(c *Config) *bool { return &c.Hook.Worker }),
			"hook.worker", "false: hooks queue sessions, and only 'mem worker' reads them"),
		inert(duration(5*time.Second, 0, time.Hour, func(c *Config) *time.Duration { return &c.Hook.Quiet }),
			"hook.quiet", "how long a session waits for more to happen before it is read"),
		inert(boolean(true, func(c *Config) *bool { return &c.Rules.AutoApply }),
			"rules.auto_apply", "false: no rule is written without asking, not even on how code is formatted"),
	}
}

// own names a key that decides who reads the prompts or what is run.
func own(k key, name, doc string) key { k.name, k.doc = name, doc; return k }

// oracleKeys are about who answers.
func oracleKeys() []key {
	return []key{
		own(names(func(c *Config) *[]string { return &c.Oracle.Order }, "lessons", "command", "anthropic", "openai", "heuristic"),
			"oracle.order", "who answers prompts: the first usable one"),
		own(number(0, 0, 1_000_000, func(c *Config) *int { return &c.Oracle.MaxCalls }),
			"oracle.max_calls_per_day", "most questions to models in a day (UTC) and memory; 0: any number"),
		own(number(0, 0, 1_000_000_000, func(c *Config) *int { return &c.Oracle.MaxTokens }),
			"oracle.max_tokens_per_day", "most tokens, in and out, in a day (UTC) and memory; 0: any number"),
		own(word(func(c *Config) *Preset { return &c.Oracle.Command.Preset }, PresetNone, PresetClaude, PresetCodex, PresetPi, PresetGemini),
			"oracle.command.preset", "a program that mem knows how to ask, instead of argv"),
		own(text(func(c *Config) *string { return &c.Oracle.Command.Model }, nil),
			"oracle.command.model", "the model that the preset is told to use"),
		own(argv(func(c *Config) *[]string { return &c.Oracle.Command.Argv }),
			"oracle.command.argv", "a program that reads a prompt and prints the answer, with its arguments"),
		own(duration(90*time.Second, time.Second, time.Hour, func(c *Config) *time.Duration { return &c.Oracle.Command.Timeout }),
			"oracle.command.timeout", "how long the program may take"),
	}
}

// serverKeys are the keys of [oracle.NAME].
func serverKeys(name string, of func(*Config) *Server) []key {
	named := func(k key, last, doc string) key { return own(k, "oracle."+name+"."+last, doc) }
	return []key{
		named(text(func(c *Config) *string { return &of(c).Model }, nil),
			"model", "the model to ask; without one nothing is sent there"),
		named(text(func(c *Config) *string { return &of(c).BaseURL }, Address),
			"base_url", "the server, if it is not the provider's own"),
		named(number(0, 0, 20_000, func(c *Config) *int { return &of(c).MaxTokens }),
			"max_tokens", "most tokens of an answer, thinking included; 0: as the task needs"),
		named(number(0, 0, 10_000_000, func(c *Config) *int { return &of(c).ContextTokens }),
			"context_tokens", "what prompt and answer may hold together; 0: not known"),
		named(argv(func(c *Config) *[]string { return &of(c).KeyCommand }),
			"key_command", "a program that prints the key, with its arguments"),
	}
}

// boolean is a key that is true or false.
func boolean(fallback bool, field func(*Config) *bool) key {
	return key{
		fallback: fallback,
		set: func(c *Config, value any) error {
			b, ok := value.(bool)
			if !ok {
				return wrongType("true or false", value)
			}
			*field(c) = b
			return nil
		},
		read: func(text string) (any, error) {
			switch strings.ToLower(text) {
			case "true", "1", "yes", "on":
				return true, nil
			case "false", "0", "no", "off":
				return false, nil
			}
			return nil, fmt.Errorf("want true or false, got %q", text)
		},
		show: func(c *Config) any { return *field(c) },
	}
}

// number is a key with a whole number from lowest to highest.
func number(fallback, lowest, highest int64, field func(*Config) *int) key {
	return key{
		fallback: fallback,
		set: func(c *Config, value any) error {
			n, ok := value.(int64)
			if !ok {
				return wrongType("a whole number", value)
			}
			if n < lowest || n > highest {
				return fmt.Errorf("want %d to %d, got %d", lowest, highest, n)
			}
			*field(c) = int(n)
			return nil
		},
		read: func(text string) (any, error) {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("want a whole number, got %q", text)
			}
			return n, nil
		},
		show: func(c *Config) any { return int64(*field(c)) },
	}
}

// floored returns k with numbers below lowest counting as lowest.
func floored(k key, lowest int64) key {
	set := k.set
	k.set = func(c *Config, value any) error {
		if n, ok := value.(int64); ok {
			value = max(n, lowest)
		}
		return set(c, value)
	}
	return k
}

// word is a key with one of a few words, the first of which is the default.
func word[T ~string](field func(*Config) *T, words ...T) key {
	return key{
		fallback: string(words[0]),
		set: func(c *Config, value any) error {
			s, ok := value.(string)
			if !ok {
				return wrongType("a string", value)
			}
			if !slices.Contains(words, T(s)) {
				return fmt.Errorf("want %s, got %q", either(words), s)
			}
			*field(c) = T(s)
			return nil
		},
		read: verbatim,
		show: func(c *Config) any { return string(*field(c)) },
	}
}

// names is a key with a list of some of the words, each at most once. All of
// them are the default.
func names(field func(*Config) *[]string, words ...string) key {
	return key{
		fallback: list(words),
		set: func(c *Config, value any) error {
			got, err := stringsOf(value)
			if err != nil {
				return err
			}
			if len(got) == 0 {
				return fmt.Errorf("want at least one of %s", either(words))
			}
			for i, s := range got {
				if !slices.Contains(words, s) {
					return fmt.Errorf("want %s, got %q", either(words), s)
				}
				if slices.Contains(got[:i], s) {
					return fmt.Errorf("%q is there twice", s)
				}
			}
			*field(c) = got
			return nil
		},
		read: func(text string) (any, error) {
			var got []any
			for s := range strings.SplitSeq(text, ",") {
				got = append(got, strings.TrimSpace(s))
			}
			return got, nil
		},
		show: func(c *Config) any { return list(*field(c)) },
	}
}

// argv is a key with a program and its arguments, or nothing.
func argv(field func(*Config) *[]string) key {
	return key{
		fallback: list(nil),
		set: func(c *Config, value any) error {
			got, err := stringsOf(value)
			if err != nil {
				return err
			}
			if len(got) > 0 && got[0] == "" {
				return errors.New("want the name of a program first, got \"\"")
			}
			for _, s := range got {
				if strings.ContainsRune(s, 0) {
					return errors.New("an argument cannot hold a NUL")
				}
			}
			*field(c) = got
			return nil
		},
		read: readArgv,
		show: func(c *Config) any { return list(*field(c)) },
	}
}

// duration is a key with a time such as 90s.
func duration(fallback, shortest, longest time.Duration, field func(*Config) *time.Duration) key {
	return key{
		fallback: short(fallback),
		set: func(c *Config, value any) error {
			s, ok := value.(string)
			if !ok {
				return wrongType(`a string such as "90s"`, value)
			}
			d, err := time.ParseDuration(s)
			if err != nil {
				return fmt.Errorf("want a time such as %q, got %q", "90s", s)
			}
			if d < shortest || d > longest {
				return fmt.Errorf("want %s to %s, got %q", short(shortest), short(longest), s)
			}
			*field(c) = d
			return nil
		},
		read: verbatim,
		show: func(c *Config) any { return short(*field(c)) },
	}
}

// text is a key with a line of text, "" unless set, that check accepts.
func text(field func(*Config) *string, check func(string) error) key {
	return key{
		fallback: "",
		set: func(c *Config, value any) error {
			s, ok := value.(string)
			if !ok {
				return wrongType("a string", value)
			}
			if strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s || len(s) > maxText {
				return errors.New("want one short line without white space around it")
			}
			if check != nil && s != "" {
				if err := check(s); err != nil {
					return err
				}
			}
			*field(c) = s
			return nil
		},
		read: verbatim,
		show: func(c *Config) any { return *field(c) },
	}
}

// maxText bounds the value of a text key.
const maxText = 1000

// Address returns nil for the address of a server, in the form that base_url
// keys take. The error does not repeat it: it may hold a password.
func Address(s string) error {
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
