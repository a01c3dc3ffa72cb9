// Package pack is the form of git's packs, as far as mem writes them: whole objects,
// deltas against an object of the same pack, and the index beside it. It is pure:
// bytes in, bytes out.
//
// The commits of mem go into one pack that is open. Each commit writes it anew, and copies
// what is there as it lies. A file that changed is a delta against its version before (see
// Delta): the newest is in the work tree, where it is read. A folder, which is read from here,
// stands whole in front, and the one before becomes a delta against it. So a commit
// costs, in time and in space, what changed.
//
// The forms are those of git's gitformat-pack: version 2 of both files.
package pack

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"mem/repo/gitstore/object"
)

// An Entry is one object of a pack.
type Entry struct {
	Hash object.Hash
	Base object.Hash // the object that it is a delta against; zero for a whole one

	kind  byte   // of a whole object, by git's number
	size  int    // of what data inflates to: the content, or the delta
	whole []byte // what data is to be made of; nil for an entry of a pack
	data  []byte // deflated
}

// The numbers that git has for kinds, and for a delta whose base lies some bytes before it.
const (
	kindCommit = 1
	kindTree   = 2
	kindBlob   = 3
	kindDelta  = 6
)

var kinds = map[object.Kind]byte{object.KindCommit: kindCommit, object.KindTree: kindTree, object.KindBlob: kindBlob}

// NewEntry returns a whole object with this content.
func NewEntry(h object.Hash, kind object.Kind, content []byte) Entry {
	return Entry{Hash: h, kind: kinds[kind], size: len(content), whole: content}
}

// maxPack bounds a pack: up to here offsets take four bytes in an index.
const maxPack = math.MaxInt32

// headSize is that of the bytes before the first entry.
const headSize = 12

// Encode returns a pack with these entries, its index, and the name that git gives to the
// two. The base of a delta stands before it.
func Encode(entries []Entry) (pack, index []byte, name string, err error) {
	size := headSize + sha1.Size
	for i := range entries {
		if e := &entries[i]; e.whole != nil {
			e.data, e.whole = object.Deflate(e.whole), nil
		}
		size += len(entries[i].data) + 2*binary.MaxVarintLen64
	}
	if size > maxPack {
		return nil, nil, "", fmt.Errorf("a pack of %d bytes", size)
	}
	out := make([]byte, 0, size)
	out = append(out, "PACK\x00\x00\x00\x02"...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries)))
	at := make(map[object.Hash]int, len(entries))
	places := make([]place, len(entries))
	for i := range entries {
		e := &entries[i]
		start := len(out)
		if out, err = e.append(out, at); err != nil {
			return nil, nil, "", err
		}
		at[e.Hash] = start
		places[i] = place{e.Hash, start, crc32.ChecksumIEEE(out[start:])}
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...), encodeIndex(places, sum[:]), hex.EncodeToString(sum[:]), nil
}

// append adds the entry to a pack in which the objects so far lie at these places.
func (e *Entry) append(out []byte, at map[object.Hash]int) ([]byte, error) {
	kind := e.kind
	if !e.Base.IsZero() {
		kind = kindDelta
	}
	start := len(out)
	first, rest := kind<<4|byte(e.size&15), e.size>>4
	if rest == 0 {
		out = append(out, first)
	} else {
		out = binary.AppendUvarint(append(out, first|0x80), uint64(rest))
	}
	if kind == kindDelta {
		base, known := at[e.Base]
		if !known {
			return nil, fmt.Errorf("object %s comes before its base %s", e.Hash, e.Base)
		}
		out = appendDistance(out, start-base)
	}
	return append(out, e.data...), nil
}

// appendDistance adds how far before a delta its base is: big-endian, seven bits a byte, and
// one less for each byte that follows.
func appendDistance(out []byte, n int) []byte {
	var digits [binary.MaxVarintLen64]byte
	i := len(digits) - 1
	digits[i] = byte(n & 0x7f)
	for n >>= 7; n > 0; n >>= 7 {
		n--
		i--
		digits[i] = 0x80 | byte(n&0x7f)
	}
	return append(out, digits[i:]...)
}

// readDistance is the opposite of appendDistance. It returns the bytes that it took too; 0 for
// none that are whole.
func readDistance(data []byte) (n, taken int) {
	for i, c := range data[:min(len(data), binary.MaxVarintLen32)] {
		if i > 0 {
			n++
		}
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// Parse returns the entries of a pack with its index, in the order of the pack. It checks the
// sum of each entry, not what it inflates to. The error wraps object.ErrDamaged.
func Parse(pack, index []byte) ([]Entry, error) {
	places, err := parseIndex(index)
	if err != nil {
		return nil, err
	}
	if len(pack) < headSize+sha1.Size || !bytes.HasPrefix(pack, []byte("PACK\x00\x00\x00\x02")) ||
		int(binary.BigEndian.Uint32(pack[8:])) != len(places) {
		return nil, fmt.Errorf("%w: a pack does not have the head that its index says", object.ErrDamaged)
	}
	slices.SortFunc(places, func(a, b place) int { return a.at - b.at })
	end := len(pack) - sha1.Size
	entries := make([]Entry, len(places))
	at := make(map[int]object.Hash, len(places))
	for i, p := range places {
		next := end
		if i+1 < len(places) {
			next = places[i+1].at
		}
		if p.at < headSize || p.at >= next || next > end || crc32.ChecksumIEEE(pack[p.at:next]) != p.sum {
			return nil, fmt.Errorf("%w: %s does not have the checksum that the index of its pack says", object.ErrDamaged, p.hash)
		}
		e, distance, ok := parseEntry(pack[p.at:next])
		if e.kind == kindDelta {
			e.Base = at[p.at-distance]
			ok = ok && !e.Base.IsZero()
		}
		if !ok {
			return nil, fmt.Errorf("%w: %s is packed in a form that mem does not write", object.ErrDamaged, p.hash)
		}
		e.Hash, at[p.at] = p.hash, p.hash
		entries[i] = e
	}
	return entries, nil
}

// parseEntry reads an entry, and how far before it its base is.
func parseEntry(raw []byte) (e Entry, distance int, ok bool) {
	e.kind, e.size = raw[0]>>4&7, int(raw[0]&15)
	head := 1
	if raw[0] >= 0x80 {
		rest, n := binary.Uvarint(raw[1:])
		if n <= 0 || rest > maxPack {
			return e, 0, false
		}
		e.size, head = e.size|int(rest)<<4, 1+n
	}
	switch e.kind {
	case kindCommit, kindTree, kindBlob:
	case kindDelta:
		var n int
		if distance, n = readDistance(raw[head:]); n == 0 || distance == 0 {
			return e, 0, false
		}
		head += n
	default:
		return e, 0, false
	}
	e.data = raw[head:]
	return e, distance, true
}
