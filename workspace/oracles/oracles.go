// Package oracles makes the oracles that the configuration names, and says why
// some of them cannot be asked. Nothing is run, read or sent to find out.
package oracles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/config"
	"mem/fault"
	"mem/oracle"
	"mem/oracle/anthropic"
	"mem/oracle/heuristic"
	"mem/oracle/openai"
	"mem/oracle/preset"
	"mem/oracle/wire"
)

// ListNames lists the oracles that a person may name.
func ListNames() []string { return []string{"command", "anthropic", "openai", oracle.Code} }

// A Setup is what oracles are made of.
type Setup struct {
	Config  config.Oracle
	Environ []string // for programs
	Getenv  func(string) string
	Budget  *oracle.Budget
	HTTP    wire.Client // asks servers
}

// State says what becomes of an oracle.
type State string

// The states.
const (
	Answers State = "answers" // it is asked first
	Next    State = "next"    // it is asked if those before it cannot answer
	Fails   State = "fails"   // it is to be asked, and cannot be: sessions wait unless another model answers
	Skipped State = "skipped" // it is not asked, for a reason
)

// A Candidate is an oracle that the configuration names.
type Candidate struct {
	Name   string        `json:"name"`
	Model  string        `json:"model"` // "" if it is not known
	State  State         `json:"state"`
	Reason string        `json:"reason"` // why it is skipped, as far as that is known without asking
	Unset  bool          `json:"-"`      // the reason is that it is not configured
	Oracle oracle.Oracle `json:"-"`      // nil if it cannot be asked, whatever the budget
}

// FormatLabel is the name with the model.
func (c Candidate) FormatLabel() string {
	if c.Model == "" {
		return c.Name
	}
	return c.Name + " (" + c.Model + ")"
}

// ListCandidates returns the oracles in the order in which they are asked. Names
// in the order that answer elsewhere, such as lessons on standard input, are left
// out, and so are the heuristics behind a model: they do not stand in for one that fails.
func (s Setup) ListCandidates() (list []Candidate) {
	state, spent, isModel := Answers, s.Budget.LimitReached(), false
	for _, name := range s.listOrder() {
		c, ok := s.makeCandidate(name)
		isCode := name == oracle.Code
		if !ok || isCode && isModel {
			continue
		}
		isModel = isModel || !isCode && !c.Unset
		switch isReady := c.Reason == ""; {
		case isReady && spent != "" && !isCode:
			c.Reason = "the day's budget is spent: " + spent
		case isReady:
			c.State, state = state, Next
		case !c.Unset:
			c.State = Fails
		}
		list = append(list, c)
	}
	return list
}

// sessionModel is the name of the oracle that is the model of a session of pi.
const sessionModel = "session"

// listOrder is the configured order, with the model of the session behind everything
// else but the heuristics, unless they were put before something else. Who names no model
// there wants none.
func (s Setup) listOrder() []string {
	order := slices.Clone(s.Config.Order)
	if s.SessionModel() == "" {
		return order
	}
	at := len(order)
	if order[at-1] == oracle.Code {
		at--
	}
	return slices.Insert(order, at, sessionModel)
}

// SessionModel is the model of the session of pi, if the order wants a model at all; else "".
func (s Setup) SessionModel() string {
	isModel := func(name string) bool { return name != oracle.Code && slices.Contains(ListNames(), name) }
	if slices.ContainsFunc(s.Config.Order, isModel) {
		return s.Config.SessionModel
	}
	return ""
}

// AsksNoModel reports whether the heuristics alone answer. They cost nothing, so that no session waits for its end.
func (s Setup) AsksNoModel() bool {
	return !slices.ContainsFunc(s.ListCandidates(), func(c Candidate) bool { return c.Name != oracle.Code && !c.Unset })
}

// ChooseOracles returns the oracles to ask, in order, or only the one with this name. Behind
// those that can be asked are those that cannot, which say why. The error wraps errUnknown or
// config.ErrInvalid.
func (s Setup) ChooseOracles(only string) (list []oracle.Oracle, err error) {
	if only == "" {
		var broken []oracle.Oracle
		for _, c := range s.ListCandidates() {
			switch {
			case c.State == Fails:
				broken = append(broken, oracle.Broken{Who: c.Name, Why: c.Reason})
			case !c.Unset:
				list = append(list, c.Oracle)
			}
		}
		return append(list, broken...), nil
	}
	switch c, ok := s.makeCandidate(only); {
	case !ok:
		return nil, fault.Usagef("no oracle is called %q; there are command, anthropic, openai and heuristic", only)
	case c.Reason != "":
		return nil, fmt.Errorf("--oracle %s: %s: %w", only, c.Reason, config.ErrInvalid)
	default:
		return []oracle.Oracle{c.Oracle}, nil
	}
}

// FindMissing says what is missing before the oracle with this name can be asked; ""
// if nothing is.
func (s Setup) FindMissing(name string) string {
	c, _ := s.makeCandidate(name)
	return c.Reason
}

// makeCandidate returns the oracle of a name; false if there is none.
func (s Setup) makeCandidate(name string) (c Candidate, ok bool) {
	c = Candidate{Name: name, State: Skipped}
	var o oracle.Oracle
	switch name {
	case oracle.Code:
		c.Oracle = heuristic.Oracle{}
		return c, true
	case "command":
		if c.Unset = s.Config.Command.Preset == config.PresetNone && len(s.Config.Command.Argv) == 0; c.Unset {
			c.Reason = "no argv or preset is set in [oracle.command]"
			return c, true
		}
		o, c.Reason = s.command(s.Config.Command)
	case sessionModel:
		o, c.Reason = s.command(config.Command{Preset: "pi", Model: s.Config.SessionModel, Timeout: s.Config.Command.Timeout})
	case "anthropic", "openai":
		server, ask := s.Config.Anthropic, s.anthropic
		if name == "openai" {
			server, ask = s.Config.OpenAI, s.openai
		}
		// A key that happens to be in the environment is not a wish to send sessions anywhere.
		if c.Unset = server.Model == ""; c.Unset {
			c.Reason = "not configured: set oracle." + name + ".model"
			return c, true
		}
		o, c.Reason = ask()
	default:
		return c, false
	}
	if c.Reason != "" {
		return c, true
	}
	_, c.Model, _ = strings.Cut(oracle.By(o), "/")
	c.Oracle = oracle.WithBudget(o, s.Budget)
	return c, true
}

// command is a program, of a preset or of the person's own.
func (s Setup) command(c config.Command) (o oracle.Oracle, why string) {
	if c.Preset != config.PresetNone {
		return preset.Program{Kind: c.Preset, ModelName: c.Model, Limit: c.Timeout, Environ: s.Environ}, findFault(c.Preset)
	}
	return oracle.Command{Argv: c.Argv, Limit: c.Timeout, Dir: os.TempDir(), Environ: s.Environ}, findFault(c.Argv[0])
}

// findFault says why a program cannot be run; "" if it can.
func findFault(program string) string {
	_, err := exec.LookPath(program)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Sprintf("there is no program %s in PATH", program)
	case err != nil:
		return fmt.Sprintf("the program %s cannot be run: %v", program, errors.Unwrap(err))
	case filepath.Base(program) != program && !filepath.IsAbs(program):
		return fmt.Sprintf("the program %s needs its whole path: it is run in another folder", program)
	}
	return ""
}

func (s Setup) anthropic() (oracle.Oracle, string) {
	server, why := s.server("ANTHROPIC", s.Config.Anthropic, anthropic.BaseURL)
	o := anthropic.Oracle{Server: server}
	switch {
	case why != "", len(s.Config.Anthropic.KeyCommand) > 0, s.Getenv("ANTHROPIC_API_KEY") != "":
	case s.Getenv("ANTHROPIC_AUTH_TOKEN") != "":
		o.Bearer, o.Key = true, s.key(nil, "ANTHROPIC_AUTH_TOKEN")
	case !wire.Local(server.BaseURL):
		why = "no key: set ANTHROPIC_API_KEY or oracle.anthropic.key_command"
	}
	return o, why
}

func (s Setup) openai() (oracle.Oracle, string) {
	server, why := s.server("OPENAI", s.Config.OpenAI, openai.BaseURL)
	if why == "" && server.BaseURL == openai.BaseURL && len(s.Config.OpenAI.KeyCommand) == 0 && s.Getenv("OPENAI_API_KEY") == "" {
		// Other servers may take questions without a key.
		why = "no key: set OPENAI_API_KEY or oracle.openai.key_command, or a local base_url"
	}
	return openai.Oracle{Server: server}, why
}

// server is what the clients of both protocols have in common; prefix is that of its variables.
func (s Setup) server(prefix string, c config.Server, fallback string) (server wire.Server, why string) {
	server = wire.Server{
		ModelName: c.Model, MaxTokens: c.MaxTokens, ContextTokens: c.ContextTokens,
		BaseURL: strings.TrimRight(cmp.Or(c.BaseURL, s.Getenv(prefix+"_BASE_URL"), fallback), "/"),
		Key:     s.key(c.KeyCommand, prefix+"_API_KEY"), HTTP: s.HTTP,
	}
	if err := config.CheckAddress(server.BaseURL); err != nil {
		return server, prefix + "_BASE_URL: " + err.Error()
	}
	if len(c.KeyCommand) == 0 {
		return server, ""
	}
	if !server.TakesKey() {
		return server, "a key is not sent over plain http to another machine: use https, or drop key_command"
	}
	if why := findFault(c.KeyCommand[0]); why != "" {
		return server, "key_command: " + why
	}
	return server, ""
}

// keyTimeout is how long a program may take to print a key: it may ask a
// person to unlock something.
const keyTimeout = 30 * time.Second

// key returns what finds a key when it is needed: the program, else the
// variable.
func (s Setup) key(argv []string, variable string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if len(argv) == 0 {
			return s.Getenv(variable), nil
		}
		printed, err := oracle.Command{Argv: argv, Environ: s.Environ}.Ask(ctx, oracle.Request{Timeout: keyTimeout})
		if err != nil {
			// Not wrapped: a missing program for the key is a mistake to report,
			// not an oracle that is not there.
			return "", fmt.Errorf("key_command: %v", err)
		}
		key := strings.TrimSpace(printed)
		if key == "" {
			return "", errors.New("key_command: it printed nothing")
		}
		return key, nil
	}
}

// Spent is what models were asked today, for one memory.
type Spent struct {
	Calls     int `json:"calls"`
	MaxCalls  int `json:"maxCalls"` // 0 is any number
	Tokens    int `json:"tokens"`
	MaxTokens int `json:"maxTokens"` // 0 is any number
}

// SpentToday returns what models were asked today.
func (s Setup) SpentToday() Spent {
	c := s.Budget.SpentToday()
	return Spent{c.Calls, s.Budget.MaxCalls, c.Tokens, s.Budget.MaxTokens}
}

// String says it for people.
func (s Spent) String() string {
	of := func(n, limit int) string {
		if limit > 0 {
			return fmt.Sprintf("%d of %d", n, limit)
		}
		return fmt.Sprint(n)
	}
	calls := "calls"
	if s.MaxCalls == 0 && s.Calls == 1 {
		calls = "call"
	}
	return fmt.Sprintf("%s %s and about %s tokens today (UTC)", of(s.Calls, s.MaxCalls), calls, of(s.Tokens, s.MaxTokens))
}

// A Program is an agent on the PATH that can read sessions.
type Program struct {
	Name  string `json:"name"`
	Model string `json:"model"` // as 'mem model set command' takes it
	About string `json:"-"`     // says which model that is
	Allow string `json:"allow"` // the command that lets it read sessions
}

// small are names of small models that the programs themselves document. opencode has one
// in its settings; Codex and pi have no such name.
var small = map[string]Program{
	"claude":   {Model: "claude/haiku", About: "its model haiku"},
	"gemini":   {Model: "gemini/flash", About: "its model flash, and all its tools"},
	"opencode": {Model: "opencode", About: "the small_model of its settings, if there is one"},
	"codex":    {Model: "codex", About: "the model of its settings"},
	"pi":       {Model: "pi", About: "the model of its settings"},
}

// ListPrograms lists the agents that are on the PATH, those of first before the others.
func ListPrograms(first ...string) (list []Program) {
	names := append(slices.Clone(first), config.Programs...)
	for i, name := range names {
		p, ok := small[name]
		if _, err := exec.LookPath(name); ok && err == nil && !slices.Contains(names[:i], name) {
			p.Name, p.Allow = name, "mem model set command "+p.Model+" --global"
			list = append(list, p)
		}
	}
	return list
}
