package codec

import (
	"time"
	"unsafe"

	"mem/index"
)

// ReadOwn reads an index as readOwn does; nil if it gives up.
func ReadOwn(data []byte, now time.Time) *index.Index {
	return readOwn(data, decoder{text: unsafe.String(unsafe.SliceData(data), len(data)), now: now})
}

// LoadGenerally is Load without readOwn.
func LoadGenerally(data []byte, now time.Time) (*index.Index, Report, error) {
	return Load(append([]byte(" "), data...), now)
}

// AppendNumber writes a number.
var AppendNumber = appendNumber
