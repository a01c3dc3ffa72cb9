package gitstore

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/adler32"
	"io"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"pgregory.net/rapid"
)

// lines is content of about the given size that resembles an index.
func lines(size, salt int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "    {\n      \"key\": \"run target %d of %d\"\n    },\n", uint32(i)*2654435761, salt)
	}
	return b.Bytes()
}

// inflated is the content of an object made of pieces.
func inflated(t interface{ Fatalf(string, ...any) }, object pieces) []byte {
	z, err := zlib.NewReader(bytes.NewReader(bytes.Join(object, nil)))
	if err != nil {
		t.Fatalf("object: %v", err)
	}
	all, err := io.ReadAll(z) // which checks the Adler-32 too
	if err != nil {
		t.Fatalf("object: %v", err)
	}
	return all
}

// baseOf is what the next version can copy from.
func baseOf(object pieces, note []segment, content []byte) base {
	return readBase(&segments{Parts: note}, io.NopCloser(bytes.NewReader(bytes.Join(object, nil))), content)
}

// TestSegments edits a large content again and again: each version is what
// the object holds, and most of it is copied. No two stretches of it are
// equal, as no two records of an index are.
func TestSegments(t *testing.T) {
	turns := make(chan struct{}, 2)
	first := lines(3<<19, 0)
	whole, parts := deflateFrom(base{}, first, turns)
	rapid.Check(t, func(t *rapid.T) {
		content, object, note, salt := first, whole, parts, 0
		for range rapid.IntRange(1, 3).Draw(t, "versions") {
			b := baseOf(object, note, content)
			next := bytes.Clone(content)
			edits := rapid.IntRange(0, 3).Draw(t, "edits")
			for range edits {
				at := rapid.IntRange(0, len(next)).Draw(t, "at")
				gone := min(len(next)-at, rapid.SampledFrom([]int{0, 1, 300, 200_000}).Draw(t, "gone"))
				salt++
				put := lines(rapid.SampledFrom([]int{0, 50, 150_000}).Draw(t, "put"), salt)
				next = append(next[:at:at], append(put, next[at+gone:]...)...)
			}
			copied := 0
			for _, p := range b.cut(next) {
				if p.packed != nil {
					copied += len(p.content)
				}
			}
			if want := len(next) - edits*(350_000+3*segmentSize); copied < want {
				t.Fatalf("%d of %d bytes copied, want %d", copied, len(next), want)
			}
			object, note = deflateFrom(b, next, turns)
			if want := string(header(plumbing.BlobObject, len(next))) + string(next); string(inflated(t, object)) != want {
				t.Fatalf("the object is not its content")
			}
			content = next
		}
	})
}

// TestSegmentsDoubted damages what a version would be copied from: it is not
// believed.
func TestSegmentsDoubted(t *testing.T) {
	turns := make(chan struct{}, 2)
	content := lines(3<<19, 1)
	object, note := deflateFrom(base{}, content, turns)
	packed := bytes.Join(object, nil)
	rapid.Check(t, func(t *rapid.T) {
		last, file, parts := bytes.Clone(content), bytes.Clone(packed), append([]segment{}, note...)
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0: // a bit of the object
			file[rapid.IntRange(0, len(file)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1: // the file of the work tree is not what the object was made from
			last[rapid.IntRange(0, len(last)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 2:
			file = file[:rapid.IntRange(0, len(file)).Draw(t, "size")]
		case 3:
			i := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			parts[i].Packed += rapid.IntRange(-3, 3).Draw(t, "packed")
			parts[i].Size += rapid.IntRange(-3, 3).Draw(t, "size")
		case 4:
			parts = parts[rapid.IntRange(0, len(parts)).Draw(t, "parts"):]
		}
		// The new version agrees with what was read, right or wrong.
		made, _ := deflateFrom(baseOf(pieces{file}, parts, last), last, turns)
		if want := string(header(plumbing.BlobObject, len(last))) + string(last); string(inflated(t, made)) != want {
			t.Fatalf("the object is not its content")
		}
	})
}

func TestCombineAdler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Byte(), 0, 70_000).Draw(t, "a")
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		want := adler32.Checksum(append(bytes.Clone(a), b...))
		if got := combineAdler(adler32.Checksum(a), adler32.Checksum(b), len(b)); got != want {
			t.Fatalf("combineAdler = %08x, want %08x", got, want)
		}
	})
}
