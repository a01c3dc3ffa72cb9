// Package jsonl reads JSON that other programs wrote, one object a line, and assembles sessions of what it says. The
// readers of all formats use it.
//
// Files may be huge, damaged, hostile or still being written. Memory and time stay bounded, what cannot be read is
// skipped and counted, and each object comes with where it stood, so that it can be cited.
package jsonl

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"mem/fault"
	"mem/words"
)

// How much of a source is looked at. A session that is larger keeps its head,
// which names it, and its tail, which is what happened last.
const (
	HeadBytes = 64 << 10
	TailBytes = 8 << 20
	MaxLine   = 4 << 20 // bytes; longer lines are skipped
	maxStream = 4 << 30
	MaxValues = 1 << 16
	tailLines = 1 << 15
)

// BOM is the byte order mark that some editors put at the start.
const BOM = "\xef\xbb\xbf"

const space = " \t\r\n\x00" // zeros are what a crash of the machine leaves

// A Source is what is kept of the bytes of a session.
type Source struct {
	Path  string // of the file; "" of a stream
	parts []part
	Cut   bool // something between the parts was left out

	// What reading the objects came to.
	Skipped int
	End     int64 // of the last complete object
	Full    bool  // there were too many values
}

// A part is a run of whole lines; only the last part may end within a line.
type part struct {
	data []byte
	off  int64 // of data[0] in the whole source
	line int   // number of the first line, from 1; 0 if unknown
}

// ErrNotFile is wrapped when a source is a pipe, a device or a folder.
var ErrNotFile = fault.New(fault.Input, "not a regular file", "name a session file; what a program prints can be piped in, with - as FILE")

// ErrTooLarge is wrapped when more is given than what one session can be.
var ErrTooLarge = fault.New(fault.Input, "too large", "give it in parts: one event a line, or several reflections")

// Open keeps the head and the tail of the regular file at path: a pipe may stay
// silent and a device have no end, so neither is read.
func Open(path string, head, tail int64) (src *Source, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, ErrNotFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if src, err = FromFile(f, info.Size(), head, tail); err == nil {
		src.Path = path
	}
	return src, err
}

// FromFile keeps the head and the tail of a file of the given size. Nothing else of it is read, unless it is encoded.
func FromFile(f io.ReaderAt, size, head, tail int64) (*Source, error) {
	r, isEncoded, err := decode(io.NewSectionReader(f, 0, size))
	switch {
	case err != nil:
		return nil, err
	case isEncoded || size <= head+tail:
		return fromStream(r, head, tail)
	}
	begin, err := io.ReadAll(io.NewSectionReader(f, 0, head))
	end, errEnd := io.ReadAll(io.NewSectionReader(f, size-tail, tail))
	if err = cmp.Or(err, errEnd); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return newSource(begin, end, size-tail), nil
}

// FromStream reads r to its end and keeps the head and the tail. It keeps only the head of a large r
// that is not JSON, and fails with ErrTooLarge above maxStream.
func FromStream(r io.Reader) (*Source, error) {
	plain, _, err := decode(r)
	if err != nil {
		return nil, err
	}
	return fromStream(plain, HeadBytes, TailBytes)
}

func fromStream(r io.Reader, head, tail int64) (*Source, error) {
	data, err := io.ReadAll(io.LimitReader(r, head+tail+1))
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if int64(len(data)) <= head+tail {
		return FromBytes(data), nil
	}
	if !bytes.HasPrefix(trim(data), []byte("{")) && !bytes.Contains(data, []byte("\n{")) {
		return &Source{Cut: true, parts: []part{{data: data[:head], line: 1}}}, nil
	}
	end, off := data[head+1:], head+1
	for more := tail > 0; more; {
		if off > maxStream {
			return nil, fmt.Errorf("a session of more than %d GiB: %w", maxStream>>30, ErrTooLarge)
		}
		next := make([]byte, tail)
		n, err := io.ReadFull(r, next)
		if more = err == nil; !more && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("read session: %w", err)
		}
		end, off = slices.Concat(end[n:], next[:n]), off+int64(n)
	}
	return newSource(slices.Clone(data[:head]), end, off), nil
}

// FromBytes makes a source of data, which it keeps.
func FromBytes(data []byte) *Source {
	start := lastLines(data)
	if start == 0 || isDocument(data) {
		return &Source{parts: []part{{data: data, line: 1}}}
	}
	// Too many lines. The head still names the session; the gap is before the end of
	// the line that comes before the last ones.
	return newSource(data[:min(start, HeadBytes)], data[start-1:], int64(start-1))
}

// newSource drops the lines that are cut at the gap between head and tail.
func newSource(head, tail []byte, off int64) *Source {
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	start := max(lastLines(tail), bytes.IndexByte(tail, '\n')+1)
	if start == 0 { // a single line fills the whole tail
		start = len(tail)
	}
	return &Source{Cut: true, parts: []part{{data: head, line: 1}, {data: tail[start:], off: off + int64(start)}}}
}

// lastLines returns where the last tailLines lines of data start.
func lastLines(data []byte) int {
	if bytes.Count(data, []byte{'\n'}) <= tailLines {
		return 0
	}
	at := len(data) - 1 // the newline that ends the last line does not count
	for range tailLines {
		at = bytes.LastIndexByte(data[:at], '\n')
	}
	return at + 1
}

// IsBlank reports whether src holds nothing but white space.
func (src *Source) IsBlank() bool { return !src.Cut && len(trim(src.parts[0].data)) == 0 }

func trim(data []byte) []byte { return bytes.Trim(bytes.TrimPrefix(data, []byte(BOM)), space) }

// isDocument reports whether data begins like an object that is written over many lines, perhaps the first of an array.
func isDocument(data []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(trim(data), space+"["), []byte{'\n'})
	return len(rest) > 0 && string(trim(first)) == "{"
}

// AsDocument returns the whole source if it is small enough to be one value and looks like an object.
func (src *Source) AsDocument() ([]byte, bool) {
	data := trim(src.parts[0].data) // all there is if nothing was cut
	return data, !src.Cut && len(data) > 0 && len(data) <= MaxLine && data[0] == '{' && !words.IsDeep(data, maxDepth)
}

// IsOversized reports whether the source begins with a value that is larger than what is read as one.
func (src *Source) IsOversized() bool {
	data := trim(src.parts[0].data)
	if !src.Cut && len(data) <= MaxLine {
		return false
	}
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	return len(data) == 0 || data[0] == '{' && (len(line) > MaxLine || !jsontext.Value(line).IsValid(Foreign))
}

// IsTruncated reports whether data ends within its first value.
func IsTruncated(data []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(data), Foreign).ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}

const (
	startBytes = 4                  // how much of a source says how it is encoded
	zstdMark   = "\x28\xb5\x2f\xfd" // begins what zstd compressed, such as Codex does with old sessions
	maxWindow  = 64 << 20           // bytes that zstd may ask to be kept in memory
)

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
	if mark := string(start[:min(len(start), 2)]); mark == "\xff\xfe" || mark == "\xfe\xff" { // as some shells on Windows write their output
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(in), true, nil
	}
	return in, isEncoded, nil
}
