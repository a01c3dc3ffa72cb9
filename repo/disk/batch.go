package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"sync"
)

// TempPrefix starts the names of the temporary files of a Batch.
const TempPrefix = ".mem-"

// A Batch collects files that become durable together. Their contents are
// written to temporary names at once; Sync makes the contents durable with
// all the flushes under way at the same time, which costs a fraction of one
// after the other; Publish moves them to their names.
//
// A Batch is used by one goroutine.
type Batch struct {
	d     *Dir
	temp  string
	files []staged
	seq   int
}

type staged struct {
	temp, name string
	f          *os.File // open until it is synced
	err        error    // of the sync
}

// NewBatch returns an empty batch that keeps its temporary files in the
// folder temp, which must be on the same disk and belong to the caller alone.
func (d *Dir) NewBatch(temp string) *Batch { return &Batch{d: d, temp: temp} }

// Add writes a file that Publish will put at name. The content is the parts
// one after the other.
func (b *Batch) Add(name string, parts ...[]byte) error {
	temp, f, err := b.create(path.Base(name))
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	b.files = append(b.files, staged{temp: temp, name: name, f: f})
	if err := b.d.ask("write", temp, ""); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	for _, p := range parts {
		if _, err := f.Write(p); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func (b *Batch) create(base string) (string, *os.File, error) {
	if err := b.d.MkdirAll(b.temp); err != nil {
		return "", nil, err
	}
	for {
		b.seq++
		temp := b.temp + "/" + TempPrefix + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(b.seq) + "-" + base
		f, err := b.d.create(temp)
		if !errors.Is(err, fs.ErrExist) {
			return temp, f, err
		}
	}
}

// create makes a new, empty file.
func (d *Dir) create(name string) (*os.File, error) {
	if err := d.ask("create", name, ""); err != nil {
		return nil, err
	}
	f, err := d.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(fileMode); err != nil { // an umask of 0777 exists somewhere
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Sync makes the contents of all files added to the batches so far durable.
func Sync(batches ...*Batch) error {
	var wg sync.WaitGroup
	var files []*staged
	for _, b := range batches {
		for i := range b.files {
			s := &b.files[i]
			if s.f == nil {
				continue
			}
			files = append(files, s)
			if s.err = b.d.ask("sync", s.temp, ""); s.err != nil {
				continue
			}
			// After a failed fsync the page cache may claim that all is
			// well; trying again would lie, so the first error stands.
			wg.Go(func() { s.err = s.f.Sync() })
		}
	}
	wg.Wait()
	var errs []error
	for _, s := range files {
		errs = append(errs, s.err, s.f.Close())
		s.f = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// Sync makes the contents of all files added so far durable.
func (b *Batch) Sync() error { return Sync(b) }

// Publish syncs what is not synced yet, renames every file to its name, in
// the order added, and syncs the folders. After an error some files may have
// their names; none of them is incomplete.
func (b *Batch) Publish() error {
	if err := b.Sync(); err != nil {
		return errors.Join(err, b.Discard())
	}
	folders := map[string]bool{}
	for len(b.files) > 0 {
		s := b.files[0]
		folder := path.Dir(s.name)
		if !folders[folder] {
			if err := b.d.mkdirAll(folder, folders); err != nil {
				return errors.Join(err, b.Discard())
			}
			folders[folder] = true
		}
		if err := b.d.Rename(s.temp, s.name); err != nil {
			return errors.Join(err, b.Discard())
		}
		b.files = b.files[1:]
	}
	return b.d.SyncDirs(slices.Collect(maps.Keys(folders)))
}

// Temps returns the temporary names of the files that were not published.
func (b *Batch) Temps() []string {
	var temps []string
	for _, s := range b.files {
		temps = append(temps, s.temp)
	}
	return temps
}

// Discard removes the temporary files that were not published.
func (b *Batch) Discard() error {
	var errs []error
	for _, s := range b.files {
		if s.f != nil {
			errs = append(errs, s.f.Close())
		}
		errs = append(errs, b.d.Remove(s.temp))
	}
	b.files = nil
	return errors.Join(errs...)
}

// SyncDirs makes the names in several folders durable, all at the same time.
func (d *Dir) SyncDirs(names []string) error {
	slices.Sort(names)
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		if d.fault != nil { // one after the other, so that a sweep is repeatable
			errs[i] = d.SyncDir(name)
			continue
		}
		wg.Go(func() { errs[i] = d.SyncDir(name) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
