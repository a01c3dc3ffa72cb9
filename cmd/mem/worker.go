package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/oracle"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
	"mem/workspace/remote"
)

func newWorker(env Env, g *globals) *cobra.Command {
	var wait, retry bool
	c := newCommand("worker", atMost(0), func(c *cobra.Command, _ []string) error { return runWorker(c.Context(), env, g, wait, retry) })
	c.Flags().BoolVar(&wait, "wait", false, "wait for a worker that is already running")
	c.Flags().BoolVar(&retry, "retry", false, "try again what failed or was set aside")
	return c
}

func runWorker(ctx context.Context, env Env, g *globals, wait, retry bool) (err error) {
	console.CollectAsUsual()
	console.BeNice()
	w, err := g.newWork(env, workspace.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.CloseRoots()) }() // not left: it is the worker itself
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	if !w.Config.Enabled {
		env.Note("%s: nothing is learned while enabled is false", reflect.Disabled)
		return nil
	}
	if retry {
		n, err := queue.RetryAll(root)
		if n > 0 {
			env.Note("%s back in the queue", render.Count(n, "session that was set aside is", "sessions that were set aside are"))
		}
		if err != nil {
			return err
		}
	}
	w.Detach = nil // this is the worker
	if err := w.DrainQueue(ctx); err != nil {
		env.Note("what was learned waits: %s", workspace.DescribeError(err))
	}
	if err := w.LookAtGit(ctx, root); err != nil {
		return err
	}
	worker := queue.Worker{Places: trace.DefaultPlaces(env.Home(), env.Getenv), Now: func() time.Time { return env.Clock().UTC() }, Quiet: w.Config.Hook.Quiet, Sleep: oracle.Sleep}
	if retry || env.Interactive() { // a person waits
		worker.Quiet = 0
	}
	worker.Oracles = func(sessionModel string) ([]oracle.Oracle, error) { return w.oraclesNow(g, sessionModel) }
	if g.Now != "" { // the clock stands still
		worker.Now = func() time.Time { return w.Now }
	}
	if worker.Reflector, err = w.newReflector(); err != nil {
		return err
	}
	err = worker.Run(ctx, root)
	for wait && errors.Is(err, repo.ErrLocked) {
		if err := oracle.Sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
		err = worker.Run(ctx, root)
	}
	if errors.Is(err, repo.ErrLocked) {
		env.Note("another worker is already running; it asks about a session that ended, or was quiet for %s", w.Config.Hook.Quiet)
		return nil
	}
	inspect.KeepTalks(ctx, w.Workspace, w.newSessionSearch(""))
	if err == nil && w.Config.SyncAuto {
		remote.SyncInBackground(ctx, w.Workspace)
	}
	return errors.Join(err, inspect.WriteQueue(env.Out, root))
}

// oraclesNow returns the oracles as configured now, not when the worker began to rest, for a session of pi with
// this model.
func (w *work) oraclesNow(g *globals, sessionModel string) ([]oracle.Oracle, error) {
	now, err := g.newWork(w.env, workspace.Options{})
	if err != nil {
		return nil, err
	}
	setup := w.oracleSetup()
	setup.Config = now.Config.Oracle
	setup.Config.SessionModel = cmp.Or(sessionModel, setup.Config.SessionModel)
	return setup.ChooseOracles("")
}

// forHook annotates the command that hooks run. Its exit code is always 0: for some agents a failing hook is an
// order to keep working.
const forHook = "mem/for-hook"
