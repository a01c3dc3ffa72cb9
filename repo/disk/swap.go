package disk

import (
	"bytes"
	"errors"
	"fmt"
	"path"
)

// Swap is ReplaceIf under a lock of the caller's, for a folder in which the names
// of files mean something to the other program: the new file is called temp
// until it has its name. A read-only file is replaced as well.
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
