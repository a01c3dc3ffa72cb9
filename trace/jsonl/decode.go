package jsonl

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Foreign are the options for JSON that other programs wrote. A member that has another type
// than expected counts as absent, so that one surprise does not cost a whole line: only broken
// syntax is an error. Fields need no tags: "parentUuid" and "parent_uuid" both are ParentUUID.
var Foreign = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.MatchCaseInsensitiveNames(true),
	json.WithUnmarshalers(json.UnmarshalFromFunc(forgive)),
)

// Unmarshal decodes data into v and reports whether it is exactly one value.
func Unmarshal(data []byte, v any) bool { return json.Unmarshal(data, v, Foreign) == nil }

// errDefault has a value decoded as usual.
var errDefault = errors.ErrUnsupported

// forgive skips a value that v, a pointer, cannot hold.
func forgive(dec *jsontext.Decoder, v any) error {
	kind := dec.PeekKind()
	if dec.StackDepth() == 0 {
		return errDefault
	}
	switch v := v.(type) {
	case json.UnmarshalerFrom, *Raw:
		return errDefault
	case **float64:
		if kind == '0' {
			return readNumber(dec, v)
		}
		return dec.SkipValue()
	case *time.Time:
		if kind == '"' || kind == '0' {
			return readTime(dec, v)
		}
		return dec.SkipValue()
	}
	t := reflect.TypeOf(v).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if strings.IndexByte(kinds[t.Kind()], byte(kind)) >= 0 {
		return errDefault
	}
	return dec.SkipValue()
}

// kinds are the first bytes of the values that a Go type can hold.
var kinds = map[reflect.Kind]string{reflect.String: `"`, reflect.Bool: "tf", reflect.Struct: "{", reflect.Map: "{", reflect.Slice: "["}

// readNumber reads a number that may be absent, and is if no float can hold it.
func readNumber(dec *jsontext.Decoder, v **float64) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*v = nil
	if n, err := tok.Float(); err == nil {
		*v = &n
	}
	return nil
}

// readTime reads a time: RFC 3339, or milliseconds since 1970.
func readTime(dec *jsontext.Decoder, v *time.Time) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	var at time.Time
	if tok.Kind() == '"' {
		at, _ = time.Parse(time.RFC3339, tok.String()) // zero if it is not a time
	} else if ms, _ := tok.Float(); ms > 0 && ms < 1<<48 {
		at = time.UnixMilli(int64(ms))
	}
	if y := at.Year(); y >= 1970 && y <= 9999 {
		*v = at.UTC()
	}
	return nil
}

// Raw is any value as it was written.
type Raw = jsontext.Value

// MaxBlocks bounds the blocks of one message; the rest is skipped.
const MaxBlocks = 4096

// Blocks are the objects of an array, such as the body of a message. A body that is one string
// is a block of text.
type Blocks[T any] []T

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (b *Blocks[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		raw, err := dec.ReadValue()
		if err != nil || string(raw) == `""` {
			return err
		}
		*b = make([]T, 1)
		return json.Unmarshal(slices.Concat([]byte(`{"type":"text","text":`), raw, []byte("}")), &(*b)[0], Foreign)
	}
	return ReadList(dec, func() error {
		if dec.PeekKind() != '{' || len(*b) == MaxBlocks {
			return dec.SkipValue()
		}
		*b = append(*b, *new(T))
		return json.UnmarshalDecode(dec, &(*b)[len(*b)-1])
	})
}

// A List is the objects of an array, each with where it stands in the value that is
// decoded.
type List[T any] []struct {
	V  T
	At Span
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *List[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return ReadList(dec, func() error {
		if dec.PeekKind() != '{' || len(*l) == MaxValues {
			return dec.SkipValue()
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		*l = append(*l, struct {
			V  T
			At Span
		}{At: Span{Off: dec.InputOffset() - int64(len(raw)), N: int64(len(raw))}})
		return json.Unmarshal(raw, &(*l)[len(*l)-1].V, Foreign)
	})
}

// A Prose is text in any of the shapes in which agents store it: a string, an
// object with text, content or message, or a list of these, joined by line breaks.
type Prose string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *Prose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return json.UnmarshalDecode(dec, (*string)(p))
	case '{':
		var o struct {
			Text, Message string
			Content       Prose
		}
		err := json.UnmarshalDecode(dec, &o)
		*p = cmp.Or(Prose(o.Text), o.Content, Prose(o.Message))
		return err
	}
	var parts []string
	err := ReadList(dec, func() error {
		var one Prose
		if err := one.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		if one != "" && len(parts) < MaxBlocks {
			parts = append(parts, string(one))
		}
		return nil
	})
	*p = Prose(strings.Join(parts, "\n"))
	return err
}

// ReadList reads an array, calling item where each element starts, and skips any other value.
func ReadList(dec *jsontext.Decoder, item func() error) error {
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := item(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}
