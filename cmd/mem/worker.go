package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"mem/reflect"
	"mem/render"
	"mem/repo"
)

type workerOptions struct {
	Wait  bool // for another worker to end
	Retry bool
}

func newWorker(env Env, g *globals) *cobra.Command {
	var opts workerOptions
	c := &cobra.Command{
		Use:   "worker",
		Short: "Learn from the sessions that hooks queued",
		Long: `Ask for the lessons of the sessions that hooks have put into the memory's queue,
commit them, and end when nothing is due.

Hooks start it in the background, and so does every command that writes; there
is one at a time. When a model cannot be asked its session waits, first a
minute, then longer, up to six hours. A session that fails by its own doing
five times is set aside; 'mem status' names it, and --retry tries everything
again now.

It also makes the digest of a large memory that lets sessions start without
reading all of it; a session that misses it starts a worker for that.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runWorker(c.Context(), env, g, opts) },
	}
	c.Flags().BoolVar(&opts.Wait, "wait", false, "wait for a worker that is at it already")
	c.Flags().BoolVar(&opts.Retry, "retry", false, "try again what failed or was set aside")
	return c
}

func runWorker(ctx context.Context, env Env, g *globals, opts workerOptions) (err error) {
	debug.SetGCPercent(100) // it may run for a while
	beNice()
	w, err := g.workspace(env, nil)
	if err != nil {
		return err
	}
	root, err := w.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if !w.cfg.Enabled {
		env.Note("%s: nothing is learned while enabled is false", reflect.Disabled)
		return nil
	}
	w.digest(ctx, root)
	defer func() {
		if root.WantsDigest() && ctx.Err() == nil { // for something was learned
			w.digest(ctx, root)
		}
	}()
	if opts.Retry {
		n, err := reflect.Retry(root)
		if err != nil {
			return err
		}
		if n > 0 {
			env.Note("%s back in the queue", render.Count(n, "session that was set aside is", "sessions that were set aside are"))
		}
	}
	worker := reflect.Worker{Now: w.clock(g), Quiet: w.cfg.Hook.Quiet, Sleep: sleep}
	if worker.Reflector, err = w.reflector(""); err != nil {
		return err
	}
	for {
		err := worker.Run(ctx, root)
		if !errors.Is(err, repo.ErrLocked) {
			return errors.Join(err, w.printQueue(root))
		}
		if !opts.Wait {
			env.Note("another worker is at it")
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// digest makes what lets sessions start without reading the whole index.
func (w *workspace) digest(ctx context.Context, root *repo.Root) {
	if err := root.Digest(ctx, w.now); err != nil {
		w.env.Note("no digest of %s, so that sessions start more slowly: %v", repo.IndexPath, err)
	}
}

// clock tells a worker the time, which goes on unless the command line said
// what it is.
func (w *workspace) clock(g *globals) func() time.Time {
	if g.Now != "" {
		return func() time.Time { return w.now }
	}
	return func() time.Time { return w.env.Now().UTC() }
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kick starts a worker in the background if sessions are due and nobody is at
// them.
func (w *workspace) kick(root *repo.Root) error {
	if !w.mayDetach() {
		return nil
	}
	due, err := reflect.Due(root, w.now)
	if err != nil || !due || root.Working() {
		return err
	}
	return w.detach(root)
}

// leave closes a memory after a command, and lets a worker in the background make
// the digest that the next reader will miss. It takes too long for the command
// itself, and a session that starts must not wait for it. Without a memory there
// is nothing to leave.
func (w *workspace) leave(root *repo.Root) error {
	if root == nil {
		return nil
	}
	if root.WantsDigest() && w.mayDetach() {
		if err := w.detach(root); err != nil {
			w.env.Note("the next session will start a little slower: %v", err)
		}
	}
	return root.Close()
}

func (w *workspace) mayDetach() bool {
	return w.env.Detach != nil && w.cfg.Enabled && w.cfg.Hook.Worker && w.env.Getenv("MEM_CHILD") == ""
}

func (w *workspace) detach(root *repo.Root) error {
	if err := w.env.Detach(root.Path(), "worker", "--root", root.Path()); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	return nil
}

// again runs this program once more, in the background.
func again(dir string, args ...string) error {
	bin, err := os.Executable()
	if err != nil {
		return err
	}
	shed()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.SysProcAttr = dir, detached()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // mem mcp may outlive it, and no other process would bury it
	return nil
}
