package main

import (
	"os"
	"runtime/debug"
)

// When memory is collected is decided here, for the whole program:
//
//   - Most commands are over before a collection would pay, so there is none
//     (skipCollection), up to a limit that only far too large a memory reaches.
//   - A worker and an MCP server run for a while and collect as Go does by
//     default (collectAsUsual).
//   - While a large session file is read, memory is worth more than time
//     (collectOften): it passes through in pieces that are soon garbage.
const (
	memoryLimit = 1 << 30 // bytes
	largeFile   = 4 << 20
)

func skipCollection() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

func collectAsUsual() { debug.SetGCPercent(100) }

// collectOften is for a program that is about to read the file.
func collectOften(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() > largeFile {
		debug.SetGCPercent(50)
	}
}
