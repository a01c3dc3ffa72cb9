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

// tempPrefix starts the names of the temporary files of a Batch. They end in a
// tilde, so that no program takes one beside its own files for one of them.
const (
	tempPrefix = ".mem-"
	tempSuffix = "~"
)

// A Batch collects files that become durable together. Their contents are written to temporary names; SyncBatches makes the
// contents durable with all the flushes under way at the same time, which costs a fraction of one after the other;
// Publish moves them to their names.
//
// A Batch is used by one goroutine.
type Batch struct {
	d     *Dir
	temp  string
	files []*staged
	dirty map[string]bool // folders that Publish must sync
}

type staged struct {
	temp, name string // no temp for a file that is to be removed
	mode       fs.FileMode
	f          *os.File    // open until it is synced
	info       fs.FileInfo // once it is synced
	err        error       // of the sync
}

const maxOpen = 20

// NewBatch returns an empty batch that keeps its temporary files in the
// folder temp, which must be on the same disk and belong to the caller alone.
func (d *Dir) NewBatch(temp string) *Batch { return &Batch{d: d, temp: temp, dirty: map[string]bool{}} }

// Add writes a file that Publish will put at name.
func (b *Batch) Add(name string, data []byte) error { return b.AddMode(name, data, fileMode) }

// AddMode is Add for a file with this mode.
func (b *Batch) AddMode(name string, data []byte, mode fs.FileMode) error {
	if len(b.files) >= maxOpen && b.files[len(b.files)-maxOpen].f != nil {
		if err := SyncBatches(b); err != nil {
			return err
		}
	}
	temp, f, err := b.createTemp(name, mode)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	b.files = append(b.files, &staged{temp: temp, name: name, mode: mode, f: f})
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

// createTemp makes the temporary file for a file that is to be at name. Its own name is never used again: a process
// that cleans up after a dead one works from a list made a moment ago, and must not come across a new file of an old name.
func (b *Batch) createTemp(name string, mode fs.FileMode) (temp string, f *os.File, err error) {
	if !IsPath(name) {
		return "", nil, pathError(name)
	}
	if err := b.d.checkFolder(b.temp); err != nil { // else it was there for the last file
		if err := b.d.MkdirAll(b.temp); err != nil {
			return "", nil, err
		}
	}
	temp = path.Join(b.temp, tempPrefix+strconv.FormatUint(rand.Uint64(), 36)+"-"+path.Base(name)+tempSuffix)
	f, err = b.d.newFile(temp, mode)
	return temp, f, err
}

// SyncBatches makes the contents of all files added to the batches so far durable.
func SyncBatches(batches ...*Batch) error {
	_, err := batches[0].d.flush(openOf(batches), nil)
	return err
}

func openOf(batches []*Batch) (open []*staged) {
	for _, b := range batches {
		for _, s := range b.files {
			if s.f != nil {
				open = append(open, s)
			}
		}
	}
	return open
}

// FlushAll makes the names in a folder durable, and at the same time what the batches have
// written, moved and removed. The two can fail apart.
func (d *Dir) FlushAll(folder string, batches ...*Batch) (err, others error) {
	dirty := map[string]bool{}
	for _, b := range batches {
		maps.Copy(dirty, b.dirty)
		clear(b.dirty)
	}
	maps.DeleteFunc(dirty, func(name string, _ bool) bool { return name == folder || d.isGone(name) })
	folders, files := d.flush(openOf(batches), append([]string{folder}, slices.Sorted(maps.Keys(dirty))...))
	return folders[0], errors.Join(files, errors.Join(folders[1:]...))
}

// SyncDirs makes the names in folders durable, many at a time. A folder that is gone has none: git's own
// repack, which runs beside, removes those that it empties.
func (d *Dir) SyncDirs(names ...string) error {
	return retryGone(func() (err error) {
		there := slices.DeleteFunc(slices.Clone(names), d.isGone)
		for some := range slices.Chunk(there, maxOpen) {
			errs, _ := d.flush(nil, some)
			err = errors.Join(err, errors.Join(errs...))
		}
		return err
	})
}

// Publish syncs what is not synced yet, renames every file to its name, or removes it, in the order added, and syncs
// the folders. After an error some files may have their names; none of them is incomplete.
func (b *Batch) Publish() error {
	if err := b.Move(); err != nil {
		return err
	}
	b.dirty[b.temp] = true // or a power cut may bring back a temporary name, with words of a purge
	return b.d.SyncDirs(slices.Sorted(maps.Keys(b.dirty))...)
}

// Move is Publish, but does not sync the folders: FlushAll does.
func (b *Batch) Move() error {
	if err := SyncBatches(b); err != nil {
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
func retryGone(do func() error) (err error) {
	for range 10 {
		if err = do(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

func (b *Batch) publishFile(s *staged) error {
	if s.err != nil {
		return s.err
	}
	if s.temp == "" {
		if b.d.isGone(s.name) {
			return nil
		}
		b.SyncParents(s.name)
		return b.d.Remove(s.name)
	}
	return retryGone(func() error {
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

// FileInfos describes the files that SyncBatches has made durable and Publish has not moved yet, by the names that they are to
// have. Moving them changes neither size nor time nor identity.
func (b *Batch) FileInfos() map[string]fs.FileInfo {
	stats := map[string]fs.FileInfo{}
	for _, s := range b.files {
		if s.info != nil {
			stats[s.name] = s.info
		}
	}
	return stats
}

// TakeTemp hands the temporary file that is to be at name over to the caller, synced. The batch forgets it.
func (b *Batch) TakeTemp(name string) (temp string, err error) {
	if err := SyncBatches(b); err != nil {
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
func (b *Batch) Discard() (err error) {
	for _, s := range b.files {
		if s.f != nil {
			err = errors.Join(err, s.f.Close())
		}
		if s.temp != "" {
			err = errors.Join(err, b.d.Remove(s.temp))
		}
	}
	b.files = nil
	return err
}

// AppendTo adds data to the end of files, creating them if need be, and makes all of them durable at the same time.
func (d *Dir) AppendTo(data []byte, names ...string) error {
	b, err := d.StartAppend(data, names...)
	folder, others := d.FlushAll(path.Dir(names[0]), b)
	return errors.Join(err, folder, others)
}

// StartAppend is AppendTo for files that FlushAll makes durable with the batch.
func (d *Dir) StartAppend(data []byte, names ...string) (b *Batch, err error) {
	b = d.NewBatch(".")
	for _, name := range names {
		err = errors.Join(err, b.appendTo(name, data))
	}
	return b, err
}

func (b *Batch) appendTo(name string, data []byte) error {
	isNew := !b.d.Exists(name)
	if err := b.d.makeParents(name); err != nil {
		return err
	}
	f, err := b.d.openMaking(name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	if isNew {
		b.SyncParents(name)
	}
	b.files = append(b.files, &staged{temp: name, f: f})
	last := []byte("\n")
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		_, _ = f.ReadAt(last, info.Size()-1)
	}
	if last[0] != '\n' { // what a power cut left of a line stays one of its own
		data = append([]byte("\n"), data...)
	}
	return b.d.writeTo(f, name, data)
}
