package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/mcp"
	"mem/recall"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newMcp(env Env, g *globals) *cobra.Command {
	var write bool
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Show the memory to agents over the Model Context Protocol",
		Long: `Serve the memory to the coding agent that started this command, over the Model
Context Protocol on standard input and output, until the agent is done.

The tools are context, search, list and status, which only read, and learn, with
which the agent notes one lesson in a memory that is there, as mem learn does; it counts
as the agent's own words. With --write there are reflect as well, which commits
lessons as mem reflect does, and feedback, with which the agent says that a lesson is
wrong: it is held until you look at it.`,
		Example: `  claude mcp add mem -- mem mcp
  codex mcp add mem -- mem mcp --write`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := g.runTime(env); err != nil {
				return err
			}
			if console.IsTerminal(env.In) {
				env.Note("waiting for a client of the Model Context Protocol; agents start this command themselves, see 'mem help mcp'")
			}
			console.CollectAsUsual()
			return memoryServer(env, g, write).Run(c.Context(), cmp.Or[io.Reader](env.In, strings.NewReader("")), env.Out)
		},
	}
	c.Flags().BoolVar(&write, "write", false, "let the agent hand in reflections, and say which lessons are wrong")
	return c
}

// memoryServer returns the server that answers an agent. Each call finds the memory
// and its configuration anew.
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
		Explain: func(err error) string {
			text := workspace.DescribeError(err)
			if _, hint := explainError(err); hint != "" {
				text += "\nhint: " + hint
			}
			return text
		},
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

// indexFile returns the path of the lessons, for people.
func (w *work) indexFile() string {
	return w.ShowPath(filepath.Join(w.At.Root, filepath.FromSlash(repo.IndexPath)))
}

// findForAgent searches for an agent, in past sessions if it asks for them; without a text it lists lessons.
func findForAgent(ctx context.Context, env Env, g *globals, q mcp.Query) (page mcp.Page, err error) {
	if q.Sessions {
		err = withWork(env, g, func(w *work) error {
			s := w.newSessionSearch(q.Text, nil)
			s.ForAgent, s.Limit = true, q.Limit
			list, more, err := inspect.FindSessions(ctx, w.Workspace, s)
			page.File, page.LeftOut = w.indexFile(), more
			for _, hit := range list {
				page.Items = append(page.Items, hit)
			}
			return err
		})
		return page, err
	}
	filter := search.Filter{}
	if q.Text == "" {
		filter.Type = search.Lesson
	}
	err = withMemories(env, g, func(w *work, sources []notes.Source) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := search.FindText(sources, q.Text, filter, q.Limit)
		page.File, page.LeftOut = w.indexFile(), found.More
		for _, f := range found.Found {
			page.Items = append(page.Items, f.Shorten())
		}
		if q.Text != "" && !found.HasLessons() && found.More == 0 {
			s := w.newSessionSearch(q.Text, sources)
			s.ForAgent = true
			page.Sessions = inspect.CountSessions(ctx, w.Workspace, s)
		}
		return nil
	})
	return page, err
}
