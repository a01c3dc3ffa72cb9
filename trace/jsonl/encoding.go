package jsonl

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"

	"mem/words"
)

// startBytes is how much of a source says how it is encoded.
const startBytes = 64

// zstdMark begins what zstd compressed, such as Codex does with old sessions.
const zstdMark = "\x28\xb5\x2f\xfd"

// maxWindow bounds what zstd may ask to be kept in memory, in bytes.
const maxWindow = 64 << 20

// isEncoded reports whether what begins so is not text in UTF-8.
func isEncoded(start []byte) bool {
	return bytes.HasPrefix(start, []byte(zstdMark)) || words.IsUTF16(start)
}

// decode returns r unpacked and in UTF-8.
func decode(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if start, _ := in.Peek(startBytes); !bytes.HasPrefix(start, []byte(zstdMark)) {
		return words.NewReader(in), nil
	}
	packed, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return words.NewReader(bufio.NewReader(packed)), nil
}
