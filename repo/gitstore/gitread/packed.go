package gitread

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"mem/repo/gitstore/object"
	"mem/repo/gitstore/pack"
)

// go-git reads the indexes of all packs, from the first byte to the last, before it reads an
// object. A commit needs a handful of objects, nearly always of one pack, and the files of this
// folder say where they are: what is found that way is not asked of go-git.

const (
	maxChain = 50 // as many deltas git puts upon each other
	maxFew   = 64 // objects; who reads more is served better by go-git, which keeps what it read
)

// readPacked returns one of the first objects that are read, if it is in a pack. It reports whether it
// could; go-git knows more forms.
func (r *Reader) readPacked(kind object.Kind, h object.Hash) ([]byte, bool) {
	if r.few++; r.few > maxFew {
		return nil, false
	}
	if r.packs == nil {
		folder := filepath.Join(r.folder, "objects", "pack")
		files, _ := os.ReadDir(folder) // without one there is nothing to find
		for _, f := range files {
			if name, isIndex := strings.CutSuffix(f.Name(), ".idx"); isIndex {
				r.packs = append(r.packs, filepath.Join(folder, name))
			}
		}
	}
	for i, name := range r.packs {
		at := findPlace(name+".idx", h)
		if at == 0 {
			continue
		}
		copy(r.packs[1:], r.packs[:i]) // what is looked for next is likely there too
		r.packs[0] = name
		o, ok := readObject(name+".pack", at)
		return o.Content, ok && o.Kind == kind
	}
	return nil, false
}

func findPlace(index string, h object.Hash) int64 {
	f, err := os.Open(index)
	if err != nil {
		return 0
	}
	defer f.Close()
	return pack.FindPlace(f, h)
}

// readObject reads what begins at a place of a pack, and through its deltas what it is.
func readObject(name string, at int64) (o pack.Object, ok bool) {
	f, err := os.Open(name)
	if err != nil {
		return o, false
	}
	defer f.Close()
	var deltas [][]byte
	for ; at > 0 && len(deltas) <= maxChain; at = o.Base {
		if o, ok = pack.ReadAt(f, at); !ok || o.Kind != "" {
			break
		}
		deltas = append(deltas, o.Content)
	}
	if !ok || o.Kind == "" {
		return o, false
	}
	for _, delta := range slices.Backward(deltas) {
		if o.Content, err = packfile.PatchDelta(o.Content, delta); err != nil {
			return o, false
		}
	}
	return o, true
}
