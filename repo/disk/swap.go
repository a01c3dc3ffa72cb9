package disk

import (
	"bytes"
	"errors"
	"fmt"
	"path"
)

// ErrChanged is wrapped when a file is not what it was when it was read.
var ErrChanged = errors.New("changed by another program meanwhile")

// Swap replaces the content of a plain file durably, if it still is old: for
// files that other programs write as well. The new file is written beside it
// under the name temp, gets the mode of the one that it replaces, and only
// then, as late as possible, the old content is compared. The error wraps
// ErrChanged if it is another one; nothing was replaced then.
func (d *Dir) Swap(name, temp string, old, data []byte) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	temp = path.Join(path.Dir(name), temp)
	f, err := d.create(temp)
	if err != nil {
		return fmt.Errorf("create %s: %w", temp, err)
	}
	err = errors.Join(f.Chmod(info.Mode().Perm()), d.fill(f, temp, data), f.Close())
	if err == nil {
		err = d.swap(name, temp, old)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replace %s: %w", name, err), d.Remove(temp))
	}
	return d.SyncDir(path.Dir(name))
}

// swap gives temp the name, after a last look at what has it.
func (d *Dir) swap(name, temp string, old []byte) error {
	if err := d.ask("rename", temp, name); err != nil {
		return err
	}
	now, err := d.Read(name, int64(len(old)))
	if errors.Is(err, ErrTooLarge) || err == nil && !bytes.Equal(now, old) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	return d.root.Rename(temp, name)
}
