// Package codec reads and writes core/index.json: the bytes of an index.Index, as
// pi-self-learning reads them too.
package codec

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/index"
)

// ErrUnreadable is wrapped by the errors of Load: the bytes are not an index.
// They must be kept, never replaced by an empty index.
var ErrUnreadable = errors.New("not a readable index")

var (
	errEncoding = errors.New("not valid UTF-8")
	errUTF16    = errors.New("it is in UTF-16; save it as UTF-8")
)

// A Report counts what Load made up or left out.
type Report struct {
	Dropped  int // records without a key or a text
	BadDates int // dates that Load could not read and took for now
}

// Load decodes core/index.json, of version 1, 2 or 3. What older versions counted
// becomes the records' Before.
//
// A byte order mark is skipped. Unknown members are kept, and Encode writes them back. In records of version 1
// missing hits and scores are 1, missing dates are now, and ids are made from the
// keys. Duplicate member names, invalid UTF-8, trailing data and a document
// without an items array are errors that wrap ErrUnreadable. A newer version
// loads as far as it can be read, for showing only: see Index.ReadOnly. If it
// cannot be read the error wraps index.ErrNewerVersion.
//
// The texts of the records are parts of data, which must not change while the
// index is in use: copying them would take as much memory again as the file.
func Load(data []byte, now time.Time) (*index.Index, Report, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for _, start := range []string{"\xff\xfe", "\xfe\xff", "{\x00", "\x00{"} {
		if bytes.HasPrefix(data, []byte(start)) {
			return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errUTF16)
		}
	}
	if !utf8.Valid(data) {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errEncoding)
	}
	d := decoder{text: unsafe.String(unsafe.SliceData(data), len(data)), now: now.UTC().Truncate(time.Millisecond)}
	if ix := readOwn(data, d); ix != nil {
		return ix, Report{}, nil
	}
	// JavaScript may have written unpaired surrogates as escapes; they become
	// U+FFFD.
	d.dec = jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
	ix, err := d.readIndex()
	if err != nil && d.version > index.Version {
		return nil, Report{}, fmt.Errorf("index of version %d: %w", d.version, index.ErrNewerVersion)
	}
	if err != nil {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, withPosition(err, data))
	}
	ix.AssignIDs()
	for i := range ix.Items {
		ix.Items[i].FillBefore(ix.Version < index.Version, i)
	}
	return ix, d.report, nil
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

// A decoder reads one index.
type decoder struct {
	dec    *jsontext.Decoder
	text   string // the whole document; plain strings are parts of it
	now    time.Time
	report Report

	version int // of the document; 0 until it was read
}

func (d *decoder) readIndex() (*index.Index, error) {
	ix := &index.Index{Version: 1, UpdatedAt: d.now, Bytes: len(d.text)}
	if err := d.expect('{', "the index"); err != nil {
		return nil, err
	}
	found := false
	for d.dec.PeekKind() == '"' {
		raw, err := d.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if name := unquote(raw); name == "items" {
			found = true
			err = d.readItems(ix)
		} else {
			err = d.readHead(ix, name)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("no items in it")
	}
	if rest := bytes.TrimSpace(d.dec.UnreadBuffer()); len(rest) > 0 {
		return nil, fmt.Errorf("more data after the index, at byte %d", d.dec.InputOffset())
	}
	return ix, nil
}

// expect reads the token that starts an object or an array.
func (d *decoder) expect(kind jsontext.Kind, what string) error {
	if k := d.dec.PeekKind(); k != kind && k != 0 {
		return fmt.Errorf("%s is a %s, not a %s", what, k, kind)
	}
	_, err := d.dec.ReadToken()
	return err
}

// readHead reads a member of the index other than the items.
func (d *decoder) readHead(ix *index.Index, name string) error {
	value, err := d.readValue()
	if err != nil {
		return err
	}
	switch name {
	case "version":
		if err := decodeInto(&ix.Version, name, value.raw); err != nil {
			return err
		}
		d.version = ix.Version
		if ix.Version < 1 {
			return fmt.Errorf("version %d is not one", ix.Version)
		}
	case "updatedAt":
		ix.UpdatedAt = d.timeOrNow(value.raw)
	case "replica": // version 2 named the clone that counted
	case "undone":
		ix.Undone, err = d.readUndone(value)
	case "purged":
		err = decodeInto(&ix.Purged, name, value.raw)
	default:
		ix.Unknown, err = keepMember(ix.Unknown, name, value.raw)
	}
	return err
}

// A value is a piece of valid JSON and where it starts in the document.
type value struct {
	raw jsontext.Value
	at  int
}

// readValue returns the next value of the document.
func (d *decoder) readValue() (value, error) {
	raw, err := d.dec.ReadValue()
	return value{raw, int(d.dec.InputOffset()) - len(raw)}, err
}

// readItems reads the records and drops those that lack a key or a text.
func (d *decoder) readItems(ix *index.Index) error {
	if err := d.expect('[', "items"); err != nil {
		return err
	}
	for d.dec.PeekKind() != ']' {
		record, err := d.readValue()
		if err != nil {
			return err
		}
		if record.raw.Kind() != '{' {
			d.report.Dropped++
			continue
		}
		ix.Items = append(ix.Items, index.Item{})
		if err := d.readItem(&ix.Items[len(ix.Items)-1], record); err != nil {
			return err
		}
	}
	all := len(ix.Items)
	ix.Items = slices.DeleteFunc(ix.Items, func(it index.Item) bool { return it.Key == "" || it.Text == "" })
	d.report.Dropped += all - len(ix.Items)
	_, err := d.dec.ReadToken()
	return err
}

// readItem reads a record. The members of version 1 are read leniently, since
// other programs and people write them too.
func (d *decoder) readItem(it *index.Item, record value) error {
	*it = d.blankItem()
	return d.eachMember(record, "a record", func(name string, v value) error { return d.readMember(it, name, v) })
}

// blankItem is a record of which nothing was read yet.
func (d *decoder) blankItem() index.Item {
	return index.Item{Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: d.now, LastSeen: d.now}
}

// readMember reads a member of a record.
func (d *decoder) readMember(it *index.Item, name string, v value) (err error) {
	switch name {
	case "key":
		it.Key = norm.NFC.String(d.stringOrEmpty(v)) // older versions left it as it was said
	case "text":
		it.Text = d.stringOrEmpty(v)
	case "kind":
		switch d.stringOrEmpty(v) {
		case string(index.AntiPattern):
			it.Kind = index.AntiPattern
		case "strategy": // of pi-self-learning: shown as a learning, and kept in the file
			it.Unknown, err = keepMember(it.Unknown, name, v.raw)
		}
	case "hits":
		it.Hits = int(min(max(1, d.numberOr1(v)), math.MaxInt32))
	case "score":
		it.Score = d.numberOr1(v)
	case "firstSeen":
		it.FirstSeen = d.timeOrNow(v.raw)
	case "lastSeen":
		it.LastSeen = d.timeOrNow(v.raw)
	default:
		err = d.readExtra(it, name, v)
	}
	return err
}

// A member is one that version 2 added to records, and where in a record it is.
type member struct {
	name string
	of   func(*index.Item) any
}

// members are in the order in which a file has them. Unknown ones follow.
var members = [...]member{
	{"id", func(it *index.Item) any { return &it.ID }},
	{"status", func(it *index.Item) any { return (*string)(&it.Status) }},
	{"pinned", func(it *index.Item) any { return &it.Pinned }},
	{"severity", func(it *index.Item) any { return &it.Severity }},
	{"domain", func(it *index.Item) any { return &it.Domain }},
	{"tags", func(it *index.Item) any { return &it.Tags }},
	{"confidence", func(it *index.Item) any { return &it.Confidence }},
	{"origin", func(it *index.Item) any { return (*string)(&it.Origin) }},
	{"sources", func(it *index.Item) any { return &it.Sources }},
	{"seen", func(it *index.Item) any { return &it.Seen }},
	{"set", func(it *index.Item) any { return &it.Set }},
	{"cue", func(it *index.Item) any { return &it.Cue }},
	{"remedy", func(it *index.Item) any { return &it.Remedy }},
	{"why", func(it *index.Item) any { return &it.Why }},
	{"derivedFrom", func(it *index.Item) any { return &it.DerivedFrom }},
	{"supersededBy", func(it *index.Item) any { return &it.SupersededBy }},
	{"recurred", func(it *index.Item) any { return &it.Recurred }},
	{"evidence", func(it *index.Item) any { return &it.Evidence }},
	{"violations", func(it *index.Item) any { return &it.Violations }},
	{"before", func(it *index.Item) any { return &it.Before }},
	{"n", func(it *index.Item) any { return &it.Place }},
	{"by", func(it *index.Item) any { return &it.By }},
}

// readExtra reads a member that version 2 added, or an unknown one. Only mem writes those,
// so a wrong type is an error.
func (d *decoder) readExtra(it *index.Item, name string, v value) (err error) {
	i := slices.IndexFunc(members[:], func(m member) bool { return m.name == name })
	if i < 0 {
		it.Unknown, err = keepMember(it.Unknown, name, v.raw)
		return err
	}
	switch into := members[i].of(it).(type) {
	case *string:
		*into, err = d.readString(name, v)
	case *[]index.Source:
		*into, err = d.readSources(v)
	case *[]index.Sighting:
		err = d.readSeen(it, v)
	case *[]index.Stamp:
		err = d.readSet(it, v)
	case **index.Evidence:
		err = decodeInto(into, name, v.raw)
		if e := it.Evidence; e != nil && !inRange(e.At) { // as for other dates
			e.At = d.now
			d.report.BadDates++
		}
	default:
		err = decodeInto(into, name, v.raw)
	}
	return err
}

func decodeInto(into any, name string, raw jsontext.Value) error {
	if err := json.Unmarshal(raw, into, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (d *decoder) readString(name string, v value) (string, error) {
	if k := v.raw.Kind(); k != '"' {
		return "", fmt.Errorf("%s is a %s, not a string", name, k)
	}
	return d.stringOrEmpty(v), nil
}

// timeOrNow reads a date. One that it cannot read counts as now.
func (d *decoder) timeOrNow(raw jsontext.Value) time.Time {
	if raw.Kind() == '"' {
		if t, ok := parseTime(string(raw[1 : len(raw)-1])); ok {
			return t
		}
	}
	d.report.BadDates++
	return d.now
}
