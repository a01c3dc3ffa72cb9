package jsonl

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/words"
)

// A Span says where a value is in the source.
type Span struct {
	Off, N int64
	Line   int // from 1; 0 if the number is unknown
	Nth    int // values before it on the same line
}

// Place names the value after its line, or after its offset if the line is unknown: "12", "12.1" or "@4711".
func (s Span) Place() string {
	if s.Line == 0 {
		return "@" + strconv.FormatInt(s.Off, 10)
	}
	return strings.TrimSuffix(strconv.Itoa(s.Line)+"."+strconv.Itoa(s.Nth), ".0")
}

type walk struct {
	*Source
	values int
	dec    *jsontext.Decoder
	names  map[string]bool // of the first members of records
}

// Objects decodes every object in src, in order.
//
// Lines are only where reading resumes after damage: a line may hold several values. A last line that is not finished
// yet is neither given nor counted. Of a source whose objects are written over many lines, all is one line.
func Objects[T any](src *Source) iter.Seq2[*T, Span] {
	return func(yield func(*T, Span) bool) {
		src.Skipped, src.End, src.Full = 0, 0, false
		w := walk{Source: src, dec: jsontext.NewDecoder(new(bytes.Buffer)), names: map[string]bool{}}
		w.walkLines(func(at Span) (bool, error) {
			v := new(T)
			if err := json.UnmarshalDecode(w.dec, v); err != nil {
				return true, err
			}
			at.N = w.dec.InputOffset()
			w.End = at.Off + at.N
			w.values++
			w.Full = w.values == MaxValues
			return yield(v, at) && !w.Full, nil
		})
	}
}

// walkLines reads all lines until visit, which decodes an object, returns false.
func (w *walk) walkLines(visit func(Span) (bool, error)) {
	for i, p := range w.parts {
		data, at := p.data, Span{Off: p.off, Line: p.line}
		if at.Off == 0 && bytes.HasPrefix(data, []byte(BOM)) {
			data, at.Off = data[3:], 3
		}
		blank := len(data) - len(bytes.TrimRight(data, space))
		isDocument := !w.Cut && isDocument(data) && !words.IsDeep(data, maxDepth)
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte{'\n'})
			if isDocument {
				line, rest = data, nil
			}
			open := len(rest) <= blank && i == len(w.parts)-1
			if len(line) > MaxLine && !isDocument && len(trim(line)) > 0 {
				w.Skipped++
			} else if !w.walkLine(line, at, open, visit) {
				return
			}
			at.Off += int64(len(data) - len(rest))
			if at.Line > 0 {
				at.Line++
			}
			data = rest
		}
	}
}

// walkLine visits the values of one line. A line that is open may go on later. Behind a
// record that was torn off another one may follow without a line break.
func (w *walk) walkLine(line []byte, at Span, open bool, visit func(Span) (bool, error)) bool {
	const between = space + "[,]" // the records may be those of an array
	rest := bytes.TrimLeft(line, between)
	if words.IsDeep(rest, maxDepth) {
		w.Skipped++
		return true
	}
	for start := at.Off; len(rest) > 0; rest = bytes.TrimLeft(rest, between) {
		at.Off = start + int64(len(line)-len(rest))
		more, err := true, error(nil)
		object := rest[0] == '{'
		if w.dec.Reset(bytes.NewBuffer(rest), Foreign); object {
			more, err = visit(at)
		} else {
			err = w.dec.SkipValue()
		}
		switch {
		case !more:
			return false
		case err != nil && open && errors.Is(err, io.ErrUnexpectedEOF):
			return true
		case err != nil:
			w.Skipped++
			rest = w.findRecord(rest)
			continue
		case object:
			at.Nth++
			w.names[nameOf(rest)] = true
		default:
			w.Skipped++
		}
		rest = rest[w.dec.InputOffset():]
	}
	return true
}

// findRecord returns the rest of a line from the first whole record on that follows a torn one. Its name tells it from a
// value that was complete in what was torn, unless that was torn within its own name.
func (w *walk) findRecord(torn []byte) []byte {
	own, left := nameOf(torn), 4*int64(len(torn)) // bytes that may be read for it
	for rest := torn[1:]; left > 0; rest = rest[1:] {
		i := bytes.Index(rest, []byte(`{"`))
		if i < 0 {
			break
		}
		rest = rest[i:]
		if name := nameOf(rest); name != own && !w.names[name] && !strings.Contains(own, "{") {
			continue
		}
		w.dec.Reset(bytes.NewBuffer(rest), Foreign)
		err, n := w.dec.SkipValue(), w.dec.InputOffset()
		if after := bytes.TrimLeft(rest[n:], space); err == nil && (len(after) == 0 || after[0] == '{') {
			return rest
		}
		left -= n
	}
	return nil
}

// nameOf returns the name of the first member of an object, by which the records of an agent can be known.
func nameOf(object []byte) string {
	if parts := bytes.SplitN(object, []byte{'"'}, 3); len(parts) == 3 {
		return string(parts[1])
	}
	return ""
}

const maxDepth = 128
