// Package jsonl reads JSON that other programs wrote, one object a line.
//
// Files may be huge, damaged, hostile or still being written. Memory and time
// stay bounded, what cannot be read is skipped and counted, and each
// object comes with where it stood, so that it can be cited.
package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
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
	maxDepth  = 128
)

// BOM is the byte order mark that some editors put at the start.
const BOM = "\xef\xbb\xbf"

const space = " \t\r\n\x00" // zeros are what a crash of the machine leaves

// A Source is what is kept of the bytes of a session.
type Source struct {
	parts []part
	Cut   bool // something between the parts was left out
}

// A part is a run of whole lines; only the last part may end within a line.
type part struct {
	data []byte
	off  int64 // of data[0] in the whole source
	line int   // number of the first line, from 1; 0 if unknown
}

// ErrNotFile is wrapped when a source is a pipe, a device or a folder.
var ErrNotFile = fault.New(fault.Input, "not a regular file", "name a session file; what a program prints can be piped in, with - as FILE")

// Open keeps the head and the tail of the regular file at path: a pipe may stay
// silent and a device have no end, so neither is read.
func Open(path string, tail int64) (*Source, error) { return OpenParts(path, HeadBytes, tail) }

// OpenParts is Open with a head of another size.
func OpenParts(path string, head, tail int64) (src *Source, err error) {
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
	size := info.Size()
	if r, isEncoded, err := decode(io.NewSectionReader(f, 0, size)); err != nil {
		return nil, err
	} else if isEncoded {
		return fromStream(r, head, tail)
	}
	return FromFile(f, size, head, tail)
}

// FromFile keeps the head and the tail of a file of the given size.
func FromFile(r io.ReaderAt, size, head, tail int64) (*Source, error) {
	if size <= head+tail {
		data, err := readPart(r, 0, size)
		return FromBytes(data), err
	}
	begin, err := readPart(r, 0, head)
	if err != nil {
		return nil, err
	}
	end, err := readPart(r, size-tail, tail)
	return newSource(begin, end, size-tail), err
}

// readPart reads n bytes from off on, or what there is of them.
func readPart(r io.ReaderAt, off, n int64) ([]byte, error) {
	data := make([]byte, n)
	got, err := r.ReadAt(data, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return data[:got], nil
}

// ErrTooLarge is wrapped when more is given than what one session can be.
var ErrTooLarge = fault.New(fault.Input, "too large", "give it in parts: one event a line, or several reflections")

// FromStream reads r to its end and keeps the head and the tail. It stops with the
// head where that is no JSON, and fails where there is no end.
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
	if start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte(BOM)), space); !bytes.HasPrefix(start, []byte("{")) && !bytes.Contains(data, []byte("\n{")) {
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
	if start == 0 || isDocument(data) && jsontext.Value(trim(data)).IsValid(ForeignOptions()) {
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

// A Span says where a value is in the source.
type Span struct {
	Off, N int64
	Line   int // from 1; 0 if the number is unknown
	Nth    int // values before it on the same line
}

// Place names the value after its line, or after its offset if the line is
// unknown: "12", "12.1" or "@4711".
func (s Span) Place() string {
	if s.Line == 0 {
		return "@" + strconv.FormatInt(s.Off, 10)
	}
	return strings.TrimSuffix(strconv.Itoa(s.Line)+"."+strconv.Itoa(s.Nth), ".0")
}

// A Tally is what reading values came to.
type Tally struct {
	Skipped int
	End     int64 // of the last complete object
	Cut     bool  // there were too many values
}

// ForeignOptions are the options for JSON that others wrote.
func ForeignOptions() jsontext.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// IsBlank reports whether src holds nothing but white space.
func (src *Source) IsBlank() bool {
	return !src.Cut && len(src.trimmedHead()) == 0
}

// trimmedHead returns the first part, which is all there is if nothing was cut,
// without the space around it.
func (src *Source) trimmedHead() []byte { return trim(src.parts[0].data) }

func trim(data []byte) []byte { return bytes.Trim(bytes.TrimPrefix(data, []byte(BOM)), space) }

// isDocument reports whether data begins like an object that is written over many
// lines.
func isDocument(data []byte) bool {
	first, rest, _ := bytes.Cut(data, []byte{'\n'})
	return len(rest) > 0 && string(trim(first)) == "{"
}

// AsDocument returns the whole source if it is small enough to be one value
// and looks like an object.
func (src *Source) AsDocument() ([]byte, bool) {
	data := src.trimmedHead()
	return data, !src.Cut && len(data) > 0 && len(data) <= MaxLine && data[0] == '{' && !isDeep(data)
}

// IsOversized reports whether the source begins with a value that is larger than what
// is read as one.
func (src *Source) IsOversized() bool {
	data := src.trimmedHead()
	if !src.Cut && len(data) <= MaxLine {
		return false
	}
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	return len(data) == 0 || data[0] == '{' && (len(line) > MaxLine || !jsontext.Value(line).IsValid(ForeignOptions()))
}

// IsTruncated reports whether data ends within its first value.
func IsTruncated(data []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(data), ForeignOptions()).ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// Unmarshal decodes data into v and reports whether it is exactly one value.
func Unmarshal(data []byte, v any) bool {
	return json.Unmarshal(data, v, ForeignOptions()) == nil
}
