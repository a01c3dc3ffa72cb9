package workspace

import (
	"context"
	"fmt"

	"mem/curate"
	"mem/reflect"
	"mem/render"
	"mem/repo"
)

// DrainQueue counts what waits in the memory's queue, once for each workspace.
// An error says why the memory cannot be changed now; other trouble is noted and
// does not keep the command from its own work. Without a memory it does nothing.
func (w *Workspace) DrainQueue(ctx context.Context) error {
	root, err := w.OpenRootIfAny()
	if err != nil || root == nil || w.drained {
		return err
	}
	apply := w.Detector.AutoApply
	w.Detector.AutoApply = nil // the person who runs this command knows nothing of what waited
	err = w.drain(ctx, root)
	w.Detector.AutoApply = apply
	w.drained = err == nil
	return err
}

func (w *Workspace) drain(ctx context.Context, root *repo.Root) error {
	if err := w.drainCaptures(ctx, root); reflect.Postponed(err) {
		return err
	} else if err != nil {
		w.Note("the queue could not be emptied: %v", err)
	}
	n, err := reflect.Drain(ctx, root, w.warn)
	if n > 0 {
		w.Note("%d queued %s counted", n, render.Plural(n, "reflection was", "reflections were"))
	}
	switch {
	case reflect.Postponed(err):
		return err
	case err != nil:
		w.Note("the queue could not be emptied: %v", err)
	}
	if err := w.StartWorker(); err != nil {
		w.Note("sessions wait in the queue: %v", err)
	}
	return nil
}

// drainCaptures keeps the learnings that wait in the queue.
func (w *Workspace) drainCaptures(ctx context.Context, root *repo.Root) error {
	jobs, err := root.Queue()
	if err != nil {
		return err
	}
	kept := 0
	defer func() {
		if kept > 0 {
			w.Note("%d queued %s kept", kept, render.Plural(kept, "learning was", "learnings were"))
		}
	}()
	for _, j := range jobs {
		c, ok := curate.QueuedCapture(j)
		if !ok {
			if j.Kind() == curate.Kind {
				w.Note("queued job %s cannot be read and stays where it is", j.Name)
			}
			continue
		}
		_, err := root.Settle(ctx, c.At, func(m *repo.Memory) (repo.Message, error) {
			_, msg, err := c.LearnIn(m)
			return msg, err
		})
		if err != nil {
			return fmt.Errorf("queued learning: %w", err)
		}
		if err := root.Done(j); err != nil {
			return err
		}
		kept++
	}
	return nil
}

// StartWorker starts a worker in the background if sessions are due and no
// worker is running.
func (w *Workspace) StartWorker() error {
	if w.root == nil || !w.mayDetach() {
		return nil
	}
	due, err := reflect.Due(w.root, w.Now)
	if err != nil || !due || w.root.Working() {
		return err
	}
	return w.detach(w.root)
}
