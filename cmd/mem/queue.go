package main

import (
	"cmp"
	"fmt"
	"time"

	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
)

// waitingResult is a session in the queue, as JSON.
type waitingResult struct {
	Job     string    `json:"job"`
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
	Aside   bool      `json:"setAside"`
	Tries   int       `json:"tries"`
	Failure string    `json:"failure"`          // "" if nobody tried yet
	Retry   time.Time `json:"retryAt,omitzero"` // not before
}

// waiting lists the sessions in the queue.
func waiting(root *repo.Root) ([]waitingResult, error) {
	list, err := queue.ListWaiting(root)
	if err != nil {
		return nil, err
	}
	out := []waitingResult{}
	for _, w := range list {
		r := waitingResult{
			Job: w.Job, Agent: w.Agent, Session: w.Session, Since: w.Since,
			Aside: w.Aside, Tries: w.Try.N, Failure: w.Try.Why,
		}
		if !w.Aside {
			r.Retry = w.Try.Next
		}
		out = append(out, r)
	}
	return out, nil
}

// printQueue says what is left in the queue, for whoever ran the worker.
func (w *work) printQueue(root *repo.Root) error {
	list, err := waiting(root)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		w.env.Printf("nothing waits in the queue\n")
	}
	for _, line := range queueLines(list) {
		w.env.Printf("%-8s %s\n", line[0], line[1])
	}
	return nil
}

// maxQueueLines is how many sessions are named one by one.
const maxQueueLines = 5

// queueLines says for people what waits: label and text. Sessions that nobody
// tried yet need no more than their number.
func queueLines(list []waitingResult) [][2]string {
	var lines [][2]string
	fresh, more := 0, 0
	for _, r := range list {
		name := cmp.Or(r.Session, r.Job)
		switch {
		case r.Tries == 0 && !r.Aside:
			fresh++
		case len(lines) == maxQueueLines:
			more++
		case r.Aside:
			lines = append(lines, [2]string{"aside", fmt.Sprintf("session %s: %s; 'mem worker --retry' tries it again",
				name, cmp.Or(r.Failure, "nobody knows why"))})
		default:
			lines = append(lines, [2]string{"failed", fmt.Sprintf("session %s: %s; tried %d %s, again after %s",
				name, r.Failure, r.Tries, render.Plural(r.Tries, "time", "times"), formatMinute(r.Retry))})
		}
	}
	if more > 0 {
		lines = append(lines, [2]string{"", fmt.Sprintf("and %d more that failed; --json lists them", more)})
	}
	if fresh > 0 {
		lines = append(lines, [2]string{"waiting", fmt.Sprintf("%s for the worker", render.Count(fresh, "session waits", "sessions wait"))})
	}
	return lines
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
