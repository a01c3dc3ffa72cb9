// Package shortcut keeps the digest of a large index, which is read in its place.
package shortcut

import (
	"context"
	"fmt"
	"time"

	"mem/index"
	"mem/index/digest"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/private"
)

// A Shortcut is where the digest of the index of one root is kept.
type Shortcut struct {
	Area      *private.Area
	Store     *gitstore.Store
	IndexPath string
	Version   string // of the program: another one may read an index otherwise
	From      int    // the size in bytes from which an index gets a digest; below 0 none does
}

// IsFor reports whether an index of this size, in bytes, gets a digest.
func (s Shortcut) IsFor(size int) bool { return s.From >= 0 && size >= s.From }

// seal names the index that the digest is made of, and the program that made it.
func (s Shortcut) seal(blob object.Hash) string { return s.Version + " " + blob.String() }

// Read reads the digest of this index; nil for none that can be believed.
func (s Shortcut) Read(blob object.Hash, now time.Time) *index.Index {
	data, err := s.Area.ReadDigest()
	if err != nil {
		return nil
	}
	ix, _ := digest.Load(data, s.seal(blob), now)
	return ix
}

// Make makes the digest of the index that the last commit holds, unless there is one,
// the index is small, or a person has changed it.
func (s Shortcut) Make(ctx context.Context, now time.Time) error {
	return s.Area.WriteDigest(ctx, func() ([]byte, error) {
		tx, err := s.Store.Peek()
		if err != nil {
			return nil, err
		}
		tip, err := s.Store.FindBlob(tx.Tree, s.IndexPath)
		if err != nil || tip.IsZero() || s.Read(tip, now) != nil {
			return nil, err
		}
		f, err := tx.Look(s.IndexPath, tip, true)
		if err != nil || f.Blob != tip || !s.IsFor(len(f.Data)) {
			return nil, err
		}
		data, err := digest.Make(f.Data, s.seal(tip))
		if err != nil {
			return nil, fmt.Errorf("make digest: %w", err)
		}
		return data, nil
	})
}
