package jsonl

import (
	"bytes"
	"errors"
	"io"

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
	for torn := false; len(rest) > 0; {
		start := int64(len(line) - len(rest))
		object := rest[0] == '{'
		v, err := new(T), error(nil)
		if w.dec.Reset(bytes.NewBuffer(rest), ForeignOptions()); object {
			err = json.UnmarshalDecode(w.dec, v)
		} else {
			err = w.dec.SkipValue()
		}
		if err != nil {
			if open && errors.Is(err, io.ErrUnexpectedEOF) {
				return true
			}
			w.Skipped++
			rest, torn = rest[w.findRecord(rest, err):], true
			continue
		}
		n := w.dec.InputOffset()
		after := bytes.TrimLeft(rest[n:], space)
		switch {
		case torn && len(after) > 0 && after[0] != '{': // it is a part of what was torn
			after = after[max(0, bytes.Index(after, []byte(`{"`))):]
			if after[0] != '{' {
				return true
			}
		case !object:
			w.Skipped++
		default:
			here := Span{Off: at.Off + start, N: n, Line: at.Line, Nth: at.Nth}
			w.End = here.Off + n
			at.Nth++
			w.values++
			if !torn && here.Nth == 0 {
				w.names[nameOf(rest)] = true
			}
			w.Cut = w.values == MaxValues
			if !w.visit(v, here) || w.Cut {
				return false
			}
		}
		rest = after
	}
	return true
}

// findRecord returns where the first record behind a torn one may begin, or the
// length of data. What was torn off reads on into the record behind it: up to the
// name of its first member, or, where a value was to come, to its end.
func (w *walk[T]) findRecord(data []byte, err error) int {
	end, at := len(data), 1
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		end = int(syntax.ByteOffset)
		at = max(at, end-len(`\{"`))
	}
	// Only its name tells it from a value that was complete.
	if i := findLastObject(data[:end]); i > 0 && (w.names[nameOf(data[i:])] || nameOf(data[i:]) == nameOf(data)) {
		return i
	}
	if i := bytes.Index(data[at:], []byte(`{"`)); i >= 0 && end < len(data) {
		return at + i
	}
	return len(data)
}

// nameOf returns the name of the first member of an object, by which the records of an
// agent can be known.
func nameOf(object []byte) string {
	if parts := bytes.SplitN(object, []byte{'"'}, 3); len(parts) == 3 {
		return string(parts[1])
	}
	return ""
}

// findLastObject returns where the object within data begins whose end is the end of
// data; -1 if there is none.
func findLastObject(data []byte) int {
	var begun []int
	data = bytes.TrimRight(data, space)
	scan(data, func(i int) bool {
		if data[i] == '{' || data[i] == '[' {
			begun = append(begun, i)
		} else if len(begun) > 0 && i < len(data)-1 {
			begun = begun[:len(begun)-1]
		}
		return true
	})
	if n := len(begun); n > 1 && data[len(data)-1] == '}' {
		return begun[n-1]
	}
	return -1
}

// isDeep reports whether values are nested more than maxDepth levels.
func isDeep(line []byte) bool {
	if bytes.Count(line, []byte{'{'})+bytes.Count(line, []byte{'['}) <= maxDepth {
		return false
	}
	depth := 0
	return !scan(line, func(i int) bool {
		if line[i] == '{' || line[i] == '[' {
			depth++
		} else {
			depth--
		}
		return depth <= maxDepth
	})
}

// scan visits the brackets outside of strings until visit returns false.
func scan(line []byte, visit func(i int) bool) bool {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == '}' || c == ']':
			if !visit(i) {
				return false
			}
		}
	}
	return true
}
