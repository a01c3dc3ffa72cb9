package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/fault"
	"mem/mcp"
	"mem/purge"
	"mem/recall"
	"mem/repo"
	"mem/workspace/inspect"
	"mem/workspace/remote"
)

func newSync(env Env, g *globals) *cobra.Command {
	var opts remote.Options
	c := newCommand("sync", atMost(0), g.inWork(env, func(ctx context.Context, w *work, _ []string) error {
		res, err := remote.Sync(ctx, w.Workspace, opts)
		return w.printText(res, err, func(io.Writer) { w.env.Printf("%s", res.Describe()) })
	}))
	c.Flags().StringVar(&opts.Remote, "remote", "", "sync with this remote, or address: `NAME|URL`")
	c.Flags().StringVar(&opts.Ref, "ref", "", "keep the memory in this `REF` there, such as refs/mem/main")
	c.Flags().BoolVar(&opts.Own, "own", false, "you alone push there")
	c.Flags().BoolVar(&opts.Team, "team", false, "a team pushes there")
	exclude(c, "own", "team")
	c.Flags().BoolVar(&opts.Public, "public", false, "send it also where anyone can read it")
	c.Flags().BoolVar(&opts.Whole, "whole", false, "send also what looks private")
	return g.addJSONFlag(c)
}

func newPurge(env Env, g *globals) *cobra.Command {
	var opts purge.Options
	c := newCommand("purge", func(_ *cobra.Command, args []string) error { return readPurged(&opts, args, env.In) }, g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
		if err := env.RequirePerson(w.DryRun); err != nil {
			return err
		}
		opts.DryRun = w.DryRun
		res, err := remote.Purge(ctx, w.Workspace, w.root, opts)
		return w.printText(res, err, func(io.Writer) { env.Printf("%s", res.Describe()) })
	}))
	c.Flags().StringVar(&opts.Item, "item", "", "purge the lesson with this `ID`")
	c.Flags().BoolVar(&opts.Push, "push", false, "put it in the place of what the remote of 'mem sync' has")
	c.Flags().BoolVar(&opts.Resume, "continue", false, "end a purge that broke off")
	c.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	return g.addChangeFlags(c, "say how much would be purged and change nothing")
}

// readPurged reads what to purge: args is empty, or - for standard input.
func readPurged(opts *purge.Options, args []string, in io.Reader) error {
	if len(args) == 1 && args[0] == "-" {
		opts.Pattern, args = in, nil
	}
	named := slices.DeleteFunc([]bool{opts.Item != "", opts.Resume, opts.Pattern != nil}, func(is bool) bool { return !is })
	switch {
	case len(args) > 0:
		return fault.Usagef("a lesson is named by --item ID; words come on standard input, with -, as other programs can see arguments")
	case len(named) > 1 || len(named) == 0 && !opts.Push:
		return fault.Usagef("name a lesson with --item, or give words on standard input with -")
	}
	return nil
}

func newMcp(env Env, g *globals) *cobra.Command {
	var write bool
	c := newCommand("mcp", atMost(0), func(c *cobra.Command, _ []string) error {
		if _, err := g.runTime(env); err != nil {
			return err
		}
		if console.IsTerminal(env.In) {
			env.Note("waiting for a client of the Model Context Protocol; agents start this command themselves, see 'mem help mcp'")
		}
		console.CollectAsUsual()
		return memoryServer(env, g, write).Run(c.Context(), cmp.Or[io.Reader](env.In, strings.NewReader("")), env.Out)
	})
	c.Flags().BoolVar(&write, "write", false, "let the agent hand in reflections, and say which lessons are wrong")
	return c
}

// memoryServer returns the server that answers an agent. Each call finds the memory and its configuration anew.
func memoryServer(env Env, g *globals, write bool) mcp.Server {
	out := env
	out.In, out.Out = nil, io.Discard // they belong to the protocol
	return mcp.Server{
		Version: console.Version(), Write: write,
		Context: func(_ context.Context, task string, budget int) (text string, err error) {
			err = withWork(out, g, func(w *work) error {
				c, err := w.BundleContext(recall.Options{For: task, Asked: true, Core: true, Budget: min(cmp.Or(budget, w.Config.BudgetTokens), mcp.MaxBudget)})
				text = c.Text
				return err
			})
			return text, err
		},
		Search:  func(ctx context.Context, q mcp.Query) (mcp.Page, error) { return findForAgent(ctx, out, g, q) },
		Status:  func(context.Context) (any, error) { return statusForAgents(out, g) },
		Reflect: func(ctx context.Context, l mcp.Lessons) (any, error) { return reflectFor(ctx, out, g, l) },
		Learn:   func(ctx context.Context, l mcp.Learning) (any, error) { return learnFor(ctx, out, g, l, write) },
		Hold:    func(ctx context.Context, id, why string) (any, error) { return holdFor(ctx, out, g, id, why) },
	}
}

// reflectFor commits lessons as "mem reflect -" does.
func reflectFor(ctx context.Context, env Env, g *globals, l mcp.Lessons) (out reflectResult, err error) {
	data, err := json.Marshal(l)
	if err != nil {
		return out, fmt.Errorf("read lessons: %w", err)
	}
	env.In = strings.NewReader(string(data))
	err = withNew(ctx, env, g, func(w *work) error {
		res, err := w.reflectOn(ctx, reflectOptions{File: "-", Label: "task"})
		if err == nil {
			out = reflectionJSON(w, res)
		}
		return err
	})
	return out, err
}

// learnFor notes what an agent learned as "mem learn" does. If it may not write, it makes no memory.
func learnFor(ctx context.Context, env Env, g *globals, l mcp.Learning, write bool) (out learnResult, err error) {
	err = withNew(ctx, env, g, func(w *work) error {
		if !write && !w.At.Exists {
			return fmt.Errorf("%s: %w", w.At.Root, repo.ErrNoRoot)
		}
		c, err := w.newCapture(ctx, learnOptions{Text: l.Text, Domain: l.Domain, Tags: l.Tags})
		if err != nil {
			return err
		}
		c.Agent = true
		changed, noted, err := w.keepLearning(ctx, c)
		out = w.newLearnResult(changed, noted)
		return err
	})
	return out, err
}

// maxNamed is how many sessions, files and months the status names for an agent.
const maxNamed = 20

// statusForAgents is the state of the memory, in a length that fits.
func statusForAgents(env Env, g *globals) (s inspect.Overview, err error) {
	err = withWork(env, g, func(w *work) error {
		s, err = w.readOverview()
		return err
	})
	s.Sessions = s.Sessions[:min(len(s.Sessions), maxNamed)]
	s.Edited = s.Edited[:min(len(s.Edited), maxNamed)]
	s.Due = s.Due[:min(len(s.Due), maxNamed)]
	return s, err
}

func (w *work) indexFile() string {
	return w.ShowPath(filepath.Join(w.At.Root, filepath.FromSlash(repo.IndexPath)))
}

// findForAgent searches for an agent, in past sessions if it asks for them; without a text it lists lessons.
func findForAgent(ctx context.Context, env Env, g *globals, q mcp.Query) (page mcp.Page, err error) {
	err = withWork(env, g, func(w *work) error {
		s, filter := w.newSessionSearch(q.Text), recall.Filter{}
		page.File, s.ForAgent, s.Limit = w.indexFile(), true, q.Limit
		if q.Sessions {
			list, more, err := inspect.FindSessions(ctx, w.Workspace, s)
			for _, hit := range list {
				page.Items = append(page.Items, hit)
			}
			page.LeftOut = more
			return err
		}
		if q.Text == "" {
			filter.Type = recall.LessonType
		}
		sources, err := w.ReadSomeMemories()
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		found := recall.FindText(sources, q.Text, filter, q.Limit)
		page.LeftOut = found.More
		for _, r := range inspect.ListFound(found.Found) { // less than mem search --json has
			page.Items = append(page.Items, inspect.Result{ID: cmp.Or(r.ID, r.Path), Type: r.Type, Kind: r.Kind, Text: r.Text, Hits: r.Hits, LastSeen: r.LastSeen})
		}
		return nil
	})
	return page, err
}
