//go:build !linux

package hugepage

// advise does nothing: other systems choose the size of pages on their own.
func advise(uintptr, uintptr) {}
