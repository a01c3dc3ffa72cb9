package jsonl

import (
	"cmp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types below decode foreign JSON without ever failing on a member that
// has another type than expected: it counts as absent. Only broken syntax is
// an error, so one surprise does not cost a whole line.

// A Text is a string.
type Text string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (t *Text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, (*string)(t))
}

// A Flag is a boolean; only a literal true sets it.
type Flag bool

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (f *Flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = dec.PeekKind() == 't'
	return dec.SkipValue()
}

// A Number is a JSON number, or not set.
type Number struct {
	Set bool
	V   float64
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (n *Number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '0' {
		return dec.SkipValue()
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	v, err := tok.Float()
	*n = Number{Set: err == nil, V: v}
	return nil
}

// A Stamp is a time: RFC 3339, or milliseconds since 1970.
type Stamp struct{ time.Time }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *Stamp) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	kind := dec.PeekKind()
	if kind != '"' && kind != '0' {
		return dec.SkipValue()
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	var at time.Time
	if kind == '"' {
		at, _ = time.Parse(time.RFC3339, tok.String()) // zero if it is not a time
	} else if ms, _ := tok.Float(); ms > 0 && ms < 1<<48 {
		at = time.UnixMilli(int64(ms))
	}
	if y := at.Year(); y >= 1970 && y <= 9999 {
		s.Time = at.UTC()
	}
	return nil
}

// An Object is a JSON object decoded into V, or not set.
type Object[T any] struct {
	Set bool
	V   T
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *Object[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	o.Set = true
	return json.UnmarshalDecode(dec, &o.V)
}

// MaxBlocks bounds the blocks of one message; the rest is skipped.
const MaxBlocks = 4096

// A Content is a message body: one string, or a list of blocks.
type Content[T any] struct {
	Plain  string
	Blocks []T
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *Content[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return (*Text)(&c.Plain).UnmarshalJSONFrom(dec)
	case '[':
		return ReadList(dec, func() error {
			if dec.PeekKind() != '{' || len(c.Blocks) == MaxBlocks {
				return dec.SkipValue()
			}
			var v T
			if err := json.UnmarshalDecode(dec, &v); err != nil {
				return err
			}
			c.Blocks = append(c.Blocks, v)
			return nil
		})
	}
	return dec.SkipValue()
}

// A Prose is text in any of the shapes in which agents store it: a string, an
// object with text, content or message, or a list of these, joined by line breaks.
type Prose string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *Prose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return (*Text)(p).UnmarshalJSONFrom(dec)
	case '{':
		var o struct {
			Text    Text  `json:"text"`
			Content Prose `json:"content"`
			Message Text  `json:"message"`
		}
		if err := json.UnmarshalDecode(dec, &o); err != nil {
			return err
		}
		*p = cmp.Or(Prose(o.Text), o.Content, Prose(o.Message))
		return nil
	case '[':
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
	return dec.SkipValue()
}

// A Raw is any value as it was written.
type Raw struct{ V jsontext.Value }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (r *Raw) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	r.V = v.Clone()
	return err
}

// ReadList reads an array, calling item where each element starts.
func ReadList(dec *jsontext.Decoder, item func() error) error {
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
