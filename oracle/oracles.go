package oracle

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
)

// ListNames lists the oracles that a person may name.
func ListNames() []string { return []string{"command", "anthropic", "openai", Code} }

// A Setup holds everything needed to build the oracles that the configuration names. Finding out why
// some of them cannot be asked runs, reads and sends nothing.
type Setup struct {
	Config  config.Oracle
	Environ []string // for programs
	Getenv  func(string) string
	Budget  *Budget
	HTTP    Client // asks servers
}

// State says whether an oracle is asked.
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
	Name   string `json:"name"`
	Model  string `json:"model"` // "" if it is not known
	State  State  `json:"state"`
	Reason string `json:"reason"` // why it is skipped, as far as that is known without asking
	Unset  bool   `json:"-"`      // the reason is that it is not configured
	Oracle Oracle `json:"-"`      // nil if it cannot be asked, whatever the budget
}

// FormatLabel is the name with the model.
func (c Candidate) FormatLabel() string {
	if c.Model == "" {
		return c.Name
	}
	return c.Name + " (" + c.Model + ")"
}

// ListCandidates returns the oracles in the order in which they are asked. It leaves out names that
// are not asked here, such as lessons on standard input, and the heuristics after a model: they do not
// replace a model that fails.
func (s Setup) ListCandidates() (list []Candidate) {
	state, spent, isModel := Answers, s.Budget.limitReached(), false
	for _, name := range s.listOrder() {
		c, ok := s.makeCandidate(name)
		isCode := name == Code
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

// listOrder returns the configured order, with the model of the session last, but before trailing
// heuristics. If the configuration names no model, none is added.
func (s Setup) listOrder() []string {
	order := slices.Clone(s.Config.Order)
	if s.SessionModel() == "" {
		return order
	}
	at := len(order)
	if order[at-1] == Code {
		at--
	}
	return slices.Insert(order, at, sessionModel)
}

// SessionModel is the model of the session of pi, if the order wants a model at all; else "".
func (s Setup) SessionModel() string {
	isModel := func(name string) bool { return name != Code && slices.Contains(ListNames(), name) }
	if slices.ContainsFunc(s.Config.Order, isModel) {
		return s.Config.SessionModel
	}
	return ""
}

// AsksNoModel reports whether the heuristics alone answer. They cost nothing, so that no session waits for its end.
func (s Setup) AsksNoModel() bool {
	return !slices.ContainsFunc(s.ListCandidates(), func(c Candidate) bool { return c.Name != Code && !c.Unset })
}

// ChooseOracles returns the oracles to ask, in order, or only the one with this name. Failing oracles come last and
// say why. An unknown name is a usage error; for one that cannot be asked the error wraps config.ErrInvalid.
func (s Setup) ChooseOracles(only string) (list []Oracle, err error) {
	if only == "" {
		var failing []Oracle
		for _, c := range s.ListCandidates() {
			switch {
			case c.State == Fails:
				failing = append(failing, broken{Who: c.Name, Why: c.Reason})
			case !c.Unset:
				list = append(list, c.Oracle)
			}
		}
		return append(list, failing...), nil
	}
	switch c, ok := s.makeCandidate(only); {
	case !ok:
		return nil, fault.Usagef("no oracle is called %q; there are command, anthropic, openai and heuristic", only)
	case c.Reason != "":
		return nil, fmt.Errorf("--oracle %s: %s: %w", only, c.Reason, config.ErrInvalid)
	default:
		return []Oracle{c.Oracle}, nil
	}
}

// FindMissing names what the oracle with this name needs before it can be asked; "" if nothing.
func (s Setup) FindMissing(name string) string {
	c, _ := s.makeCandidate(name)
	return c.Reason
}

func (s Setup) makeCandidate(name string) (c Candidate, ok bool) {
	c = Candidate{Name: name, State: Skipped}
	var o Oracle
	switch name {
	case Code:
		c.Oracle = Rules
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
		server, address := s.Config.Anthropic, anthropicURL
		if name == "openai" {
			server, address = s.Config.OpenAI, openAIURL
		}
		// A key that happens to be in the environment is not a wish to send sessions anywhere.
		if c.Unset = server.Model == ""; c.Unset {
			c.Reason = "not configured: set oracle." + name + ".model"
			return c, true
		}
		o, c.Reason = s.server(name, server, address)
	default:
		return c, false
	}
	if c.Reason != "" {
		return c, true
	}
	_, c.Model, _ = strings.Cut(By(o), "/")
	c.Oracle = budgeted{o, s.Budget}
	return c, true
}

// command is a program, of a preset or of the person's own.
func (s Setup) command(c config.Command) (o Oracle, why string) {
	if c.Preset != config.PresetNone {
		return presetProgram{Kind: c.Preset, ModelName: c.Model, Limit: c.Timeout, Environ: s.Environ}, findFault(c.Preset)
	}
	return command{Argv: c.Argv, Limit: c.Timeout, Dir: os.TempDir(), Environ: s.Environ}, findFault(c.Argv[0])
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

// server is a model behind an address that speaks the protocol of this name, and why it cannot be asked.
func (s Setup) server(kind string, c config.Server, fallback string) (server modelServer, why string) {
	prefix := strings.ToUpper(kind)
	server = modelServer{
		Kind: kind, ModelName: c.Model, MaxTokens: c.MaxTokens, ContextTokens: c.ContextTokens,
		BaseURL: strings.TrimRight(cmp.Or(c.BaseURL, s.Getenv(prefix+"_BASE_URL"), fallback), "/"),
		Key:     s.key(c.KeyCommand, prefix+"_API_KEY"), HTTP: s.HTTP,
	}
	if err := config.CheckAddress(server.BaseURL); err != nil {
		return server, prefix + "_BASE_URL: " + err.Error()
	}
	switch {
	case len(c.KeyCommand) > 0 && !server.takesKey():
		why = "a key is not sent over plain http to another machine: use https, or drop key_command"
	case len(c.KeyCommand) > 0:
		if why = findFault(c.KeyCommand[0]); why != "" {
			why = "key_command: " + why
		}
	case s.Getenv(prefix+"_API_KEY") != "":
	case kind == "anthropic" && s.Getenv("ANTHROPIC_AUTH_TOKEN") != "":
		server.Bearer, server.Key = true, s.key(nil, "ANTHROPIC_AUTH_TOKEN")
	case kind == "anthropic" && !isLocal(server.BaseURL):
		why = "no key: set ANTHROPIC_API_KEY or oracle.anthropic.key_command"
	case server.BaseURL == openAIURL: // other servers may take questions without a key
		why = "no key: set OPENAI_API_KEY or oracle.openai.key_command, or a local base_url"
	}
	return server, why
}

// keyTimeout is how long a program may take to print a key: it may ask a person to unlock something.
const keyTimeout = 30 * time.Second

// key returns what finds a key when it is needed: the program, else the variable.
func (s Setup) key(argv []string, variable string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if len(argv) == 0 {
			return s.Getenv(variable), nil
		}
		printed, err := command{Argv: argv, Environ: s.Environ}.Ask(ctx, Request{Timeout: keyTimeout})
		if err != nil {
			// Not wrapped: a missing program for the key is a mistake to report, not an oracle that is not there.
			return "", fmt.Errorf("key_command: %v", err)
		}
		key := strings.TrimSpace(printed)
		if key == "" {
			return "", errors.New("key_command: it printed nothing")
		}
		return key, nil
	}
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
