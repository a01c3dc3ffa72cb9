package pack

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"slices"

	"mem/repo/gitstore/object"
)

// A place says where an object lies in a pack.
type place struct {
	hash object.Hash
	at   int    // of its first byte
	sum  uint32 // CRC-32 of the entry
}

// The parts of an index: the head, how many names begin with up to each byte, the names, the
// sums, the places, the names of the pack and of the index.
const (
	indexHead = "\xfftOc\x00\x00\x00\x02"
	fanSize   = 256 * 4
	tailSize  = 2 * sha1.Size
	placeSize = sha1.Size + 4 + 4
)

// encodeIndex returns the index of a pack with this name.
func encodeIndex(places []place, name []byte) []byte {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	out := make([]byte, 0, len(indexHead)+fanSize+len(places)*placeSize+tailSize)
	out = append(out, indexHead...)
	n := 0
	for first := range 256 {
		for n < len(places) && int(places[n].hash[0]) == first {
			n++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, p := range places {
		out = append(out, p.hash[:]...)
	}
	for _, p := range places {
		out = binary.BigEndian.AppendUint32(out, p.sum)
	}
	for _, p := range places {
		out = binary.BigEndian.AppendUint32(out, uint32(p.at))
	}
	out = append(out, name...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// parseIndex returns the places in an index. The error wraps object.ErrDamaged.
func parseIndex(index []byte) ([]place, error) {
	n := (len(index) - len(indexHead) - fanSize - tailSize) / placeSize
	if !bytes.HasPrefix(index, []byte(indexHead)) || n < 0 || len(index) != len(indexHead)+fanSize+n*placeSize+tailSize {
		return nil, fmt.Errorf("%w: an index of a pack of a form that mem does not write", object.ErrDamaged)
	}
	body := index[:len(index)-sha1.Size]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], index[len(body):]) {
		return nil, fmt.Errorf("%w: an index of a pack does not have its checksum", object.ErrDamaged)
	}
	names := body[len(indexHead)+fanSize:]
	sums := names[n*sha1.Size:]
	at := sums[n*4:]
	places := make([]place, n)
	for i := range places {
		copy(places[i].hash[:], names[i*sha1.Size:])
		places[i].sum = binary.BigEndian.Uint32(sums[i*4:])
		places[i].at = int(binary.BigEndian.Uint32(at[i*4:]))
	}
	return places, nil
}
