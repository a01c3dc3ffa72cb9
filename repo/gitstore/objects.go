package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/hash"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"mem/repo/gitstore/object"
)

// objectsDir is where git has its objects.
const objectsDir = gitDir + "/objects"

// Go-git names objects as object.HashOf does: it has no use for names but to find again what
// it read a moment ago, and to detect collisions takes five times as long.
var _ = hash.RegisterHash(crypto.SHA1, sha1.New)

// reopen looks anew for the objects that are there: what git packs or removes meanwhile
// go-git may not see.
func (s *Store) reopen() {
	s.objects = filesystem.NewStorage(wholePacks{osfs.New(filepath.Join(s.d.Path(), gitDir))}, cache.NewObjectLRU(32*cache.MiByte))
}

// wholePacks is a repository without the packs that have no index. Git ignores them:
// one is about to get its index, or was about to when the power went. go-git would
// read nothing at all.
type wholePacks struct{ billy.Filesystem }

// ReadDir lists a folder.
func (w wholePacks) ReadDir(folder string) ([]fs.FileInfo, error) {
	files, err := w.Filesystem.ReadDir(folder)
	names := make(map[string]bool, len(files))
	for _, f := range files {
		names[f.Name()] = true
	}
	return slices.DeleteFunc(files, func(f fs.FileInfo) bool {
		name, isPack := strings.CutSuffix(f.Name(), ".pack")
		return isPack && !names[name+".idx"]
	}), err
}

// readObject returns the content of an object of this kind, at the first look.
func (s *Store) readObject(kind object.Kind, h object.Hash) ([]byte, error) {
	t, err := plumbing.ParseObjectType(string(kind))
	if err != nil {
		return nil, err
	}
	o, err := s.objects.EncodedObject(t, plumbing.Hash(h))
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
		return ""
	}
	return object.Kind(o.Type().String())
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

// stageObjects prepares the files of the objects, those too that the disk seems to have: only what
// the tip leads to is known to be durable. The process that wrote another one may have died
// before it was flushed, and git's collector may be about to remove it.
//
// Go-git's own writer knows one level of compression, which takes ten times as long as this one.
func (w *Writer) stageObjects() error {
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, name := range slices.SortedFunc(maps.Keys(w.objects), func(a, b object.Hash) int { return bytes.Compare(a[:], b[:]) }) {
		var file bytes.Buffer
		o, name := w.objects[name], name.String()
		z.Reset(&file)
		_, err1 := fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.content))
		_, err2 := z.Write(o.content)
		if err := errors.Join(err1, err2, z.Close()); err != nil {
			return err
		}
		if err := w.b.AddReadOnly(objectsDir+"/"+name[:2]+"/"+name[2:], file.Bytes()); err != nil {
			return err
		}
		w.size += int64(file.Len())
	}
	return nil
}
