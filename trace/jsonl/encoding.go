package jsonl

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
)

// startBytes is how much of a source says how it is encoded.
const startBytes = 16

// zstdMark begins what zstd compressed, such as Codex does with old sessions.
const zstdMark = "\x28\xb5\x2f\xfd"

// maxWindow bounds what zstd may ask to be kept in memory, in bytes.
const maxWindow = 64 << 20

// decode returns r unpacked and in UTF-8, and whether it was not so before.
func decode(r io.Reader) (_ io.Reader, isEncoded bool, err error) {
	in := bufio.NewReader(r)
	start, _ := in.Peek(startBytes)
	if strings.HasPrefix(string(start), zstdMark) {
		packed, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, true, fmt.Errorf("read session: %w", err)
		}
		in, isEncoded = bufio.NewReader(packed), true
		start, _ = in.Peek(startBytes)
	}
	if order, ok := orderUTF16(start); ok {
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in), true, nil
	}
	return in, isEncoded, nil
}

// orderUTF16 returns the order of the bytes of text that begins so, if that is in UTF-16: it has the mark, or it is
// plain ASCII with a zero in every other byte. Some shells on Windows write their output so.
func orderUTF16(start []byte) (order unicode.Endianness, ok bool) {
	if mark := string(start[:min(len(start), 2)]); mark == "\xff\xfe" || mark == "\xfe\xff" {
		return order, true // the mark says which
	}
	var zeros [2]int
	for i, c := range start[:len(start)&^1] {
		if c == 0 {
			zeros[i%2]++
		}
	}
	n := len(start) / 2
	return zeros[1] > 0, n > 1 && (zeros == [2]int{n, 0} || zeros == [2]int{0, n})
}
