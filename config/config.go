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
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/fault"
)

// What is in the chain of every error of [Load].
var (
	// ErrInvalid is about a file or a variable.
	ErrInvalid = fault.New(fault.Config, "invalid configuration", "run 'mem config' once it is corrected; it shows every key and where it was set")
	errFlag    = fault.New(fault.Usage, "invalid flag", "") // about a flag of the command line
)

// Values of keys that other packages ask for.
const (
	ModeGlobal     = "global" // words lessons for any project
	HeadlessPerson = "person" // wrote the prompts of runs without one
	StartCore      = "core"   // lets a session that starts read all that CORE.md has
	PresetNone     = "none"   // no preset is chosen
)

// Programs are the agents that mem knows how to ask, as presets.
var Programs = []string{"claude", "codex", "pi", "gemini", "opencode"}

// A Config holds all settings. Use [Load] to get one; the zero value has
// everything off.
type Config struct {
	Enabled         bool   // false if hooks and reflect --auto are to do nothing
	Mode            string // project, to keep the details of this repository, or ModeGlobal
	MaxCoreItems    int    // in CORE.md's selection, from 1 to 1000
	MaxLessons      int    // that one reflection may add per side, from 1 to 100
	BudgetTokens    int    // the size of mem context --for, and of a start with StartCore, from 1 to 1,000,000
	Start           string // what a session reads when it starts: few, or StartCore for all that CORE.md has
	StartTokens     int    // the size of a start with few, from 1 to 1,000,000
	InstructionMode string // how the context speaks to an agent; see recall.Mode
	IncludeMonthly  bool   // the context has the month's summary
	IncludeDaily    int    // days of the journal in the context, from 0 to 366

	// Trust names memories that are the person's own although nothing on this
	// account says so: by the id of their first commit, or by their path.
	Trust []string
	// Headless says whose words the prompts of runs without a person are, such
	// as those of claude -p: automation, or HeadlessPerson.
	Headless string

	ProveTests bool // the files of tests count as evidence, too
	SyncAuto   bool // the worker exchanges commits with the memory's remote
	AutoApply  bool // a rule that is a matter of form, such as how files are named, is written without asking a person

	Hook   Hook
	Oracle Oracle
}

// A Hook says how sessions are learned from that an agent's hook reports.
type Hook struct {
	Worker   bool // false if a hook is not to start anything in the background
	Action   bool // false if lessons are not told beside what an agent does
	Remind   bool // false if an agent is not reminded that it may note a lesson
	Sessions bool // false if past sessions that began like a first prompt are not named
	Notice   bool // false if the person is not shown a line when an agent is told a lesson, or when some were learned

	// Quiet is how long a session that did not end waits before it is asked about, up
	// to an hour: what happens in it meanwhile is asked about together.
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

	// SessionModel is the model of the session of pi that a command belongs to, as
	// pi names it, which is asked before the built-in heuristics are; "" for none.
	SessionModel string

	Command   Command
	Anthropic Server
	OpenAI    Server
}

// A Command is a program that reads a prompt and prints the answer.
type Command struct {
	Argv    []string      // the program and its arguments, run without a shell; nil for none
	Preset  string        // the name of a program that mem knows how to ask; PresetNone if there is an Argv
	Model   string        // that the preset uses; "" leaves it to the program
	Timeout time.Duration // from one second to one hour
}

// A Server is a model that is asked over the network. It is asked only if
// Model is set.
type Server struct {
	Model         string
	BaseURL       string   // as CheckAddress takes it; "" leaves it to the caller
	MaxTokens     int      // of an answer; 0 leaves it to the task
	ContextTokens int      // of prompt and answer together; 0 means that it is not known
	KeyCommand    []string // prints the key, run without a shell; nil for none
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

// IsChosen reports whether someone said who reads the sessions, be it the rules alone.
func (o Oracle) IsChosen() bool {
	named := o.SessionModel + o.Anthropic.Model + o.OpenAI.Model + strings.Join(o.Command.Argv, "")
	return named != "" || o.Command.Preset != PresetNone || !slices.Equal(o.Order, oracleNames)
}

// Load layers the sources. user and root are nil if there is no such file.
//
// environ is in the form of os.Environ; of a variable that is there twice the
// first counts, and an empty one counts as unset. Lists are written with
// commas; MEM_ORACLE_COMMAND_ARGV is a JSON array, or else words between white
// space, in which no quote or dollar means anything. flags maps the keys that
// the command line sets to their text, in the same form.
//
// Every error is an [ErrInvalid], or an [errFlag], that names the place and the key.
func Load(user, root *Source, environ []string, flags map[string]string) (*Loaded, error) {
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
	before = l.Oracle.Command
	if err := l.setFlags(flags); err != nil {
		return nil, err
	}
	l.chooseProgram(before)
	if c := l.Oracle.Command; len(c.Argv) > 0 && c.Preset != PresetNone {
		return nil, newInvalid(l.origins["oracle.command.argv"],
			fmt.Errorf("oracle.command.argv and oracle.command.preset (%s) exclude each other: take one of them out", l.origins["oracle.command.preset"]))
	}
	return l, nil
}

// chooseProgram lets a program that a layer names stand in the place of one of the layers before it.
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
