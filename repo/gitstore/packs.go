package gitstore

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"

	"mem/repo/gitstore/object"
)

// namedPacks is a repository as git sees it, for go-git.
//
// To git a pack of any name counts, and "git maintenance" makes loose-*.pack. Go-git looks only at those that are called
// pack- with the hash at their end, so all are listed by that name here. A pack without an index is left out: it is
// about to get one, or was about to when the power went, and go-git would read nothing at all.
type namedPacks struct{ billy.Filesystem }

// ReadDir lists a folder.
func (n namedPacks) ReadDir(folder string) ([]fs.FileInfo, error) {
	files, err := n.Filesystem.ReadDir(folder)
	list := files[:0]
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".pack") {
			list = append(list, f)
		} else if hash, ok := n.readHash(folder, f); ok {
			list = append(list, renamed{f, "pack-" + hash.String() + ".pack"})
		}
	}
	return list, err
}

// readHash returns the hash at the end of a pack, which its index repeats; ok says whether it has one.
func (n namedPacks) readHash(folder string, pack fs.FileInfo) (hash object.Hash, ok bool) {
	f, err := n.Filesystem.Open(filepath.Join(folder, strings.TrimSuffix(pack.Name(), ".pack")+".idx"))
	if err != nil {
		return hash, false
	}
	defer f.Close()
	if _, err = f.Seek(-2*int64(len(hash)), io.SeekEnd); err == nil {
		_, err = io.ReadFull(f, hash[:])
	}
	return hash, err == nil
}

// Open opens a file, of a pack by the name that ReadDir gives it.
func (n namedPacks) Open(name string) (billy.File, error) {
	f, err := n.Filesystem.Open(name)
	folder, base := filepath.Split(name)
	want, isPack := strings.CutPrefix(strings.TrimSuffix(base, filepath.Ext(base)), "pack-")
	if !isPack || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	files, _ := n.Filesystem.ReadDir(folder)
	for _, file := range files {
		is, isPack := strings.CutSuffix(file.Name(), ".pack")
		if !isPack {
			continue
		}
		if hash, ok := n.readHash(folder, file); ok && hash.String() == want {
			return n.Filesystem.Open(filepath.Join(folder, is+filepath.Ext(base)))
		}
	}
	return f, err
}

// renamed is a file with another name.
type renamed struct {
	fs.FileInfo
	name string
}

func (r renamed) Name() string { return r.name }
