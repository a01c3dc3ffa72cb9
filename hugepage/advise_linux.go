package hugepage

import "syscall"

// advise asks for large pages. It is no more than advice: without them all works as it would.
func advise(start, n uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, n, syscall.MADV_HUGEPAGE)
}
