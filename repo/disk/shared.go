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
	"slices"
	"strings"
	"time"
)

// Moment is how long a process that died may seem to be alive, and to have its
// locks: a child that it had just started has a hold on its files until it runs.
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

// AddFile is ReplaceFile for a new name. The error wraps fs.ErrExist if something
// has it by then.
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

// ReplaceIf is ReplaceFile for a file that other programs write too, without a lock. It
// keeps its mode, and is replaced only if it holds old at the last moment: what
// comes between that look and the rename is not seen, which is why the new file
// is durable before the look. A missing file wraps fs.ErrNotExist.
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
	if !IsPath(name) {
		return pathError(name)
	}
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
		err = d.SyncDirs(dirty)
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
	return d.sweepWhere(context.Background(), path.Dir(name), func(entry string) bool { return isLeftover(entry, path.Base(name)) })
}

// isLeftover reports whether ReplaceFile and AddFile give such a name to the new
// file that is to become base.
func isLeftover(entry, base string) bool {
	unique, ok := strings.CutPrefix(entry, tempPrefix)
	if !ok {
		return false
	}
	unique, ok = strings.CutSuffix(unique, "-"+base+tempSuffix)
	return ok && unique != "" && len(unique) <= 13 && strings.Trim(unique, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
