package jsonl

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
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

// A List is the objects of an array, each with where it stands in the value that is
// decoded.
type List[T any] []struct {
	V  T
	At Span
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *List[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
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
		return json.Unmarshal(raw, &(*l)[len(*l)-1].V, ForeignOptions())
	})
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

// Raw is any value as it was written.
type Raw = jsontext.Value

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

// Clip cuts s in the middle, between lines or words where there are any nearby
// and always between runes, so that at most limit bytes are left, the marker
// included. Half of a word can be half of a password, which could not be
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
	head, tail = wholeHead(s, head), wholeTail(s, tail)
	return s[:head] + fmt.Sprintf(marker, tail-head) + s[tail:]
}

// nearby is how far from where a text would be cut a better place may be.
const nearby = 1 << 10

// wholeHead returns where the last whole line, or else word, of s[:at] ends.
func wholeHead(s string, at int) int {
	from := max(0, at-min(nearby, at/2))
	for _, breaks := range []string{"\n", " \t"} {
		if i := strings.LastIndexAny(s[from:at], breaks); i >= 0 {
			return from + i
		}
	}
	return at
}

// wholeTail returns where the first whole line, or else word, of s[at:] begins.
func wholeTail(s string, at int) int {
	to := at + min(nearby, (len(s)-at)/2)
	for _, breaks := range []string{"\n", " \t"} {
		if i := strings.IndexAny(s[at:to], breaks); i >= 0 {
			return at + i + 1
		}
	}
	return at
}

// Compact returns v as JSON without white space of at most session.MaxText bytes.
// When it is too long its strings are clipped first, so that what is left
// still parses; only if that is not enough it is cut like any text.
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

// clipStrings returns v with every string clipped to limit bytes, if it then is
// short enough.
func clipStrings(v jsontext.Value, limit int) (string, bool) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), ForeignOptions())
	enc := jsontext.NewEncoder(&out, ForeignOptions())
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
