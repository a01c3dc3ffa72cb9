package pack

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"sort"

	"mem/repo/gitstore/object"
)

// FindPlace returns where in a pack an object begins, by the pack's index, of which it reads only
// what it needs; 0 for an object that is not there, and of an index that is not as mem knows it.
func FindPlace(index io.ReaderAt, h object.Hash) int64 {
	fan := make([]byte, len(indexHead)+fanSize)
	if _, err := index.ReadAt(fan, 0); err != nil || !bytes.HasPrefix(fan, []byte(indexHead)) {
		return 0
	}
	count := func(first byte) int { return int(binary.BigEndian.Uint32(fan[len(indexHead)+4*int(first):])) }
	from, to, all := 0, count(h[0]), count(255)
	if h[0] > 0 {
		from = count(h[0] - 1)
	}
	if from >= to || to > all || all > maxPack/placeSize {
		return 0
	}
	var name object.Hash
	var failed error
	i, found := sort.Find(to-from, func(i int) int {
		if _, err := index.ReadAt(name[:], int64(len(fan)+(from+i)*len(h))); err != nil {
			failed = err
		}
		return bytes.Compare(h[:], name[:])
	})
	var at [4]byte
	_, err := index.ReadAt(at[:], int64(len(fan)+all*(len(h)+4)+(from+i)*4))
	if !found || failed != nil || err != nil {
		return 0
	}
	if n := binary.BigEndian.Uint32(at[:]); n <= maxPack {
		return int64(n)
	}
	return 0
}

// An Object is what lies at a place of a pack. The zero value is not one.
type Object struct {
	Kind    object.Kind // "" of a delta
	Base    int64       // of a delta: the place of what it is against
	Content []byte      // or the delta
}

// headRoom is more than the bytes before the content of an object.
const headRoom = 32

// ReadAt reads what begins at a place of a pack. It reports whether it could: git packs in forms
// too that mem does not write.
func ReadAt(pack io.ReaderAt, at int64) (o Object, ok bool) {
	head := make([]byte, headRoom)
	n, err := pack.ReadAt(head, at)
	if err != nil && err != io.EOF || n == 0 {
		return Object{}, false
	}
	e, distance, ok := parseEntry(head[:n])
	if !ok {
		return Object{}, false
	}
	o = Object{Kind: e.objectKind()}
	if o.Kind == "" {
		o.Base = at - int64(distance)
	}
	from := at + int64(n-len(e.data))
	inflated, err := zlib.NewReader(io.NewSectionReader(pack, from, maxPack))
	if err != nil {
		return Object{}, false
	}
	content := bytes.NewBuffer(make([]byte, 0, min(e.size, 1<<20)+bytes.MinRead))
	_, err = content.ReadFrom(io.LimitReader(inflated, int64(e.size)+1))
	o.Content = content.Bytes()
	return o, err == nil && len(o.Content) == e.size
}
