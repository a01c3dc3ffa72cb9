package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"

	"mem/repo/disk"
)

// objectsDir is where git has its objects.
const objectsDir = gitDir + "/objects"

// objectPath is the file of an object that is not packed.
func objectPath(h Hash) string {
	name := h.String()
	return objectsDir + "/" + name[:2] + "/" + name[2:]
}

// A pack is one of git's, and what is in it.
//
// To git a pack of any name counts, and "git maintenance" makes loose-*.pack. Go-git's storage looks only at those that are
// called pack- with the hash at their end, so only its decoders are used.
type pack struct {
	name string
	*idxfile.MemoryIndex
}

// reopen looks anew for the objects that are there: git packs or removes some meanwhile.
func (s *Store) reopen() {
	s.packs, s.bases = nil, cache.NewObjectLRU(32*cache.MiByte)
}

// listPacks reads what is in the packs that are there. One without an index is left out: it is about to get one, or was
// about to when the power went.
func (s *Store) listPacks() ([]pack, error) {
	files, err := s.d.ListFolder(packDir)
	packs := make([]pack, 0, len(files))
	for _, file := range files {
		name, isPack := strings.CutSuffix(file, ".pack")
		if !isPack || !slices.Contains(files, name+".idx") {
			continue
		}
		data, errRead := s.d.ReadFile(path.Join(packDir, name+".idx"), maxFile)
		p := pack{name, idxfile.NewMemoryIndex()}
		if errRead == nil {
			errRead = idxfile.NewDecoder(bytes.NewReader(data)).Decode(p.MemoryIndex)
		}
		packs, err = append(packs, p), errors.Join(err, errRead)
	}
	return packs, err
}

// readAny returns an object, at the first look.
func (s *Store) readAny(h Hash) (kind Kind, data []byte, err error) {
	kind, data, err = s.readLooseObject(h)
	if !errors.Is(err, fs.ErrNotExist) {
		return kind, data, err
	}
	if s.packs == nil {
		packs, err := s.listPacks()
		if err != nil {
			return kind, nil, err
		}
		s.packs = packs
	}
	for _, p := range s.packs {
		if has, _ := p.Contains(plumbing.Hash(h)); has {
			return s.readPacked(p, h)
		}
	}
	return kind, nil, plumbing.ErrObjectNotFound
}

func (s *Store) readLooseObject(h Hash) (kind Kind, data []byte, err error) {
	f, err := s.d.StreamFile(objectPath(h))
	if err != nil {
		return kind, nil, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return kind, nil, err
	}
	defer r.Close()
	kind, size, err := r.Header()
	var all bytes.Buffer
	if err == nil {
		all.Grow(int(min(max(size, 0), 1<<27)) + bytes.MinRead)
		_, err = all.ReadFrom(r)
	}
	if err == nil && int64(all.Len()) != size {
		err = io.ErrUnexpectedEOF
	}
	return kind, all.Bytes(), err
}

func (s *Store) readPacked(p pack, h Hash) (kind Kind, data []byte, err error) {
	f, err := osfs.New(filepath.Join(s.d.Path(), packDir)).Open(p.name + ".pack")
	if err != nil {
		return kind, nil, err
	}
	defer f.Close()
	o, err := packfile.NewPackfileWithCache(p, nil, f, s.bases, 0).Get(plumbing.Hash(h))
	if err != nil {
		return kind, nil, err
	}
	r, err := o.Reader()
	if err == nil {
		data, err = io.ReadAll(r)
	}
	return o.Type(), data, err
}

// readKind is readAny for an object of this kind.
func (s *Store) readKind(kind Kind, h Hash) ([]byte, error) {
	is, data, err := s.readAny(h)
	if err == nil && is != kind {
		err = plumbing.ErrObjectNotFound
	}
	return data, err
}

// FindKind returns what an object is; nothing of one that is not here, at the first look.
func (s *Store) FindKind(h Hash) Kind {
	kind, _, err := s.readAny(h)
	if err != nil {
		return plumbing.InvalidObject
	}
	return kind
}

// asDamage lets an error about git's own files wrap ErrDamaged, unless it
// is the system that could not open them now.
func asDamage(err error) error {
	if disk.IsExhausted(err) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("read git's own files: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// stageObjects prepares the files of the objects, those too that the disk seems to have: only what
// the tip leads to is known to be durable. The process that wrote another one may have died
// before it was flushed, and git's collector may be about to remove it.
//
// Go-git's own writer knows one level of compression, which takes four times as long as this one.
func (t *Tx) stageObjects() error {
	var file bytes.Buffer
	z, err := zlib.NewWriterLevel(&file, zlib.BestSpeed)
	for _, h := range slices.SortedFunc(maps.Keys(t.Store.made), func(a, b Hash) int { return bytes.Compare(a[:], b[:]) }) {
		o := t.Store.made[h]
		file.Reset()
		z.Reset(&file)
		_, err1 := fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.content))
		_, err2 := z.Write(o.content)
		if err = errors.Join(err, err1, err2, z.Close()); err == nil {
			err = t.b.AddMode(objectPath(h), file.Bytes(), 0o400)
		}
		if err != nil {
			return err
		}
		t.size += int64(file.Len())
	}
	return nil
}

// made is a new object.
type made struct {
	kind    Kind
	content []byte
}

// Keep adds a blob of this name to what Publish makes durable. It can be read from now on.
func (t *Tx) Keep(blob Hash, content []byte) {
	t.Store.made[blob] = made{KindBlob, content}
}

// add adds one object and returns its name.
func (t *Tx) add(kind Kind, content []byte) Hash {
	h := HashOf(kind, content)
	t.Store.made[h] = made{kind, content}
	return h
}

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (t *Tx) AddCommit(c Commit) Hash {
	content := encodeCommit(c)
	if t.Sign != nil && t.Err == nil {
		var signature []byte
		if signature, t.Err = t.Sign(content); signature != nil {
			head, message, _ := bytes.Cut(content, []byte("\n\n"))
			lines := bytes.ReplaceAll(bytes.TrimRight(signature, "\n"), []byte("\n"), []byte("\n ")) // as git keeps one
			content = slices.Concat(head, []byte("\ngpgsig "), lines, []byte("\n\n"), message)
		}
	}
	return t.add(KindCommit, content)
}

// EditTree adds the tree that differs from base in the blobs at some paths, zero for
// a file to be removed, and returns its name. Everything else in base is left
// as it is, whatever its mode.
func (t *Tx) EditTree(base Hash, blobs map[string]Hash) (Hash, error) {
	known, err := t.Store.readTree(base)
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
		if sub, err = t.EditTree(sub, below[folder]); err != nil {
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
	h := t.add(KindTree, encodeTree(entries))
	t.Store.trees[h] = entries
	return h, nil
}
