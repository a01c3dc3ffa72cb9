package gitstore

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// A Writer collects what a commit needs: new objects and the new content of
// files. They become visible, all of them durable, when Publish returns.
type Writer struct {
	s       *Store
	b       *disk.Batch // the objects, and the journal
	files   *disk.Batch // of the work tree
	objects map[object.Hash]made
	size    int64 // of the files of objects, once they are staged

	// Sign returns the signature of a commit; nil if it has none. After an error, which is kept, nothing may be published.
	Sign      func(content []byte) ([]byte, error)
	SignError error
}

// made is a new object.
type made struct {
	kind    object.Kind
	content []byte
}

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	s.made = map[object.Hash]made{}
	return &Writer{s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), objects: s.made}
}

// Keep adds a blob of this name to what Publish makes durable. It can be read from now on.
func (w *Writer) Keep(blob object.Hash, content []byte) {
	w.objects[blob] = made{object.KindBlob, content}
}

// add adds one object and returns its name.
func (w *Writer) add(kind object.Kind, content []byte) object.Hash {
	h := object.HashOf(kind, content)
	w.objects[h] = made{kind, content}
	return h
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (w *Writer) AddCommit(c object.Commit) object.Hash {
	content := object.EncodeCommit(c)
	if w.Sign != nil && w.SignError == nil {
		var signature []byte
		if signature, w.SignError = w.Sign(content); signature != nil {
			content = object.AddSignature(content, signature)
		}
	}
	return w.add(object.KindCommit, content)
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
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		var sub object.Hash
		if i := slices.IndexFunc(entries, func(e object.Entry) bool { return e.Name == folder && e.IsTree() }); i >= 0 {
			sub = entries[i].Hash
		}
		if sub, err = w.EditTree(sub, below[folder]); err != nil {
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
	h := w.add(object.KindTree, object.EncodeTree(entries))
	w.s.trees[h] = entries
	return h, nil
}
