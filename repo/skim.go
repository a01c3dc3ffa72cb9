package repo

import (
	"context"
	"fmt"
	"time"

	"mem/index"
	"mem/index/digest"
	"mem/repo/gitstore/object"
)

// Skim is a fast, partial View for commands that only print lessons. Records
// carry only the fields listed at digest.Load, Report is empty, and hand edits
// are noticed only in files that are read. It is fast where there is a digest of
// the index as it stands, and otherwise reads the index itself.
func (r *Root) Skim(now time.Time) (*Memory, error) {
	if r.opts.DigestFrom < 0 {
		return r.View(now)
	}
	r.wantsDigest = false
	m, err := r.peekMemory(now)
	if err != nil {
		return nil, err
	}
	f, err := m.lookAt(IndexPath, false)
	if err != nil {
		return nil, err
	}
	committed := f.exist && f.work == f.blob
	if committed {
		if m.Index = r.readDigest(f.blob, m.now); m.Index != nil {
			return m, r.follow(m)
		}
	}
	if err := r.loadIndex(m); err != nil {
		return nil, err
	}
	r.wantsDigest = committed && r.deservesDigest(m.Index.Bytes)
	return m, r.follow(m)
}

// deservesDigest reports whether an index of this size, in bytes, gets a digest.
func (r *Root) deservesDigest(size int) bool {
	return r.opts.DigestFrom >= 0 && size >= r.opts.DigestFrom
}

// WantsWorker reports whether a worker has something to do, as far as Skim and Settle
// have seen: a digest is wanted, or a look at what git did.
func (r *Root) WantsWorker() bool { return r.wantsDigest || r.unseen }

// seal names the index that a digest is made of, and the program that made it:
// another version may read an index otherwise.
func (r *Root) seal(blob object.Hash) string { return r.opts.Version + " " + blob.String() }

// readDigest reads the digest of this index; nil for none that can be believed.
func (r *Root) readDigest(blob object.Hash, now time.Time) *index.Index {
	data, err := r.ReadDigest()
	if err != nil {
		return nil
	}
	ix, _ := digest.Load(data, r.seal(blob), now)
	return ix
}

// MakeDigest makes the digest of the index that the last commit holds, for the next
// Skim, unless there is one, the index is small, or a person has changed it.
// Losing a digest costs time and nothing else.
func (r *Root) MakeDigest(ctx context.Context, now time.Time) error {
	return r.WriteDigest(ctx, func() ([]byte, error) {
		r.wantsDigest = false
		tx, err := r.store.Peek()
		if err != nil {
			return nil, err
		}
		tip, err := r.store.FindBlob(tx.Tree, IndexPath)
		if err != nil || tip.IsZero() || r.readDigest(tip, now) != nil {
			return nil, err
		}
		f, err := tx.Look(IndexPath, tip, true)
		if err != nil || f.Blob != tip || !r.deservesDigest(len(f.Data)) {
			return nil, err
		}
		data, err := digest.Make(f.Data, r.seal(tip))
		if err != nil {
			return nil, fmt.Errorf("make digest: %w", err)
		}
		return data, nil
	})
}
