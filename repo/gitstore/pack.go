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

// manyMade is how many objects become a pack: of more, to make a file for each takes most of the time.
const manyMade = 100

// stagePack prepares a pack of the objects. Its name follows from them: one that a crash left is replaced by the same.
func (t *Tx) stagePack() error {
	made, names, out := t.Store.made, idxfile.Writer{}, &bytes.Buffer{}
	out.Write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(made))))
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	for _, h := range slices.SortedFunc(maps.Keys(made), compareHashes) {
		start, o := out.Len(), made[h]
		kind, content, base := o.kind, o.content, []byte(nil)
		if was := made[o.was]; was.kind == o.kind && o.depth > 1 && o.depth%maxDepth > 0 {
			if d := differ(was.content, o.content); d != nil {
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
	return errors.Join(err, t.b.AddMode(name+".pack", out.Bytes(), 0o400), t.b.AddMode(name+".idx", list.Bytes(), 0o400))
}

const (
	maxDepth = 40      // of differences from differences; git follows 50
	nearby   = 8 << 10 // how far ahead it is looked for what goes on alike
	probe    = 256     // bytes that have to: fewer may be of another record
	step     = 32
)

// differ says what makes a text of another one as git does, which is what to copy of it and what is new between; nil
// where much is new. It takes what both have in the same order, in one pass: git's own way takes as long as to compress.
func differ(was, is []byte) []byte {
	out := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(was))), uint64(len(is)))
	for from, at, fresh := 0, 0, 0; at < len(is); {
		same := countSame(was[from:], is[at:])
		for at += same; same > 0; {
			n := min(same, 1<<16-1)
			out = binary.LittleEndian.AppendUint32(append(out, 0xbf), uint32(from))
			out = binary.LittleEndian.AppendUint16(out, uint16(n))
			from, same = from+n, same-n
		}
		start, found := at, -1
		for ; at < len(is) && found < 0; at += step {
			found = bytes.Index(was[from:min(from+nearby, len(was))], is[at:min(at+probe, len(is))])
		}
		if found >= 0 {
			at, from = at-step, from+found
		}
		at = min(at, len(is))
		if fresh += at - start; fresh > min(len(is)/4, 64<<10) { // or to look takes longer than to compress
			return nil
		}
		for part := range slices.Chunk(is[start:at], 127) {
			out = append(append(out, byte(len(part))), part...)
		}
	}
	return out
}

// countSame returns how many bytes two texts begin with alike.
func countSame(a, b []byte) (n int) {
	const many = 512
	for n+many <= min(len(a), len(b)) && bytes.Equal(a[n:n+many], b[n:n+many]) {
		n += many
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
