package repo

import (
	"time"

	"mem/repo/shortcut"
)

// Skim is a View for commands that only print lessons, fast where there is a digest of
// the index as it stands. Each commit makes one; where it is missing, as in a clone, Skim
// does. Records carry the fields listed at digest.Load, Report is
// empty, and hand edits are noticed only in files that are read.
func (r *Root) Skim(now time.Time) (*Memory, error) {
	if r.opts.DigestFrom < 0 {
		return r.View(now)
	}
	m, err := r.peekMemory(now)
	if err != nil {
		return nil, err
	}
	f, err := m.lookAt(IndexPath, false)
	if err != nil {
		return nil, err
	}
	if f.exist && f.work == f.blob {
		m.Index = r.shortcut().Read(f.blob)
	}
	if m.Index == nil {
		if err := r.loadIndex(m); err != nil {
			return nil, err
		}
		if ix := m.Index; !m.indexBlob.IsZero() && m.Report.BadDates == 0 {
			r.shortcut().Keep(shortcut.Make(ix, ix.Bytes, r.opts.DigestFrom), m.indexBlob)
		}
	}
	r.follow(m)
	return m, nil
}

// shortcut is where the digest of the index is kept.
func (r *Root) shortcut() shortcut.Shortcut {
	return shortcut.Shortcut{Area: r.Area, Version: r.opts.Version}
}

// IsUnseen reports whether git did something that the commands before only hid: a command
// that writes, or the worker, looks at it.
func (r *Root) IsUnseen() bool { return r.unseen }
