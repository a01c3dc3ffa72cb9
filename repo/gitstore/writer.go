package gitstore

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mem/repo/disk"
)

// A Writer collects what a commit needs: new objects and the new content of
// files. They become visible, all of them durable, when Publish returns.
type Writer struct {
	s       *Store
	b       *disk.Batch // the objects, and the journal
	files   *disk.Batch // of the work tree
	objects map[Hash]made
	size    int64 // of the files of objects, once they are staged

	// Sign returns the signature of a commit; nil if it has none. After an error, which is kept, nothing may be published.
	Sign      func(content []byte) ([]byte, error)
	SignError error
}

// made is a new object.
type made struct {
	kind    Kind
	content []byte
}

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	s.made = map[Hash]made{}
	return &Writer{s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), objects: s.made}
}

// Keep adds a blob of this name to what Publish makes durable. It can be read from now on.
func (w *Writer) Keep(blob Hash, content []byte) {
	w.objects[blob] = made{KindBlob, content}
}

// add adds one object and returns its name.
func (w *Writer) add(kind Kind, content []byte) Hash {
	h := HashOf(kind, content)
	w.objects[h] = made{kind, content}
	return h
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (w *Writer) AddCommit(c Commit) Hash {
	content := encodeCommit(c)
	if w.Sign != nil && w.SignError == nil {
		var signature []byte
		if signature, w.SignError = w.Sign(content); signature != nil {
			content = addSignature(content, signature)
		}
	}
	return w.add(KindCommit, content)
}

// EditTree adds the tree that differs from base in the blobs at some paths, zero for
// a file to be removed, and returns its name. Everything else in base is left
// as it is, whatever its mode.
func (w *Writer) EditTree(base Hash, blobs map[string]Hash) (Hash, error) {
	known, err := w.s.readTree(base)
	if err != nil {
		return Hash{}, err
	}
	entries := slices.Clone(known)
	below := map[string]map[string]Hash{}
	for path, blob := range blobs {
		folder, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = setEntry(entries, entry{Mode: modeFile, Name: path, Hash: blob})
			continue
		}
		if below[folder] == nil {
			below[folder] = map[string]Hash{}
		}
		below[folder][rest] = blob
	}
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		var sub Hash
		if i := slices.IndexFunc(entries, func(e entry) bool { return e.Name == folder && e.IsTree() }); i >= 0 {
			sub = entries[i].Hash
		}
		if sub, err = w.EditTree(sub, below[folder]); err != nil {
			return Hash{}, err
		}
		entries = setEntry(entries, entry{Mode: modeTree, Name: folder, Hash: sub})
	}
	if len(entries) == 0 {
		return Hash{}, nil
	}
	if slices.Equal(entries, known) {
		return base, nil
	}
	h := w.add(KindTree, encodeTree(entries))
	w.s.trees[h] = entries
	return h, nil
}
