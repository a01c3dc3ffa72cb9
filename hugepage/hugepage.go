// Package hugepage makes large slices that the system may back with large pages.
//
// The first touch of a page costs about as much as writing it does, and an index of 10,000
// lessons is in memory several times: as it is read, in records, as it is written, and in its view.
// A page of 2 MB is there after 0.1 ms, where 512 of 4 KB take 0.7. But one that the system must
// first put together, or ask the host of a virtual machine for that took free memory back, takes 5.
// So pages are touched one by one, and after a slow one no more of them are asked for.
package hugepage

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// size is that of a large page where others have 4 KB, and minSize that of a slice that is worth
// asking for.
const (
	size    = 2 << 20
	minSize = 1 << 20
)

// maxTouch is how long a large page may take, which is about what the small ones in its place would.
const maxTouch = time.Millisecond

// Make is make([]T, n, most), for a slice that is going to be filled.
func Make[T any](n, most int) []T {
	s := make([]T, n, most)
	if bytes := uintptr(most) * unsafe.Sizeof(*new(T)); bytes >= minSize {
		process.touch(unsafe.Pointer(unsafe.SliceData(s)), bytes)
	}
	return s
}

// An asker asks for large pages until one is slow.
type asker struct {
	advise func(start, n uintptr)
	now    func() time.Time // for how long a page takes; nothing else depends on it
	isSlow atomic.Bool
}

var process = asker{advise: advise, now: time.Now}

// touch asks for large pages for memory that is zero. What else is on those at its ends may lie on
// large ones as well.
func (a *asker) touch(first unsafe.Pointer, bytes uintptr) {
	at := uintptr(first)
	for from := uintptr(0); from < bytes && !a.isSlow.Load(); from = (at+from)&^(size-1) + size - at {
		a.advise((at+from)&^(size-1), size)
		start := a.now()
		*(*byte)(unsafe.Add(first, from)) = 0
		if a.now().Sub(start) > maxTouch {
			a.isSlow.Store(true)
		}
	}
}
