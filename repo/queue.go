package repo

import (
	"bytes"
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

// The queue holds two sorts of jobs. The first only need the root's lock, and ListJobs reads them. Deferred
// jobs need more, such as a model's answer about a session. They have a key and are listed without being read,
// because they are large.
const (
	jobExt     = ".json"
	waitingExt = ".session"
	stampForm  = "20060102T150405.000000000Z"

	maxJob = 32 << 20
)

// Errors about jobs.
var (
	ErrNoJob   = errors.New("not a job")     // the file with a job's name cannot be a job
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

// A Queue is a folder of jobs, which is made for the first one.
type Queue struct {
	Folder string
	Files  disk.Files
}

// in calls do with the folder. The error wraps fs.ErrNotExist if there is none.
func (q Queue) in(do func(d *disk.Dir) error) error {
	d, err := q.Files.Open(q.Folder)
	if err == nil {
		err = errors.Join(do(d), d.Close())
	}
	return err
}

func (q Queue) write(name string, data []byte) error {
	add := func(d *disk.Dir) error { return d.WriteFile(name, data, ".") }
	err := q.in(add)
	if errors.Is(err, fs.ErrNotExist) {
		if err = (disk.Files{}).MakeFolder(q.Folder); err == nil {
			err = q.in(add)
		}
	}
	return err
}

// AddJob keeps a job, durably, without taking the root's lock, and returns its name. The same bytes queued at the same
// moment are one job. data must be free of secrets.
func (q Queue) AddJob(now time.Time, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	return q.enqueue(now, hex.EncodeToString(sum[:6])+jobExt, data)
}

// DeferJob keeps a job under a key, durably, and returns its name. Names sort by the time of queueing, and those of one
// key and moment are equal. data must be free of secrets.
func (q Queue) DeferJob(now time.Time, key string, data []byte) (string, error) {
	if len(data) > maxJob {
		return "", fmt.Errorf("queue: %d bytes, the limit is %d: %w", len(data), maxJob, ErrJobSize)
	}
	return q.enqueue(now, key+waitingExt, data)
}

func (q Queue) enqueue(now time.Time, base string, data []byte) (string, error) {
	name := now.UTC().Format(stampForm) + "-" + base
	return name, q.write(name, data)
}

// JobKey is the key of a deferred job, given its name.
func JobKey(name string) string {
	_, name, _ = strings.Cut(name, "-")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// JobTime is when a deferred job was queued, given its name; zero if the name does not say.
func JobTime(name string) time.Time {
	stamp, _, _ := strings.Cut(name, "-")
	at, _ := time.Parse(stampForm, stamp)
	return at
}

// ListJobs returns the jobs that wait for the lock, oldest first.
func (q Queue) ListJobs() (jobs []Job, err error) {
	err = q.each(jobExt, func(j Job) error { jobs = append(jobs, j); return nil })
	return jobs, err
}

// each calls f with the jobs whose names end in ext, oldest first. It skips jobs that another process already removed.
func (q Queue) each(ext string, f func(Job) error) error {
	names, err := q.listQueue(ext)
	for _, name := range names {
		data, errJob := q.ReadJob(name)
		if errJob == nil || errors.Is(errJob, ErrNoJob) {
			errJob = f(Job{name, data})
		}
		if !errors.Is(errJob, fs.ErrNotExist) {
			err = errors.Join(err, errJob)
		}
	}
	return err
}

// ListWaiting returns the names of the deferred jobs, oldest first.
func (q Queue) ListWaiting() ([]string, error) { return q.listQueue(waitingExt) }

// listQueue returns the names in the queue with this ending, without files that are still being written.
func (q Queue) listQueue(ending string) (names []string, err error) {
	err = q.in(func(d *disk.Dir) (err error) {
		names, err = d.ListFolder(".")
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, ending) || strings.HasPrefix(name, ".")
	}), err
}

// ReadJob returns the content of a job. One that another process finished
// wraps fs.ErrNotExist, and what is not a file that mem wrote ErrNoJob.
func (q Queue) ReadJob(name string) (data []byte, err error) {
	err = q.in(func(d *disk.Dir) (err error) {
		data, err = d.ReadFile(name, maxJob)
		return err
	})
	if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrNoJob, err)
	}
	return data, err
}

// RemoveJob removes a job from the queue, if it is there, without a flush: if a power cut brings the job back,
// mem knows that its work is done.
func (q Queue) RemoveJob(name string) error {
	return q.in(func(d *disk.Dir) error { return d.Remove(name) })
}

// EditJobs replaces the content of each job by what edit returns. It leaves files alone that mem did not write.
func (q Queue) EditJobs(edit func(data []byte) []byte) error {
	return q.each("", func(j Job) error {
		if now := edit(j.Data); j.Data != nil && !bytes.Equal(now, j.Data) {
			return q.write(j.Name, now)
		}
		return nil
	})
}

// MoveTo moves all jobs to another queue.
func (q Queue) MoveTo(to Queue) error {
	if q.Folder == to.Folder {
		return nil
	}
	return q.each("", func(j Job) error {
		if j.Data == nil {
			return fmt.Errorf("%s: %w", j.Name, ErrNoJob)
		}
		if err := to.write(j.Name, j.Data); err != nil {
			return err
		}
		return q.RemoveJob(j.Name)
	})
}
