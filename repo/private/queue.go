package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// The queue holds two sorts of jobs. Those of the first wait for the root's lock
// alone, and are listed with what they say. Deferred jobs wait for more, such as a
// session that a model has to be asked about. They have a key, and are listed
// without being read: they are large. One that is set aside stays until a person
// looks at it.
const (
	jobExt     = ".json"
	waitingExt = ".session"
	asideExt   = ".aside"
	stampForm  = "20060102T150405.000000000Z"

	maxJob      = 8 << 20
	maxDeferred = 32 << 20
)

// Errors about jobs.
var (
	ErrNoJob   = errors.New("not a job")     // what has the name of a job cannot be one
	ErrJobSize = errors.New("job too large") // to be queued
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

// AddJob keeps a job, durably, without taking the root's lock, and returns its name.
// The same bytes queued at the same moment are one job. data must be free of
// secrets.
func (a *Area) AddJob(now time.Time, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	return a.enqueue(now, hex.EncodeToString(sum[:6])+jobExt, data)
}

// DeferJob keeps a job under a key, durably, and returns its name. Names sort by
// the time of queueing, and those of one key and moment are equal. data must
// be free of secrets.
func (a *Area) DeferJob(now time.Time, key string, data []byte) (string, error) {
	if len(data) > maxDeferred {
		return "", fmt.Errorf("queue: %d bytes, the limit is %d: %w", len(data), maxDeferred, ErrJobSize)
	}
	return a.enqueue(now, key+waitingExt, data)
}

func (a *Area) enqueue(now time.Time, base string, data []byte) (string, error) {
	name := now.UTC().Format(stampForm) + "-" + base
	return name, a.writeShared(QueueDir+"/"+name, data)
}

// JobKey is the key of a deferred job, given its name.
func JobKey(name string) string {
	_, name, _ = strings.Cut(name, "-")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// JobTime is when a deferred job was queued, given its name; zero if the name
// does not say.
func JobTime(name string) time.Time {
	stamp, _, _ := strings.Cut(name, "-")
	at, _ := time.Parse(stampForm, stamp)
	return at
}

// ListJobs returns the jobs that wait for the lock, oldest first.
func (a *Area) ListJobs() ([]Job, error) {
	names, err := a.listQueue(jobExt)
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for _, name := range names {
		data, err := a.readJob(name, maxJob)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process was faster
		}
		if err != nil && !errors.Is(err, ErrNoJob) { // the others are read all the same
			return nil, err
		}
		jobs = append(jobs, Job{Name: name, Data: data})
	}
	return jobs, nil
}

// ListWaiting returns the names of the deferred jobs, oldest first.
func (a *Area) ListWaiting() ([]string, error) { return a.listQueue(waitingExt) }

// ListAside returns the names of the jobs that were set aside, oldest first.
func (a *Area) ListAside() ([]string, error) { return a.listQueue(asideExt) }

// listQueue returns the names in the queue that end in ext, without those of files
// that are being written.
func (a *Area) listQueue(ext string) ([]string, error) {
	names, err := a.d.ListFolder(QueueDir)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ext) || strings.HasPrefix(name, ".") }), err
}

// ReadDeferred returns the content of a job. One that another process finished
// wraps fs.ErrNotExist, and what is not a file that mem wrote ErrNoJob.
func (a *Area) ReadDeferred(name string) ([]byte, error) { return a.readJob(name, maxDeferred) }

func (a *Area) readJob(name string, limit int64) ([]byte, error) {
	data, err := a.d.ReadFile(QueueDir+"/"+name, limit)
	if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrNoJob, err)
	}
	return data, err
}

// RemoveJob removes a job from the queue, if it is there.
func (a *Area) RemoveJob(name string) error {
	if err := a.d.Remove(QueueDir + "/" + name); err != nil {
		return err
	}
	return a.d.SyncDir(QueueDir)
}

// SetAside keeps a deferred job that cannot be done out of the way.
func (a *Area) SetAside(name string) error { return a.renameJob(name, waitingExt, asideExt) }

// KeepNewest removes the deferred jobs whose key a later one has: where no worker
// empties the queue, each holds all of its session.
func (a *Area) KeepNewest() error {
	names, err := a.ListWaiting()
	newest := map[string]string{}
	for _, name := range names {
		if old := newest[JobKey(name)]; old != "" {
			err = errors.Join(err, a.RemoveJob(old))
		}
		newest[JobKey(name)] = name
	}
	return err
}

// MoveQueue moves all jobs of the queue to that of another root.
func (a *Area) MoveQueue(to *Area) error {
	names, err := a.listQueue("")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := a.readJob(name, maxDeferred)
		if err == nil {
			err = to.writeShared(QueueDir+"/"+name, data)
		}
		if err == nil {
			err = a.RemoveJob(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else another process was faster
			return err
		}
	}
	return nil
}

// TakeBack lets a job that was set aside wait again.
func (a *Area) TakeBack(name string) error { return a.renameJob(name, asideExt, waitingExt) }

func (a *Area) renameJob(name, from, to string) error {
	renamed := strings.TrimSuffix(name, from) + to
	if err := a.d.Rename(QueueDir+"/"+name, QueueDir+"/"+renamed); err != nil {
		return err
	}
	return a.d.SyncDir(QueueDir)
}
