// Package object is the form of git's objects: how blobs, trees and commits are
// named, encoded, compressed and read. It is pure: bytes in, bytes out.
package object

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"hash/adler32"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/flate"
)

// ErrDamaged is wrapped when git's own data is not what git would have written.
var ErrDamaged = errors.New("damaged repository")

// A Kind is what an object is.
type Kind string

// The kinds of objects that mem writes.
const (
	KindBlob   Kind = "blob"
	KindTree   Kind = "tree"
	KindCommit Kind = "commit"
)

// A Hash names an object. The zero value names none.
type Hash [sha1.Size]byte

// String returns the hash as 40 hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h names no object.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads 40 hex digits.
func ParseHash(s string) (h Hash, ok bool) {
	if len(s) != hex.EncodedLen(len(h)) {
		return Hash{}, false
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, false
	}
	return h, true
}

// header is what git puts before the content of an object.
func header(kind Kind, size int) []byte {
	h := append([]byte(kind), ' ')
	h = strconv.AppendInt(h, int64(size), 10)
	return append(h, 0)
}

// HashOf returns the name of an object with this content.
func HashOf(kind Kind, content []byte) (sum Hash) {
	// Only mem and the person choose these contents, so the plain hash does. The
	// one that detects collisions takes five times as long.
	h := sha1.New()
	h.Write(header(kind, len(content)))
	h.Write(content)
	h.Sum(sum[:0])
	return sum
}

// Content from minApart bytes on is compressed apart from its header instead of
// being copied behind it. From minFast on it is compressed with a compressor that
// takes memory to be faster.
const (
	minApart = 64 << 10
	minFast  = 4 << 20
)

var zlibHeader = []byte{0x78, 0x01}

// Deflate returns an object as git keeps it in a file, in zlib's format.
func Deflate(kind Kind, content []byte) Pieces {
	out := Pieces{zlibHeader}
	parts := [][]byte{header(kind, len(content)), content}
	if len(content) < minApart {
		parts = [][]byte{slices.Concat(parts...)}
	}
	sum := adler32.New()
	for i, part := range parts {
		compress(&out, part, i == len(parts)-1)
		_, _ = sum.Write(part)
	}
	return append(out, sum.Sum(nil))
}

// compress compresses a part of an object. Speed counts, and the memory that most
// commits would have to fetch for it; git repacks what is larger for that.
func compress(out io.Writer, content []byte, last bool) {
	// Writing to memory cannot fail.
	if len(content) < minFast || !last {
		_ = flate.StatelessDeflate(out, content, last, nil)
		return
	}
	z, err := flate.NewWriter(out, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = z.Write(content)
	_ = z.Close()
}

// Pieces is a buffer that grows without copying what it holds. Copying a large
// index would touch twice the memory.
type Pieces [][]byte

// The sizes of pieces. Each piece is one more write for the system.
const (
	minPiece = 8 << 10
	maxPiece = 256 << 10
)

// Write appends b.
func (p *Pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == cap((*p)[last]) {
			*p = append(*p, make([]byte, 0, min(maxPiece, minPiece<<min(len(*p), 5))))
			last++
		}
		room := min(len(b), cap((*p)[last])-len((*p)[last]))
		(*p)[last] = append((*p)[last], b[:room]...)
		b = b[room:]
	}
	return n, nil
}
