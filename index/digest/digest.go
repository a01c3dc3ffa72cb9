// Package digest is core/index.json once more, in a form that needs no parsing
// and without what a session is not shown. Of each record it holds what decides
// whether it is shown, where, and how.
//
// It is a shortcut for readers and nothing more: what a reader gets of a digest
// is what codec.Load would give, faster. Its seal names the index that it was
// made of. A reader that expects another seal, or finds a bad checksum, reads the
// index instead. repo.Options.DigestFrom switches all of it off,
// with the order that it gives to Index.Rank, and tests show that the same comes
// out.
package digest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"mem/index"
	"mem/index/codec"
)

// The form of a digest. All numbers are little-endian:
//
//	digestMagic
//	length of the seal, 4 bytes; the seal
//	records, 4 bytes; active records, 4 bytes
//	the records, rowSize bytes each; see row
//	places among the active records, best first, 4 bytes each
//	the strings of the records
//	CRC-32C of all that, 4 bytes
const (
	digestMagic = "mem digest 3\n"
	rowSize     = 52
	sumSize     = 4
)

// ErrNoDigest is wrapped by every error of Load: the bytes are not a digest, not
// the one that was asked for, or damaged.
var ErrNoDigest = errors.New("not the digest of this index")

// undated is what records without a date are loaded with for a digest. No date
// in an index can be as late.
var undated = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// checksum asks for the table each time: it is made once, and not at start-up.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// Flags of a row.
const (
	rowAvoid   = 1 << iota // an anti-pattern
	rowPinned              // pinned
	rowUndated             // last seen when it is loaded
	rowMore                // there is more than key, text and id
	rowHigh                // of high severity

	statusAt     = 8
	confidenceAt = 16
	codeMask     = 0xff
	codeOther    = 0xff // it is in the strings
)

// The strings that a row has numbers for.
var (
	statuses    = [...]index.Status{index.Active, index.Quarantined, index.Superseded, index.Retired, index.Compiled}
	confidences = [...]string{"", "high", "medium", "low"}
)

// A row is the part of a record that is as long as any other's. Its strings
// follow each other: key, text, id, and more if there is more.
type row struct {
	score               float64
	seen                int64  // milliseconds since 1970
	decided             int64  // when its status was, as seen; 0 for never
	from                uint32 // where its strings begin
	hits                uint32
	key, text, id, more uint32 // lengths of its strings
	flags               uint32
}

func (r row) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, math.Float64bits(r.score))
	dst = le.AppendUint64(dst, uint64(r.seen))
	dst = le.AppendUint64(dst, uint64(r.decided))
	for _, n := range [...]uint32{r.from, r.hits, r.key, r.text, r.id, r.more, r.flags} {
		dst = le.AppendUint32(dst, n)
	}
	return dst
}

func readRow(b []byte) row {
	le := binary.LittleEndian
	return row{
		score: math.Float64frombits(le.Uint64(b)), seen: int64(le.Uint64(b[8:])), decided: int64(le.Uint64(b[16:])),
		from: le.Uint32(b[24:]), hits: le.Uint32(b[28:]), key: le.Uint32(b[32:]), text: le.Uint32(b[36:]),
		id: le.Uint32(b[40:]), more: le.Uint32(b[44:]), flags: le.Uint32(b[48:]),
	}
}

// Make returns the digest of core/index.json, whose content is data, with this
// seal. There is none of an older version: the history may hold more of its records.
// Errors are those of codec.Load.
func Make(data []byte, seal string) ([]byte, error) {
	if int64(len(data)) > math.MaxInt32 {
		return nil, fmt.Errorf("digest of an index of %d bytes: too large", len(data))
	}
	ix, _, err := codec.Load(data, undated)
	if err != nil || ix.Version < 2 {
		return nil, err
	}
	ranked := ix.Rank(ix.UpdatedAt)
	le := binary.LittleEndian
	out := make([]byte, 0, len(data)+len(seal)+64)
	out = append(out, beginning(seal)...)
	out = le.AppendUint32(out, uint32(len(ix.Items)))
	out = le.AppendUint32(out, uint32(len(ranked)))
	strings := make([]byte, 0, len(data)/2)
	for i := range ix.Items {
		var r row
		r, strings = appendRecord(strings, &ix.Items[i])
		out = r.append(out)
	}
	for _, n := range places(ranked) {
		out = le.AppendUint32(out, n)
	}
	out = append(out, strings...)
	return le.AppendUint32(out, checksum(out)), nil
}

// beginning is what a digest with this seal begins with.
func beginning(seal string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(digestMagic), uint32(len(seal))), seal...)
}

// places turns positions among all records into places among these.
func places(ranked []int) []uint32 {
	sorted, list := slices.Sorted(slices.Values(ranked)), make([]uint32, len(ranked))
	for i, pos := range ranked {
		place, _ := slices.BinarySearch(sorted, pos)
		list[i] = uint32(place)
	}
	return list
}

// appendRecord returns the row of a record and appends its strings.
func appendRecord(strings []byte, it *index.Item) (row, []byte) {
	r := row{
		score: it.Score, seen: it.LastSeen.UnixMilli(), from: uint32(len(strings)), hits: uint32(it.Hits),
		key: uint32(len(it.Key)), text: uint32(len(it.Text)), id: uint32(len(it.ID)),
	}
	if at := it.StampOf("status"); !at.IsZero() {
		r.decided = at.UnixMilli()
	}
	set := func(flag uint32, is bool) {
		if is {
			r.flags |= flag
		}
	}
	set(rowAvoid, it.Kind == index.AntiPattern)
	set(rowPinned, it.Pinned)
	set(rowUndated, it.LastSeen.Equal(undated))
	set(rowHigh, it.Severity == "high")
	status, confidence := slices.Index(statuses[:], it.Status), slices.Index(confidences[:], it.Confidence)
	r.flags |= uint32(status&codeMask)<<statusAt | uint32(confidence&codeMask)<<confidenceAt
	strings = append(append(append(strings, it.Key...), it.Text...), it.ID...)
	if status >= 0 && confidence >= 0 && it.Domain == "" && len(it.Tags) == 0 && it.Evidence == nil {
		return r, strings
	}
	r.flags |= rowMore
	start := len(strings)
	strings = appendStrings(strings, append([]string{string(it.Status), it.Confidence, it.Domain}, it.Tags...))
	if e := it.Evidence; e != nil {
		strings = appendStrings(binary.AppendVarint(strings, int64(e.Files)), e.Paths)
	}
	r.more = uint32(len(strings) - start)
	return r, strings
}

func appendStrings(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	return dst
}

// Load makes an index of a digest with this seal, at now as codec.Load would.
//
// Its records hold key, text, kind, hits, score, the last sighting, id, status and
// when it was set, whether they are pinned or of high severity, domain, tags, confidence, and the files and paths of
// the evidence. Every other field is zero, which is why the index cannot be
// encoded.
//
// The texts of the records are parts of data, which must not change while the
// index is in use.
func Load(data []byte, seal string, now time.Time) (*index.Index, error) {
	d, err := open(data, seal)
	if err != nil {
		return nil, err
	}
	d.now = now.UTC().Truncate(time.Millisecond)
	ix := &index.Index{Items: make([]index.Item, len(d.rows)/rowSize), Partial: true}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(ix.Items)/2000))
	whole := make([]bool, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := len(ix.Items) * w / workers; i < len(ix.Items)*(w+1)/workers; i++ {
				if !d.item(&ix.Items[i], readRow(d.rows[i*rowSize:])) {
					return
				}
			}
			whole[w] = true
		})
	}
	all.Wait()
	if slices.Contains(whole, false) {
		return nil, fmt.Errorf("%w: a record leads outside", ErrNoDigest)
	}
	if ix.Order = d.readOrder(ix); ix.Order == nil {
		return nil, fmt.Errorf("%w: the order is none", ErrNoDigest)
	}
	return ix, nil
}

// A digest is one that is being read.
type digest struct {
	rows    []byte
	order   []byte
	strings string
	now     time.Time
}

// open checks all of a digest but its records.
func open(data []byte, seal string) (*digest, error) {
	rest, ok := bytes.CutPrefix(data, beginning(seal))
	if !ok {
		return nil, fmt.Errorf("%w: it is of another index", ErrNoDigest)
	}
	short := fmt.Errorf("%w: it is cut short", ErrNoDigest)
	if len(rest) < 8+sumSize {
		return nil, short
	}
	le := binary.LittleEndian
	body := data[:len(data)-sumSize]
	if checksum(body) != le.Uint32(data[len(body):]) {
		return nil, fmt.Errorf("%w: it does not match its checksum", ErrNoDigest)
	}
	records, active := int64(le.Uint32(rest)), int64(le.Uint32(rest[4:]))
	rest = rest[8 : len(rest)-sumSize]
	if active > records || records*rowSize+active*4 > int64(len(rest)) {
		return nil, short
	}
	d := &digest{}
	d.rows, rest = rest[:records*rowSize], rest[records*rowSize:]
	d.order, rest = rest[:active*4], rest[active*4:]
	d.strings = unsafe.String(unsafe.SliceData(rest), len(rest))
	return d, nil
}

// readOrder returns the order if it names each active record once, else nil.
func (d *digest) readOrder(ix *index.Index) []int {
	active := 0
	for i := range ix.Items {
		if ix.Items[i].Status == index.Active {
			active++
		}
	}
	if active != len(d.order)/4 {
		return nil
	}
	order, seen := make([]int, active), make([]bool, active)
	for i := range order {
		n := binary.LittleEndian.Uint32(d.order[4*i:])
		if int64(n) >= int64(active) || seen[n] {
			return nil
		}
		order[i], seen[n] = int(n), true
	}
	return order
}

// item fills in a record; it reports false if its strings are not there.
func (d *digest) item(it *index.Item, r row) bool {
	end := uint64(r.from) + uint64(r.key) + uint64(r.text) + uint64(r.id) + uint64(r.more)
	if end > uint64(len(d.strings)) {
		return false
	}
	s := d.strings[r.from:end]
	it.Key, s = s[:r.key], s[r.key:]
	it.Text, s = s[:r.text], s[r.text:]
	it.ID, s = s[:r.id], s[r.id:]
	it.Kind, it.Hits, it.Score = index.Learning, int(r.hits), r.score
	if r.flags&rowAvoid != 0 {
		it.Kind = index.AntiPattern
	}
	it.Pinned = r.flags&rowPinned != 0
	if r.flags&rowHigh != 0 {
		it.Severity = "high"
	}
	it.LastSeen = time.UnixMilli(r.seen).UTC()
	if r.flags&rowUndated != 0 {
		it.LastSeen = d.now
	}
	if r.decided != 0 {
		it.SetStamp("status", time.UnixMilli(r.decided).UTC())
	}
	status, confidence := int(r.flags>>statusAt&codeMask), int(r.flags>>confidenceAt&codeMask)
	if status < len(statuses) {
		it.Status = statuses[status]
	}
	if confidence < len(confidences) {
		it.Confidence = confidences[confidence]
	}
	if r.flags&rowMore != 0 {
		return readMore(it, s)
	}
	return status != codeOther && confidence != codeOther
}

// readMore reads what most records do not have.
func readMore(it *index.Item, s string) bool {
	list, s, ok := cutStrings(s)
	if !ok || len(list) < 3 {
		return false
	}
	it.Status, it.Confidence, it.Domain = index.Status(list[0]), list[1], list[2]
	if len(list) > 3 {
		it.Tags = list[3:]
	}
	if s == "" {
		return true
	}
	files, n := binary.Varint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
	if n <= 0 {
		return false
	}
	paths, s, ok := cutStrings(s[n:])
	it.Evidence = &index.Evidence{Files: int(files), Paths: paths}
	return ok && s == ""
}

// cutStrings reads what appendStrings wrote.
func cutStrings(s string) (list []string, rest string, ok bool) {
	number := func() uint64 {
		n, size := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
		if ok = size > 0; ok {
			s = s[size:]
		}
		return n
	}
	count := number()
	if !ok || count > uint64(len(s)) {
		return nil, "", false
	}
	list = make([]string, count)
	for i := range list {
		size := number()
		if !ok || size > uint64(len(s)) {
			return nil, "", false
		}
		list[i], s = s[:size], s[size:]
	}
	return list, s, true
}
