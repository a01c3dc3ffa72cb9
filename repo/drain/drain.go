// Package drain does what waits in the queue of a memory.
package drain

import (
	"context"
	"time"

	"mem/repo"
	"mem/repo/private"
)

// A Task is what a job asks for: one commit, as if made at a time.
type Task struct {
	At     time.Time
	Change func(*repo.Memory) (repo.Message, error) // as for repo.Root.Settle
}

// Queue does the jobs of a kind, oldest first, each in a commit of its own, and says
// how many it did. read makes a task of a job; one that it cannot read stays in the
// queue, and warn says so. It ends with the first task that fails.
func Queue(ctx context.Context, root *repo.Root, kind string, read func(private.Job) (Task, bool), warn func(string)) (done int, err error) {
	return root.DoJobs(kind, warn, func(j private.Job) (bool, error) {
		task, ok := read(j)
		if ok {
			_, err = root.Settle(ctx, task.At, task.Change)
		}
		return ok, err
	})
}
