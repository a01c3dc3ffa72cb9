// Package shortcut keeps the digest of a large index, which is read in its place.
package shortcut

import (
	"mem/index"
	"mem/index/digest"
	"mem/repo/gitstore/object"
	"mem/repo/private"
)

// Make makes the digest of an index whose file has this size, in bytes. It is nil for a
// smaller index than one of size from, or if that is below 0.
func Make(ix *index.Index, size, from int) []byte {
	if from < 0 || size < from {
		return nil
	}
	return digest.Make(ix)
}

// A Shortcut is where the digest of the index of one root is kept.
type Shortcut struct {
	Area    *private.Area
	Version string // of the program: another one may read an index otherwise
}

// seal names the index that the digest is made of, and the program that made it.
func (s Shortcut) seal(blob object.Hash) string { return s.Version + " " + blob.String() }

// Read reads the digest of this index; nil for none that can be believed.
func (s Shortcut) Read(blob object.Hash) *index.Index {
	data, err := s.Area.ReadDigest()
	if err != nil {
		return nil
	}
	ix, _ := digest.Load(data, s.seal(blob))
	return ix
}

// Begin begins to make the digest of an index that is about to be published with these bytes, while others
// wait for the disk. The function that it returns keeps it. Without bytes nothing changes.
func (s Shortcut) Begin(ix *index.Index, data []byte, from int, blob object.Hash) (keep func()) {
	made := make(chan []byte, 1)
	go func() { made <- Make(ix, len(data), from) }()
	return func() { s.Keep(<-made, blob) }
}

// Keep keeps what Make returned for this index, if anything. Without it nothing is lost
// but time.
func (s Shortcut) Keep(made []byte, blob object.Hash) {
	if made != nil {
		s.Area.KeepDigest(digest.Seal(made, s.seal(blob)))
	}
}
