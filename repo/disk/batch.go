package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
)

// TempPrefix starts the names of the temporary files of a Batch. They end in a
// tilde, so that no program takes one beside its own files for one of them.
const (
	TempPrefix = ".mem-"
	tempSuffix = "~"
)

// A Batch collects files that become durable together. Their contents are
// written to temporary names; Sync makes the contents durable with
// all the flushes under way at the same time, which costs a fraction of one
// after the other; Publish moves them to their names.
//
// A Batch is used by one goroutine.
type Batch struct {
	d     *Dir
	temp  string
	files []*staged
	dirty map[string]bool // folders that Publish must sync
	ready bool            // temp is there
}

type staged struct {
	temp, name string // no temp for a file that is to be removed
	mode       fs.FileMode
	f          *os.File    // open until it is synced
	info       fs.FileInfo // once it is synced
	err        error       // of the sync
}

// maxOpen is how many files of a batch are open at a time.
const maxOpen = 128

// NewBatch returns an empty batch that keeps its temporary files in the
// folder temp, which must be on the same disk and belong to the caller alone.
func (d *Dir) NewBatch(temp string) *Batch { return &Batch{d: d, temp: temp, dirty: map[string]bool{}} }

// Add writes a file that Publish will put at name.
func (b *Batch) Add(name string, data []byte) error { return b.add(name, data, fileMode) }

// AddReadOnly is Add for a file that never changes.
func (b *Batch) AddReadOnly(name string, data []byte) error {
	return b.add(name, data, fileMode&^0o200)
}

func (b *Batch) add(name string, data []byte, mode fs.FileMode) error {
	if len(b.files) >= maxOpen && b.files[len(b.files)-maxOpen].f != nil {
		if err := b.Sync(); err != nil {
			return err
		}
	}
	temp, f, err := b.createTemp(name, mode)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	s := &staged{temp: temp, name: name, f: f, mode: mode}
	b.files = append(b.files, s)
	if err := b.d.writeTo(f, temp, data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Remove lets Publish remove the file at name, durably.
func (b *Batch) Remove(name string) { b.files = append(b.files, &staged{name: name}) }

// SyncParents makes Publish fsync name's folder and all its parents: a crashed process
// may have made or renamed one of them without flushing that.
func (b *Batch) SyncParents(name string) {
	for at := path.Dir(name); !b.dirty[at]; at = path.Dir(at) {
		b.dirty[at] = true
	}
}

// createTemp makes the temporary file for a file that is to be at name.
func (b *Batch) createTemp(name string, mode fs.FileMode) (string, *os.File, error) {
	if !IsPath(name) {
		return "", nil, pathError(name)
	}
	if !b.ready {
		if err := b.d.MkdirAll(b.temp); err != nil {
			return "", nil, err
		}
		b.ready = true
	}
	for {
		temp := b.tempName(name)
		f, err := b.d.newFile(temp, mode)
		if !errors.Is(err, fs.ErrExist) {
			return temp, f, err
		}
	}
}

// tempName returns a name that is never used again. A process that cleans up after a
// dead one works from a list made a moment ago: it must not come across a new file of an old name.
func (b *Batch) tempName(name string) string {
	return path.Join(b.temp, TempPrefix+strconv.FormatUint(rand.Uint64(), 36)+"-"+path.Base(name)+tempSuffix)
}

// newFile makes a new, empty file.
func (d *Dir) newFile(name string, mode fs.FileMode) (f *os.File, err error) {
	err = d.makeChange(Op{Kind: "create", Path: name}, func() (err error) {
		if f, err = d.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL); err != nil {
			return err
		}
		if err := f.Chmod(mode); err != nil { // an umask of 0777 exists somewhere
			return errors.Join(err, f.Close(), d.Remove(name))
		}
		return nil
	})
	return f, err
}

// SyncBatches makes the contents of all files added to the batches so far durable.
func SyncBatches(batches ...*Batch) error {
	var r round
	open := r.beginBatches(batches)
	r.flushes.Wait()
	return endBatches(open)
}

func (r *round) beginBatches(batches []*Batch) (open []*staged) {
	for _, b := range batches {
		for _, s := range b.files {
			if s.f != nil {
				b.d.beginSync(s, r)
				open = append(open, s)
			}
		}
	}
	return open
}

func endBatches(open []*staged) error {
	var errs []error
	for _, s := range open {
		errs = append(errs, s.err, s.f.Close())
		s.f = nil
	}
	return errors.Join(errs...)
}

// FlushAll makes the names in a folder durable, and at the same time what the batches have
// written, moved and removed. The two can fail apart.
func (d *Dir) FlushAll(folder string, batches ...*Batch) (err, others error) {
	names := []string{folder}
	for _, b := range batches {
		for name := range b.dirty {
			if d.Exists(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		clear(b.dirty)
	}
	slices.Sort(names[1:])
	var r round
	open := r.beginBatches(batches)
	errs := d.syncDirs(&r, names)
	return errs[0], errors.Join(endBatches(open), errors.Join(errs[1:]...))
}

// beginSync begins to make the content of a file durable.
func (d *Dir) beginSync(s *staged, r *round) {
	if s.err = r.ask(d, "sync", s.temp); s.err != nil {
		return
	}
	// After a failed fsync the page cache may claim that all is well; trying
	// again would lie, so the first error stands.
	r.flushes.Go(func() {
		if s.err = AsWriteError(d.layer.syncFile(s.f)); s.err != nil {
			s.err = fmt.Errorf("sync: %w", s.err)
			return
		}
		s.info, s.err = s.f.Stat()
	})
}

// Sync makes the contents of all files added so far durable.
func (b *Batch) Sync() error { return SyncBatches(b) }

// Publish syncs what is not synced yet, renames every file to its name, or
// removes it, in the order added, and syncs the folders. After an error some
// files may have their names; none of them is incomplete.
func (b *Batch) Publish() error {
	if err := b.Move(); err != nil {
		return err
	}
	b.dirty[b.temp] = true // a lock is known by its temporary name
	return b.retryGone(func() error {
		maps.DeleteFunc(b.dirty, func(folder string, _ bool) bool { return !b.d.Exists(folder) })
		return b.d.SyncDirs(slices.Collect(maps.Keys(b.dirty)))
	})
}

// Move is Publish, but does not sync the folders: FlushAll does.
func (b *Batch) Move() error {
	if err := b.Sync(); err != nil {
		return errors.Join(err, b.Discard())
	}
	for len(b.files) > 0 {
		if err := b.publishFile(b.files[0]); err != nil {
			return errors.Join(err, b.Discard())
		}
		b.files = b.files[1:]
	}
	return nil
}

// retryGone calls do again while a folder vanishes under it: git removes those of
// its objects that are empty for a moment, such as while it packs them.
func (b *Batch) retryGone(do func() error) (err error) {
	for range 10 {
		if err = do(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err := b.d.ReleaseFolders(); err != nil {
			return err
		}
	}
	return err
}

// publishFile gives one file its name.
func (b *Batch) publishFile(s *staged) error {
	if s.temp == "" {
		if !b.d.Exists(s.name) {
			return nil
		}
		b.SyncParents(s.name)
		return b.d.Remove(s.name)
	}
	return b.retryGone(func() error {
		if err := b.d.mkdirAll(path.Dir(s.name), b.dirty); err != nil {
			return err
		}
		b.SyncParents(s.name)
		if s.mode != fileMode && runtime.GOOS == "windows" { // which renames over no file that is read-only
			_ = b.d.root.Chmod(filepath.FromSlash(s.name), fileMode)
		}
		return b.d.Rename(s.temp, s.name)
	})
}

// FileInfos describes the files that Sync has made durable and Publish has not
// moved yet, by the names that they are to have. Moving them changes neither
// size nor time nor identity.
func (b *Batch) FileInfos() map[string]fs.FileInfo {
	stats := map[string]fs.FileInfo{}
	for _, s := range b.files {
		if s.info != nil {
			stats[s.name] = s.info
		}
	}
	return stats
}

// TakeTemp hands the temporary file that is to be at name over to the caller,
// synced. The batch forgets it.
func (b *Batch) TakeTemp(name string) (temp string, err error) {
	if err := b.Sync(); err != nil {
		return "", err
	}
	i := slices.IndexFunc(b.files, func(s *staged) bool { return s.name == name })
	if i < 0 {
		return "", fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	temp = b.files[i].temp
	b.files = slices.Delete(b.files, i, i+1)
	return temp, nil
}

// Discard removes the temporary files that were not published.
func (b *Batch) Discard() error {
	var errs []error
	for _, s := range b.files {
		if s.f != nil {
			errs = append(errs, s.f.Close())
		}
		if s.temp != "" {
			errs = append(errs, b.d.Remove(s.temp))
		}
	}
	b.files = nil
	return errors.Join(errs...)
}

// AppendTo adds data to the end of files, creating them if need be, and makes
// all of them durable at the same time.
func (d *Dir) AppendTo(data []byte, names ...string) error {
	b, err := d.StartAppend(data, names...)
	folder, others := d.FlushAll(path.Dir(names[0]), b)
	return errors.Join(err, folder, others)
}

// StartAppend is AppendTo for files that FlushAll makes durable with the batch.
func (d *Dir) StartAppend(data []byte, names ...string) (*Batch, error) {
	var errs []error
	b := d.NewBatch(".")
	for _, name := range names {
		isNew := !d.Exists(name)
		f, isCut, err := d.openToAppend(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if isCut { // what a power cut left of a line stays one of its own
			errs = append(errs, d.writeTo(f, name, []byte("\n")))
		}
		if isNew {
			b.SyncParents(name)
		}
		b.files = append(b.files, &staged{temp: name, f: f})
		errs = append(errs, d.writeTo(f, name, data))
	}
	return b, errors.Join(errs...)
}

// openToAppend opens a file of lines, and says whether the last one has no end.
func (d *Dir) openToAppend(name string) (f *os.File, isCut bool, err error) {
	if !IsPath(name) {
		return nil, false, pathError(name)
	}
	if err := d.MkdirAll(path.Dir(name)); err != nil {
		return nil, false, err
	}
	if f, err = d.openFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND); err != nil {
		return nil, false, AsWriteError(err)
	}
	last := []byte("\n")
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		_, _ = f.ReadAt(last, info.Size()-1)
	}
	return f, last[0] != '\n', nil
}
