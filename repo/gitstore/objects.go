package gitstore

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"runtime"
	"slices"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/flate"

	"mem/repo/disk"
)

// ErrNoObject is wrapped when an object is not in the repository.
var ErrNoObject = errors.New("no such object")

// A Writer collects what a commit needs: new objects and the new content of
// files. They become visible, all of them durable, when Publish returns.
type Writer struct {
	s     *Store
	b     *disk.Batch      // objects
	files *disk.Batch      // of the work tree
	ahead map[string]*byte // where the content of a file that is written already begins
	have  map[Hash]bool
	blobs []*Blob       // kept, not yet written
	turns chan struct{} // held while compressing
}

// NewWriter returns an empty Writer.
func (s *Store) NewWriter() *Writer {
	return &Writer{
		s: s, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir),
		ahead: map[string]*byte{}, have: map[Hash]bool{},
		turns: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// BlobHash returns the name that git gives to content.
func BlobHash(content []byte) Hash { return hashObject(plumbing.BlobObject, content) }

func header(t plumbing.ObjectType, size int) []byte {
	h := append([]byte(t.String()), ' ')
	h = strconv.AppendInt(h, int64(size), 10)
	return append(h, 0)
}

func hashObject(t plumbing.ObjectType, content []byte) Hash {
	// Nobody else chooses these contents, so the plain hash does; the one
	// that detects collisions takes five times as long.
	h := sha1.New()
	h.Write(header(t, len(content)))
	h.Write(content)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

// A Blob is the content of a file on its way into the history.
type Blob struct {
	hash   Hash
	packed pieces
	hashed chan struct{} // closed when hash is set
	done   chan struct{} // closed when packed is set
}

// hashedAtOnce is the size up to which hashing takes less time than waiting for
// a processor to do it.
const hashedAtOnce = 512 << 10

// Blob begins to hash and compress content, which must not change any more,
// beside whatever else is going on. Only Keep makes it a part of the history.
func (w *Writer) Blob(content []byte) *Blob {
	b := &Blob{hashed: make(chan struct{}), done: make(chan struct{})}
	hash := func() {
		defer close(b.hashed)
		b.hash = BlobHash(content)
	}
	if len(content) < hashedAtOnce {
		hash()
	} else {
		go hash()
	}
	go func() {
		defer close(b.done)
		w.turns <- struct{}{} // no more at a time than there are processors
		b.packed = deflate(plumbing.BlobObject, content)
		<-w.turns
	}()
	return b
}

// Hash is the name that git gives to the content.
func (b *Blob) Hash() Hash {
	<-b.hashed
	return b.hash
}

// Keep adds a blob to what Publish makes durable.
func (w *Writer) Keep(b *Blob) { w.blobs = append(w.blobs, b) }

// collect writes the blobs that were kept, as they get ready.
func (w *Writer) collect() error {
	for _, b := range w.blobs {
		<-b.done
		if err := w.store(b.hash, b.packed); err != nil {
			return err
		}
	}
	w.blobs = nil
	return nil
}

// minAhead is the size from which a file is written while it is hashed.
const minAhead = 64 << 10

// Ahead writes the content that a file will probably get, if it is large, so
// that the disk is busy while it is hashed and compressed.
func (w *Writer) Ahead(name string, content []byte) error {
	if len(content) < minAhead || w.ahead[name] == &content[0] {
		return nil
	}
	if err := w.forget(name); err != nil {
		return err
	}
	w.ahead[name] = &content[0]
	if err := w.files.Add(name, content); err != nil {
		return err
	}
	w.files.Flush()
	return nil
}

// forget drops what Ahead wrote.
func (w *Writer) forget(name string) error {
	if w.ahead[name] == nil {
		return nil
	}
	delete(w.ahead, name)
	temp, err := w.files.Take(name)
	return errors.Join(err, w.s.d.Remove(temp))
}

// Discard drops all that was written and not published.
func (w *Writer) Discard() error { return errors.Join(w.b.Discard(), w.files.Discard()) }

// add adds one object and returns its name.
func (w *Writer) add(t plumbing.ObjectType, content []byte) (Hash, error) {
	h := hashObject(t, content)
	return h, w.store(h, deflate(t, content))
}

// store adds an object even if the disk seems to have it: only what the tip
// leads to is known to be durable. The process that wrote another one may
// have died before it was flushed, and git's collector may be about to remove
// it.
func (w *Writer) store(h Hash, packed pieces) error {
	if w.have[h] {
		return nil
	}
	w.have[h] = true
	if err := w.b.Add(objectPath(h), packed...); err != nil {
		return fmt.Errorf("write object: %w", err)
	}
	return nil
}

func objectPath(h Hash) string {
	name := h.String()
	return gitDir + "/objects/" + name[:2] + "/" + name[2:]
}

// From which size on content is compressed apart from its header instead of
// being copied, and with what takes memory to be faster.
const (
	minApart = 64 << 10
	minFast  = 4 << 20
)

var zlibHeader = []byte{0x78, 0x01}

// deflate returns an object in zlib's format.
func deflate(t plumbing.ObjectType, content []byte) pieces {
	out := pieces{zlibHeader}
	parts := [][]byte{header(t, len(content)), content}
	if len(content) < minApart {
		parts = [][]byte{slices.Concat(parts...)}
	}
	sum := adler32.New()
	for i, part := range parts {
		squeeze(&out, part, i == len(parts)-1)
		_, _ = sum.Write(part)
	}
	return append(out, sum.Sum(nil))
}

// squeeze compresses content into whole bytes that refer to nothing before
// them. Speed counts, and the memory that most commits would have to fetch for
// it; git repacks what is larger for that.
func squeeze(out io.Writer, content []byte, last bool) {
	// Writing to memory cannot fail.
	if len(content) < minFast || !last {
		_ = flate.StatelessDeflate(out, content, last, nil)
		return
	}
	z, err := flate.NewWriter(out, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = z.Write(content)
	_ = z.Close()
}

// pieces is a buffer that grows without copying what it holds: a large index
// would be copied, and the memory for it touched, twice over.
type pieces [][]byte

// The sizes of pieces: each is one more write for the system.
const (
	minPiece = 8 << 10
	maxPiece = 256 << 10
)

func (p *pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == cap((*p)[last]) {
			*p = append(*p, make([]byte, 0, min(maxPiece, minPiece<<min(len(*p), 5))))
			last++
		}
		room := min(len(b), cap((*p)[last])-len((*p)[last]))
		(*p)[last] = append((*p)[last], b[:room]...)
		b = b[room:]
	}
	return n, nil
}

// read returns the content of an object of type t.
func (s *Store) read(t plumbing.ObjectType, h Hash) ([]byte, error) {
	o, err := s.objects.EncodedObject(t, h)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		s.objects.Reindex() // git may have packed it since the packs were listed
		o, err = s.objects.EncodedObject(t, h)
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("%w: %w: %s %s", ErrDamaged, ErrNoObject, t, h)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", ErrDamaged, t, h, err)
	}
	r, err := o.Reader()
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", ErrDamaged, t, h, err)
	}
	data := bytes.NewBuffer(make([]byte, 0, o.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(r); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s %s: %w", ErrDamaged, t, h, err), r.Close())
	}
	return data.Bytes(), r.Close()
}

// Blob returns the content of a file in the history.
func (s *Store) Blob(h Hash) ([]byte, error) { return s.read(plumbing.BlobObject, h) }
