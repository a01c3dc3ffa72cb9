package index

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mem/words"
)

// The functions of this file walk JSON that a jsontext.Decoder has accepted
// already. They trust it, which makes them three times as fast as decoding
// token by token; on anything else they would panic or lie.

// members calls f for every member of a valid object, in order.
func (l *loader) members(object value, f func(name string, v value) error) error {
	b, i := object.raw, space(object.raw, 1)
	for b[i] == '"' {
		end := i + stringEnd(b[i:])
		name := l.text[object.at+i+1 : object.at+end-1]
		if bytes.IndexByte(b[i:end], '\\') >= 0 {
			name = unquote(b[i:end])
		}
		i = space(b, end) // the colon
		i = space(b, i+1) // the value
		end = i + valueEnd(b[i:])
		if err := f(name, value{b[i:end:end], object.at + i}); err != nil {
			return err
		}
		if i = space(b, end); b[i] == ',' {
			i = space(b, i+1)
		}
	}
	return nil
}

// elements calls f for every element of a valid array, in order.
func elements(array value, f func(v value) error) error {
	b, i := array.raw, space(array.raw, 1)
	for b[i] != ']' {
		end := i + valueEnd(b[i:])
		if err := f(value{b[i:end:end], array.at + i}); err != nil {
			return err
		}
		if i = space(b, end); b[i] == ',' {
			i = space(b, i+1)
		}
	}
	return nil
}

// space returns the place of the first byte from i on that is no white space.
func space(b []byte, i int) int {
	for b[i] <= ' ' {
		i++
	}
	return i
}

// stringEnd is the length of the string that b starts with.
func stringEnd(b []byte) int {
	for i := 1; ; {
		i += bytes.IndexByte(b[i:], '"')
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// valueEnd is the length of the value that b starts with.
func valueEnd(b []byte) int {
	switch b[0] {
	case '"':
		return stringEnd(b)
	case '{', '[':
		depth := 0
		for i := 0; ; i++ {
			switch b[i] {
			case '"':
				i += stringEnd(b[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i, c := range b {
		if c == ',' || c == '}' || c == ']' || c <= ' ' {
			return i
		}
	}
	return len(b)
}

// maxDepth bounds the nesting of members that are kept without being known:
// indenting them costs the square of it.
const maxDepth = 64

// keep adds an unknown member.
func keep(list []member, name string, raw jsontext.Value) ([]member, error) {
	depth, most := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += stringEnd(raw[i:]) - 1
		case '{', '[':
			depth++
			most = max(most, depth)
		case '}', ']':
			depth--
		}
	}
	if most > maxDepth {
		return nil, fmt.Errorf("%s is nested deeper than %d", name, maxDepth)
	}
	return append(list, member{name, raw.Clone()}), nil
}

// unquote decodes a JSON string that is known to be valid, except that it may
// hold unpaired surrogates, which become U+FFFD.
func unquote(raw jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}

// number reads a number or a string that holds one; anything else counts as
// absent, which is 1 for hits and score alike.
func (l *loader) number(v value) float64 {
	text := string(v.raw)
	if v.raw.Kind() == '"' {
		text = words.FoldSpace(l.lenient(v))
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 1
	}
	return n
}

// lenient reads a string; another kind of value counts as absent. A string
// without escapes is a part of the document's text and costs nothing.
func (l *loader) lenient(v value) string {
	switch {
	case v.raw.Kind() != '"':
		return ""
	case bytes.IndexByte(v.raw, '\\') < 0:
		return l.text[v.at+1 : v.at+len(v.raw)-1]
	}
	return unquote(v.raw)
}
