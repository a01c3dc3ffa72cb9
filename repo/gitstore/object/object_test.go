package object

import (
	"bytes"
	"compress/zlib"
	"io"
	"testing"
)

// Whatever its size, and however many parts it was compressed in, content reads
// back with another program's zlib, its checksum included.
func TestDeflate(t *testing.T) {
	line := []byte("Run `make generate` before the tests\n")
	for _, size := range []int{0, 1, 100, minPart - 1, minPart, 2*minPart - 1, 2 * minPart, 3*minPart + 7, 2*maxParts*minPart + 1} {
		content := bytes.Repeat(line, size/len(line)+1)[:size]
		for i := 0; i < size; i += 61 {
			content[i] = byte(i * i >> 7)
		}
		z, err := zlib.NewReader(bytes.NewReader(Deflate(content)))
		if err != nil {
			t.Fatal(size, err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes read back as %d, %v", size, len(got), err)
		}
	}
}
