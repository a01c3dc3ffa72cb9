package gitstore

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// A large file is compressed in segments: parts of one deflate stream that
// end on a whole byte and refer to nothing before them. The next version of
// the file has most of them unchanged, and their compressed bytes are copied
// from the object of the last one, so that the time for a commit follows what
// changed and not all that was ever learned. To git such an object is one
// like any other.
//
// Where the segments are is noted outside of the history, in segmentsPath.
// The note is only a shortcut: it is believed for bytes that are equal to
// those of the last version and whose checksums, before and after compressing,
// are the ones noted.

const (
	segmentsPath = memDir + "/segments"

	// segmentSize is what a new segment holds. Smaller ones compress worse,
	// larger ones are more work for each change.
	segmentSize = 128 << 10

	// minSegmented is the size from which a file is worth it.
	minSegmented = 1 << 20
)

// A segment describes one part of an object. The first one of an object is
// git's header.
type segment struct {
	Size   int    `json:"size"`   // of the content
	Packed int    `json:"packed"` // of the compressed bytes
	Adler  uint32 `json:"adler"`  // of the content
	Before uint32 `json:"before"` // checksum of the content
	After  uint32 `json:"after"`  // checksum of the compressed bytes
}

// segments is the note at segmentsPath.
type segments struct {
	Blob  string    `json:"blob"`
	Parts []segment `json:"parts"`
}

// A Version is what a file holds before a commit.
type Version struct {
	Blob    Hash
	Content []byte
}

// A base is a version whose object is there to copy from. A base without
// parts has nothing to copy.
type base struct {
	parts   []part
	content []byte
}

// A part is a piece of content and, once it is compressed, of an object.
type part struct {
	segment
	content []byte
	packed  []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// openBase opens the object that last can be copied from; nil if there is
// none.
func (s *Store) openBase(last Version) (*segments, io.ReadCloser) {
	data, err := s.d.Read(segmentsPath, maxFile)
	if err != nil {
		return nil, nil
	}
	var note segments
	if err := json.Unmarshal(data, &note); err != nil || note.Blob != last.Blob.String() {
		return nil, nil
	}
	f, err := s.d.Stream(objectPath(last.Blob))
	if err != nil {
		return nil, nil // packed by git meanwhile
	}
	return &note, f
}

// readBase reads what openBase opened. Whatever does not add up makes a base
// without parts.
func readBase(note *segments, object io.ReadCloser, content []byte) base {
	if note == nil {
		return base{}
	}
	size := len(zlibHeader)
	for _, s := range note.Parts {
		if s.Packed <= 0 || s.Packed > maxFile-size {
			size = 0 // not worth a look
			break
		}
		size += s.Packed
	}
	packed := disk.Buffer(size)[:size]
	_, err := io.ReadFull(object, packed)
	if err != nil || object.Close() != nil || size == 0 || len(note.Parts) == 0 {
		return base{}
	}
	at, pos := len(zlibHeader)+note.Parts[0].Packed, 0
	b := base{content: content}
	for _, s := range note.Parts[1:] {
		if s.Size <= 0 || s.Packed <= 0 || at < 0 || s.Size > len(content)-pos || s.Packed > len(packed)-at {
			return base{}
		}
		b.parts = append(b.parts, part{s, content[pos : pos+s.Size], packed[at : at+s.Packed]})
		pos, at = pos+s.Size, at+s.Packed
	}
	return b
}

// cut divides content into parts, those of the base where they come again.
func (b base) cut(content []byte) []part {
	var parts []part
	for next := 0; len(content) > 0; {
		if next < len(b.parts) && bytes.HasPrefix(content, b.parts[next].content) {
			p := b.parts[next]
			p.content = content[:p.Size]
			parts, content = append(parts, p), content[p.Size:]
			next++
			continue
		}
		size := 0
		next, size = b.resume(content, next+1)
		parts, content = appendFresh(parts, content[:size]), content[size:]
	}
	return parts
}

// resume looks for the part from next on that comes first in content again,
// and returns its number and where it seems to begin; the end of content if
// there is none nearby.
func (b base) resume(content []byte, next int) (number, at int) {
	const (
		near = 8  // parts
		hint = 64 // bytes of a part
	)
	for i := next; i < min(next+near, len(b.parts)); i++ {
		begin := b.parts[i].content
		reach := content[:min(len(content), (i-next+near)*segmentSize)]
		if at := bytes.Index(reach, begin[:min(hint, len(begin))]); at >= 0 {
			return i, at
		}
	}
	return len(b.parts), len(content)
}

// appendFresh adds content that has to be compressed.
func appendFresh(parts []part, content []byte) []part {
	for len(content) >= 2*segmentSize {
		parts, content = append(parts, part{content: content[:segmentSize]}), content[segmentSize:]
	}
	if len(content) > 0 {
		parts = append(parts, part{content: content})
	}
	return parts
}

// compress fills in what cut left open: what is new, and what turns out not
// to be what the note says.
func (p *part) compress() {
	before := checksum(p.content)
	if p.packed != nil && before == p.Before && checksum(p.packed) == p.After {
		return
	}
	out := bytes.NewBuffer(make([]byte, 0, len(p.content)/2+512))
	squeeze(out, p.content, false)
	p.packed = out.Bytes()
	p.segment = segment{
		Size: len(p.content), Packed: out.Len(), Adler: adler32.Checksum(p.content),
		Before: before, After: checksum(p.packed),
	}
}

var (
	zlibHeader = []byte{0x78, 0x01}
	deflateEnd = []byte{0x01, 0x00, 0x00, 0xff, 0xff} // an empty last block
)

// deflateFrom compresses content with what it has in common with a base, and
// returns the object and what there is to note about it.
func deflateFrom(b base, content []byte, turns chan struct{}) (pieces, []segment) {
	parts := slices.Insert(b.cut(content), 0, part{content: header(plumbing.BlobObject, len(content))})
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			turns <- struct{}{}
			parts[i].compress()
			<-turns
		})
	}
	all.Wait()
	object := pieces{zlibHeader}
	note := make([]segment, 0, len(parts))
	sum := uint32(1)
	for _, p := range parts {
		object = append(object, p.packed)
		note = append(note, p.segment)
		sum = combineAdler(sum, p.Adler, p.Size)
	}
	return append(object, deflateEnd, binary.BigEndian.AppendUint32(nil, sum)), note
}

// combineAdler returns the Adler-32 of two contents one after the other, given
// that of each and the size of the second.
func combineAdler(a, b uint32, size int) uint32 {
	const base = 65521
	n := uint32(size % base)
	a1, a2, b1, b2 := a&0xffff, a>>16, b&0xffff, b>>16
	low := (a1 + b1 + base - 1) % base
	high := (n*a1%base + a2 + b2 + base - n) % base
	return high<<16 | low
}

// noteSegments notes where the segments of a blob are.
func noteSegments(b *disk.Batch, blob Hash, parts []segment) error {
	data, err := json.Marshal(segments{blob.String(), parts})
	if err != nil {
		return err
	}
	return b.Add(segmentsPath, data)
}
