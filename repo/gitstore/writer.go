package gitstore

import (
	"errors"
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
	objects []newObject
	added   map[object.Hash]bool
	size    int64 // of the files of objects, once they are staged
}

type newObject struct {
	hash    object.Hash
	kind    object.Kind
	content []byte
}

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	s.made = map[object.Hash][]byte{}
	return &Writer{s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), added: map[object.Hash]bool{}}
}

// Keep adds a blob of this name to what Publish makes durable. It can be read from now on.
func (w *Writer) Keep(blob object.Hash, content []byte) {
	w.s.made[blob] = content
	w.add(newObject{blob, object.KindBlob, content})
}

func (w *Writer) add(o newObject) {
	if !w.added[o.hash] {
		w.added[o.hash] = true
		w.objects = append(w.objects, o)
	}
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (w *Writer) AddCommit(c object.Commit) (object.Hash, error) {
	content := object.EncodeCommit(c)
	h := object.HashOf(object.KindCommit, content)
	w.add(newObject{h, object.KindCommit, content})
	w.s.made[h] = content
	return h, nil
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
	content := object.EncodeTree(entries)
	h := object.HashOf(object.KindTree, content)
	w.add(newObject{h, object.KindTree, content})
	w.s.trees[h] = entries
	return h, nil
}
