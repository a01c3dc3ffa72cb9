package workspace

import (
	"context"

	"mem/curate"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/repo/private"
)

// DrainQueue counts what waits in the memory's queue, once for each workspace; it
// does nothing while the memory is not open. An error says why the memory cannot
// be changed now; other trouble is noted and does not keep the command from its
// own work.
func (w *Workspace) DrainQueue(ctx context.Context) error {
	if w.root == nil || w.drained {
		return nil
	}
	apply := w.Detector.AutoApply
	w.Detector.AutoApply = nil // the person who runs this command knows nothing of what waited
	err := w.drain(ctx, w.root)
	w.Detector.AutoApply = apply
	w.drained = err == nil
	return err
}

func (w *Workspace) drain(ctx context.Context, root *repo.Root) error {
	for _, k := range []struct {
		kind      string
		read      func(private.Job) (repo.Task, bool)
		one, many string
	}{
		{curate.Kind, curate.ReadJob, "learning was kept", "learnings were kept"},
		{reflect.JobKind, reflect.ReadJob, "reflection was counted", "reflections were counted"},
	} {
		n, err := root.DrainQueue(ctx, k.kind, k.read, w.warnPerson)
		if n > 0 {
			w.Note("%d queued %s", n, render.Plural(n, k.one, k.many))
		}
		if reflect.IsPostponed(err) {
			return err
		}
		if err != nil {
			w.Note("the queue could not be emptied: %v", err)
		}
	}
	if err := w.StartWorker(); err != nil {
		w.Note("sessions wait in the queue: %v", err)
	}
	return nil
}

// StartWorker starts a worker in the background if sessions are due and no
// worker is running.
func (w *Workspace) StartWorker() error {
	if w.root == nil || !w.mayDetach() {
		return nil
	}
	due, err := queue.IsDue(w.root, w.Now)
	if err != nil || !due || w.root.IsWorking() {
		return err
	}
	return w.startDetached(w.root)
}
