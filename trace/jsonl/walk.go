package jsonl

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A walk reads objects into values of type T.
type walk[T any] struct {
	Tally
	values int
	dec    *jsontext.Decoder
	visit  func(*T, Span) bool
	names  map[string]bool // of the first members of records
}

// EachObject decodes every object in src, in order, until visit returns false.
//
// Lines are only where reading resumes after damage: a line may hold several
// values. A last line that is not finished yet is neither visited nor counted.
// A source that is one object over many lines is visited as that.
func EachObject[T any](src *Source, visit func(*T, Span) bool) Tally {
	if v, at, ok := decodeDocument[T](src); ok {
		visit(v, at)
		return Tally{End: at.Off + at.N}
	}
	w := walk[T]{dec: jsontext.NewDecoder(new(bytes.Buffer)), visit: visit, names: map[string]bool{}}
	for i, p := range src.parts {
		data, at := p.data, Span{Off: p.off, Line: p.line}
		if at.Off == 0 && bytes.HasPrefix(data, []byte(BOM)) {
			data, at.Off = data[3:], 3
		}
		blank := len(data) - len(bytes.TrimRight(data, space))
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte{'\n'})
			open := len(rest) <= blank && i == len(src.parts)-1
			if !w.line(line, at, open) {
				return w.Tally
			}
			at.Off += int64(len(data) - len(rest))
			if at.Line > 0 {
				at.Line++
			}
			data = rest
		}
	}
	return w.Tally
}

// decodeDocument decodes a source that is one object over many lines.
func decodeDocument[T any](src *Source) (v *T, at Span, ok bool) {
	data := src.parts[0].data
	if src.Cut || !isDocument(data) || isDeep(data) {
		return nil, at, false
	}
	doc, v := trim(data), new(T)
	return v, Span{Off: int64(bytes.IndexByte(data, '{')), N: int64(len(doc)), Line: 1}, Unmarshal(doc, v)
}

// ReadObjects is EachObject to the end.
func ReadObjects[T any](src *Source, visit func(*T, Span)) Tally {
	return EachObject(src, func(v *T, at Span) bool {
		visit(v, at)
		return true
	})
}

// line visits the values of one line. A line that is open may go on later. Behind a
// record that was torn off another one may follow without a line break.
func (w *walk[T]) line(line []byte, at Span, open bool) bool {
	rest := bytes.TrimLeft(line, space)
	if len(rest) == 0 {
		return true
	}
	if len(line) > MaxLine || isDeep(rest) {
		w.Skipped++
		return true
	}
	for len(rest) > 0 {
		start := int64(len(line) - len(rest))
		object := rest[0] == '{'
		v, err := new(T), error(nil)
		if w.dec.Reset(bytes.NewBuffer(rest), ForeignOptions()); object {
			err = json.UnmarshalDecode(w.dec, v)
		} else {
			err = w.dec.SkipValue()
		}
		n := w.dec.InputOffset()
		switch {
		case err != nil && open && errors.Is(err, io.ErrUnexpectedEOF):
			return true
		case err != nil:
			w.Skipped++
			rest = w.findRecord(rest)
			continue
		case !object:
			w.Skipped++
		default:
			here := Span{Off: at.Off + start, N: n, Line: at.Line, Nth: at.Nth}
			w.End = here.Off + n
			at.Nth++
			w.values++
			w.names[nameOf(rest)] = true
			w.Cut = w.values == MaxValues
			if !w.visit(v, here) || w.Cut {
				return false
			}
		}
		rest = bytes.TrimLeft(rest[n:], space)
	}
	return true
}

// findRecord returns the rest of a line from the first whole record on that follows a torn one. Its name tells it from a
// value that was complete in what was torn, unless that was torn within its own name.
func (w *walk[T]) findRecord(torn []byte) []byte {
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
		w.dec.Reset(bytes.NewBuffer(rest), ForeignOptions())
		err, n := w.dec.SkipValue(), w.dec.InputOffset()
		if after := bytes.TrimLeft(rest[n:], space); err == nil && (len(after) == 0 || after[0] == '{') {
			return rest
		}
		left -= n
	}
	return nil
}

// nameOf returns the name of the first member of an object, by which the records of an
// agent can be known.
func nameOf(object []byte) string {
	if parts := bytes.SplitN(object, []byte{'"'}, 3); len(parts) == 3 {
		return string(parts[1])
	}
	return ""
}

// isDeep reports whether values are nested more than maxDepth levels.
func isDeep(line []byte) bool {
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
