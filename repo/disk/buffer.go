package disk

// hugeFrom is the size from which a buffer is worth large pages.
const hugeFrom = 2 << 20

// NewBuffer returns an empty buffer with room for size bytes. Memory that was
// never used costs most of the time that a large file takes, page by page, so
// that large buffers ask the system for large pages.
func NewBuffer(size int) []byte {
	b := make([]byte, 0, size)
	if size >= hugeFrom {
		adviseHuge(b[:size])
	}
	return b
}
