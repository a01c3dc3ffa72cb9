package private

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mem/repo/disk"
)

// Deferred jobs wait for more than the lock, such as a session that a model has
// to be asked about. They have a key, and are listed without being read: they are
// large. One that is set aside stays until a person looks at it.

const (
	waitingExt  = ".session"
	asideExt    = ".aside"
	stampForm   = "20060102T150405.000000000Z"
	maxDeferred = 32 << 20
)

// DeferJob keeps a job under a key, durably, and returns its name. Names sort by
// the time of queueing, and those of one key and moment are equal. data must
// be free of secrets.
func (a *Area) DeferJob(now time.Time, key string, data []byte) (string, error) {
	if len(data) > maxDeferred {
		return "", fmt.Errorf("queue: %d bytes, the limit is %d: %w", len(data), maxDeferred, ErrJobSize)
	}
	name := now.UTC().Format(stampForm) + "-" + key + waitingExt
	if err := a.writeShared(queueDir+"/"+name, data); err != nil {
		return "", fmt.Errorf("queue: %w", err)
	}
	return name, nil
}

// ErrNoJob is wrapped when what has the name of a job cannot be one.
var ErrNoJob = errors.New("not a job")

// ErrJobSize is wrapped when a job is too large to be queued.
var ErrJobSize = errors.New("job too large")

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
	at, err := time.Parse(stampForm, stamp)
	if err != nil {
		return time.Time{}
	}
	return at
}

// ListWaiting returns the names of the deferred jobs, oldest first.
func (a *Area) ListWaiting() ([]string, error) { return a.queued(waitingExt) }

// ListAside returns the names of the jobs that were set aside, oldest first.
func (a *Area) ListAside() ([]string, error) { return a.queued(asideExt) }

func (a *Area) queued(ext string) ([]string, error) {
	names, err := a.d.ListFolder(queueDir)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	var list []string
	for _, name := range names {
		if strings.HasSuffix(name, ext) && !strings.HasPrefix(name, ".") {
			list = append(list, name)
		}
	}
	return list, nil
}

// ReadDeferred returns the content of a job. One that another process finished
// wraps fs.ErrNotExist, and what is not a file that mem wrote ErrNoJob.
func (a *Area) ReadDeferred(name string) ([]byte, error) {
	data, err := a.d.ReadFile(queueDir+"/"+name, maxDeferred)
	if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrNoJob, err)
	}
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return data, nil
}

// FinishDeferred removes a deferred job.
func (a *Area) FinishDeferred(name string) error {
	err := a.d.Remove(queueDir + "/" + name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("queue: %w", err)
	}
	return a.d.SyncDir(queueDir)
}

// SetAside keeps a deferred job that cannot be done out of the way.
func (a *Area) SetAside(name string) error {
	return a.rename(name, strings.TrimSuffix(name, waitingExt)+asideExt)
}

// TakeBack lets a job that was set aside wait again.
func (a *Area) TakeBack(name string) error {
	return a.rename(name, strings.TrimSuffix(name, asideExt)+waitingExt)
}

func (a *Area) rename(name, to string) error {
	if err := a.d.Rename(queueDir+"/"+name, queueDir+"/"+to); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return a.d.SyncDir(queueDir)
}
