package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/guard"
	"mem/recall"
	"mem/recall/shown"
	"mem/recall/skill"
	"mem/render"
	"mem/workspace"
)

type contextOptions struct {
	recall.Options
	BudgetSet, Explain bool
	Agent, Session     string
}

func newContext(env Env, g *globals) *cobra.Command {
	var opts contextOptions
	c := newCommand("context", atMost(0), func(c *cobra.Command, _ []string) error {
		opts.BudgetSet = c.Flags().Changed("budget-tokens")
		return runContext(c.Context(), env, g, opts)
	})
	c.Flags().StringVar(&opts.For, "for", "", "print what fits the task described by `TEXT`; - reads it from standard input")
	c.Flags().IntVar(&opts.Budget, "budget-tokens", 0, "print at most `N` tokens (default: context.start_tokens, or budget_tokens, of the configuration)")
	c.Flags().BoolVar(&opts.Explain, "explain", false, "also say why each entry is there")
	c.Flags().BoolVar(&opts.Small, "small", false, "rules and lessons only: for a subagent")
	c.Flags().StringVar(&opts.Session, "session", "", "keep a receipt of what the session `ID` was given")
	c.Flags().StringVar(&opts.Agent, "agent", "", "the `NAME` of the agent, for the receipt")
	return g.addJSONFlag(c)
}

func runContext(ctx context.Context, env Env, g *globals, opts contextOptions) error {
	flags := map[string]string{}
	if opts.BudgetSet {
		flags["budget_tokens"] = strconv.Itoa(opts.Budget)
	}
	return withOptions(env, g, workspace.Options{Config: flags}, func(w *work) (err error) {
		if opts.For, err = env.ReadText(ctx, opts.For, "the task", maxTask); err != nil {
			return err
		}
		opts.Asked, opts.Later = true, w.FindLater()
		c, err := w.BundleContext(opts.Options)
		if err != nil {
			return err
		}
		if here, own := w.ListRoots(); here == nil && own == nil && console.IsTerminal(env.Out) && w.Untrusted() == nil {
			env.Note("there is no memory here yet")
			env.Hint("run 'mem init'")
		}
		w.hintBeside()
		if c.Text == "" && c.LeftOut > 0 && opts.For == "" && !opts.BudgetSet {
			env.Note("nothing to print; %s left out", render.Count(c.LeftOut, "entry is", "entries are"))
			env.Hint("'mem context --for TASK' prints those that fit a task")
		}
		if opts.Session != "" && c.Text != "" {
			w.KeepReceipt(shown.NewReceipt(c, shown.OnDemand, opts.Agent, opts.Session, w.Now))
		}
		if !opts.Explain {
			c.Why = nil
		}
		return w.printResult(c, func() {
			env.Printf("%s", c.Text)
			if opts.Explain {
				env.Printf("%s", c.DescribeReasons())
			}
		}, "text")
	})
}

// maxTask bounds the description of a task that is read.
const maxTask = 1 << 20

func newSkills(env Env, g *globals) *cobra.Command {
	check := false
	c := newCommand("skills", cobra.ArbitraryArgs, func(_ *cobra.Command, args []string) error { return runSkills(env, g, check, args) })
	c.Flags().BoolVar(&check, "check", false, "print only problems, and fail if there are any")
	return g.addJSONFlag(c)
}

// runSkills lists the skills of these paths, or without any of where agents look.
func runSkills(env Env, g *globals, check bool, paths []string) error {
	if g.JSON && check {
		return usagef("--json and --check exclude each other")
	}
	found, err := findSkills(env, paths)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, env.ShowPath(d.Path), guard.Line(d.Message))
	}
	switch {
	case check && len(found.Diagnostics) > 0:
		return errBadSkill
	case check:
	case g.JSON:
		return printJSON(env, found.Skills, "description")
	case len(found.Skills) == 0:
		env.Note("no skills found; 'mem help skills' says where mem looks")
	default:
		width := env.LineWidth()
		for _, s := range found.Skills {
			note := ""
			if s.Hidden {
				note = ", not offered in the prompt"
			}
			env.Printf("%s (%s%s) %s\n", guard.Line(s.Name), s.Place, note, env.ShowPath(s.Location))
			env.Printf("  %s\n", render.Shorten(guard.Line(s.Description), width-3))
		}
	}
	return nil
}

// findSkills looks where agents look, or in these paths.
func findSkills(env Env, paths []string) (skill.Found, error) {
	places := skill.Places(env.Dir, env.Home(), env.Getenv)
	if len(paths) > 0 {
		places = nil
	}
	for _, path := range paths {
		full := env.AbsPath(path)
		switch info, err := os.Stat(full); {
		case err != nil:
			return skill.Found{}, usagef("there is no folder or file %s", path)
		case info.IsDir():
			places = append(places, skill.Place{Name: "path", Path: full})
		case info.Mode().IsRegular() && strings.HasSuffix(full, ".md"):
			places = append(places, skill.Place{Name: "path", Path: filepath.Dir(full), File: filepath.Base(full)})
		default:
			return skill.Found{}, usagef("%s is neither a folder nor a Markdown file", path)
		}
	}
	return skill.Find(places...), nil
}
