package gitstore

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/openpack"
	"mem/repo/gitstore/pack"
)

// A Writer collects what a commit needs: new objects and the new content of
// files. They become visible, all of them durable, when Publish returns.
type Writer struct {
	s       *Store
	b       *disk.Batch // the pack with the objects, and the journal
	files   *disk.Batch // of the work tree
	blobs   []pack.Entry
	objects []pack.Entry                  // other than blobs
	updates []pack.Update                 // of trees
	known   map[object.Hash]func() []byte // contents of the tip, of which Expect was told
	opened  int                           // files that were opened to be read in the background
	open    *openpack.Pack                // what b writes anew; nil until then
}

// maxOpened is how many files are open at a time to be read in the background.
const maxOpened = 16

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	s.made = map[object.Hash][]byte{}
	return &Writer{s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), known: map[object.Hash]func() []byte{}}
}

// Expect says what a blob of the tip holds that is probably going to be replaced: what replaces it is
// packed as what changed. That the content is the blob's is checked in the background, from now on, so it
// must not change before Publish.
func (w *Writer) Expect(blob object.Hash, content []byte) {
	found := make(chan []byte, 1)
	go func() { found <- contentOf(object.KindBlob, blob, content) }()
	w.known[blob] = sync.OnceValue(func() []byte { return <-found })
}

// contentOf returns the content of an object; nil for one that has another name.
func contentOf(kind object.Kind, h object.Hash, content []byte) []byte {
	if object.HashOf(kind, content) != h {
		return nil
	}
	return content
}

// Keep adds a blob of this name to what Publish makes durable. It can be read from now on.
func (w *Writer) Keep(blob object.Hash, content []byte) {
	w.s.made[blob] = content
	if !slices.ContainsFunc(w.blobs, func(e pack.Entry) bool { return e.Hash == blob }) {
		w.blobs = append(w.blobs, pack.NewEntry(blob, object.KindBlob, content))
	}
}

// rollObjects begins to make the open pack with the objects so far, those too that the disk
// seems to have: only what the tip leads to is known to be durable. The process that
// wrote another one may have died before it was flushed, and git's collector may be
// about to remove it.
func (w *Writer) rollObjects(t *Tx, puts []Put) (err error) {
	if w.open, err = openpack.Find(w.s.d, TempDir, t.Head.Tip); err != nil {
		return err
	}
	if len(w.objects)+len(w.blobs) == 0 {
		return nil
	}
	updates := w.updates
	for _, put := range puts {
		old, err := w.s.FindBlob(t.Tree, put.Path)
		if err != nil {
			return err
		}
		if put.Data != nil && !old.IsZero() {
			updates = append(updates, pack.Update{Old: old, New: put.Blob, Was: w.contentBefore(put, old)})
		}
	}
	w.open.Roll(w.objects, w.blobs, updates)
	return nil
}

// contentBefore returns what gives the content that a file had in the tip, once: by what the caller knows,
// or the work tree, which has most of them. A file without it stays whole.
func (w *Writer) contentBefore(put Put, old object.Hash) func() []byte {
	if known := w.known[old]; known != nil {
		return known
	}
	content := func() []byte { return put.Was }
	if put.Was == nil {
		content = w.s.d.ReadLater(put.Path, maxFile)
		if w.opened++; w.opened > maxOpened {
			data := content()
			content = func() []byte { return data }
		}
	}
	return func() []byte { return contentOf(object.KindBlob, old, content()) }
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (w *Writer) AddCommit(c object.Commit) (object.Hash, error) {
	content := object.EncodeCommit(c)
	h := w.add(object.KindCommit, content)
	w.s.made[h] = content
	return h, nil
}

// add adds one object and returns its name.
func (w *Writer) add(kind object.Kind, content []byte) object.Hash {
	h := object.HashOf(kind, content)
	if slices.ContainsFunc(w.objects, func(e pack.Entry) bool { return e.Hash == h }) {
		return h
	}
	w.objects = append(w.objects, pack.NewEntry(h, kind, content))
	return h
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
	h := w.add(object.KindTree, content)
	w.s.trees[h] = entries
	w.updates = append(w.updates, pack.Update{Old: base, New: h, Was: func() []byte { return contentOf(object.KindTree, base, object.EncodeTree(known)) }})
	return h, nil
}
