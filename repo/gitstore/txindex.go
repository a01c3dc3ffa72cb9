package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"mem/repo/disk"
)

// parseIndex reads git's index. One of a kind that mem does not write is only noted.
func (t *Tx) parseIndex() error {
	data, info, err := t.Store.d.ReadState(indexPath, maxFile)
	if err != nil {
		return fmt.Errorf("read git index: %w", err)
	}
	t.was = data
	if t.index, err = decodeIndex(data); errors.Is(err, errIndexKind) {
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
	case errors.Is(err, ErrDamaged):
		t.Store.Warn(fmt.Sprintf("git's index was unreadable and is made anew; the old one is in %s: %v", rescueDir, err))
		if _, err := t.Store.Rescue(indexPath, t.was); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	files, err := t.Store.ListFiles(t.Tree, nil)
	t.index = &indexFile{file: index.Index{Version: 2}}
	for name, blob := range files {
		t.index.Set(name, blob, nil)
	}
	return err
}

// ListConflicts returns the versions of the files with a conflict, by path: what both come from, ours and theirs, zero for
// one that is not there. A link, say, has none.
func (t *Tx) ListConflicts() map[string][3]Hash {
	if t.index == nil {
		return nil
	}
	list, odd := map[string][3]Hash{}, map[string]bool{}
	for _, e := range t.index.file.Entries {
		if odd[e.Name] = odd[e.Name] || e.Mode != modeRegular; e.Stage > 0 {
			versions := list[e.Name]
			versions[e.Stage-1] = Hash(e.Hash)
			list[e.Name] = versions
		}
	}
	maps.DeleteFunc(list, func(name string, _ [3]Hash) bool { return odd[name] })
	return list
}

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

// stageIndex records in git's index what the files look like, for putIndex. stats describes the files
// as they were put there: one that looks different was edited since, and git must look at
// it for itself.
func (t *Tx) stageIndex(puts []Put, stats map[string]fs.FileInfo) error {
	for _, put := range puts {
		if put.Blob.IsZero() {
			t.index.Set(put.Path, Hash{}, nil)
			continue
		}
		info, err := t.Store.d.Lstat(put.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write git index: %w", err)
		}
		if was := stats[put.Path]; err != nil || was == nil || !sameState(was, info) {
			info = nil
		}
		t.index.Set(put.Path, put.Blob, info)
	}
	t.marks.SyncParents(indexPath)
	_, err := t.addIndex(t.index)
	return err
}

// addIndex prepares the file of git's index, and returns what it holds.
func (t *Tx) addIndex(x *indexFile) ([]byte, error) {
	data, err := x.Encode()
	if err == nil {
		err = t.marks.Add(indexPath, data)
	}
	if err != nil {
		return nil, fmt.Errorf("write git index: %w", err)
	}
	return data, nil
}

// putIndex gives git the index that was prepared, under its lock.
func (t *Tx) putIndex() error {
	if err := t.lock.put(t.marks); err != nil {
		return fmt.Errorf("write git index: %w", err)
	}
	if info, err := t.Store.d.Lstat(indexPath); err == nil {
		t.written = info.ModTime().UnixNano()
	}
	return nil
}

// refreshIndex gives git's index what the files look like on the disk, so that git need not read them. It
// need not last, and where git is at work already, or has been, git does it for itself.
func (t *Tx) refreshIndex(ctx context.Context) (err error) {
	t.lock, err = t.Store.lock(ctx, indexPath, 0)
	if errors.Is(err, disk.ErrLocked) || ctx.Err() != nil {
		return nil
	}
	if err == nil && t.Store.isNoted(indexPath, t.next) {
		err = t.putIndex()
	}
	return errors.Join(err, t.lock.release())
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
	if err = t.lock.commit(temp); err == nil {
		err = s.d.SyncDir(gitDir)
	}
	return errors.Join(err, t.Abort())
}
