// Package config reads how mem is to behave. It layers, each over the one
// before, the defaults, the user's file, the memory root's mem.toml and MEM_…
// variables, and it remembers where each value is from.
//
// A file that sets some keys leaves the others as they are; nothing is ever
// switched off by being left out. An unknown key or a value out of range is an
// error that names its place. The root's file may come from another person,
// so it may only set inert keys: none that runs a program or chooses who reads
// the prompts. Their mem may be newer, so that a key unknown in it is left out.
//
// The package does no I/O. It leaves to its callers where the files are, the
// variables that are not keys (MEM_ROOT, MEM_CHILD), and secrets: API keys are
// never part of a configuration.
package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/fault"
)

// ErrInvalid is in the chain of every error of [Load].
var ErrInvalid = fault.New(fault.Config, "invalid configuration", "run 'mem config' once it is corrected; it shows every key and where it was set")

// Values of keys that other packages ask for.
const (
	ModeGlobal     = "global" // words lessons for any project
	HeadlessPerson = "person" // wrote the prompts of runs without one
	StartCore      = "core"   // lets a session that starts read all that CORE.md has
	PresetNone     = "none"   // no preset is chosen
)

// Programs are the agents that mem knows how to ask, as presets.
var Programs = []string{"claude", "codex", "pi", "gemini", "opencode"}

// A Config holds all settings; the keys say what each is for. Use [Load] to get one; the zero value has
// everything off.
type Config struct {
	Enabled         bool
	Mode            string // project, or ModeGlobal
	MaxCoreItems    int
	MaxLessons      int
	BudgetTokens    int
	Start           string // few, or StartCore
	StartTokens     int
	InstructionMode string // see recall.Mode
	IncludeMonthly  bool
	IncludeDaily    int
	Trust           []string // ids of first commits, and paths
	Headless        string   // automation, or HeadlessPerson
	SyncAuto        bool
	AutoApply       bool // of rules that are a matter of form
	Hook            Hook
	Oracle          Oracle
}

// A Hook says how sessions are learned from that an agent's hook reports.
type Hook struct {
	Worker, Action, Remind, Sessions, Notice bool
	Quiet                                    time.Duration
}

// An Oracle says who answers prompts.
type Oracle struct {
	Order               []string // never empty, and none is in it twice
	MaxCalls, MaxTokens int      // a day; 0 means any amount. The built-in rules do not count
	SessionModel        string   // as pi names it; "" for none
	Command             Command
	Anthropic, OpenAI   Server
}

// A Command is a program that reads a prompt and prints the answer.
type Command struct {
	Argv    []string // nil for none
	Preset  string   // PresetNone if there is an Argv
	Model   string
	Timeout time.Duration
}

// A Server is a model that is asked over the network. It is asked only if Model is set.
type Server struct {
	Model, BaseURL           string // "" leaves the address to the caller
	MaxTokens, ContextTokens int    // of an answer, and of all; 0 if it is not said
	KeyCommand               []string
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
	Origin string `json:"origin"` // default, user file PATH, root file PATH, or environment MEM_…

	// What Explain adds.
	Means    string `json:"means,omitzero"`
	Takes    string `json:"takes,omitzero"`
	Default  string `json:"default,omitzero"` // as TOML
	Variable string `json:"variable,omitzero"`
	Own      bool   `json:"ownFileOnly,omitzero"` // a memory's file may not set it
}

// A Loaded is a Config that knows where its values are from.
type Loaded struct {
	Config
	Unknown []string          // what to say of keys of the memory's file that this mem does not know
	origins map[string]string // by key; none means default
}

// BudgetAtStart returns how many tokens a session reads when it starts.
func (c Config) BudgetAtStart() int {
	if c.Start == StartCore {
		return c.BudgetTokens
	}
	return c.StartTokens
}

// Values returns every key in the order of the table of keys.
func (l *Loaded) Values() []Value {
	var values []Value
	for _, k := range keys() {
		values = append(values, Value{Key: k.name, Value: asTOML(k.show(&l.Config)), Origin: cmp.Or(l.origins[k.name], "default")})
	}
	return values
}

// Explain returns a key with all that there is to say of it.
func (l *Loaded) Explain(name string) (Value, error) {
	k, err := keyNamed(name)
	if err != nil {
		return Value{}, fault.Usagef("%v", err)
	}
	var usual Config
	k.reset(&usual)
	at := slices.IndexFunc(keys(), func(k key) bool { return k.name == name })
	v := l.Values()[at]
	v.Means, v.Takes, v.Default, v.Variable, v.Own = k.means, k.takes, asTOML(k.show(&usual)), k.envName(), !k.inert
	return v, nil
}

// IsChosen reports whether the person chose who reads the sessions, even if they chose the rules alone.
func (o Oracle) IsChosen() bool {
	named := o.SessionModel + o.Anthropic.Model + o.OpenAI.Model + strings.Join(o.Command.Argv, "")
	return named != "" || o.Command.Preset != PresetNone || !slices.Equal(o.Order, oracleNames)
}

// Load layers the sources. user and root are nil if there is no such file.
//
// environ is in the form of os.Environ; of a variable that is there twice the
// first counts, and an empty one counts as unset. Lists are written with
// commas; MEM_ORACLE_COMMAND_ARGV is a JSON array, or else words between white
// space, in which no quote or dollar means anything.
//
// Every error is an [ErrInvalid] that names the place and the key.
func Load(user, root *Source, environ []string) (*Loaded, error) {
	l := &Loaded{origins: map[string]string{}}
	for _, k := range keys() {
		k.reset(&l.Config)
	}
	own := "your own file, mem/config.toml in $XDG_CONFIG_HOME or ~/.config"
	if user != nil {
		if err := l.setFile("user file "+user.Name, user.Data, ""); err != nil {
			return nil, err
		}
		own = "the user file " + user.Name
	}
	if root != nil {
		mode, from := l.InstructionMode, l.origins["instruction_mode"]
		if err := l.setFile("root file "+root.Name, root.Data, own); err != nil {
			return nil, err
		}
		// Only the person may leave out the line that notes are not instructions.
		if l.InstructionMode == "off" {
			l.InstructionMode, l.origins["instruction_mode"] = mode, from
		}
	}
	before := l.Oracle.Command
	if err := l.setEnvironment(environ); err != nil {
		return nil, err
	}
	l.chooseProgram(before)
	if c := l.Oracle.Command; len(c.Argv) > 0 && c.Preset != PresetNone {
		return nil, newInvalid(l.origins["oracle.command.argv"],
			fmt.Errorf("oracle.command.argv and oracle.command.preset (%s) exclude each other: take one of them out", l.origins["oracle.command.preset"]))
	}
	return l, nil
}

// chooseProgram gives a program named by a variable precedence over one from a file.
func (l *Loaded) chooseProgram(before Command) {
	c := &l.Oracle.Command
	named, preset := !slices.Equal(c.Argv, before.Argv), c.Preset != before.Preset
	switch {
	case preset && !named && c.Preset != PresetNone:
		c.Argv = nil
	case named && !preset && len(c.Argv) > 0:
		c.Preset = PresetNone
	}
}
