package trace

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

// A text is a string.
type text string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*t = text(tok.String())
	return nil
}

// A flag is a boolean; only a literal true sets it.
type flag bool

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (f *flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = dec.PeekKind() == 't'
	return dec.SkipValue()
}

// A number is a JSON number, or not set.
type number struct {
	set bool
	v   float64
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '0' {
		return dec.SkipValue()
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	v, err := tok.Float()
	*n = number{set: err == nil, v: v}
	return nil
}

// A stamp is a time: RFC 3339, or milliseconds since 1970.
type stamp struct{ time.Time }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *stamp) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var at time.Time
	switch dec.PeekKind() {
	case '"':
		var t text
		if err := t.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		at, _ = time.Parse(time.RFC3339, string(t)) // zero if it is no time
	case '0':
		var n number
		if err := n.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		if n.v > 0 && n.v < 1<<48 {
			at = time.UnixMilli(int64(n.v))
		}
	default:
		return dec.SkipValue()
	}
	if y := at.Year(); y >= 1970 && y <= 9999 {
		s.Time = at.UTC()
	}
	return nil
}

// An object is a JSON object decoded into V, or not set.
type object[T any] struct {
	set bool
	V   T
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *object[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	o.set = true
	return json.UnmarshalDecode(dec, &o.V)
}

// maxBlocks bounds the blocks of one message; the rest is passed over.
const maxBlocks = 4096

// A content is a message body: one string, or a list of blocks.
type content[T any] struct {
	plain  string
	blocks []T
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *content[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return (*text)(&c.plain).UnmarshalJSONFrom(dec)
	case '[':
		return list(dec, func() error {
			if dec.PeekKind() != '{' || len(c.blocks) == maxBlocks {
				return dec.SkipValue()
			}
			var v T
			if err := json.UnmarshalDecode(dec, &v); err != nil {
				return err
			}
			c.blocks = append(c.blocks, v)
			return nil
		})
	}
	return dec.SkipValue()
}

// A prose is text in any of the shapes in which agents store it: a string, an
// object with text, content or message, or a list of these, joined by line breaks.
type prose string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *prose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return (*text)(p).UnmarshalJSONFrom(dec)
	case '{':
		var o struct {
			Text    text  `json:"text"`
			Content prose `json:"content"`
			Message text  `json:"message"`
		}
		if err := json.UnmarshalDecode(dec, &o); err != nil {
			return err
		}
		*p = cmp.Or(prose(o.Text), o.Content, prose(o.Message))
		return nil
	case '[':
		var parts []string
		err := list(dec, func() error {
			var one prose
			if err := one.UnmarshalJSONFrom(dec); err != nil {
				return err
			}
			if one != "" && len(parts) < maxBlocks {
				parts = append(parts, string(one))
			}
			return nil
		})
		*p = prose(strings.Join(parts, "\n"))
		return err
	}
	return dec.SkipValue()
}

// A raw is any value as it was written.
type raw struct{ v jsontext.Value }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (r *raw) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	r.v = v.Clone()
	return err
}

// list reads an array, calling item where each element starts.
func list(dec *jsontext.Decoder, item func() error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for {
		kind := dec.PeekKind()
		if kind == ']' {
			break
		}
		if err := item(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}
