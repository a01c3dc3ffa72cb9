package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// How much of a source is looked at. A session that is larger keeps its head,
// which names it, and its tail, which is what happened last.
const (
	headBytes = 64 << 10
	tailBytes = 8 << 20
	tailLines = 1 << 15
	maxValues = 1 << 16
	maxLine   = 4 << 20
	maxDepth  = 128

	bom   = "\xef\xbb\xbf"
	space = " \t\r\n\x00" // zeros are what a crash of the machine leaves
)

// A source is what is kept of the bytes of a session.
type source struct {
	parts []part
	cut   bool // something between the parts was left out
}

// A part is a run of whole lines; only the last part may end within a line.
type part struct {
	data []byte
	off  int64 // of data[0] in the whole source
	line int   // number of the first line, from 1; 0 if unknown
}

// fileSource keeps the head and the tail of a file of the given size.
func fileSource(r io.ReaderAt, size, tail int64) (*source, error) {
	if size <= headBytes+tail {
		data := make([]byte, size)
		n, err := r.ReadAt(data, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read session: %w", err)
		}
		return newSource(data[:n], nil, 0), nil
	}
	head, end := make([]byte, headBytes), make([]byte, tail)
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read head of session: %w", err)
	}
	n, err := r.ReadAt(end, size-tail)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read tail of session: %w", err)
	}
	return newSource(head, end[:n], size-tail), nil
}

// streamSource reads r to its end and keeps the head and the tail.
func streamSource(r io.Reader) (*source, error) {
	buf := make([]byte, 0, 4*headBytes) // enough for most
	for len(buf) < headBytes+tailBytes {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return newSource(buf, nil, 0), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
		if cap(buf) < headBytes+tailBytes {
			buf = append(make([]byte, 0, headBytes+tailBytes), buf...)
		}
	}
	// What follows the head becomes a ring that the rest is written into.
	ring, total, at := buf[headBytes:], int64(len(buf)), 0
	for {
		n, err := r.Read(ring[at:])
		total += int64(n)
		at = (at + n) % len(ring)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
	}
	if total == int64(len(buf)) {
		return newSource(buf, nil, 0), nil
	}
	slices.Reverse(ring[:at]) // three reversals rotate in place
	slices.Reverse(ring[at:])
	slices.Reverse(ring)
	return newSource(buf[:headBytes:headBytes], ring, total-int64(len(ring))), nil
}

// newSource drops the lines that are cut at the gap between head and tail.
// Without a tail, head is the whole source.
func newSource(head, tail []byte, off int64) *source {
	if tail == nil {
		start := lastLines(head)
		s := &source{cut: start > 0}
		if !s.cut {
			s.parts = []part{{data: head, line: 1}}
			return s
		}
		// Too many lines. The head still names the session.
		first := min(start, headBytes)
		first = bytes.LastIndexByte(head[:first], '\n') + 1
		s.parts = []part{{data: head[:first], line: 1}, {data: head[start:], off: int64(start)}}
		return s
	}
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	start := max(lastLines(tail), bytes.IndexByte(tail, '\n')+1)
	if start == 0 { // a single line fills the whole tail
		start = len(tail)
	}
	return &source{
		cut:   true,
		parts: []part{{data: head, line: 1}, {data: tail[start:], off: off + int64(start)}},
	}
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

// A span says where a value is in the source.
type span struct {
	off, n int64
	line   int // from 1; 0 if the number is unknown
	nth    int // values before it on the same line
}

// A tally is what reading values came to.
type tally struct {
	skipped int
	end     int64 // of the last complete object
	cut     bool  // there were too many values
}

// foreign are the options for JSON that others wrote.
func foreign() jsontext.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// A walk reads objects into values of type T.
type walk[T any] struct {
	tally
	values int
	dec    *jsontext.Decoder
	opts   jsontext.Options
	visit  func(*T, span) bool
}

// each decodes every object in src, in order, until visit returns false.
//
// Lines are only where reading resumes after damage: a line may hold several
// values. A last line that is not finished yet is neither visited nor counted.
func each[T any](src *source, visit func(*T, span) bool) tally {
	w := walk[T]{dec: jsontext.NewDecoder(new(bytes.Buffer)), opts: foreign(), visit: visit}
	for i, p := range src.parts {
		data, at := p.data, span{off: p.off, line: p.line}
		if at.off == 0 && bytes.HasPrefix(data, []byte(bom)) {
			data, at.off = data[3:], 3
		}
		blank := len(data) - len(bytes.TrimRight(data, space))
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte{'\n'})
			open := len(rest) <= blank && i == len(src.parts)-1
			if !w.line(line, at, open) {
				return w.tally
			}
			at.off += int64(len(data) - len(rest))
			if at.line > 0 {
				at.line++
			}
			data = rest
		}
	}
	return w.tally
}

// line visits the values of one line. A line that is open may go on later.
func (w *walk[T]) line(line []byte, at span, open bool) bool {
	rest := bytes.TrimLeft(line, space)
	if len(rest) == 0 {
		return true
	}
	if len(line) > maxLine || deep(rest) {
		w.skipped++
		return true
	}
	for len(rest) > 0 {
		start := int64(len(line) - len(rest))
		object := rest[0] == '{'
		v := new(T)
		err := w.value(rest, object, v)
		if err != nil {
			if !open || !errors.Is(err, io.ErrUnexpectedEOF) {
				w.skipped++
			}
			return true
		}
		n := w.dec.InputOffset()
		if !object {
			w.skipped++
		} else {
			here := span{off: at.off + start, n: n, line: at.line, nth: at.nth}
			w.end = here.off + n
			at.nth++
			w.values++
			w.cut = w.values == maxValues
			if !w.visit(v, here) || w.cut {
				return false
			}
		}
		rest = bytes.TrimLeft(rest[n:], space)
	}
	return true
}

// value decodes the value at the start of data, or passes over it.
func (w *walk[T]) value(data []byte, object bool, v *T) error {
	w.dec.Reset(bytes.NewBuffer(data), w.opts)
	if !object {
		return w.dec.SkipValue()
	}
	return json.UnmarshalDecode(w.dec, v)
}

// deep reports whether values are nested more than maxDepth levels.
func deep(line []byte) bool {
	if bytes.Count(line, []byte{'{'})+bytes.Count(line, []byte{'['}) <= maxDepth {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// blank reports whether src holds nothing but white space.
func (src *source) blank() bool {
	if src.cut {
		return false
	}
	for _, p := range src.parts {
		if len(bytes.Trim(bytes.TrimPrefix(p.data, []byte(bom)), space)) > 0 {
			return false
		}
	}
	return true
}

// document returns the whole source if it is small enough to be one value
// and looks like an object.
func (src *source) document() ([]byte, bool) {
	if src.cut || len(src.parts) != 1 {
		return nil, false
	}
	data := bytes.Trim(bytes.TrimPrefix(src.parts[0].data, []byte(bom)), space)
	return data, len(data) > 0 && len(data) <= maxLine && data[0] == '{' && !deep(data)
}

// unmarshal decodes data into v and reports whether it is exactly one value.
func unmarshal(data []byte, v any) bool {
	return json.Unmarshal(data, v, foreign()) == nil
}
