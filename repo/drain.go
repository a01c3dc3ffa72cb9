package repo

import (
	"context"
	"fmt"
	"time"

	"mem/repo/private"
)

// A Task is what a job asks for: one commit, as if made at a time.
type Task struct {
	At     time.Time
	Change func(*Memory) (Message, error) // as for Settle
}

// DrainQueue does the jobs of a kind, oldest first, each in a commit of its own,
// and says how many it did. read makes a task of a job; one that it cannot read
// stays in the queue, and warn says so. It ends with the first task that
// fails.
func (r *Root) DrainQueue(ctx context.Context, kind string, read func(private.Job) (Task, bool), warn func(string)) (done int, err error) {
	jobs, err := r.ListJobs()
	if err != nil {
		return 0, err
	}
	for _, j := range jobs {
		if j.Kind() != kind {
			continue
		}
		task, ok := read(j)
		if !ok {
			warn(fmt.Sprintf("queued job %s cannot be read and is left in place", j.Name))
			continue
		}
		if _, err := r.Settle(ctx, task.At, task.Change); err != nil {
			return done, fmt.Errorf("queued job %s: %w", j.Name, err)
		}
		if err := r.RemoveJob(j.Name); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}
