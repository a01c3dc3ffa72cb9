// Package gitindex reads and writes git's own index, parsed just far enough to
// replace the entries of the files that mem writes. Every other entry keeps its
// bytes, so that what a person staged, or marked, stays staged and marked.
//
// Git's description of the format is Documentation/gitformat-index.txt.
package gitindex

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mem/repo/gitstore/object"
)

// ErrKind is wrapped for an index of a kind that is left alone.
var ErrKind = errors.New("git's index is of a kind that mem cannot write")

var errShort = fmt.Errorf("%w: index is cut short", object.ErrDamaged)

// An Index is the content of one index file.
type Index struct {
	// Written is when the file was written. Entries as young as it prove nothing
	// about their files. The zero time makes none of them prove anything.
	Written time.Time
	// Strict lets an entry prove nothing if its file's node changed since, even
	// if only the name or the times did.
	Strict bool

	version uint32
	entries []entry
	keep    []byte // extensions that stay valid when entries change
}

// New returns an empty index.
func New() *Index { return &Index{version: 2} }

// An entry is stat data, object name and flags as they stand in the file, and
// the path.
type entry struct {
	fixed [62]byte
	more  []byte // the second flags of an extended entry, or nil
	name  string
}

const (
	offMtime    = 8
	offIno      = 20
	offMode     = 24
	offSize     = 36
	offHash     = 40
	offFlags    = 60
	flagExt     = 0x4000
	flagStage   = 0x3000
	flagNameLen = 0x0fff
	extIntent   = 0x2000 // intent-to-add, in the second flags
	extSkip     = 0x4000 // skip-worktree, in the second flags
	modeRegular = 0o100644
)

// Parse reads an index file. What git would not have written wraps
// object.ErrDamaged, and what mem does not know how to keep ErrKind.
func Parse(data []byte) (*Index, error) {
	if len(data) < 12+20 || string(data[:4]) != "DIRC" {
		return nil, errShort
	}
	x := &Index{version: binary.BigEndian.Uint32(data[4:])}
	if x.version < 2 || x.version > 4 {
		return nil, fmt.Errorf("%w: version %d", ErrKind, x.version)
	}
	body, sum := data[:len(data)-20], data[len(data)-20:]
	if want := sha1.Sum(body); !bytes.Equal(sum, want[:]) && !bytes.Equal(sum, make([]byte, 20)) {
		return nil, fmt.Errorf("%w: index does not match its checksum", object.ErrDamaged)
	}
	count := int(binary.BigEndian.Uint32(data[8:]))
	if count > len(body)/62 {
		return nil, fmt.Errorf("%w: index promises too many entries", object.ErrDamaged)
	}
	x.entries = make([]entry, 0, count+4)
	rest := body[12:]
	previous := ""
	for range count {
		e, n, err := x.parseEntry(rest, previous)
		if err != nil {
			return nil, err
		}
		x.entries = append(x.entries, e)
		previous, rest = e.name, rest[n:]
	}
	return x, x.parseExtensions(rest)
}

// parseEntry reads the entry at the start of b and says how long it is.
func (x *Index) parseEntry(b []byte, previous string) (entry, int, error) {
	var e entry
	if len(b) < 64 {
		return e, 0, errShort
	}
	n := copy(e.fixed[:], b)
	if e.flags()&flagExt != 0 {
		e.more = b[n : n+2]
		n += 2
	}
	if x.version == 4 {
		strip, m := stripLength(b[n:])
		end := bytes.IndexByte(b[n+m:], 0)
		if m == 0 || end < 0 || strip > len(previous) {
			return e, 0, errShort
		}
		e.name = previous[:len(previous)-strip] + string(b[n+m:n+m+end])
		return e, n + m + end + 1, nil
	}
	end := bytes.IndexByte(b[n:], 0)
	if end < 0 {
		return e, 0, errShort
	}
	e.name = string(b[n : n+end])
	if n = (n + end + 8) &^ 7; n > len(b) {
		return e, 0, errShort
	}
	return e, n, nil
}

// stripLength reads the variable-length number that starts a path in version
// 4: how many bytes of the previous path to drop.
func stripLength(b []byte) (value, length int) {
	for i, c := range b {
		if i > 4 {
			break
		}
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

func appendStripLength(dst []byte, value int) []byte {
	var buf [6]byte
	i := len(buf) - 1
	buf[i] = byte(value & 0x7f)
	for value >>= 7; value > 0; value >>= 7 {
		value--
		i--
		buf[i] = 0x80 | byte(value&0x7f)
	}
	return append(dst, buf[i:]...)
}

// parseExtensions keeps what stays true when entries change and drops what
// git rebuilds by itself: cached trees, untracked files, the monitor's
// bitmap, offsets. One in lower case must be understood; none is.
func (x *Index) parseExtensions(b []byte) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errShort
		}
		name := string(b[:4])
		size := 8 + int(binary.BigEndian.Uint32(b[4:]))
		if size > len(b) {
			return errShort
		}
		switch {
		case name == "REUC":
			x.keep = append(x.keep, b[:size]...)
		case name == "link":
			return fmt.Errorf("%w: it is split; 'git update-index --no-split-index' joins it", ErrKind)
		case name == "sdir":
			return fmt.Errorf("%w: it is sparse; 'git sparse-checkout reapply --no-sparse-index' fills it", ErrKind)
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("%w: extension %q", ErrKind, name)
		}
		b = b[size:]
	}
	return nil
}

// Encode returns the bytes of the index file.
func (x *Index) Encode() []byte {
	out := make([]byte, 0, 12+len(x.entries)*100+len(x.keep)+20)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, x.version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries)))
	previous := ""
	for i := range x.entries {
		e := &x.entries[i]
		start := len(out)
		out = append(out, e.fixed[:]...)
		out = append(out, e.more...)
		if x.version == 4 {
			common := 0
			for common < len(previous) && common < len(e.name) && previous[common] == e.name[common] {
				common++
			}
			out = appendStripLength(out, len(previous)-common)
			out = append(out, e.name[common:]...)
			out = append(out, 0)
			previous = e.name
			continue
		}
		out = append(out, e.name...)
		for end := start + (len(out)-start+8)&^7; len(out) < end; {
			out = append(out, 0)
		}
	}
	out = append(out, x.keep...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

func (e *entry) flags() uint16 { return binary.BigEndian.Uint16(e.fixed[offFlags:]) }

func (e *entry) hash() (h object.Hash) {
	copy(h[:], e.fixed[offHash:])
	return h
}

// find returns the place of a path, and whether it is there and merged.
func (x *Index) find(name string) (int, bool) {
	i, found := slices.BinarySearchFunc(x.entries, name, func(e entry, name string) int { return cmp.Compare(e.name, name) })
	return i, found && x.entries[i].flags()&flagStage == 0
}

// HasConflict reports whether a conflict is recorded.
func (x *Index) HasConflict() bool {
	return slices.ContainsFunc(x.entries, func(e entry) bool { return e.flags()&flagStage != 0 })
}

// ListConflicts returns the versions of the files with a conflict, by path: what both
// come from, ours and theirs, zero for one that is not there. A link, say, has none.
func (x *Index) ListConflicts() map[string][3]object.Hash {
	list := map[string][3]object.Hash{}
	for i := range x.entries {
		e := &x.entries[i]
		if stage := e.flags() & flagStage >> 12; stage > 0 {
			versions := list[e.name]
			versions[stage-1] = e.hash()
			list[e.name] = versions
		}
	}
	for i := range x.entries {
		if e := &x.entries[i]; binary.BigEndian.Uint32(e.fixed[offMode:]) != modeRegular {
			delete(list, e.name)
		}
	}
	return list
}

// IsSkipped reports whether a person told git to leave a file out of the work
// tree.
func (x *Index) IsSkipped(name string) bool {
	i, found := x.find(name)
	return found && len(x.entries[i].more) == 2 && binary.BigEndian.Uint16(x.entries[i].more)&extSkip != 0
}

// BlobAt returns what the index holds for a path; zero for nothing.
func (x *Index) BlobAt(name string) object.Hash {
	if i, found := x.find(name); found {
		return x.entries[i].hash()
	}
	return object.Hash{}
}

// IsStaged reports whether the entry of a path holds something else than blob,
// and not just a person's intent to add the file.
func (x *Index) IsStaged(name string, blob object.Hash) bool {
	i, found := x.find(name)
	if !found {
		return false
	}
	return x.entries[i].hash() != blob && !x.entries[i].isIntent()
}

// isIntent reports whether a person only meant to add the file.
func (e *entry) isIntent() bool {
	return bytes.Equal(e.more, binary.BigEndian.AppendUint16(nil, extIntent))
}

// ListStaged returns what a person put into the index, by path: the entries that
// hold something else than files does. No index has none.
func (x *Index) ListStaged(files map[string]object.Hash) map[string]object.Hash {
	staged := map[string]object.Hash{}
	if x == nil {
		return nil
	}
	for i := range x.entries {
		e := &x.entries[i]
		if blob := e.hash(); blob != files[e.name] && !e.isIntent() {
			staged[e.name] = blob
		}
	}
	return staged
}

// Clone returns a copy that can be changed without changing x.
func (x *Index) Clone() *Index {
	c := *x
	c.entries = slices.Clone(x.entries)
	return &c
}

// Set records that the file at name holds the object h and looks like info,
// or that there is none when h is zero. Without info git looks at the file itself. A
// conflict in it is resolved.
func (x *Index) Set(name string, h object.Hash, info fs.FileInfo) {
	i, found := x.find(name)
	for !found && i < len(x.entries) && x.entries[i].name == name {
		x.entries = slices.Delete(x.entries, i, i+1)
	}
	if h.IsZero() {
		if found {
			x.entries = slices.Delete(x.entries, i, i+1)
		}
		return
	}
	if !found {
		e := entry{name: name}
		binary.BigEndian.PutUint32(e.fixed[offMode:], modeRegular)
		binary.BigEndian.PutUint16(e.fixed[offFlags:], uint16(min(len(name), flagNameLen)))
		x.entries = slices.Insert(x.entries, i, e)
	}
	e := &x.entries[i]
	if len(e.more) == 2 { // an intent to add is fulfilled
		more := binary.BigEndian.Uint16(e.more) &^ extIntent
		e.more = binary.BigEndian.AppendUint16(nil, more)
	}
	copy(e.fixed[offHash:], h[:])
	if info == nil { // unknown: git looks for itself
		clear(e.fixed[:offMode])
		clear(e.fixed[offMode+4 : offHash])
		return
	}
	putStat(&e.fixed, info)
}

// ProvesUnchanged reports whether the entry proves that the file that looks like
// info still holds the object h, without reading it. A file that changed in
// the same instant in which the index was written proves nothing.
func (x *Index) ProvesUnchanged(name string, h object.Hash, info fs.FileInfo) bool {
	i, found := x.find(name)
	if !found || x.entries[i].hash() != h || !info.ModTime().Before(x.Written) {
		return false
	}
	var now [62]byte
	putStat(&now, info)
	was := x.entries[i].fixed
	if x.Strict && !bytes.Equal(was[:offMtime], now[:offMtime]) {
		return false
	}
	return bytes.Equal(was[offMtime:offMtime+8], now[offMtime:offMtime+8]) &&
		bytes.Equal(was[offIno:offIno+4], now[offIno:offIno+4]) &&
		bytes.Equal(was[offSize:offSize+4], now[offSize:offSize+4])
}

// putStat writes the stat data of a file as git does. The mode is left to
// the caller: mem writes regular files and keeps an executable bit.
func putStat(fixed *[62]byte, info fs.FileInfo) {
	st := statOf(info)
	be := binary.BigEndian
	be.PutUint32(fixed[0:], st.sec)
	be.PutUint32(fixed[4:], st.nsec)
	be.PutUint32(fixed[8:], uint32(info.ModTime().Unix()))
	be.PutUint32(fixed[12:], uint32(info.ModTime().Nanosecond()))
	be.PutUint32(fixed[16:], st.dev)
	be.PutUint32(fixed[20:], st.ino)
	be.PutUint32(fixed[28:], st.uid)
	be.PutUint32(fixed[32:], st.gid)
	be.PutUint32(fixed[36:], uint32(info.Size()))
}

// fileStat is what a stat of git's index holds beyond fs.FileInfo. Zeros
// make git look at the file itself.
type fileStat struct {
	sec, nsec          uint32 // of the last change of the node
	dev, ino, uid, gid uint32
}
