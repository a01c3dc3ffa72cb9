package disk

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
)

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
