package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// A Job is work in the root's queue that could not be committed at once. What
// the bytes mean is for their writer to know.
type Job struct {
	Name string // names sort by the time of queueing
	Data []byte // nil if it is not a file that mem wrote
}

// Kind returns the member "kind" of the job's JSON object; "" if it has none.
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
func (a *Area) AddJob(now time.Time, data []byte) (Job, error) {
	sum := sha256.Sum256(data)
	name := now.UTC().Format(stampForm) + "-" + hex.EncodeToString(sum[:6]) + ".json"
	if err := a.writeShared(queueDir+"/"+name, data); err != nil {
		return Job{}, fmt.Errorf("queue: %w", err)
	}
	return Job{Name: name, Data: data}, nil
}

// ListJobs returns the queued jobs, oldest first.
func (a *Area) ListJobs() ([]Job, error) {
	names, err := a.d.ListFolder(queueDir)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	var jobs []Job
	for _, name := range names {
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue // being written
		}
		data, err := a.d.ReadFile(queueDir+"/"+name, maxJob)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process was faster
		}
		if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
			data, err = nil, nil // the others are read all the same
		}
		if err != nil {
			return nil, fmt.Errorf("queue: %w", err)
		}
		jobs = append(jobs, Job{Name: name, Data: data})
	}
	return jobs, nil
}

// RemoveJob removes a job from the queue.
func (a *Area) RemoveJob(j Job) error {
	if err := a.d.Remove(queueDir + "/" + j.Name); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return a.d.SyncDir(queueDir)
}
