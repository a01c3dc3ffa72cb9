package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"mem/config"
	"mem/oracle"
	"mem/oracle/anthropic"
	"mem/oracle/heuristic"
	"mem/oracle/openai"
	"mem/oracle/preset"
	"mem/oracle/wire"
	"mem/reflect"
)

// A candidate is an oracle that the configuration names.
type candidate struct {
	name   string
	oracle oracle.Oracle // nil if it cannot be asked
	why    string        // why it cannot be asked, as far as that is known without asking; "" if it can
	unset  bool          // because nobody configured it
}

// candidates returns the oracles in the order in which they are asked.
// Nothing is run, read or sent to find out.
func (w *work) candidates() []candidate {
	var list []candidate
	for _, name := range w.Config.Oracle.Order {
		if c, ok := w.candidate(name); ok {
			list = append(list, c)
		}
	}
	return list
}

// candidate returns the oracle of that name; false if there is none: the order
// may name some that answer elsewhere, such as lessons on standard input.
func (w *work) candidate(name string) (c candidate, ok bool) {
	c.name = name
	switch name {
	case "heuristic":
		c.oracle = heuristic.New()
		return c, true
	case "command":
		c.oracle, c.why, c.unset = w.command()
	case "anthropic":
		c.oracle, c.why, c.unset = w.anthropic()
	case "openai":
		c.oracle, c.why, c.unset = w.openai()
	default:
		return c, false
	}
	if c.why == "" {
		c.oracle = oracle.WithBudget(c.oracle, w.Budget)
	}
	return c, true
}

// command is a program, of a preset or of the person's own.
func (w *work) command() (o oracle.Oracle, why string, unset bool) {
	c := w.Config.Oracle.Command
	program := ""
	switch {
	case c.Preset != config.PresetNone:
		program = string(c.Preset)
		o = preset.Program{Kind: program, ModelName: c.Model, Limit: c.Timeout, Environ: w.env.Environ}
	case len(c.Argv) > 0:
		program = c.Argv[0]
		o = oracle.Command{Argv: c.Argv, Limit: c.Timeout, Dir: os.TempDir(), Environ: w.env.Environ}
	default:
		return nil, "no argv or preset is set in [oracle.command]", true
	}
	if _, err := exec.LookPath(program); errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Sprintf("there is no program %s in PATH", program), false
	}
	return o, "", false
}

func (w *work) anthropic() (oracle.Oracle, string, bool) {
	s, why, unset := w.server("anthropic", w.Config.Oracle.Anthropic, anthropic.BaseURL)
	if why != "" {
		return nil, why, unset
	}
	o := anthropic.Oracle{Server: s}
	switch {
	case len(w.Config.Oracle.Anthropic.KeyCommand) > 0 || w.env.Getenv("ANTHROPIC_API_KEY") != "":
	case w.env.Getenv("ANTHROPIC_AUTH_TOKEN") != "":
		o.Bearer, o.Key = true, w.key(nil, "ANTHROPIC_AUTH_TOKEN")
	case !wire.Local(s.BaseURL):
		return nil, "no key: set ANTHROPIC_API_KEY or oracle.anthropic.key_command", false
	}
	return o, "", false
}

func (w *work) openai() (oracle.Oracle, string, bool) {
	s, why, unset := w.server("openai", w.Config.Oracle.OpenAI, openai.BaseURL)
	switch {
	case why != "":
		return nil, why, unset
	case s.BaseURL == openai.BaseURL && len(w.Config.Oracle.OpenAI.KeyCommand) == 0 && w.env.Getenv("OPENAI_API_KEY") == "":
		// Other servers may take questions without a key.
		return nil, "no key: set OPENAI_API_KEY or oracle.openai.key_command, or a local base_url", false
	}
	return openai.Oracle{Server: s}, "", false
}

// server is what the clients of both protocols have in common. Without a model
// there is none: a key that happens to be in the environment is no wish to
// send sessions anywhere.
func (w *work) server(name string, c config.Server, fallback string) (s wire.Server, why string, unset bool) {
	if c.Model == "" {
		return s, "not configured: set oracle." + name + ".model", true
	}
	prefix := strings.ToUpper(name)
	s = wire.Server{
		ModelName: c.Model, MaxTokens: c.MaxTokens, ContextTokens: c.ContextTokens,
		BaseURL: strings.TrimRight(cmp.Or(c.BaseURL, w.env.Getenv(prefix+"_BASE_URL"), fallback), "/"),
		Key:     w.key(c.KeyCommand, prefix+"_API_KEY"), HTTP: wire.Client{Sleep: w.env.Sleep, Limit: w.env.Patience},
	}
	if err := config.Address(s.BaseURL); err != nil {
		return s, prefix + "_BASE_URL: " + err.Error(), false
	}
	if len(c.KeyCommand) > 0 && !s.TakesKey() {
		return s, "a key is not sent over plain http to another machine: use https, or drop key_command", false
	}
	return s, "", false
}

// keyTimeout is how long a program may take to print a key: it may ask a
// person to unlock something.
const keyTimeout = 30 * time.Second

// key returns what finds a key when it is needed: the program, else the
// variable.
func (w *work) key(argv []string, variable string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if len(argv) == 0 {
			return w.env.Getenv(variable), nil
		}
		printed, err := oracle.Command{Argv: argv, Environ: w.env.Environ}.Ask(ctx, oracle.Request{Timeout: keyTimeout})
		if err != nil {
			// Not wrapped: a program for the key that is missing is a mistake
			// to be told, not an oracle that nobody has.
			return "", fmt.Errorf("key_command: %v", err)
		}
		key := strings.TrimSpace(printed)
		if key == "" {
			return "", errors.New("key_command: it printed nothing")
		}
		return key, nil
	}
}

// reflector reflects as the configuration says; only names the one oracle to
// ask, or is empty for all of them.
func (w *work) reflector(only string) (reflect.Reflector, error) {
	r := reflect.Reflector{
		Global: w.Config.Mode == config.ModeGlobal, MaxLessons: w.Config.MaxLessons,
		Warn: func(s string) { w.env.Note("%s", s) },
	}
	if only == "" {
		for _, c := range w.candidates() {
			if c.why == "" {
				r.Oracles = append(r.Oracles, c.oracle)
			}
		}
		return r, nil
	}
	switch c, ok := w.candidate(only); {
	case !ok:
		return r, usagef("no oracle is called %q; there are command, anthropic, openai and heuristic", only)
	case c.why != "":
		return r, fmt.Errorf("--oracle %s: %s: %w", only, c.why, config.ErrInvalid)
	default:
		r.Oracles = append(r.Oracles, c.oracle)
	}
	return r, nil
}
