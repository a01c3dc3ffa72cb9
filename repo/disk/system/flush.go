//go:build linux && !arm

package system

import (
	"os"
	"syscall"
)

// startWrite is Linux's SYNC_FILE_RANGE_WRITE.
const startWrite = 2

// StartFlush lets the system begin to write what a file holds to the disk, if it can, and does not
// wait: a flush that comes later has less to do.
func StartFlush(f *os.File) { _ = syscall.SyncFileRange(int(f.Fd()), 0, 0, startWrite) }
