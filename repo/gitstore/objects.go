package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/klauspost/compress/zlib"

	"mem/repo/gitstore/object"
)

// objectsDir is where git has its objects.
const objectsDir = gitDir + "/objects"

// reopen looks anew for the objects that are there: what git packs or removes meanwhile
// go-git may not see.
func (s *Store) reopen() {
	s.objects = filesystem.NewStorage(namedPacks{osfs.New(filepath.Join(s.d.Path(), gitDir))}, cache.NewObjectLRU(32*cache.MiByte))
}

// readObject returns the content of an object of this kind, at the first look.
func (s *Store) readObject(kind object.Kind, h object.Hash) ([]byte, error) {
	o, err := s.objects.EncodedObject(kind, plumbing.Hash(h))
	if err != nil {
		return nil, err
	}
	content, err := o.Reader()
	if err != nil {
		return nil, err
	}
	data := make([]byte, o.Size())
	_, err = io.ReadFull(content, data)
	return data, errors.Join(err, content.Close())
}

// FindKind returns what an object is; nothing of one that is not here, at the first look.
func (s *Store) FindKind(h object.Hash) object.Kind {
	o, err := s.objects.EncodedObject(plumbing.AnyObject, plumbing.Hash(h))
	if err != nil {
		return plumbing.InvalidObject
	}
	return o.Type()
}

// asDamage lets an error about git's own files wrap object.ErrDamaged, unless it
// is the system that could not open them now.
func asDamage(err error) error {
	for _, refused := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, fs.ErrPermission} {
		if errors.Is(err, refused) {
			return fmt.Errorf("read git's own files: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", object.ErrDamaged, err)
}

// largeObject is the size of content that is compressed beside the other work.
const largeObject = 64 << 10

// deflaters are those at rest: one takes a megabyte.
var deflaters = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // fails for other levels only
	return z
}}

// compress returns what makes the file of an object, or waits for it. Go-git's own writer knows one level of
// compression, which takes four times as long as this one.
func compress(kind object.Kind, content []byte) func() ([]byte, error) {
	file := sync.OnceValues(func() ([]byte, error) {
		file := bytes.NewBuffer(make([]byte, 0, 64+len(content)/4))
		z := deflaters.Get().(*zlib.Writer)
		defer deflaters.Put(z)
		z.Reset(file)
		_, err1 := fmt.Fprintf(z, "%s %d\x00", kind, len(content))
		_, err2 := z.Write(content)
		err := errors.Join(err1, err2, z.Close())
		return file.Bytes(), err
	})
	if len(content) > largeObject {
		go file()
	}
	return file
}

// stageObjects prepares the files of the objects, those too that the disk seems to have: only what
// the tip leads to is known to be durable. The process that wrote another one may have died
// before it was flushed, and git's collector may be about to remove it.
func (w *Writer) stageObjects() error {
	for _, h := range slices.SortedFunc(maps.Keys(w.objects), func(a, b object.Hash) int { return bytes.Compare(a[:], b[:]) }) {
		file, err := w.objects[h]()
		if err != nil {
			return err
		}
		name := h.String()
		if err := w.b.AddReadOnly(objectsDir+"/"+name[:2]+"/"+name[2:], file); err != nil {
			return err
		}
		w.size += int64(len(file))
	}
	return nil
}
