// Package system is what differs between operating systems: locking and flushing,
// what tells a file from its copy, and memory for large files.
package system

// hugeFrom is the size from which a buffer is worth large pages.
const hugeFrom = 2 << 20

// NewBuffer returns an empty buffer with room for size bytes. Most of the time that
// a large file takes goes into touching new memory page by page, so a large buffer
// asks the system for large pages.
func NewBuffer(size int) []byte {
	b := make([]byte, 0, size)
	if size >= hugeFrom {
		adviseHuge(b[:size])
	}
	return b
}
