package main

import (
	"cmp"
	"time"

	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
)

// printQueue says what is left in the queue after a worker has run.
func printQueue(env Env, root *repo.Root) error {
	list, err := queue.ListWaiting(root)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		env.Printf("nothing waits in the queue\n")
	}
	queueLines(list).print(env)
	return nil
}

// maxQueueLines is how many sessions are named one by one.
const maxQueueLines = 5

// queueLines says for people what waits. Sessions that were not tried yet need no
// more than their number.
func queueLines(list []queue.Waiting) (lines statusLines) {
	fresh, more := 0, 0
	for _, w := range list {
		name := cmp.Or(w.Session, w.Job)
		switch {
		case w.Tries == 0 && !w.Aside:
			fresh++
		case len(lines) == maxQueueLines:
			more++
		case w.Aside:
			lines.addIf(true, "aside", "session %s: %s; 'mem worker --retry' tries it again", name, cmp.Or(w.Failure, "unknown reason"))
		default:
			lines.addIf(true, "failed", "session %s: %s; tried %s, again after %s", name, w.Failure, render.Count(w.Tries, "time", "times"), formatMinute(w.Retry))
		}
	}
	lines.addIf(more > 0, "", "and %d more that failed; --json lists them", more)
	lines.addIf(fresh > 0, "waiting", "%s for the worker", render.Count(fresh, "session waits", "sessions wait"))
	return lines
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
