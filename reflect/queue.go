package reflect

import (
	"crypto/rand"
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

// JobKind is the kind of queued reflections: they name none.
const JobKind = ""

// ReadJob makes a task of a job that holds a reflection, for
// repo.Root.DrainQueue.
func ReadJob(j repo.Job) (repo.Task, bool) {
	var p Pending
	err := json.Unmarshal(j.Data, &p)
	return repo.Task{At: p.At, Change: func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := p.CountInto(m)
		return msg, err
	}}, err == nil && !p.At.IsZero()
}
