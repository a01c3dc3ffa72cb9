//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// peakUnit is what a process's peak is counted in, in bytes.
var peakUnit = func() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}()

// syncDisks waits until the system has written what it put off.
func syncDisks() { syscall.Sync() }
