package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/config"
	"mem/oracle"
)

func newModel(env Env, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "model",
		Short: "Show who answers prompts, and choose",
		Long: `Show the oracles in the order in which they are asked, which one would answer,
and why the others would not. Nothing is sent to find out.

A server is asked only if a model is named for it: a key in the environment is
not enough. The keys of the configuration are oracle.order, oracle.openai.model,
oracle.openai.base_url and so on; mem config shows them all.

Keys of servers come from ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or
OPENAI_API_KEY, or from a program, oracle.<name>.key_command; none is ever
written to a file of mem.`,
		Example: `  mem model
  mem model set command claude --global
  mem model set openai qwen3:8b --base-url http://localhost:11434/v1 --global`,
		Args: noModel,
		RunE: func(c *cobra.Command, _ []string) error { return runModel(c.Context(), env, g, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(newModelSet(env, g))
	return c
}

// noModel refuses arguments, and says what may have been meant.
func noModel(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("mem model takes no argument, and got %q; to choose one: mem model set NAME [MODEL] --global", args[0])
}

// What becomes of an oracle.
const (
	modelAnswers = "answers" // it is asked first
	modelNext    = "next"    // it is asked if those before it cannot answer
	modelSkipped = "skipped" // it is not asked, for a reason
)

// modelResult is one element of the JSON of mem model.
type modelResult struct {
	Name   string `json:"name"`
	Model  string `json:"model"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	unset  bool
}

// modelsResult is the JSON of mem model.
type modelsResult struct {
	Models []modelResult `json:"models"`
	Spent  spentResult   `json:"spentToday"`
}

// spentResult is what models were asked today, for this memory.
type spentResult struct {
	Calls     int `json:"calls"`
	MaxCalls  int `json:"maxCalls"` // 0 is any number
	Tokens    int `json:"tokens"`
	MaxTokens int `json:"maxTokens"` // 0 is any number
}

// any reports whether there is something to say.
func (s spentResult) any() bool { return s.Calls+s.Tokens+s.MaxCalls+s.MaxTokens > 0 }

func (s spentResult) String() string {
	of := func(n, limit int) string {
		if limit > 0 {
			return fmt.Sprintf("%d of %d", n, limit)
		}
		return fmt.Sprint(n)
	}
	text := fmt.Sprintf("%s calls and about %s tokens today (UTC)", of(s.Calls, s.MaxCalls), of(s.Tokens, s.MaxTokens))
	if s.MaxCalls == 0 && s.Calls == 1 {
		text = strings.Replace(text, "1 calls", "1 call", 1)
	}
	return text
}

func (w *work) spending() spentResult {
	c := w.Budget.SpentToday()
	return spentResult{c.Calls, w.Budget.MaxCalls, c.Tokens, w.Budget.MaxTokens}
}

// models says of each oracle in the order whether it would be asked.
func (w *work) models() []modelResult {
	list := []modelResult{}
	state, spent := modelAnswers, w.Budget.LimitReached()
	for _, c := range w.candidates() {
		m := modelResult{Name: c.name, Reason: c.why, State: modelSkipped, unset: c.unset}
		if spent != "" && c.why == "" && c.name != "heuristic" {
			m.Reason = "the day's budget is spent: " + spent
		}
		if by := oracleBy(c); by != c.name {
			m.Model = strings.TrimPrefix(by, c.name+"/")
		}
		if m.Reason == "" {
			m.State, state = state, modelNext
		}
		list = append(list, m)
	}
	return list
}

func oracleBy(c candidate) string {
	if c.oracle == nil {
		return c.name
	}
	return oracle.By(c.oracle)
}

func (m modelResult) label() string {
	if m.Model == "" {
		return m.Name
	}
	return m.Name + " (" + m.Model + ")"
}

// printAsked says in a few lines what mem model says in full.
func printAsked(w *work, models []modelResult) {
	var asked, unset []string
	for _, m := range models {
		switch {
		case m.State != modelSkipped:
			asked = append(asked, m.label())
		case m.unset:
			unset = append(unset, m.Name)
		}
	}
	if len(asked) == 0 {
		asked = []string{"nobody"}
	}
	w.env.Printf("asks     %s", strings.Join(asked, ", then "))
	if len(unset) > 0 {
		w.env.Printf("; not configured: %s", strings.Join(unset, ", "))
	}
	w.env.Printf("\n")
	for _, m := range models {
		if m.State == modelSkipped && !m.unset {
			w.env.Printf("skips    %s: %s\n", m.label(), m.Reason)
		}
	}
}

func runModel(_ context.Context, env Env, g *globals, asJSON bool) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if _, err := w.OpenRootIfAny(); err != nil { // for the count
		return err
	}
	res := modelsResult{w.models(), w.spending()}
	if asJSON {
		return printJSON(env, res)
	}
	for _, m := range res.Models {
		text := m.label()
		if m.Reason != "" {
			text += ": " + m.Reason
		}
		env.Printf("%-8s %s\n", m.State, text)
	}
	if res.Spent.any() {
		env.Printf("%-8s %s\n", "spent", res.Spent)
	}
	return nil
}

type modelSetOptions struct {
	Name, Model string
	BaseURL     string
	Global      bool
	DryRun      bool
}

func newModelSet(env Env, g *globals) *cobra.Command {
	var opts modelSetOptions
	c := &cobra.Command{
		Use:   "set NAME [MODEL] --global",
		Short: "Choose who is asked first",
		Long: `Ask NAME first: command, anthropic, openai or heuristic. MODEL is the model to
name to a server, or for command one of the presets claude, codex, gemini and pi,
which may be followed by a model: claude/haiku.

The choice is written to your own configuration, one line at a time; comments
and everything else in it stay. A memory's own file cannot choose: it may come
from somebody else, and this decides who reads your sessions. To choose for one
project, set MEM_ORACLE_ORDER and the like in its environment.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("mem model set takes a name and perhaps a model, and got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeFirst(oracleNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			opts.Name = args[0]
			if len(args) == 2 {
				opts.Model = args[1]
			}
			return runModelSet(c.Context(), env, g, opts)
		},
	}
	c.Flags().BoolVar(&opts.Global, "global", false, "for all projects, in your own configuration")
	c.Flags().StringVar(&opts.BaseURL, "base-url", "", "where the server is, an `ADDRESS` such as http://localhost:11434/v1")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print the file as it would be and write nothing")
	return c
}

// A setting is one key with its new value, as text.
type setting struct{ key, text string }

// settings are what a choice changes.
func (o modelSetOptions) settings(order []string) ([]setting, error) {
	var list []setting
	switch o.Name {
	case "anthropic", "openai":
		if o.Model != "" {
			list = append(list, setting{"oracle." + o.Name + ".model", o.Model})
		}
		if o.BaseURL != "" {
			list = append(list, setting{"oracle." + o.Name + ".base_url", o.BaseURL})
		}
	case "command":
		if o.Model != "" {
			preset, model, _ := strings.Cut(o.Model, "/")
			list = append(list, setting{"oracle.command.preset", preset}, setting{"oracle.command.model", model})
		}
	case "heuristic":
		if o.Model != "" {
			return nil, usagef("heuristic has no models, and got %q", o.Model)
		}
	default:
		return nil, usagef("no oracle is called %q; there are command, anthropic, openai and heuristic", o.Name)
	}
	if o.BaseURL != "" && o.Name != "anthropic" && o.Name != "openai" {
		return nil, usagef("--base-url goes with anthropic and openai")
	}
	first := 0
	if len(order) > 0 && order[0] == "lessons" { // what was handed in is never asked for
		first = 1
	}
	others := slices.DeleteFunc(slices.Clone(order), func(s string) bool { return s == o.Name })
	moved := slices.Insert(others, min(first, len(others)), o.Name)
	if !slices.Equal(moved, order) {
		list = append(list, setting{"oracle.order", strings.Join(moved, ",")})
	}
	return list, nil
}

func runModelSet(_ context.Context, env Env, g *globals, opts modelSetOptions) error {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	if !opts.Global {
		return usagef("who reads your sessions is chosen in your own configuration, not in a memory, which may come from somebody else: add --global")
	}
	path := w.UserConfig()
	if path == "" {
		return fmt.Errorf("there is no home folder for your configuration: %w", config.ErrInvalid)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read configuration: %w", err)
	}
	mine, err := config.Load(&config.Source{Name: path, Data: old}, nil, nil, nil)
	if err != nil {
		return err
	}
	list, err := opts.settings(mine.Oracle.Order)
	if err != nil {
		return err
	}
	data := old
	for _, s := range list {
		if data, err = config.Edit(data, s.key, s.text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, err := config.Load(&config.Source{Name: path, Data: data}, nil, nil, nil); err != nil {
		return err
	}
	if opts.DryRun {
		env.Printf("%s", data)
		return nil
	}
	if string(data) != string(old) {
		w.env.Files.SweepFile(path)
		if err := w.env.Files.WriteFile(path, data, 0o600); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
	}
	env.Printf("%s is asked first, from %s\n", opts.Name, path)
	return w.sayUnready(opts.Name)
}

// sayUnready tells what is still missing before an oracle can be asked.
func (w *work) sayUnready(name string) error {
	again, err := (&globals{Root: w.At.Root}).newWork(w.env, nil)
	if err != nil {
		return err
	}
	if c, ok := again.candidate(name); ok && c.why != "" {
		w.env.Note("%s cannot be asked yet: %s", name, c.why)
	}
	return nil
}
