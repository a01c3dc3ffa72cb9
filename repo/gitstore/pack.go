package gitstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"
)

// A pack is one of git's, and what is in it.
//
// To git a pack of any name counts, and "git maintenance" makes loose-*.pack. Go-git's storage looks only at those that are
// called pack- with the hash at their end, so only its decoders are used.
type pack struct {
	name string
	*idxfile.MemoryIndex
	content *packfile.Packfile // open since the first object was read
}

// listPacks reads what is in the packs that are there. One without an index is left out: it is about to get one, or was
// about to when the power went.
func (s *Store) listPacks() ([]*pack, error) {
	files, err := s.d.ListFolder(packDir)
	packs := make([]*pack, 0, len(files))
	for _, file := range files {
		name, isPack := strings.CutSuffix(file, ".pack")
		if !isPack || !slices.Contains(files, name+".idx") {
			continue
		}
		data, errRead := s.d.ReadFile(path.Join(packDir, name+".idx"), maxFile)
		p := &pack{name: name, MemoryIndex: idxfile.NewMemoryIndex()}
		if errRead == nil {
			errRead = idxfile.NewDecoder(bytes.NewReader(data)).Decode(p.MemoryIndex)
		}
		packs, err = append(packs, p), errors.Join(err, errRead)
	}
	return packs, err
}

func (s *Store) readPacked(p *pack, h Hash) (kind Kind, data []byte, err error) {
	if p.content == nil {
		f, err := osfs.New(filepath.Join(s.d.Path(), packDir)).Open(p.name + ".pack")
		if err != nil {
			return kind, nil, err
		}
		p.content = packfile.NewPackfileWithCache(p, nil, f, s.bases, 0)
	}
	o, err := p.content.Get(plumbing.Hash(h))
	if err != nil {
		return kind, nil, err
	}
	r, err := o.Reader()
	if err == nil {
		data, err = io.ReadAll(r)
	}
	return o.Type(), data, err
}

const (
	manyMade = 100 // objects become a pack: to make a file for each of more takes most of the time
	maxDepth = 40  // of differences from differences; git follows 50
)

// stagePack prepares a pack of the objects. Its name depends only on them, so that it replaces the one that a crash left.
//
// Until the branch names the objects, a concurrent "git repack -a -d" would drop the pack. Git spares a pack with a .keep
// file; that is a second name of the proof, so that mem recognizes one that a crash left.
func (t *Tx) stagePack() error {
	made, names, out := t.Store.made, idxfile.Writer{}, &bytes.Buffer{}
	out.Write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(made))))
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	for _, h := range slices.SortedFunc(maps.Keys(made), compareHashes) {
		start, o := out.Len(), made[h]
		kind, content, base := o.kind, o.content, []byte(nil)
		if was := made[o.was]; was.kind == o.kind && o.depth > 1 && o.depth%maxDepth > 0 {
			if d := packfile.DiffDelta(was.content, o.content); len(d) < len(content)/2 {
				kind, content, base = plumbing.REFDeltaObject, d, o.was[:]
			}
		}
		head := binary.AppendUvarint([]byte{byte(kind)<<4 | byte(len(content)&15) | 0x80}, uint64(len(content)>>4)) // seven bits in a byte, but for the first
		out.Write(append(head, base...))
		z.Reset(out)
		_, errWrite := z.Write(content)
		err = errors.Join(err, errWrite, z.Close())
		names.Add(plumbing.Hash(h), uint64(start), crc32.ChecksumIEEE(out.Bytes()[start:]))
	}
	sum := sha1.Sum(out.Bytes())
	out.Write(sum[:])
	err = errors.Join(err, names.OnFooter(sum))
	index, errIndex := names.Index()
	if err = errors.Join(err, errIndex); err != nil {
		return err
	}
	list, name := bytes.Buffer{}, fmt.Sprintf("%s/pack-%x", packDir, sum)
	_, err = idxfile.NewEncoder(&list).Encode(index)
	t.size += int64(out.Len())
	t.kept = name + ".keep"
	_ = t.Store.d.Link(proofPath, t.kept) // on a disk without links git must not pack at the same moment
	return errors.Join(err, t.b.AddMode(name+".pack", out.Bytes(), 0o400), t.b.AddMode(name+".idx", list.Bytes(), 0o400))
}
