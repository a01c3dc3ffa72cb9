package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// parseIndex reads git's index. One of a kind that mem does not write is only noted.
func (t *Tx) parseIndex() error {
	data, info, err := t.Store.d.ReadState(indexPath, maxFile)
	if err != nil {
		return fmt.Errorf("read git index: %w", err)
	}
	t.was = data
	if t.index, err = object.ParseIndex(data); errors.Is(err, object.ErrIndexKind) {
		t.odd, err = err, nil
	} else if err == nil {
		t.index.Written = info.ModTime()
	}
	return err
}

// readIndex is parseIndex, but one that is damaged is set aside and made anew
// from the tip, as one is that is missing.
func (t *Tx) readIndex() error {
	err := t.parseIndex()
	switch {
	case errors.Is(err, object.ErrDamaged):
		t.Store.Warn(fmt.Sprintf("git's index was unreadable and is made anew; the old one is in %s: %v", rescueDir, err))
		if _, err := t.Store.Rescue(indexPath, t.was); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	files, err := t.Store.ListFiles(t.Tree, nil)
	t.index = object.NewIndex()
	for name, blob := range files {
		t.index.Set(name, blob, nil)
	}
	return err
}

// Staged returns git's index; nil when there is none that can be read.
func (t *Tx) Staged() *object.Index { return t.index }

// lockIndex takes git's lock of its index, and makes sure that nothing came between since Begin.
func (t *Tx) lockIndex(ctx context.Context) (err error) {
	if t.lock != nil {
		return nil
	}
	if t.lock, err = t.Store.lock(ctx, indexPath, t.wait); err != nil {
		return err
	}
	now, err := t.Store.d.ReadFile(indexPath, maxFile)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read git index: %w", err)
	case !bytes.Equal(now, t.was):
		return fmt.Errorf("%w: git's index was changed", ErrLost)
	}
	return nil
}

// stageIndex prepares git's index with what the files will look like in their places: a move changes neither size nor time
// nor identity. One that looks different then was edited since, and git looks at it for itself, as it does where a second
// ends before the move: that changes the ctime.
func (t *Tx) stageIndex(files, marks *disk.Batch, puts []Put) error {
	stats, err := files.FileInfos()
	for _, put := range puts {
		t.index.Set(put.Path, put.Blob, cmp.Or(stats[put.Path], t.seen[put.Path]))
	}
	marks.SyncParents(indexPath)
	data, errEncode := t.index.Encode()
	if err = errors.Join(err, errEncode); err == nil {
		err = marks.Add(indexPath, data)
	}
	if err != nil {
		return fmt.Errorf("write git index: %w", err)
	}
	return nil
}

// putIndex gives git the index that was prepared, under its lock.
func (t *Tx) putIndex(marks *disk.Batch) error {
	if err := t.lock.commit(marks); err != nil {
		return fmt.Errorf("write git index: %w", err)
	}
	if info, err := t.Store.d.Lstat(indexPath); err == nil {
		t.written = info.ModTime().UnixNano()
	}
	return nil
}

// putBack undoes what move did to git's index.
func (t *Tx) putBack() error {
	if t.was == nil {
		return t.Store.d.Remove(indexPath)
	}
	return t.Store.d.WriteFile(indexPath, t.was, TempDir)
}

// ReplaceIndex puts a file of TempDir in the place of git's index. git's lock is waited for, at most wait.
func (s *Store) ReplaceIndex(ctx context.Context, temp string, wait time.Duration) error {
	t, err := s.begin(ctx, wait, true)
	if err != nil {
		return err
	}
	if err = t.lock.replace(temp); err == nil {
		err = s.d.SyncDir(gitDir)
	}
	return errors.Join(err, t.Abort())
}
