package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore"
)

// A Job is work that waits in the root's queue because it could not be
// committed at once. What the bytes mean is the business of who queued them.
type Job struct {
	Name string // names sort by the time of queueing
	Data []byte // nil if it is no file that mem wrote
}

// Kind is what a job says that it is: the member "kind" of a JSON object; "" if
// it has none.
func (j Job) Kind() string {
	var says struct {
		Kind string `json:"kind"`
	}
	if json.Unmarshal(j.Data, &says) != nil {
		return ""
	}
	return says.Kind
}

// maxJob bounds one job.
const maxJob = 8 << 20

// AddJob keeps a job, durably, without taking the root's lock. The same
// bytes queued at the same moment are one job. data must be free of secrets.
func (r *Root) AddJob(now time.Time, data []byte) (Job, error) {
	sum := sha256.Sum256(data)
	name := now.UTC().Format(stampForm) + "-" + hex.EncodeToString(sum[:6]) + ".json"
	if err := r.writeShared(gitstore.QueueDir+"/"+name, data); err != nil {
		return Job{}, fmt.Errorf("queue: %w", err)
	}
	return Job{Name: name, Data: data}, nil
}

// ListJobs returns the jobs that wait, oldest first.
func (r *Root) ListJobs() ([]Job, error) {
	names, err := r.d.ListFolder(gitstore.QueueDir)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	var jobs []Job
	for _, name := range names {
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue // being written
		}
		data, err := r.d.ReadFile(gitstore.QueueDir+"/"+name, maxJob)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody else was faster
		}
		if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
			data, err = nil, nil // it stands in nobody's way
		}
		if err != nil {
			return nil, fmt.Errorf("queue: %w", err)
		}
		jobs = append(jobs, Job{Name: name, Data: data})
	}
	return jobs, nil
}

// RemoveJob removes a job from the queue.
func (r *Root) RemoveJob(j Job) error {
	if err := r.d.Remove(gitstore.QueueDir + "/" + j.Name); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return r.d.SyncDir(gitstore.QueueDir)
}

// A Task is what a job asks for: one commit, as if made at a time.
type Task struct {
	At     time.Time
	Change func(*Memory) (Message, error) // as for Settle
}

// DrainQueue does the jobs of a kind, oldest first, each in a commit of its own,
// and says how many it did. read makes a task of a job; one that it cannot read
// stays in the queue, and warn says so. It ends with the first task that
// fails.
func (r *Root) DrainQueue(ctx context.Context, kind string, read func(Job) (Task, bool), warn func(string)) (done int, err error) {
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
		if err := r.RemoveJob(j); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// writeShared writes a file that needs no lock.
func (r *Root) writeShared(name string, data []byte) error {
	if err := r.d.MkdirAll(gitstore.QueueDir); err != nil {
		return err
	}
	return r.d.WriteShared(context.Background(), name, data, gitstore.QueueDir)
}
