package words

import (
	"bufio"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// shortUTF16 is from how many bytes on text without a byte order mark can be told to be UTF-16.
const shortUTF16 = 4

// IsUTF16 reports whether text that begins so is in UTF-16: it has the mark, or it is
// plain ASCII with a zero in every other byte. Some shells on Windows write their output so.
func IsUTF16(start []byte) bool {
	_, ok := orderUTF16(start)
	return ok
}

func orderUTF16(start []byte) (order unicode.Endianness, ok bool) {
	if len(start) < 2 {
		return order, false
	}
	mark := string(start[:2])
	if mark == "\xff\xfe" || mark == "\xfe\xff" {
		return order, true // the mark says which
	}
	start = start[:min(len(start)&^1, 16)]
	low, high := 0, 1
	order = unicode.LittleEndian
	if start[0] == 0 {
		low, high, order = 1, 0, unicode.BigEndian
	}
	for i := 0; i < len(start); i += 2 {
		if start[i+high] != 0 || start[i+low] == 0 {
			return order, false
		}
	}
	return order, len(start) >= shortUTF16
}

// NewReader returns r, in UTF-8 if it is in UTF-16.
func NewReader(r *bufio.Reader) io.Reader {
	start, _ := r.Peek(16)
	order, ok := orderUTF16(start)
	if !ok {
		return r
	}
	return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(r)
}
