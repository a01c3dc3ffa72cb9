package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files changes files anywhere on this machine that belong to a person or a project rather than to mem: each of them
// whole, durably, and with the mode and the links that the person gave it. The zero value is what everything but tests
// uses.
type Files struct {
	Fault Fault // asked before every change; nil but in tests
}

// ReadRegular reads a regular file that another program may have put there: a pipe is not waited for, and a device has no end.
func ReadRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("not a regular file of at most %d KiB", limit>>10)}
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Open opens the folder at path, which must exist.
func (f Files) Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	d := &Dir{root: root, mode: dirMode, fault: f.Fault, syncFile: (*os.File).Sync, syncFolder: syncFolder}
	if f.Fault != nil { // the test decides what goes wrong, and what lasts
		skip := func(*os.File) error { return nil }
		d.syncFile, d.syncFolder = skip, skip
	}
	return d, nil
}

// WriteFile replaces or makes the file at path: all of it or none. A symbolic link stays, and leads to the new
// content. A file keeps its mode and a new one gets mode; missing folders are made, for the owner alone unless
// mode lets others read. It removes the leftovers of a process that died in WriteFile.
func (f Files) WriteFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return f.add(path, mode, func(d *Dir, name string) error { return d.ReplaceFile(name, data, mode) })
}

// AddFile makes a new file at path, with the folders on the way. If something has the name
// the error wraps fs.ErrExist, and with any other error the file may be there.
func (f Files) AddFile(path string, data []byte, mode fs.FileMode) error {
	return f.add(path, mode, func(d *Dir, name string) error { return d.AddFile(name, data, mode) })
}

// add makes the folder of a file with this mode where it is missing, and calls do as in does.
func (f Files) add(path string, mode fs.FileMode, do func(d *Dir, name string) error) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		ofFolder := fs.FileMode(dirMode)
		if mode&0o044 != 0 {
			ofFolder = 0o755
		}
		if err := f.makeFolders(folder, ofFolder); err != nil {
			return AsWriteError(err)
		}
	}
	return f.in(path, do)
}

// RemoveFile removes the file at path, or the link there, durably.
func (f Files) RemoveFile(path string) error {
	return f.in(path, func(d *Dir, name string) error { return errors.Join(d.Remove(name), d.SyncDirs(".")) })
}

// in calls do with the folder of the file at path, and its name there.
func (f Files) in(path string, do func(d *Dir, name string) error) error {
	d, err := f.Open(filepath.Dir(path))
	if err != nil {
		return AsWriteError(err)
	}
	return errors.Join(do(d, filepath.Base(path)), d.Close())
}

// MakeFolder creates the folder at path and its parents where they are missing, and makes them durable.
func (f Files) MakeFolder(path string) error { return AsWriteError(f.makeFolders(path, dirMode)) }

func (f Files) makeFolders(path string, mode fs.FileMode) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	top := filepath.Dir(path)
	for _, err = os.Stat(top); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(top) {
		top = filepath.Dir(top)
	}
	d, err := f.Open(top)
	if err != nil {
		return err
	}
	d.mode = mode
	name, err := filepath.Rel(top, path)
	if info, errStat := os.Stat(path); errStat == nil && info.IsDir() { // or a link to one
		err = d.SyncDirs(".")
	} else if err == nil {
		err = d.MkdirAll(filepath.ToSlash(name))
	}
	return errors.Join(err, d.Close())
}

const (
	maxShared = 4 << 20 // bytes of a file that EditShared changes
	maxTries  = 5       // to change a file that another program keeps changing
)

// ReadShared returns what a file holds that people and agents write too, such as the
// LEARNINGS.md of a project. A missing one wraps fs.ErrNotExist, a link ErrLink.
func (f Files) ReadShared(path string) (data []byte, err error) {
	err = f.in(path, func(d *Dir, name string) error {
		data, err = d.ReadFile(name, maxShared)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return data, nil
}

// EditShared is EditFile for such a file, which nothing locks.
func (f Files) EditShared(path string, edit func(old []byte) []byte) error {
	return f.in(path, func(d *Dir, name string) error {
		_, err := d.EditFile(name, maxShared, edit)
		return err
	})
}

// EditFile replaces the content of a file of at most limit bytes by edit's result, as ReplaceIf does, and
// returns its old state; nil if nothing changed. If another program changed the file meanwhile it tries again,
// and finally wraps ErrChanged. A read-only file wraps fs.ErrPermission and ErrWrite.
func (d *Dir) EditFile(name string, limit int64, edit func(old []byte) []byte) (was fs.FileInfo, err error) {
	for try := 1; ; try++ {
		old, info, err := d.ReadState(name, limit)
		if err == nil && info.Mode().Perm()&0o222 == 0 {
			err = AsWriteError(fmt.Errorf("%s is read-only: %w", name, fs.ErrPermission))
		}
		if err != nil {
			return nil, fmt.Errorf("replace %s: %w", name, err)
		}
		data := edit(old)
		if bytes.Equal(old, data) {
			return nil, nil
		}
		if err = d.ReplaceIf(name, old, data); !errors.Is(err, ErrChanged) || try == maxTries {
			return info, err
		}
	}
}

// Moment is how long a dead process may seem alive and seem to have its locks: a child that it had just started
// keeps its files open until the child runs its own program.
const Moment = 50 * time.Millisecond

// WriteFile replaces a file durably: a new file, synced, renamed, and the folder synced. temp is a folder for the new
// file, on the same disk, which several processes may use without a lock around it: the new file is held until it has
// its name, so that SweepFolder can tell it from one that a dead process left.
func (d *Dir) WriteFile(name string, data []byte, temp string) error {
	if err := d.makeParents(name); err != nil {
		return err
	}
	b := d.NewBatch(temp)
	b.SyncParents(name)
	b.dirty[temp] = true // or a power cut may bring back a temporary name, with words of a purge
	return d.writeHeld(name, temp, data, fileMode, d.Rename, slices.Sorted(maps.Keys(b.dirty))...)
}

// ReplaceFile is WriteFile for a file in a folder that is not mem's own: the new
// file is beside the old one until it has its name, and gets the mode. SweepBeside goes before it.
func (d *Dir) ReplaceFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeBeside(name, data, mode, d.Rename)
}

// AddFile is ReplaceFile for a new name. The error wraps fs.ErrExist if something has it by then.
func (d *Dir) AddFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeBeside(name, data, mode, func(temp, name string) error {
		if err := d.Link(temp, name); err != nil {
			return err
		}
		return d.Remove(temp)
	})
}

// ErrChanged is wrapped when a file does not hold what it is expected to.
var ErrChanged = errors.New("another program changed it meanwhile")

// ReplaceIf is ReplaceFile for a file that other programs write without a lock. The file keeps its mode, and is
// replaced only if it still holds old. A change between that check and the rename goes unseen; to keep the gap
// short, the new file is durable before the check. A missing file wraps fs.ErrNotExist.
func (d *Dir) ReplaceIf(name string, old, data []byte) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	return d.writeBeside(name, data, info.Mode().Perm(), func(temp, name string) error {
		return d.makeChange(Op{Kind: "rename", Path: temp, To: name}, func() error {
			now, state, err := d.ReadState(name, int64(len(old)))
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrTooLarge),
				err == nil && (!bytes.Equal(now, old) || state.Mode() != info.Mode()):
				return ErrChanged
			case err != nil:
				return err
			}
			return d.root.Rename(temp, name)
		})
	})
}

// Backdate makes a file in the folder itself look as if it was written at a time. It is not flushed.
func (d *Dir) Backdate(name string, at time.Time) error {
	return d.root.Chtimes(name, time.Time{}, at)
}

func (d *Dir) writeBeside(name string, data []byte, mode fs.FileMode, publish func(temp, name string) error) error {
	_ = d.SweepBeside(name) // what cannot be removed does no harm
	return d.writeHeld(name, path.Dir(name), data, mode, publish, path.Dir(name))
}

// writeHeld writes a new file in folder, on the same disk, and holds it until publish has given it its name. Then it syncs
// the folders that are dirty.
func (d *Dir) writeHeld(name, folder string, data []byte, mode fs.FileMode, publish func(temp, name string) error, dirty ...string) error {
	var temp string
	var f *os.File
	var held *Lock
	// Another process may sweep the file away in the instant between its creation and its lock.
	err := Await(context.Background(), time.Second, func() (err error) {
		if temp, f, err = d.NewBatch(folder).createTemp(name, mode); err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		}
		if held, err = d.holdOpen(f, temp); err != nil && !errors.Is(err, ErrLocked) {
			err = errors.Join(err, d.Remove(temp))
		}
		return err
	})
	if err != nil {
		return err
	}
	err = InOrder(
		func() error { return d.writeTo(f, temp, data) },
		func() error {
			return d.makeChange(Op{Kind: "sync", Path: temp, First: true}, func() error { return d.syncFile(f) })
		},
	)
	if err != nil {
		err = fmt.Errorf("write %s: %w", name, err)
	} else {
		err = publish(temp, name)
	}
	if err != nil {
		err = errors.Join(err, d.Remove(temp))
	} else {
		err = d.SyncDirs(dirty...)
	}
	return errors.Join(err, held.Release())
}

// SweepFolder removes the temporary files that dead processes left in a folder of WriteFile.
func (d *Dir) SweepFolder(ctx context.Context, folder string) error {
	return d.sweepWhere(ctx, folder, func(name string) bool { return strings.HasPrefix(name, tempPrefix) })
}

// sweepWhere removes the files of a folder that are ours and that no process holds.
func (d *Dir) sweepWhere(ctx context.Context, folder string, ours func(name string) bool) error {
	names, err := d.ListFolder(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !ours(name) {
			continue
		}
		temp := path.Join(folder, name)
		held, err := d.HoldFile(ctx, temp, Moment)
		if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) {
			continue // another process is writing it, or is done
		}
		if err != nil {
			return err
		}
		if err := errors.Join(d.Remove(temp), held.Release()); err != nil {
			return err
		}
	}
	return nil
}

// SweepBeside removes what dead processes left of ReplaceFile and AddFile for this
// name, and nothing else that a person may keep in the folder.
func (d *Dir) SweepBeside(name string) error {
	return d.sweepWhere(context.Background(), path.Dir(name), func(entry string) bool {
		rest, isTemp := strings.CutPrefix(entry, tempPrefix)
		unique, isOfName := strings.CutSuffix(rest, "-"+path.Base(name)+tempSuffix)
		return isTemp && isOfName && unique != "" && len(unique) <= 13 && strings.Trim(unique, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
	})
}
