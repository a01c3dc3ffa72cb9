package codec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Encode returns the bytes of core/index.json: version 3, two-space indent,
// a final newline, members in a fixed order with unknown ones last, zero
// values left out except for the seven members of version 1.
func Encode(ix *index.Index) ([]byte, error) {
	if ix.ReadOnly() {
		return nil, fmt.Errorf("index of version %d: %w", ix.Version, index.ErrNewerVersion)
	}
	e := encoder{out: make([]byte, 0, ix.Bytes+ix.Bytes/64+4096)} // about as much as is needed
	e.openNest('{')
	e.startMember("version")
	e.out = strconv.AppendInt(e.out, index.Version, 10)
	if !ix.UpdatedAt.IsZero() {
		e.timeMember("updatedAt", ix.UpdatedAt)
	}
	e.startMember("items")
	e.openNest('[')
	for i := range ix.Items {
		e.nextElement()
		e.appendItem(&ix.Items[i])
	}
	e.closeNest(']')
	e.undoneMember(ix.Undone)
	e.textsMember("purged", ix.Purged)
	e.appendMembers(ix.Unknown)
	e.closeNest('}')
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

	moment time.Time // the last time that was written, and its text: the next one is often the same
	date   []byte
}

// openNest writes the bracket that starts an object or an array.
func (e *encoder) openNest(c byte) {
	e.out = append(e.out, c)
	e.depth++
	e.first = true
}

// closeNest writes the bracket that ends it, on a line of its own unless the
// object or array is empty.
func (e *encoder) closeNest(c byte) {
	e.depth--
	if !e.first {
		e.breakLine()
	}
	e.first = false
	e.out = append(e.out, c)
}

// lineBreak holds the indentation of the deepest line, that of a member of a source.
const lineBreak = "\n          "

func (e *encoder) breakLine() { e.out = append(e.out, lineBreak[:1+2*e.depth]...) }

// nextElement starts the next member or element.
func (e *encoder) nextElement() {
	if !e.first {
		e.out = append(e.out, ',')
	}
	e.first = false
	e.breakLine()
}

// startMember starts a member with a name that needs no escapes.
func (e *encoder) startMember(name string) {
	e.nextElement()
	e.out = append(append(append(e.out, '"'), name...), colon...)
}

// startAnyMember starts a member with any name.
func (e *encoder) startAnyMember(name string) {
	e.nextElement()
	e.appendQuoted(name)
	e.out = append(e.out, ": "...)
}

func (e *encoder) appendQuoted(s string) {
	var err error
	e.out, err = jsontext.AppendQuote(e.out, s)
	e.err = cmp.Or(e.err, err)
}

// textMember writes a string member unless it is empty.
func (e *encoder) textMember(name, s string) {
	if s != "" {
		e.startMember(name)
		e.appendQuoted(s)
	}
}

func (e *encoder) timeMember(name string, t time.Time) {
	e.startMember(name)
	e.appendDate(t)
}

// appendDate writes a time with quotes.
func (e *encoder) appendDate(t time.Time) {
	if e.date == nil || t != e.moment {
		e.moment, e.date = t, append(appendTime(append(e.date[:0], '"'), t), '"')
	}
	e.out = append(e.out, e.date...)
}

func (e *encoder) intMember(name string, n int) {
	e.startMember(name)
	e.out = strconv.AppendInt(e.out, int64(n), 10)
}

// nestMember writes a member with n elements, or members, as write adds them; nothing if
// there are none.
func (e *encoder) nestMember(name, brackets string, n int, write func(i int)) {
	if n == 0 {
		return
	}
	e.startMember(name)
	e.openNest(brackets[0])
	for i := range n {
		write(i)
	}
	e.closeNest(brackets[1])
}

func (e *encoder) textsMember(name string, list []string) {
	e.nestMember(name, "[]", len(list), func(i int) {
		e.nextElement()
		e.appendQuoted(list[i])
	})
}

// appendItem writes a record. Members of version 1 are always there, the others
// only when they say something.
func (e *encoder) appendItem(it *index.Item) {
	e.openNest('{')
	e.first = false
	e.out = append(e.out, inRecord+"key"+colon...)
	e.appendQuoted(it.Key)
	e.out = append(e.out, ","+inRecord+"text"+colon...)
	e.appendQuoted(it.Text)
	unknown := e.kindMember(it)
	e.out = append(e.out, ","+inRecord+"hits"+colon...)
	e.out = strconv.AppendInt(e.out, int64(it.Hits), 10)
	e.out = append(e.out, ","+inRecord+"score"+colon...)
	e.out = appendNumber(e.out, it.Score)
	e.out = append(e.out, ","+inRecord+"firstSeen"+colon...)
	e.appendDate(it.FirstSeen)
	e.out = append(e.out, ","+inRecord+"lastSeen"+colon...)
	e.appendDate(it.LastSeen)
	e.textMember("id", it.ID)
	e.textMember("status", string(it.Status))
	if it.Pinned {
		e.startMember("pinned")
		e.out = append(e.out, "true"...)
	}
	e.textMember("severity", it.Severity)
	e.textMember("domain", it.Domain)
	e.textsMember("tags", it.Tags)
	e.textMember("confidence", it.Confidence)
	e.textMember("origin", string(it.Origin))
	e.sourcesMember(it.Sources)
	e.seenMember(it.Seen)
	e.setMember(it.Set)
	e.literalsMember("cue", it.Cue)
	e.literalsMember("remedy", it.Remedy)
	e.textMember("why", it.Why)
	e.textsMember("derivedFrom", it.DerivedFrom)
	e.textMember("supersededBy", it.SupersededBy)
	if it.Recurred != 0 {
		e.intMember("recurred", it.Recurred)
	}
	if it.Evidence != nil {
		e.valueMember("evidence", it.Evidence)
	}
	if it.Violations != 0 {
		e.intMember("violations", it.Violations)
	}
	if it.Before.Hits > 0 && it.IsCounted() {
		e.valueMember("before", it.Before)
	}
	if it.Place != 0 {
		e.intMember("n", it.Place)
	}
	e.sharesMember(it.By)
	e.appendMembers(unknown)
	e.closeNest('}')
}

// kindMember writes the kind: of a learning the word that readItem kept. It returns the
// other unknown members.
func (e *encoder) kindMember(it *index.Item) []index.Member {
	i := slices.IndexFunc(it.Unknown, func(m index.Member) bool { return m.Name == "kind" })
	if i < 0 {
		e.textMember("kind", string(it.Kind))
		return it.Unknown
	}
	if it.Kind == index.Learning {
		e.appendMembers(it.Unknown[i : i+1])
	} else {
		e.textMember("kind", string(it.Kind))
	}
	return slices.Delete(slices.Clone(it.Unknown), i, i+1)
}

func (e *encoder) sourcesMember(list []index.Source) {
	e.nestMember("sources", "[]", len(list), func(i int) {
		s := &list[i]
		e.nextElement()
		e.openNest('{')
		e.textMember("id", s.ID)
		if s.N != 0 {
			e.intMember("n", s.N)
		}
		e.textMember("home", s.Home)
		e.textMember("trace", s.Trace)
		e.textMember("session", s.Session)
		e.textMember("span", s.Span)
		e.textMember("model", s.Model)
		if !s.At.IsZero() {
			e.timeMember("at", s.At)
		}
		e.appendMembers(s.Unknown)
		e.closeNest('}')
	})
}

// literalsMember writes a cue or a remedy, if there is one.
func (e *encoder) literalsMember(name string, l *index.Literals) {
	switch {
	case l == nil:
	case len(l.Unknown) > 0 || !utf8.ValidString(l.Tool) || !utf8.ValidString(l.Command) || !utf8.ValidString(l.Error) || !utf8.ValidString(l.Path):
		e.valueMember(name, l)
	default:
		e.startMember(name)
		e.openNest('{')
		e.textMember("tool", l.Tool)
		e.textMember("command", l.Command)
		e.textMember("error", l.Error)
		e.textMember("path", l.Path)
		e.closeNest('}')
	}
}

// seenMember writes sightings, a line each.
func (e *encoder) seenMember(list []index.Sighting) {
	e.nestMember("seen", "[]", len(list), func(i int) {
		s := list[i]
		e.nextElement()
		line := string(appendTime(nil, s.At)) + " " + s.ID
		if s.Home != "" {
			line += " " + s.Home
		}
		e.appendQuoted(line)
	})
}

func (e *encoder) setMember(list []index.Stamp) {
	e.nestMember("set", "{}", len(list), func(i int) {
		e.startAnyMember(list[i].Field)
		e.appendDate(list[i].At)
	})
}

// sharesMember writes what other memories counted, by name.
func (e *encoder) sharesMember(by map[string]index.Share) {
	if len(by) == 0 { // as nearly always: to sort nothing takes memory, too
		return
	}
	names := slices.Sorted(maps.Keys(by))
	e.nestMember("by", "{}", len(names), func(i int) { e.valueMember(names[i], by[names[i]]) })
}

func (e *encoder) appendMembers(list []index.Member) {
	for _, m := range list {
		e.startAnyMember(m.Name)
		e.appendRaw(m.Value)
	}
}

// valueMember writes a member whose Go value has JSON tags.
func (e *encoder) valueMember(name string, v any) {
	e.startAnyMember(name)
	b, err := json.Marshal(v, json.Deterministic(true), json.WithMarshalers(timeMarshaler),
		jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		e.err = cmp.Or(e.err, err)
		return
	}
	e.appendRaw(b)
}

// appendRaw writes a JSON value, indented to where it stands.
func (e *encoder) appendRaw(v jsontext.Value) {
	// A valid value keeps its spelling; unpaired surrogates are never written.
	b, err := jsontext.AppendFormat(nil, v, jsontext.Multiline(true), jsontext.WithIndent("  "),
		jsontext.WithIndentPrefix(strings.Repeat("  ", e.depth)), jsontext.PreserveRawStrings(v.IsValid()),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	e.err = cmp.Or(e.err, err)
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
