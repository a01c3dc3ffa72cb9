package repo

import (
	"context"
	"time"

	"mem/repo/shortcut"
)

// Skim is a View for commands that only print lessons, fast where there is a digest of
// the index as it stands. Records carry the fields listed at digest.Load, Report is
// empty, and hand edits are noticed only in files that are read.
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
		m.Index = r.shortcut().Read(f.blob, m.now)
	}
	if m.Index == nil {
		if err := r.loadIndex(m); err != nil {
			return nil, err
		}
		r.wantsDigest = committed && r.shortcut().IsFor(m.Index.Bytes)
	}
	r.follow(m)
	return m, nil
}

// shortcut is where the digest of the index is kept.
func (r *Root) shortcut() shortcut.Shortcut {
	return shortcut.Shortcut{Area: r.Area, Store: r.store, IndexPath: IndexPath, Version: r.opts.Version, From: r.opts.DigestFrom}
}

// WantsWorker reports whether a worker has something to do, as far as Skim and Settle
// have seen: a digest is wanted, or a look at what git did.
func (r *Root) WantsWorker() bool { return r.wantsDigest || r.unseen }

// MakeDigest makes the digest of the index that the last commit holds, for the next
// Skim, unless there is one, the index is small, or a person has changed it.
// Losing a digest costs time and nothing else.
func (r *Root) MakeDigest(ctx context.Context, now time.Time) error {
	r.wantsDigest = false
	return r.shortcut().Make(ctx, now)
}
