// Package gitread reads git's objects, loose and packed, with go-git.
package gitread

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"mem/repo/gitstore/object"
)

// A Reader reads the objects of one repository. What git packs or removes meanwhile it
// may not see: then Reopen helps.
type Reader struct {
	folder  string
	storage *filesystem.ObjectStorage
}

// Open returns a Reader of the repository in a folder, the one with HEAD in it.
func Open(folder string) *Reader {
	object.HashPlainly()
	r := &Reader{folder: folder}
	r.Reopen()
	return r
}

// Reopen looks anew for what is there.
func (r *Reader) Reopen() {
	storage := filesystem.NewStorage(wholePacks{osfs.New(filepath.FromSlash(r.folder))}, cache.NewObjectLRU(32*cache.MiByte))
	r.storage = &storage.ObjectStorage
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

// Read returns the content of an object of this kind.
func (r *Reader) Read(kind object.Kind, h object.Hash) ([]byte, error) {
	t, err := plumbing.ParseObjectType(string(kind))
	if err != nil {
		return nil, err
	}
	o, err := r.storage.EncodedObject(t, plumbing.Hash(h))
	if err != nil {
		return nil, err
	}
	content, err := o.Reader()
	if err != nil {
		return nil, err
	}
	data := bytes.NewBuffer(make([]byte, 0, o.Size()+bytes.MinRead))
	_, err = data.ReadFrom(content)
	return data.Bytes(), errors.Join(err, content.Close())
}

// FindKind returns what an object is; nothing of one that is not here.
func (r *Reader) FindKind(h object.Hash) object.Kind {
	o, err := r.storage.EncodedObject(plumbing.AnyObject, plumbing.Hash(h))
	if err != nil {
		return ""
	}
	return object.Kind(o.Type().String())
}

// CheckHas returns an error if an object is not here.
func (r *Reader) CheckHas(h object.Hash) error { return r.storage.HasEncodedObject(plumbing.Hash(h)) }

// AsDamage lets an error about git's own files wrap object.ErrDamaged, unless it
// is the system that could not open them now.
func AsDamage(err error) error {
	for _, refused := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, fs.ErrPermission} {
		if errors.Is(err, refused) {
			return fmt.Errorf("read git's own files: %w", err)
		}
	}
	return fmt.Errorf("%w: %w", object.ErrDamaged, err)
}

// MakeIndex returns the index of a pack that lost its own.
func MakeIndex(pack []byte) ([]byte, error) {
	var made idxfile.Writer
	parser, err := packfile.NewParser(packfile.NewScanner(bytes.NewReader(pack)), &made)
	if err == nil {
		_, err = parser.Parse()
	}
	if err != nil {
		return nil, AsDamage(err)
	}
	x, err := made.Index()
	if err != nil {
		return nil, AsDamage(err)
	}
	var index bytes.Buffer
	_, err = idxfile.NewEncoder(&index).Encode(x)
	return index.Bytes(), err
}
