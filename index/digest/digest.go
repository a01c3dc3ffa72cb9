// Package digest is core/index.json once more, in a form that is quick to
// read and without what a session is not shown. Of each record it holds what decides
// whether it is shown, where, and how.
//
// It is a shortcut for readers and nothing more: what a reader gets of a digest
// is what codec.Load would give, faster. Its seal names the index that it was
// made of, by a name that is only known once that is written. A reader that expects
// another seal, or finds a bad checksum, reads the index instead.
// repo.Options.DigestFrom switches all of it off, and tests show that the same comes out.
package digest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"
	"unsafe"

	"mem/index"
)

// The form of a digest. A number is a varint, a string has its length before it, and a
// list how many there are:
//
//	digestMagic
//	the list of the records; see appendRecord
//	the seal
//	CRC-32 of all that, 4 bytes, little-endian
const (
	digestMagic = "mem digest 6\n"
	minRecord   = 20 // bytes that a record takes at least
	sumSize     = 4
)

// The flags of a record.
const (
	isPinned = 1 << iota
	hasEvidence
	hasCue
)

// ErrNoDigest is wrapped by every error of Load: the bytes are not a digest, not
// the one that was asked for, or damaged.
var ErrNoDigest = errors.New("not the digest of this index")

// Make returns the digest of an index, without a seal.
func Make(ix *index.Index) []byte {
	out := append(make([]byte, 0, ix.Bytes*2/3), digestMagic...)
	out = binary.AppendUvarint(out, uint64(len(ix.Items)))
	for i := range ix.Items {
		out = appendRecord(out, &ix.Items[i])
	}
	return out
}

// Seal adds a seal to what Make returned.
func Seal(made []byte, seal string) []byte {
	made = appendString(made, seal)
	return binary.LittleEndian.AppendUint32(made, crc32.ChecksumIEEE(made))
}

// appendRecord appends what a digest holds of a record.
func appendRecord(dst []byte, it *index.Item) []byte {
	for _, s := range [...]string{it.Key, it.Text, it.ID, string(it.Kind), string(it.Status), it.Confidence, it.Severity, it.Domain} {
		dst = appendString(dst, s)
	}
	dst = appendStrings(dst, it.Tags)
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(it.Score))
	decided := int64(0) // never
	if at := it.StampOf("status"); !at.IsZero() {
		decided = at.UnixMilli()
	}
	flags := int64(0)
	if it.Pinned {
		flags |= isPinned
	}
	if it.Evidence != nil {
		flags |= hasEvidence
	}
	if it.Cue != nil {
		flags |= hasCue
	}
	for _, n := range [...]int64{it.LastSeen.UnixMilli(), decided, int64(it.Hits), flags} {
		dst = binary.AppendVarint(dst, n)
	}
	if e := it.Evidence; e != nil {
		dst = appendStrings(binary.AppendVarint(dst, int64(e.Files)), e.Paths)
	}
	if c := it.Cue; c != nil {
		dst = appendString(appendString(dst, c.Command), c.Error)
	}
	return dst
}

func appendStrings(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendString(dst, s)
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Load makes an index of a digest with this seal.
//
// Its records hold key, text, kind, hits, score, the last sighting, id, status and
// when it was set, whether they are pinned, severity, domain, tags, confidence, the files and paths of
// the evidence, and command and error of the cue. Every other field is zero, which is why the index cannot be
// encoded.
//
// The texts of the records are parts of data, which must not change while the
// index is in use.
func Load(data []byte, seal string) (*index.Index, error) {
	body := data[:max(0, len(data)-sumSize)]
	rest, isDigest := bytes.CutPrefix(body, []byte(digestMagic))
	rest, isOfThis := bytes.CutSuffix(rest, appendString(nil, seal))
	if !isDigest || !isOfThis {
		return nil, fmt.Errorf("%w: it is of another index", ErrNoDigest)
	}
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, fmt.Errorf("%w: it does not match its checksum", ErrNoDigest)
	}
	d := &digest{rest: rest}
	ix := &index.Index{Items: make([]index.Item, d.count(minRecord)), Partial: true}
	for i := range ix.Items {
		d.readRecord(&ix.Items[i])
	}
	if d.failed || len(d.rest) > 0 {
		return nil, fmt.Errorf("%w: a record is cut short, or something follows", ErrNoDigest)
	}
	return ix, nil
}

// A digest is one that is being read.
type digest struct {
	rest   []byte // that was not read yet; nothing after a failure
	failed bool
}

// fail notes that the digest is not as Make makes it. What is read from then on is empty.
func (d *digest) fail() { d.failed, d.rest = true, nil }

// count reads the length of a list whose members take so many bytes at least.
func (d *digest) count(size int) int {
	n, width := binary.Uvarint(d.rest)
	if width <= 0 || n > uint64(len(d.rest)/size) {
		d.fail()
		return 0
	}
	d.rest = d.rest[width:]
	return int(n)
}

func (d *digest) number() int64 {
	n, width := binary.Varint(d.rest)
	if width <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[width:]
	return n
}

func (d *digest) text() string {
	n := d.count(1)
	if n > len(d.rest) {
		d.fail()
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return unsafe.String(unsafe.SliceData(s), n)
}

func (d *digest) texts() []string {
	n := d.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.text()
	}
	return list
}

// readRecord reads what appendRecord wrote.
func (d *digest) readRecord(it *index.Item) {
	it.Key, it.Text, it.ID, it.Kind, it.Status = d.text(), d.text(), d.text(), index.Kind(d.text()), index.Status(d.text())
	it.Confidence, it.Severity, it.Domain, it.Tags = d.text(), d.text(), d.text(), d.texts()
	if len(d.rest) < 8 {
		d.fail()
		return
	}
	it.Score, d.rest = math.Float64frombits(binary.LittleEndian.Uint64(d.rest)), d.rest[8:]
	it.LastSeen = time.UnixMilli(d.number()).UTC()
	if decided := d.number(); decided != 0 {
		it.SetStamp("status", time.UnixMilli(decided).UTC())
	}
	it.Hits = int(d.number())
	flags := d.number()
	it.Pinned = flags&isPinned != 0
	if flags&hasEvidence != 0 {
		it.Evidence = &index.Evidence{Files: int(d.number()), Paths: d.texts()}
	}
	if flags&hasCue != 0 {
		it.Cue = &index.Literals{Command: d.text(), Error: d.text()}
	}
}
