package reflect

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"mem/repo"
)

// enqueue keeps a reflection that cannot be counted now.
func enqueue(root *repo.Root, p *Pending) error {
	queued := *p
	if queued.ID == "" { // named now, so that draining it twice counts it once
		queued.ID = "r-" + rand.Text()[:12]
	}
	data, err := json.Marshal(queued)
	if err != nil {
		return fmt.Errorf("queue reflection: %w", err)
	}
	_, err = root.Enqueue(p.At, data)
	return err
}

// Drain counts the reflections that wait in the root's queue, oldest first,
// each in a commit of its own, and says how many it counted. When the root
// cannot be changed now it stops with the error that says why, and Postponed
// reports true for it. A job that cannot be read is
// left where it is and told to warn; one of another kind is passed over.
func Drain(ctx context.Context, root *repo.Root, warn func(string)) (int, error) {
	jobs, err := root.Queue()
	if err != nil {
		return 0, err
	}
	counted := 0
	for _, j := range jobs {
		if j.Kind() != "" {
			continue // no reflection, and somebody else's business
		}
		var p Pending
		if err := json.Unmarshal(j.Data, &p); err != nil || p.At.IsZero() {
			warn(fmt.Sprintf("queued job %s cannot be read and stays where it is", j.Name))
			continue
		}
		_, err := root.Settle(ctx, p.At, func(m *repo.Memory) (repo.Message, error) {
			_, msg, err := p.count(m)
			return msg, err
		})
		if err != nil {
			return counted, fmt.Errorf("queued reflection %s: %w", p.ID, err)
		}
		if err := root.Done(j); err != nil {
			return counted, errors.Join(err)
		}
		counted++
	}
	return counted, nil
}
