package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/trace"
	"mem/workspace"
)

// work is what a command works on, the streams that it answers on, and how.
type work struct {
	*workspace.Workspace
	answerFlags
	env  Env
	root *repo.Root // open, for a command that needs a memory
}

// newWork finds the memory for this command and reads the configuration. It adds the flags of every command to
// opts.
func (g *globals) newWork(env Env, opts workspace.Options, lessons ...string) (_ *work, err error) {
	opts.Root = g.Root
	if opts.Now, err = g.runTime(env); err != nil {
		return nil, err
	}
	ws, err := workspace.NewHolding(makeWorld(env), opts, lessons)
	if err != nil {
		return nil, err
	}
	return &work{Workspace: ws, answerFlags: g.answerFlags, env: env}, nil
}

// withWork finds the workspace for a command, and leaves it afterwards.
func withWork(env Env, g *globals, f func(*work) error) error {
	return withOptions(env, g, workspace.Options{}, f)
}

// withOptions is withWork with more options. If lessons are given, it chooses the memory that has them.
func withOptions(env Env, g *globals, opts workspace.Options, f func(*work) error, lessons ...string) error {
	w, err := g.newWork(env, opts, lessons...)
	if err != nil {
		return err
	}
	return w.leaveAfter(f)
}

// leaveAfter calls f, fits what that prints to the terminal, and leaves the workspace, also after a panic.
func (w *work) leaveAfter(f func(*work) error) (err error) {
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if w.JSON {
		return f(w)
	}
	w.env.LayOut(func() { err = f(w) })
	return err
}

// inOther calls f in the workspace of another memory, in the same way.
func (w *work) inOther(root string, f func(*work) error) error {
	ws, err := workspace.New(w.World, workspace.Options{Root: root, Now: w.Now})
	if err != nil {
		return err
	}
	return (&work{Workspace: ws, answerFlags: w.answerFlags, env: w.env}).leaveAfter(f)
}

// withNew is withWork for a command that makes the memory if there is none, with pi's settings for it, as mem
// init does.
func withNew(ctx context.Context, env Env, g *globals, f func(*work) error) error {
	guard.Prepare() // what comes is cleaned, and filed
	topic.Prepare()
	w, err := g.newWork(env, workspace.Options{})
	if err != nil {
		return err
	}
	if w.At.Exists || w.IsNamed {
		return w.leaveAfter(f)
	}
	pi, err := workspace.FindPiSettings(makeWorld(env), "")
	if err != nil {
		return err
	}
	return withOptions(env, g, workspace.Options{Settings: pi.Source()}, func(w *work) error {
		if err := f(w); err != nil || w.DryRun {
			return err
		}
		root, err := w.OpenRootIfAny()
		if err != nil || root == nil {
			return err
		}
		workspace.TellUntaken(pi, env.Note)
		_, err = root.Settle(ctx, w.Now, func(m *repo.Memory) (repo.Message, error) { return workspace.KeepPiSettings(m, pi) })
		return err
	})
}

// withRoot is withWork for a command that needs a memory.
func withRoot(env Env, g *globals, f func(*work) error) error {
	return withWork(env, g, func(w *work) (err error) {
		if w.root, err = w.OpenRoot(); err != nil {
			return err
		}
		return f(w)
	})
}

// An action is what a command does in its workspace, with its arguments.
type action = func(ctx context.Context, w *work, args []string) error

// inWork returns the cobra function of a command that does f.
func (g *globals) inWork(env Env, f action) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return withWork(env, g, func(w *work) error { return f(c.Context(), w, args) })
	}
}

// inRoot is inWork for a command that needs a memory.
func (g *globals) inRoot(env Env, f action) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return withRoot(env, g, func(w *work) error { return f(c.Context(), w, args) })
	}
}

// inMemory is inRoot for a command that only reads.
func (g *globals) inMemory(env Env, f func(ctx context.Context, w *work, m *repo.Memory, args []string) error) func(*cobra.Command, []string) error {
	return g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
		m, err := w.ViewForCaller(w.root)
		if err != nil {
			return err
		}
		return f(ctx, w, m, args)
	})
}

// makeWorld is what a workspace needs of this Env.
func makeWorld(e Env) workspace.World {
	e.World.Version, e.World.Note, e.World.MayAsk = console.Version(), e.Note, e.Interactive()
	e.World.Ask, e.World.Confirm, e.World.RequirePerson, e.World.Progress, e.World.OpenEditor = e.Ask, e.Confirm, e.RequirePerson, e.Progress, e.OpenEditor
	e.World.OpenSession = func(path string) (trace.Document, error) {
		console.CollectAsUsual() // what is garbage is collected
		return openSession(path)
	}
	return e.World
}

// changeMemory changes the memory by f, as workspace.Change does, and returns what f found.
func changeMemory[T any](ctx context.Context, w *work, f func(*repo.Memory) (T, repo.Message, error)) (found T, changed workspace.Changed, err error) {
	changed, err = w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		found, msg, err = f(m)
		return msg, err
	})
	return found, changed, err
}

// printChange is printResult for a change, if it could be made; of one in a dry run a person sees the diff.
func (w *work) printChange(v any, c workspace.Changed, err error, forPerson func()) error {
	switch {
	case err != nil:
		return err
	case !w.DryRun || w.JSON:
		return w.printResult(v, forPerson)
	case c.Status == workspace.Nothing:
		w.env.Printf("nothing would change\n")
		return nil
	}
	diff, err := c.Diff()
	if err != nil {
		return err
	}
	w.env.Note("would be committed: %s", guard.Scrub(c.Subject))
	w.env.Show(w.env.Out, guard.Scrub(diff))
	return nil
}

// An Env is the world as a command sees it. Tests make their own.
type Env = console.Env

// printJSON prints v as the result. All strings are scrubbed, and put on one line
// unless prose names their member.
func printJSON(env Env, v any, prose ...string) error {
	return printAs(env, v, render.JSON{Prose: prose})
}

func printAs(env Env, v any, opts render.JSON) error {
	data, err := opts.Encode(v)
	if err == nil {
		env.Printf("%s\n", data)
	}
	return err
}

// printResult prints a result: as JSON, for which prose is as for printJSON, or as a
// person is shown it.
func (w *work) printResult(v any, forPerson func(), prose ...string) error {
	if w.JSON {
		return printJSON(w.env, v, prose...)
	}
	forPerson()
	return nil
}

// printText is printResult for what is written to a stream, if it could be found.
func (w *work) printText(v any, err error, write func(out io.Writer), prose ...string) error {
	if err != nil {
		return err
	}
	return w.printResult(v, func() { write(w.env.Out) }, prose...)
}
