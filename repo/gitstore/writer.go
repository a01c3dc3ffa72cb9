package gitstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// A Writer collects what a commit needs: new objects and the new content of
// files. They become visible, all of them durable, when Publish returns.
type Writer struct {
	s     *Store
	b     *disk.Batch // objects
	files *disk.Batch // of the work tree
	have  map[object.Hash]bool
	blobs []*object.Blob // kept, not yet written
}

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	return &Writer{s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), have: map[object.Hash]bool{}}
}

// Keep adds a blob to what Publish makes durable.
func (w *Writer) Keep(b *object.Blob) { w.blobs = append(w.blobs, b) }

// writeBlobs writes the blobs that were kept, as they get ready.
func (w *Writer) writeBlobs() error {
	for _, b := range w.blobs {
		if err := w.writeObject(b.Hash, b.WaitPacked()); err != nil {
			return err
		}
	}
	w.blobs = nil
	return nil
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (w *Writer) AddCommit(c object.Commit) (object.Hash, error) {
	return w.add(object.KindCommit, object.EncodeCommit(c))
}

// add adds one object and returns its name.
func (w *Writer) add(kind object.Kind, content []byte) (object.Hash, error) {
	h := object.HashOf(kind, content)
	return h, w.writeObject(h, object.Deflate(kind, content))
}

// writeObject adds an object even if the disk seems to have it: only what the tip
// leads to is known to be durable. The process that wrote another one may
// have died before it was flushed, and git's collector may be about to remove
// it.
func (w *Writer) writeObject(h object.Hash, packed []byte) error {
	if w.have[h] {
		return nil
	}
	w.have[h] = true
	name := h.String()
	if err := w.b.Add(gitDir+"/objects/"+name[:2]+"/"+name[2:], packed); err != nil {
		return fmt.Errorf("write object: %w", err)
	}
	return nil
}

// EditTree adds the tree that differs from base in the blobs at some paths, zero for
// a file to be removed, and returns its name. Everything else in base is left
// as it is, whatever its mode.
func (w *Writer) EditTree(base object.Hash, blobs map[string]object.Hash) (object.Hash, error) {
	known, err := w.s.readTree(base)
	if err != nil {
		return object.Hash{}, err
	}
	entries := slices.Clone(known)
	below := map[string]map[string]object.Hash{}
	for path, blob := range blobs {
		folder, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = object.SetEntry(entries, object.Entry{Mode: object.ModeFile, Name: path, Hash: blob})
			continue
		}
		if below[folder] == nil {
			below[folder] = map[string]object.Hash{}
		}
		below[folder][rest] = blob
	}
	for folder, blobs := range below {
		var sub object.Hash
		if i := slices.IndexFunc(entries, func(e object.Entry) bool { return e.Name == folder && e.IsTree() }); i >= 0 {
			sub = entries[i].Hash
		}
		if sub, err = w.EditTree(sub, blobs); err != nil {
			return object.Hash{}, err
		}
		entries = object.SetEntry(entries, object.Entry{Mode: object.ModeTree, Name: folder, Hash: sub})
	}
	if len(entries) == 0 {
		return object.Hash{}, nil
	}
	if slices.Equal(entries, known) {
		return base, nil
	}
	h, err := w.add(object.KindTree, object.EncodeTree(entries))
	w.s.trees[h] = entries
	return h, err
}
