// Package hugepage makes large slices that the system may back with large pages, and reads into them.
//
// The first touch of a page costs about as much as writing it does, and an index of 10,000
// lessons is in memory several times: as it is read, in records, as it is written, and in its view.
// Where pages have 2 MB rather than 4 KB nearly all of that is saved.
package hugepage

import (
	"errors"
	"io"
	"sync"
	"unsafe"
)

// size is that of a large page where others have 4 KB, and minSize that of a slice that is worth
// asking for.
const (
	size    = 2 << 20
	minSize = 1 << 20
)

// Make is make([]T, n, most), for a slice that is going to be filled.
func Make[T any](n, most int) []T {
	s := make([]T, n, most)
	if bytes := uintptr(most) * unsafe.Sizeof(*new(T)); bytes >= minSize {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
		start := first &^ (size - 1)
		// What else is on the pages at its ends may lie on large ones as well.
		advise(start, (first+bytes+size-1)&^(size-1)-start)
	}
	return s
}

// minHalf is how many bytes are worth another processor.
const minHalf = 128 << 10

// Read returns the first size bytes, or all that there are. Two processors read what is large.
func Read(r io.ReaderAt, size int) ([]byte, error) {
	data := Make[byte](size, size)
	half := size
	if size >= 2*minHalf {
		half = size / 2
	}
	var more int
	var moreErr error
	var other sync.WaitGroup
	if half < size {
		other.Go(func() { more, moreErr = r.ReadAt(data[half:], int64(half)) })
	}
	n, err := r.ReadAt(data[:half], 0)
	if other.Wait(); err == nil {
		n, err = n+more, moreErr
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n], nil
}
