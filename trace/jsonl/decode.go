package jsonl

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
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

var errDefault = errors.ErrUnsupported

func forgive(dec *jsontext.Decoder, v any) error {
	kind := dec.PeekKind()
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
	if isWhole := dec.StackDepth() == 0; isWhole || strings.IndexByte(kinds[t.Kind()], byte(kind)) >= 0 {
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

// Blocks are the objects of an array, such as the body of a message. A body that is one string is a block of text.
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

// A List is the objects of an array, each with where it stands in the value that is decoded.
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

// nearby is how far from where a text would be cut a better place may be.
const nearby = 1 << 10

// Clip cuts s in the middle, between lines or words where there are any nearby and always between runes, so that at
// most limit bytes are left, the marker included. Half of a word can be half of a password, which could not be
// recognised as one any more.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const marker = "\n[… %d bytes left out …]\n"
	room := max(0, limit-len(fmt.Sprintf(marker, len(s))))
	head, tail := room-room/2, len(s)-room/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	before, after := s[head-min(nearby, head/2):head], s[tail:tail+min(nearby, (len(s)-tail)/2)]
	if i := cmp.Or(strings.LastIndexByte(before, '\n')+1, strings.LastIndexAny(before, " \t")+1); i > 0 {
		head -= len(before) - (i - 1)
	}
	tail += cmp.Or(strings.IndexByte(after, '\n')+1, strings.IndexAny(after, " \t")+1)
	return s[:head] + fmt.Sprintf(marker, tail-head) + s[tail:]
}

// Compact returns v as JSON without white space of at most session.MaxText bytes. When it is too long its strings are
// clipped first, so that what is left still parses; only if that is not enough it is cut like any text.
func Compact(v jsontext.Value) string {
	if len(v) > session.MaxText || v.Compact() != nil {
		for limit := session.MaxText / 2; limit >= 64; limit /= 4 {
			if s, ok := clipStrings(v, limit); ok {
				return s
			}
		}
	}
	return Clip(strings.ToValidUTF8(string(v), "\uFFFD"), session.MaxText)
}

// clipStrings returns v with every string clipped to limit bytes, if it then is short enough.
func clipStrings(v jsontext.Value, limit int) (string, bool) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), Foreign)
	enc := jsontext.NewEncoder(&out, Foreign)
	for dec.PeekKind() != 0 {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if tok.Kind() == '"' {
			tok = jsontext.String(Clip(tok.String(), limit))
		}
		if enc.WriteToken(tok) != nil || enc.OutputOffset() > session.MaxText {
			return "", false
		}
	}
	return strings.TrimSpace(out.String()), true
}
