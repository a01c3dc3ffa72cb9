// Package config reads how mem is to behave. It layers, each over the one
// before, the defaults, the user's file, the memory root's mem.toml, MEM_…
// variables and flags, and it remembers where each value is from.
//
// A file that sets some keys leaves the others as they are; nothing is ever
// switched off by being left out. An unknown key or a value out of range is an
// error that names its place. The root's file may come from another person,
// so it may only set inert keys: none that runs a program or chooses who reads
// the prompts.
//
// The package does no I/O. It leaves to its callers where the files are, the
// variables that are not keys (MEM_ROOT, MEM_CHILD), and secrets: API keys are
// never part of a configuration.
package config

import (
	"errors"
	"fmt"
	"time"
)

// ErrInvalid is in the chain of every error of [Load].
var ErrInvalid = errors.New("invalid configuration")

// A Mode says for whom lessons are worded.
type Mode string

// The modes.
const (
	ModeProject Mode = "project" // keep the details of this repository
	ModeGlobal  Mode = "global"  // word lessons for any project
)

// An InstructionMode says how the context speaks to the agent that reads it.
type InstructionMode string

// The instruction modes.
const (
	InstructionOff      InstructionMode = "off"      // lessons only
	InstructionAdvisory InstructionMode = "advisory" // ask to consider them
	InstructionStrict   InstructionMode = "strict"   // ask to apply them
)

// A Config holds all settings. Use [Load] to get one; the zero value has
// everything off.
type Config struct {
	// Enabled is false if hooks and reflect --auto are to do nothing.
	Enabled bool

	Mode Mode

	// MaxCoreItems is the size of CORE.md's selection, from 1 to 1000.
	MaxCoreItems int

	// MaxLessons is how many lessons one reflection may add per side, from
	// 1 to 100.
	MaxLessons int

	// BudgetTokens is the size of mem context, from 1 to 1,000,000 tokens.
	BudgetTokens int

	InstructionMode InstructionMode

	// IncludeMonthly says whether the context has the month's summary.
	IncludeMonthly bool

	// IncludeDaily is how many days of the journal the context has, from 0
	// to 366.
	IncludeDaily int

	Hook   Hook
	Rules  Rules
	Oracle Oracle
}

// Rules says how rules come about.
type Rules struct {
	// AutoApply says whether a rule that is a matter of form, such as how files
	// are named, may be written without asking a person.
	AutoApply bool
}

// A Hook says how sessions are learned from that an agent's hook reports.
type Hook struct {
	// Worker is false if a hook is not to start anything in the background.
	Worker bool

	// Quiet is how long a session waits before it is asked about, up to an
	// hour: what happens in it meanwhile is asked about together.
	Quiet time.Duration
}

// An Oracle says who answers prompts.
type Oracle struct {
	// Order names the oracles to try; the first usable one answers. It is
	// never empty and names none twice.
	Order []string

	// MaxCalls and MaxTokens are how much may be asked of models in one day
	// (UTC) and for one memory; 0 means any amount. The built-in heuristics
	// do not count.
	MaxCalls, MaxTokens int

	Command   Command
	Anthropic Server
	OpenAI    Server
}

// A Preset is a program that mem knows how to ask.
type Preset string

// The presets.
const (
	PresetNone   Preset = "none"
	PresetClaude Preset = "claude" // Claude Code
	PresetCodex  Preset = "codex"
	PresetPi     Preset = "pi"
	PresetGemini Preset = "gemini"
)

// A Command is a program that reads a prompt and prints the answer.
type Command struct {
	// Argv is the program and its arguments, run without a shell. Nil means
	// that there is none.
	Argv []string

	// Preset is one of the programs that mem knows how to ask. It never goes
	// with an Argv.
	Preset Preset

	// Model is the model that the preset uses; "" leaves it to the program.
	Model string

	// Timeout is how long it may take, from one second to one hour.
	Timeout time.Duration
}

// A Server is a model that is asked over the network. It is asked only if
// Model is set.
type Server struct {
	Model string

	// BaseURL is where it is: http or https, without user info, query or
	// fragment. "" leaves it to the caller.
	BaseURL string

	// MaxTokens bounds an answer; 0 leaves it to the task.
	MaxTokens int

	// ContextTokens is how much prompt and answer may hold together; 0 means
	// that it is not known.
	ContextTokens int

	// KeyCommand prints the key, run without a shell. Nil means that there is
	// none.
	KeyCommand []string
}

// A Source is the content of a configuration file.
type Source struct {
	Name string // as it is to appear in origins and errors, usually the path
	Data []byte // TOML
}

// A Value is one key with its value and where that is from.
type Value struct {
	Key    string `json:"key"`    // dotted, as in oracle.command.timeout
	Value  string `json:"value"`  // as TOML
	Origin string `json:"origin"` // default, user file PATH, root file PATH, environment MEM_…, or flag --…
}

// A Loaded is a Config that knows where its values are from.
type Loaded struct {
	Config
	origins map[string]string // by key; none means default
}

// Values returns every key in the order of the table of keys.
func (l *Loaded) Values() []Value {
	var values []Value
	for _, k := range keys() {
		origin := l.origins[k.name]
		if origin == "" {
			origin = "default"
		}
		values = append(values, Value{Key: k.name, Value: asTOML(k.show(&l.Config)), Origin: origin})
	}
	return values
}

// Load layers the sources. user and root are nil if there is no such file.
//
// environ is in the form of os.Environ; of a variable that is there twice the
// first counts, and an empty one counts as unset. Lists are written with
// commas; MEM_ORACLE_COMMAND_ARGV is a JSON array, or else words between white
// space, in which no quote or dollar means anything. flags maps the keys that
// the command line sets to their text, in the same form.
//
// Every error is an [ErrInvalid] that names the place and the key.
func Load(user, root *Source, environ []string, flags map[string]string) (*Loaded, error) {
	l := &Loaded{origins: map[string]string{}}
	for _, k := range keys() {
		if err := k.set(&l.Config, k.fallback); err != nil {
			return nil, newInvalid("default of "+k.name, err)
		}
	}
	if user != nil {
		if err := l.setFile("user file "+user.Name, user.Data, nil); err != nil {
			return nil, err
		}
	}
	if root != nil {
		allow := func(k key) error {
			if k.inert {
				return nil
			}
			return notInert(k.name, user)
		}
		if err := l.setFile("root file "+root.Name, root.Data, allow); err != nil {
			return nil, err
		}
	}
	if err := l.setEnvironment(environ); err != nil {
		return nil, err
	}
	if err := l.setFlags(flags); err != nil {
		return nil, err
	}
	if c := l.Oracle.Command; len(c.Argv) > 0 && c.Preset != PresetNone {
		return nil, newInvalid(l.origins["oracle.command.argv"],
			fmt.Errorf("oracle.command.argv and oracle.command.preset (%s) exclude each other", l.origins["oracle.command.preset"]))
	}
	return l, nil
}

// notInert is the error for a key that a root's file may not set.
func notInert(name string, user *Source) error {
	place := "your own file, mem/config.toml in $XDG_CONFIG_HOME or ~/.config"
	if user != nil {
		place = "the user file " + user.Name
	}
	return errors.New(name + " decides who reads your prompts or what is run, and a memory may come from another person: " +
		"move it to " + place)
}
