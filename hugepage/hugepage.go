// Package hugepage makes large slices that the system may back with large pages.
//
// The first touch of a page costs about as much as writing it does, and an index of 10,000
// lessons is in memory several times: as it is read, in records, as it is written, and in its view.
// Where pages have 2 MB rather than 4 KB nearly all of that is saved.
package hugepage

import "unsafe"

// size is that of a large page on the systems that are asked, and minSize that of
// a slice that is worth asking for.
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
