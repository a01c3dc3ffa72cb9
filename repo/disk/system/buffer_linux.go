package system

import (
	"syscall"
	"unsafe"
)

func adviseHuge(b []byte) {
	page := syscall.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	if whole := (len(b) - skip) &^ (page - 1); whole > 0 {
		// Only advice: without it all goes on as before.
		_ = syscall.Madvise(b[skip:skip+whole], syscall.MADV_HUGEPAGE)
	}
}
