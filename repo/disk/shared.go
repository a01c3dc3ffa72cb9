package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// maxSwept is how often a file is written again that another process swept away
// in the instant between its creation and its lock.
const maxSwept = 20

// Moment is how long a process that died may seem to be alive, and to have its
// locks: a child that it had just started has a hold on its files until it runs.
const Moment = 50 * time.Millisecond

// WriteShared is WriteFile with a folder temp that several processes use without
// a lock around it. The new file is held until it has its name, so that
// SweepFolder can tell it from one that a dead process left.
func (d *Dir) WriteShared(name string, data []byte, temp string) error {
	return d.writeHeld(heldWrite{name: name, temp: temp, data: data, mode: fileMode, publish: d.Rename})
}

// A heldWrite is a file that is held until it has its name.
type heldWrite struct {
	name, temp string // temp is a folder on the same disk
	data       []byte
	mode       fs.FileMode
	publish    func(temp, name string) error // gives the new file its name
}

func (d *Dir) writeHeld(w heldWrite) error {
	b := d.NewBatch(w.temp)
	for try := 1; ; try++ {
		temp, f, err := b.createTemp(w.name, fileMode)
		if err != nil {
			return fmt.Errorf("create %s: %w", w.name, err)
		}
		held, err := d.holdOpen(f, temp)
		if errors.Is(err, ErrLocked) && try < maxSwept {
			continue
		}
		if err != nil {
			return errors.Join(err, d.Remove(temp))
		}
		return errors.Join(d.publishHeld(f, temp, w), held.Release())
	}
}

func (d *Dir) publishHeld(f *os.File, temp string, w heldWrite) error {
	err := d.writeTo(f, temp, w.data)
	if err == nil {
		err = d.syncFile(f, temp)
	}
	if err == nil && w.mode != fileMode {
		err = AsWriteError(f.Chmod(w.mode))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", w.name, err), d.Remove(temp))
	}
	if err := w.publish(temp, w.name); err != nil {
		return errors.Join(err, d.Remove(temp))
	}
	return d.SyncDir(path.Dir(w.name))
}

// SweepFolder removes the temporary files that dead processes left in a folder of
// WriteShared.
func (d *Dir) SweepFolder(ctx context.Context, folder string) error {
	return d.sweepWhere(ctx, folder, func(name string) bool { return strings.HasPrefix(name, TempPrefix) })
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

// ReplaceFile is WriteShared for a file in a folder that is not mem's own: the new
// file is beside the old one until it has its name, and gets the mode.
func (d *Dir) ReplaceFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: mode, publish: d.Rename})
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
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: info.Mode().Perm(), publish: func(temp, name string) error {
		return d.renameIf(temp, name, func() error {
			now, state, err := d.ReadState(name, int64(len(old)))
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrTooLarge) ||
				err == nil && (!bytes.Equal(now, old) || state.Mode() != info.Mode()) {
				return ErrChanged
			}
			return err
		})
	}})
}

// Backdate makes a file in the folder itself look as if it was written at a time. It is not flushed.
func (d *Dir) Backdate(name string, at time.Time) error {
	return d.root.Chtimes(name, time.Time{}, at)
}

// AddFile is ReplaceFile for a new name. The error wraps fs.ErrExist if something
// has it by then.
func (d *Dir) AddFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: mode, publish: func(temp, name string) error {
		if err := d.Link(temp, name); err != nil {
			return err
		}
		return d.Remove(temp)
	}})
}

// SweepBeside removes what dead processes left of ReplaceFile and AddFile for this
// name, and nothing else that a person may keep in the folder.
func (d *Dir) SweepBeside(ctx context.Context, name string) error {
	return d.sweepWhere(ctx, path.Dir(name), func(entry string) bool { return isLeftover(entry, path.Base(name)) })
}

// isLeftover reports whether ReplaceFile and AddFile give such a name to the new
// file that is to become base.
func isLeftover(entry, base string) bool {
	unique, ok := strings.CutPrefix(entry, TempPrefix)
	if !ok {
		return false
	}
	unique, ok = strings.CutSuffix(unique, "-"+base+tempSuffix)
	return ok && unique != "" && len(unique) <= 13 && strings.Trim(unique, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
