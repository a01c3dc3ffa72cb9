package codec

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"

	"mem/words"
)

// The functions of this file walk JSON that a jsontext.Decoder has accepted. They
// rely on that, which makes them three times as fast as decoding token by token;
// on anything else they would panic or give wrong results.

// eachMember calls f for every member of an object, in order. what names it in an error.
func (d *decoder) eachMember(object value, what string, f func(name string, v value) error) error {
	if k := object.raw.Kind(); k != '{' {
		return fmt.Errorf("%s is a %s, not an object", what, k)
	}
	b, i := object.raw, skipSpace(object.raw, 1)
	for b[i] == '"' {
		end := i + stringEnd(b[i:])
		name := d.text[object.at+i+1 : object.at+end-1]
		if bytes.IndexByte(b[i:end], '\\') >= 0 {
			name = unquote(b[i:end])
		}
		i = skipSpace(b, end) // the colon
		i = skipSpace(b, i+1) // the value
		end = i + valueEnd(b[i:])
		if err := f(name, value{b[i:end:end], object.at + i}); err != nil {
			return err
		}
		if i = skipSpace(b, end); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return nil
}

// eachElement is eachMember for an array.
func eachElement(array value, what string, f func(v value) error) error {
	if k := array.raw.Kind(); k != '[' {
		return fmt.Errorf("%s is a %s, not an array", what, k)
	}
	b, i := array.raw, skipSpace(array.raw, 1)
	for b[i] != ']' {
		end := i + valueEnd(b[i:])
		if err := f(value{b[i:end:end], array.at + i}); err != nil {
			return err
		}
		if i = skipSpace(b, end); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return nil
}

// skipSpace returns the place of the first byte from i on that is not white space.
func skipSpace(b []byte, i int) int {
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
		return nestedEnd(b)
	}
	for i, c := range b {
		if c == ',' || c == '}' || c == ']' || c <= ' ' {
			return i
		}
	}
	return len(b)
}

// nestedEnd is the length of the object or array that b starts with.
func nestedEnd(b []byte) int {
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

// maxDepth bounds the nesting of unknown members: indenting them takes time with
// the square of it.
const maxDepth = 64

// keepMember adds an unknown member.
func keepMember(list []index.Member, name string, raw jsontext.Value) ([]index.Member, error) {
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
	return append(list, index.Member{Name: name, Value: raw.Clone()}), nil
}

// unquote decodes a valid JSON string. Unpaired surrogates become U+FFFD.
func unquote(raw jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, raw)
	return string(b)
}

// numberOr1 reads a number or a string that holds one. Anything else counts as
// absent, which is 1 for both hits and score.
func (d *decoder) numberOr1(v value) float64 {
	text := string(v.raw)
	if v.raw.Kind() == '"' {
		text = words.FoldSpace(d.stringOrEmpty(v))
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 1
	}
	return n
}

// textOr reads a string. Another kind of value counts as absent. A string without
// escapes is a part of the document and takes no memory.
func (d *decoder) stringOrEmpty(v value) string {
	switch {
	case v.raw.Kind() != '"':
		return ""
	case bytes.IndexByte(v.raw, '\\') < 0:
		return d.text[v.at+1 : v.at+len(v.raw)-1]
	}
	return unquote(v.raw)
}
