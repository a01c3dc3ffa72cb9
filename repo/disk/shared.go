package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// maxSwept is how often a file is written again that somebody swept away in
// the instant between its creation and its lock.
const maxSwept = 20

// moment is how long a process that died may seem to be alive: a child that
// was just started has a hold on its files until it runs.
const moment = 50 * time.Millisecond

// WriteShared is Write with a folder temp that several processes use without
// a lock around it. The new file is held until it has its name, so that Sweep
// can tell it from one that a dead process left.
func (d *Dir) WriteShared(ctx context.Context, name string, data []byte, temp string) error {
	b := d.NewBatch(temp)
	for try := 1; ; try++ {
		temp, f, err := b.create(path.Base(name))
		if err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		}
		held, err := d.hold(f, temp)
		if errors.Is(err, ErrLocked) && try < maxSwept {
			continue
		}
		if err != nil {
			return errors.Join(err, d.Remove(temp))
		}
		return errors.Join(d.publishHeld(f, temp, name, data), held.Release())
	}
}

func (d *Dir) publishHeld(f *os.File, temp, name string, data []byte) error {
	if err := d.fill(f, temp, data); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), d.Remove(temp))
	}
	if err := d.Rename(temp, name); err != nil {
		return errors.Join(err, d.Remove(temp))
	}
	return d.SyncDir(path.Dir(name))
}

// Sweep removes the temporary files that dead processes left in a folder of
// WriteShared.
func (d *Dir) Sweep(ctx context.Context, folder string) error {
	names, err := d.List(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, TempPrefix) {
			continue
		}
		temp := path.Join(folder, name)
		held, err := d.Hold(ctx, temp, moment)
		if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) {
			continue // somebody is writing it, or is done
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
