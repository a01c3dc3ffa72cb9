package index

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNewerVersion is wrapped by the error of Encode for an index that a newer
// version of mem wrote.
var ErrNewerVersion = errors.New("written by a newer version of mem")

// errPartial keeps an index that was made of a digest from replacing the one
// that the digest was made of.
var errPartial = errors.New("encode index: it was made of a digest")

// Encode returns the bytes of core/index.json: version 2, two-space indent,
// a final newline, members in a fixed order with unknown ones last, zero
// values left out except for the seven members of version 1.
func (ix *Index) Encode() ([]byte, error) { return ix.AppendEncode(nil) }

// Size is about what Encode needs.
func (ix *Index) Size() int { return ix.size + ix.size/16 + 1024 }

// AppendEncode is Encode into the free room of a buffer.
func (ix *Index) AppendEncode(buf []byte) ([]byte, error) {
	switch {
	case ix.ReadOnly():
		return nil, fmt.Errorf("index of version %d: %w", ix.Version, ErrNewerVersion)
	case ix.partial:
		return nil, errPartial
	}
	e := encoder{out: slices.Grow(buf, ix.Size())}
	e.open('{')
	e.name("version")
	e.out = strconv.AppendInt(e.out, Version, 10)
	e.time("updatedAt", ix.UpdatedAt)
	e.text("replica", ix.Replica)
	e.name("items")
	e.open('[')
	for i := range ix.Items {
		e.next()
		e.item(&ix.Items[i])
	}
	e.close(']')
	e.members(ix.unknown)
	e.close('}')
	if e.err != nil {
		return nil, fmt.Errorf("encode index: %w", e.err)
	}
	return append(e.out, '\n'), nil
}

// An encoder appends indented JSON. The first error sticks.
type encoder struct {
	out   []byte
	depth int
	first bool // nothing was written since the last open
	err   error
}

func (e *encoder) open(c byte) {
	e.out = append(e.out, c)
	e.depth++
	e.first = true
}

func (e *encoder) close(c byte) {
	e.depth--
	if !e.first {
		e.line()
	}
	e.first = false
	e.out = append(e.out, c)
}

func (e *encoder) line() {
	const indent = "\n                "
	if n := 1 + 2*e.depth; n <= len(indent) {
		e.out = append(e.out, indent[:n]...)
		return
	}
	e.out = append(e.out, '\n')
	for range e.depth {
		e.out = append(e.out, ' ', ' ')
	}
}

// next starts the next member or element.
func (e *encoder) next() {
	if !e.first {
		e.out = append(e.out, ',')
	}
	e.first = false
	e.line()
}

func (e *encoder) name(name string) {
	e.next()
	e.quote(name)
	e.out = append(e.out, ':', ' ')
}

func (e *encoder) quote(s string) {
	if plain(s) {
		e.out = append(e.out, '"')
		e.out = append(e.out, s...)
		e.out = append(e.out, '"')
		return
	}
	var err error
	if e.out, err = jsontext.AppendQuote(e.out, s); err != nil && e.err == nil {
		e.err = err
	}
}

// plain reports whether s needs no escapes and is surely valid UTF-8.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// text writes a string member unless it is empty.
func (e *encoder) text(name, s string) {
	if s != "" {
		e.name(name)
		e.quote(s)
	}
}

func (e *encoder) time(name string, t time.Time) {
	e.name(name)
	e.out = append(e.out, '"')
	e.out = appendTime(e.out, t)
	e.out = append(e.out, '"')
}

func (e *encoder) int(name string, n int) {
	e.name(name)
	e.out = strconv.AppendInt(e.out, int64(n), 10)
}

func (e *encoder) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	e.name(name)
	e.open('[')
	for _, s := range list {
		e.next()
		e.quote(s)
	}
	e.close(']')
}

func (e *encoder) item(it *Item) {
	e.open('{')
	e.name("key")
	e.quote(it.Key)
	e.name("text")
	e.quote(it.Text)
	e.text("kind", string(it.Kind))
	e.int("hits", it.Hits)
	e.name("score")
	e.out = appendNumber(e.out, it.Score)
	e.time("firstSeen", it.FirstSeen)
	e.time("lastSeen", it.LastSeen)
	e.text("id", it.ID)
	e.text("status", string(it.Status))
	if it.Pinned {
		e.name("pinned")
		e.out = append(e.out, "true"...)
	}
	e.text("severity", it.Severity)
	e.text("domain", it.Domain)
	e.texts("tags", it.Tags)
	e.text("confidence", it.Confidence)
	e.text("origin", string(it.Origin))
	e.sources(it.Sources)
	e.texts("derivedFrom", it.DerivedFrom)
	e.text("supersededBy", it.SupersededBy)
	if it.Recurred != 0 {
		e.int("recurred", it.Recurred)
	}
	if it.Evidence != nil {
		e.value("evidence", it.Evidence)
	}
	if it.Violations != 0 {
		e.int("violations", it.Violations)
	}
	e.counts(it.By)
	e.members(it.unknown)
	e.close('}')
}

func (e *encoder) sources(list []Source) {
	if len(list) == 0 {
		return
	}
	e.name("sources")
	e.open('[')
	for i := range list {
		s := &list[i]
		e.next()
		e.open('{')
		e.text("trace", s.Trace)
		e.text("session", s.Session)
		e.text("span", s.Span)
		e.text("model", s.Model)
		if !s.At.IsZero() {
			e.time("at", s.At)
		}
		e.members(s.unknown)
		e.close('}')
	}
	e.close(']')
}

func (e *encoder) counts(by map[string]Counts) {
	if len(by) == 0 {
		return
	}
	replicas := make([]string, 0, len(by))
	for r := range by {
		replicas = append(replicas, r)
	}
	slices.Sort(replicas)
	e.name("by")
	e.open('{')
	for _, r := range replicas {
		e.value(r, by[r])
	}
	e.close('}')
}

func (e *encoder) members(list []member) {
	for _, m := range list {
		e.name(m.name)
		e.raw(m.value)
	}
}

// value writes a member whose Go value has JSON tags.
func (e *encoder) value(name string, v any) {
	e.name(name)
	e.marshal(v)
}

func (e *encoder) marshal(v any) {
	b, err := json.Marshal(v, json.Deterministic(true), json.WithMarshalers(timeMarshaler),
		jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return
	}
	e.raw(b)
}

// raw writes a JSON value, indented to where it stands.
func (e *encoder) raw(v jsontext.Value) {
	prefix := ""
	for range e.depth {
		prefix += "  "
	}
	// A valid value keeps its spelling; unpaired surrogates are never written.
	b, err := jsontext.AppendFormat(nil, v, jsontext.Multiline(true), jsontext.WithIndent("  "),
		jsontext.WithIndentPrefix(prefix), jsontext.PreserveRawStrings(v.IsValid()),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil && e.err == nil {
		e.err = err
	}
	e.out = append(e.out, b...)
	e.first = false
}

var timeMarshaler = json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
	return enc.WriteToken(jsontext.String(string(appendTime(nil, t))))
})

// appendNumber writes the shortest number that reads back as f, spelled as
// JavaScript spells it. An infinite or undefined score, which no JSON can
// hold, is written as 0.
func appendNumber(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
		return append(dst, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// JavaScript writes 1e-7 where Go writes 1e-07.
	if n := len(dst); n-start >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
