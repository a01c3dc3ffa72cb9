// Package object is the form of git's objects: how blobs, trees and commits are
// named, encoded, compressed and read. It is pure: bytes in, bytes out.
package object

import (
	"bytes"
	"crypto"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/adler32"
	"slices"
	"strconv"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/hash"
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

// MarshalText is String, for JSON.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText wrote; anything else names no object.
func (h *Hash) UnmarshalText(text []byte) error {
	*h, _ = ParseHash(string(text))
	return nil
}

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

// HashPlainly lets go-git name objects as HashOf does: it has no use for names but to
// find again what it read a moment ago, and to detect collisions takes five times as
// long.
var HashPlainly = sync.OnceFunc(func() { _ = hash.RegisterHash(crypto.SHA1, sha1.New) })

// HashOf returns the name of an object with this content.
func HashOf(kind Kind, content []byte) (sum Hash) {
	// Only mem and the person choose these contents, so the plain hash does.
	h := sha1.New()
	h.Write(header(kind, len(content)))
	h.Write(content)
	h.Sum(sum[:0])
	return sum
}

// From minPart bytes on content is compressed with a compressor that takes memory to
// be faster. Processors share the parts of what is larger.
const (
	minPart  = 2 << 20
	maxParts = 4
)

// Deflate returns content as git keeps it in a pack, in zlib's format. Speed
// counts, and the memory that most commits would have to fetch for it; git repacks
// what is larger for that.
func Deflate(content []byte) []byte {
	parts := max(1, min(len(content)/minPart, maxParts))
	packed := make([][]byte, 1+parts)
	packed[0] = []byte{0x78, 0x01}
	var packers sync.WaitGroup
	for i := range parts {
		part := content[len(content)*i/parts : len(content)*(i+1)/parts]
		packers.Go(func() { packed[1+i] = deflatePart(part, i == parts-1) })
	}
	sum := adler32.Checksum(content)
	packers.Wait()
	return binary.BigEndian.AppendUint32(slices.Concat(packed...), sum)
}

// deflatePart compresses a part, to a whole byte. It does not refer to the others.
func deflatePart(part []byte, last bool) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(part)/3)) // writing to it cannot fail
	if len(part) < minPart {
		_ = flate.StatelessDeflate(out, part, last, nil)
		return out.Bytes()
	}
	z, err := flate.NewWriter(out, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = z.Write(part)
	_ = z.Flush()
	if last {
		_ = z.Close()
	}
	return out.Bytes()
}
