package gitstore

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// errIndexKind is wrapped for an index of a kind that is left alone.
var errIndexKind = errors.New("git's index is of a kind that mem cannot write")

const modeRegular = 0o100644

// An indexFile is the content of one file of git's index. The entries of the files that mem writes can be
// replaced. All others are left as they are: what a person staged, or marked, stays staged and marked.
//
// go-git knows the form. What git only keeps to be quicker, such as cached trees, is not
// written, and neither is what "git checkout -m" would make a resolved conflict of anew, nor that a
// file is assumed to be unchanged: mem takes in what a person writes, whatever git was told.
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

// BlobAt returns what the index holds for a path; zero for nothing.
func (x *indexFile) BlobAt(name string) Hash {
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

// asTime returns a time as far as git's index can hold it.
func asTime(sec, nsec int64) time.Time { return time.Unix(int64(uint32(sec)), nsec) }
