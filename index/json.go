package index

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/words"
)

// ErrUnreadable is wrapped by the errors of Load: the bytes are not an index.
var ErrUnreadable = errors.New("not a readable index")

var (
	errEncoding = errors.New("not valid UTF-8")
	errDeep     = fmt.Errorf("a member is nested deeper than %d", maxDepth)
	errUTF16    = errors.New("it is in UTF-16; save it as UTF-8")
)

// options are how everything of an index is read and written: times as JavaScript's toISOString
// has them, and unpaired surrogates that JavaScript wrote as escapes become U+FFFD.
var options = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), json.WithMarshalers(json.JoinMarshalers(
	json.MarshalToFunc(func(e *jsontext.Encoder, t time.Time) error { return e.WriteToken(jsontext.String(FormatTime(t))) }),
	json.MarshalToFunc(func(e *jsontext.Encoder, f float64) error { return e.WriteValue(appendNumber(nil, f)) }),
)))

// Options returns how parts of an index are written and read, for what else holds them.
func Options() json.Options { return options }

// layouts are the spellings that JavaScript's Date accepts and that a hand-edited index
// may hold.
var layouts = [...]string{
	time.RFC3339Nano, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00",
	time.RFC1123, time.RFC1123Z,
}

// parseTime reads a date as it stands in an index, to the millisecond.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && inRange(t) {
			return t.UTC().Truncate(time.Millisecond), true
		}
	}
	return time.Time{}, false
}

// inRange reports whether the year has four digits.
func inRange(t time.Time) bool {
	y := t.UTC().Year()
	return y >= 0 && y <= 9999
}

// FormatTime returns t as JavaScript's toISOString does: always with three digits of milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

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

// Encode returns the bytes of core/index.json: two-space indent, a final newline, members in a
// fixed order with unknown ones last, zero values left out except for the seven members of
// pi-self-learning.
func (ix *Index) Encode() ([]byte, error) {
	if ix.ReadOnly() {
		return nil, fmt.Errorf("index of version %d: %w", ix.Version, ErrNewerVersion)
	}
	out := *ix
	out.Version, out.Fold = Version, FoldRules
	out.Items = []Item{}
	frame, err := json.Marshal(&out, options, jsontext.WithIndent("  "))
	head, tail, _ := bytes.Cut(frame, []byte(listStart+"]"))
	b := bytes.NewBuffer(make([]byte, 0, ix.Bytes+ix.Bytes/64+4096)) // about as much as is needed
	b.Write(head)
	b.WriteString(listStart)
	for i := range ix.Items {
		it := &ix.Items[i]
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		if o, has := ix.own[it.ID]; has && reflect.DeepEqual(&o.Item, it) { // at little cost, where they share what they point to
			b.WriteByte('{')
			b.Write(o.data)
		} else {
			err = errors.Join(err, json.MarshalWrite(b, it, options, jsontext.WithIndentPrefix("    "), jsontext.WithIndent("  ")))
		}
	}
	if len(ix.Items) > 0 {
		b.WriteString("\n  ")
	}
	if err != nil {
		return nil, fmt.Errorf("encode index: %w", err)
	}
	b.WriteByte(']')
	b.Write(tail)
	return append(b.Bytes(), '\n'), nil
}

// listStart begins the records in what Encode writes.
const listStart = "\n  \"items\": ["

// An own is a record as it stands in what Encode wrote.
type own struct {
	Item
	data []byte // without the first brace
}

// keepOwn keeps what Encode wrote of each record, so that it writes the same again of those that do not change.
func (ix *Index) keepOwn(data []byte) {
	_, list, _ := bytes.Cut(data, []byte(listStart+"\n    {"))
	list, _, isOwn := bytes.Cut(list, []byte("\n  ]"))
	records := bytes.Split(list, []byte(",\n    {"))
	if !isOwn || len(records) != len(ix.Items) {
		return
	}
	ix.own = make(map[string]own, len(records))
	for i, data := range records {
		ix.own[ix.Items[i].ID] = own{ix.Items[i], data}
	}
}

// A Report counts what Load made up or left out.
type Report struct {
	Dropped  int // records without a key or a text
	BadDates int // dates that Load could not read and took for now
}

// Load decodes core/index.json of any version. Of one before 4 the records are in Old, too.
//
// A byte order mark is skipped. Unknown members are kept, and Encode writes them back. Missing
// hits and scores are 1, missing dates are now, and ids are made from the keys. Duplicate member
// names, invalid UTF-8, trailing data and a document without an items array are errors that wrap
// ErrUnreadable. A newer version loads as far as it can be read, for showing only: see ReadOnly. If
// it cannot be read the error wraps ErrNewerVersion.
func Load(data []byte, now time.Time) (*Index, Report, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for _, start := range []string{"\xff\xfe", "\xfe\xff", "{\x00", "\x00{"} {
		if bytes.HasPrefix(data, []byte(start)) {
			return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errUTF16)
		}
	}
	if !utf8.Valid(data) {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errEncoding)
	}
	if isDeep(data) {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errDeep)
	}
	l := loader{now: now.UTC().Truncate(time.Millisecond)}
	l.options = json.JoinOptions(options, json.WithUnmarshalers(json.UnmarshalFromFunc(l.readTime)))
	ix := &Index{}
	if err := json.Unmarshal(data, ix, options); err != nil || ix.Version < Version || !ix.isWhole() {
		if ix, err = l.readLoose(data); err != nil && l.version > Version {
			return nil, Report{}, fmt.Errorf("index of version %d: %w", l.version, ErrNewerVersion)
		} else if err != nil {
			return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, withPosition(err, data))
		}
	} else {
		ix.keepOwn(data)
	}
	ix.Bytes = len(data)
	ix.AssignIDs()
	for i := range ix.Old {
		ix.Old[i].Item.ID = ix.Items[i].ID
	}
	return ix, l.report, nil
}

// isWhole reports whether nothing has to be made up.
func (ix *Index) isWhole() bool {
	return ix.Items != nil && !ix.UpdatedAt.IsZero() == (len(ix.Items) > 0) && !slices.ContainsFunc(ix.Items, func(it Item) bool {
		return it.Key == "" || it.Text == "" || it.Hits < 1 || it.Kind != Learning && it.Kind != AntiPattern && it.Kind != Strategy || !inRange(it.FirstSeen) || !inRange(it.LastSeen) || it.FirstSeen.IsZero() || it.LastSeen.IsZero()
	})
}

// withPosition turns the byte offset of a syntax error into the line and column
// that an editor shows.
func withPosition(err error, data []byte) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) || syntax.ByteOffset > int64(len(data)) {
		return err
	}
	before := data[:syntax.ByteOffset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, syntax.Err)
}

// A loader reads an index that another program or a person wrote.
type loader struct {
	now     time.Time
	options json.Options
	report  Report
	version int // of the document; 0 until it was read
}

// readTime reads a date. One that it cannot read counts as now.
func (l *loader) readTime(d *jsontext.Decoder, t *time.Time) error {
	v, err := d.ReadValue()
	if err == nil {
		*t = l.timeOrNow(v)
	}
	return err
}

func (l *loader) timeOrNow(v jsontext.Value) time.Time {
	if v.Kind() == '"' {
		if t, ok := parseTime(string(v[1 : len(v)-1])); ok {
			return t
		}
	}
	l.report.BadDates++
	return l.now
}

// A loose record has the members that other programs write as they stand there.
type loose struct {
	Key       jsontext.Value `json:"key"`
	Text      jsontext.Value `json:"text"`
	Kind      jsontext.Value `json:"kind"`
	Hits      jsontext.Value `json:"hits"`
	Score     jsontext.Value `json:"score"`
	FirstSeen jsontext.Value `json:"firstSeen"`
	LastSeen  jsontext.Value `json:"lastSeen"`

	Rest jsontext.Value `json:",embed"`
}

// readLoose reads an index leniently where pi-self-learning does. Only mem writes the other
// members: a wrong type there is an error.
func (l *loader) readLoose(data []byte) (*Index, error) {
	var doc struct {
		Version   jsontext.Value `json:"version"`
		UpdatedAt jsontext.Value `json:"updatedAt"`
		Items     jsontext.Value `json:"items"`
		Undone    jsontext.Value `json:"undone"`
		Replica   jsontext.Value `json:"replica"` // version 2 named the clone that counted
		Rest      jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(data, &doc, options); err != nil {
		return nil, err
	}
	ix := &Index{}
	if len(doc.Rest) > 0 {
		if err := json.Unmarshal(doc.Rest, ix, l.options); err != nil {
			return nil, err
		}
	}
	ix.Version, ix.UpdatedAt = 1, l.now
	if doc.Version != nil {
		if err := json.Unmarshal(doc.Version, &ix.Version); err != nil || ix.Version < 1 {
			return nil, fmt.Errorf("version %s is not one", doc.Version)
		}
	}
	if l.version = ix.Version; doc.UpdatedAt != nil {
		ix.UpdatedAt = l.timeOrNow(doc.UpdatedAt)
	}
	var items []jsontext.Value
	if doc.Items == nil || doc.Items.Kind() == 'n' {
		return nil, errors.New("no items in it")
	} else if err := json.Unmarshal(doc.Items, &items, options); err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	for _, raw := range items {
		if err := l.readRecord(ix, raw); err != nil {
			return nil, err
		}
	}
	switch {
	case doc.Undone == nil:
		return ix, nil
	case ix.Version < Version:
		return ix, ix.readUndone(doc.Undone)
	}
	return ix, json.Unmarshal(doc.Undone, &ix.Undone)
}

// readRecord reads a record, unless it lacks a key or a text.
func (l *loader) readRecord(ix *Index, raw jsontext.Value) error {
	var rec loose
	if raw.Kind() != '{' {
		l.report.Dropped++
		return nil
	}
	if err := json.Unmarshal(raw, &rec, options); err != nil {
		return err
	}
	it := Item{
		Key: norm.NFC.String(stringOrEmpty(rec.Key)), Text: stringOrEmpty(rec.Text), Kind: Learning, // older versions left the key as it was said
		Hits: int(min(max(1, numberOr1(rec.Hits)), math.MaxInt32)), Score: numberOr1(rec.Score), FirstSeen: l.now, LastSeen: l.now,
	}
	if it.Key == "" || it.Text == "" {
		l.report.Dropped++
		return nil
	}
	if kind := Kind(stringOrEmpty(rec.Kind)); kind == AntiPattern || kind == Strategy {
		it.Kind = kind
	}
	if rec.FirstSeen != nil {
		it.FirstSeen = l.timeOrNow(rec.FirstSeen)
	}
	if rec.LastSeen != nil {
		it.LastSeen = l.timeOrNow(rec.LastSeen)
	}
	old, err := Old{}, error(nil)
	switch {
	case ix.Version < Version:
		old, err = l.readOld(it, rec.Rest)
		it = old.whole()
		ix.Old = append(ix.Old, old)
	case len(rec.Rest) > 0:
		err = json.Unmarshal(rec.Rest, &it, l.options)
	}
	ix.Items = append(ix.Items, it)
	return err
}

// maxDepth bounds the nesting of members: indenting them takes time with the square of it.
const maxDepth = 64

func isDeep(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringOrEmpty reads a string. Another kind of value counts as absent.
func stringOrEmpty(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}

// numberOr1 reads a number or a string that holds one. Anything else counts as
// absent, which is 1 for both hits and score.
func numberOr1(v jsontext.Value) float64 {
	text := string(v)
	if v.Kind() == '"' {
		text = words.FoldSpace(stringOrEmpty(v))
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 1
	}
	return n
}
