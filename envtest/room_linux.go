package envtest

import (
	"os"
	"syscall"
)

// inMemory makes a folder on a file system in memory, if there is one with much room: tests make thousands of
// durable commits, and what would last is for them to say. "" is none, also for benchmarks, which are about a disk.
func inMemory(isBenchmark bool) string {
	var s syscall.Statfs_t
	if isBenchmark {
		return ""
	}
	if err := syscall.Statfs("/dev/shm", &s); err != nil || s.Bavail*uint64(s.Bsize) < 4<<30 {
		return ""
	}
	dir, _ := os.MkdirTemp("/dev/shm", "test-")
	return dir
}
