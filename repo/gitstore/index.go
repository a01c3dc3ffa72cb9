package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"mem/repo/disk"
)

var errIndexKind = errors.New("git's index is of a kind that mem cannot write")

const modeRegular = 0o100644

// An indexFile is the content of git's index. mem replaces only the entries of files that it writes; whatever a
// person staged or marked stays.
//
// go-git reads and writes the format. Left out are git's own shortcuts, such as cached trees; the data from
// which "git checkout -m" recreates a resolved conflict; and assume-unchanged marks, because mem takes in a
// person's edits whatever git was told.
type indexFile struct {
	// Written is when the file was written. Entries as young as it prove nothing
	// about their files. The zero time makes none of them prove anything.
	Written time.Time

	file index.Index // with no more than its version and entries
}

// decodeIndex reads an index file. What git would not have written wraps
// ErrDamaged, and what mem does not know how to keep errIndexKind.
func decodeIndex(data []byte) (*indexFile, error) {
	if body := data[:max(0, len(data)-sha1.Size)]; bytes.HasSuffix(data, make([]byte, sha1.Size)) { // git was told to leave the checksum out
		sum := sha1.Sum(body)
		data = slices.Concat(body, sum[:])
	}
	x := &indexFile{}
	err := index.NewDecoder(bytes.NewReader(data)).Decode(&x.file)
	switch {
	case errors.Is(err, index.ErrUnknownExtension):
		return nil, fmt.Errorf("%w: it may be split or sparse; 'git update-index --no-split-index' and 'git sparse-checkout reapply --no-sparse-index' change that", errIndexKind)
	case errors.Is(err, index.ErrUnsupportedVersion):
		return nil, fmt.Errorf("%w: %w", errIndexKind, err)
	case err != nil:
		return nil, fmt.Errorf("%w: index: %w", ErrDamaged, err)
	}
	x.file = index.Index{Version: x.file.Version, Entries: x.file.Entries}
	return x, nil
}

// Encode returns the bytes of the index file.
func (x *indexFile) Encode() ([]byte, error) {
	var out bytes.Buffer
	err := index.NewEncoder(&out).Encode(&x.file)
	return out.Bytes(), err
}

// find returns the place of a path, and its entry; a blank one if it is not there, or not merged.
func (x *indexFile) find(name string) (int, index.Entry) {
	i, found := slices.BinarySearchFunc(x.file.Entries, name, func(e *index.Entry, name string) int { return cmp.Compare(e.Name, name) })
	if found && x.file.Entries[i].Stage == 0 {
		return i, *x.file.Entries[i]
	}
	return i, index.Entry{}
}

// blobAt returns what the index holds for a path; zero for nothing.
func (x *indexFile) blobAt(name string) Hash {
	_, e := x.find(name)
	return Hash(e.Hash)
}

// isOther reports whether an entry holds something else than blob, and not just a person's intent to add the file.
func isOther(e *index.Entry, blob Hash) bool {
	return Hash(e.Hash) != blob && !e.IntentToAdd
}

// Set records that the file at name holds the object h and looks like info,
// or that there is none when h is zero. Without info git looks at the file itself. A
// conflict in it is resolved.
func (x *indexFile) Set(name string, h Hash, info fs.FileInfo) {
	i, was := x.find(name)
	last, e := i, index.Entry{Mode: cmp.Or(was.Mode, modeRegular), SkipWorktree: was.SkipWorktree}
	for last < len(x.file.Entries) && x.file.Entries[last].Name == name {
		last++
	}
	var now []*index.Entry
	if !h.IsZero() {
		e.Name, e.Hash = name, [sha1.Size]byte(h)
		if now = []*index.Entry{&e}; info != nil {
			putStat(&e, info)
		}
	}
	x.file.Entries = slices.Replace(x.file.Entries, i, last, now...)
}

// provesUnchanged reports whether an entry proves that the file that looks like info still holds its object, without
// reading it. A file that changed in the same instant in which the index was written proves nothing.
func (x *indexFile) provesUnchanged(was *index.Entry, info fs.FileInfo) bool {
	var now index.Entry
	putStat(&now, info)
	return info.ModTime().Before(x.Written) && was.ModifiedAt.Equal(now.ModifiedAt) && was.Inode == now.Inode && was.Size == now.Size
}

// putStat notes what a file looks like as git does. The mode is left to
// the caller: mem writes regular files and keeps an executable bit.
func putStat(e *index.Entry, info fs.FileInfo) {
	e.ModifiedAt, e.Size = asTime(info.ModTime().Unix(), int64(info.ModTime().Nanosecond())), uint32(info.Size())
	putNode(e, info)
}

func asTime(sec, nsec int64) time.Time { return time.Unix(int64(uint32(sec)), nsec) }

// parseIndex reads git's index. One of a kind that mem does not write is only noted.
func (t *Tx) parseIndex() error {
	data, info, err := t.Store.d.ReadState(indexPath, maxFile)
	if err != nil {
		return fmt.Errorf("read git index: %w", err)
	}
	t.was = data
	x, err := decodeIndex(data)
	if errors.Is(err, errIndexKind) {
		t.odd, err = err, nil
	} else if err == nil {
		t.index = indexFile{info.ModTime(), x.file}
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
	t.index = indexFile{file: index.Index{Version: 2}}
	for name, blob := range files {
		t.index.Set(name, blob, nil)
	}
	return err
}

// ListConflicts returns the versions of the files with a conflict, by path: what both come from, ours and theirs, zero for
// one that is not there. A link, say, has none.
func (t *Tx) ListConflicts() map[string][3]Hash {
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

// stageIndex records the files' stat data in git's index, for putIndex. stats describes the files as mem wrote
// them: one that looks different was edited since, and git must read it itself.
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
	_, err := t.addIndex(&t.index)
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

// refreshIndex stores the files' stat data in git's index, so that git need not read them. It need not be
// durable; if git is using the index, or changed it, git does this by itself.
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
		err = s.d.SyncDirs(gitDir)
	}
	return errors.Join(err, t.Abort())
}
