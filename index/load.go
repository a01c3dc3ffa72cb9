package index

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnreadable is wrapped by every error of Load: the bytes are not an
// index. They must be kept, never replaced by an empty index.
var ErrUnreadable = errors.New("not a readable index")

var errEncoding = errors.New("not valid UTF-8")

// A Report says what Load had to make up or leave out.
type Report struct {
	Dropped  int // records without a key or a text
	BadDates int // dates that could not be understood and count as now
}

// Load decodes core/index.json, of version 1 or 2.
//
// Members that this version does not know are kept and written back by
// Encode. Records of version 1 may lack members: hits and score then are 1
// and dates are now, and ids are made from the keys. Duplicate member names,
// invalid UTF-8, trailing data and a document without an items array are
// errors that wrap ErrUnreadable. A version newer than Version loads as far
// as it is understood; see Index.ReadOnly.
//
// The texts of the records are parts of data, which must not change while the
// index is in use: a copy would cost as much memory again as the file.
func Load(data []byte, now time.Time) (*Index, Report, error) {
	if !utf8.Valid(data) {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errEncoding)
	}
	// What is left of invalid text are escaped unpaired surrogates, which
	// JavaScript may have written; they come in as U+FFFD.
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
	l := loader{dec: dec, text: unsafe.String(unsafe.SliceData(data), len(data)), now: now.UTC().Truncate(time.Millisecond)}
	ix, err := l.index(len(data))
	if err != nil && l.version > Version {
		return nil, Report{}, fmt.Errorf("index of version %d: %w", l.version, ErrNewerVersion)
	}
	if err != nil {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, locate(err, data))
	}
	ix.assignIDs()
	return ix, l.report, nil
}

// locate turns the byte offset of a syntax error into the line and column
// that an editor shows.
func locate(err error, data []byte) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) || syntax.ByteOffset > int64(len(data)) {
		return err
	}
	before := data[:syntax.ByteOffset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, syntax.Err)
}

// A loader reads one index. The sources of the records are parts of pool: an
// index of 100,000 records would otherwise be a million small allocations.
type loader struct {
	dec    *jsontext.Decoder
	text   string // the whole document; plain strings are parts of it
	pool   []Source
	now    time.Time
	report Report

	version int // of the document, as far as it was read
}

func (l *loader) index(size int) (*Index, error) {
	ix := &Index{Version: 1, UpdatedAt: l.now, size: size}
	if err := l.expect('{', "the index"); err != nil {
		return nil, err
	}
	found := false
	for l.dec.PeekKind() == '"' {
		raw, err := l.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if name := unquote(raw); name == "items" {
			found = true
			err = l.items(ix)
		} else {
			err = l.head(ix, name)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("no items in it")
	}
	if rest := bytes.TrimSpace(l.dec.UnreadBuffer()); len(rest) > 0 {
		return nil, fmt.Errorf("more data after the index, at byte %d", l.dec.InputOffset())
	}
	return ix, nil
}

// expect reads the token that starts an object or an array.
func (l *loader) expect(kind jsontext.Kind, what string) error {
	if k := l.dec.PeekKind(); k != kind && k != 0 {
		return fmt.Errorf("%s is a %s, not a %s", what, k, kind)
	}
	_, err := l.dec.ReadToken()
	return err
}

// head reads a member of the index other than the items.
func (l *loader) head(ix *Index, name string) error {
	value, err := l.read()
	if err != nil {
		return err
	}
	switch name {
	case "version":
		if err := decode(name, value.raw, &ix.Version); err != nil {
			return err
		}
		l.version = ix.Version
		if ix.Version < 1 {
			return fmt.Errorf("version %d is not one", ix.Version)
		}
	case "updatedAt":
		ix.UpdatedAt = l.time(value.raw)
	case "replica":
		ix.Replica, err = l.string(name, value)
	default:
		ix.unknown, err = keep(ix.unknown, name, value.raw)
	}
	return err
}

// A value is a piece of valid JSON and where it starts in the document.
type value struct {
	raw jsontext.Value
	at  int
}

// read returns the next value of the document.
func (l *loader) read() (value, error) {
	raw, err := l.dec.ReadValue()
	return value{raw, int(l.dec.InputOffset()) - len(raw)}, err
}

// items reads the records: the decoder checks them one after the other, which
// is the quick part, while other processors take those apart that it is done
// with.
func (l *loader) items(ix *Index) error {
	if err := l.expect('[', "items"); err != nil {
		return err
	}
	// No more than there are braces, with room for what a reflection adds:
	// growing would copy every record, and what is not used costs nothing.
	ix.Items = make([]Item, strings.Count(l.text, "{")+64)
	var shares []*share
	var wg sync.WaitGroup
	n := 0
	for l.dec.PeekKind() != ']' {
		s := &share{loader: loader{text: l.text, now: l.now}, spare: spares.Get().(*[]value)}
		s.records = (*s.spare)[:0]
		if err := l.records(s); err != nil {
			wg.Wait()
			return err
		}
		s.items = ix.Items[n : n+len(s.records)]
		n += len(s.records)
		shares = append(shares, s)
		wg.Go(s.read)
	}
	wg.Wait()
	ix.Items = ix.Items[:n]
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	for _, s := range shares {
		if s.err != nil {
			return s.err
		}
		l.report.BadDates += s.report.BadDates
	}
	l.drop(ix)
	return nil
}

// drop takes out the records without a key or a text.
func (l *loader) drop(ix *Index) {
	kept := 0
	for i := range ix.Items {
		if it := &ix.Items[i]; it.Key != "" && it.Text != "" {
			if kept < i {
				ix.Items[kept] = *it
			}
			kept++
		}
	}
	l.report.Dropped += len(ix.Items) - kept
	clear(ix.Items[kept:])
	ix.Items = ix.Items[:kept]
}

// A share is some records in a row, taken apart by one goroutine.
type share struct {
	loader
	records []value
	spare   *[]value // what records is made of
	items   []Item
	err     error
}

// shareSize is how many records make a share.
const shareSize = 1024

// spares are reused: a large index takes no more than there are goroutines.
var spares = sync.Pool{New: func() any {
	list := make([]value, 0, shareSize)
	return &list
}}

// records checks the next records of the document for a share.
func (l *loader) records(s *share) error {
	for l.dec.PeekKind() != ']' && len(s.records) < shareSize {
		record, err := l.read()
		if err != nil {
			return err
		}
		if record.raw.Kind() != '{' {
			l.report.Dropped++
			continue
		}
		s.records = append(s.records, record)
	}
	return nil
}

func (s *share) read() {
	defer spares.Put(s.spare)
	for i, record := range s.records {
		if s.err = s.item(&s.items[i], record); s.err != nil {
			return
		}
	}
}

// item reads a record. What version 1 holds is read leniently: other programs
// and people wrote it.
func (l *loader) item(it *Item, record value) error {
	*it = Item{Kind: Learning, Hits: 1, Score: 1, FirstSeen: l.now, LastSeen: l.now}
	return l.members(record, func(name string, v value) (err error) {
		switch name {
		case "key":
			it.Key = l.lenient(v)
		case "text":
			it.Text = l.lenient(v)
		case "kind":
			if l.lenient(v) == string(AntiPattern) {
				it.Kind = AntiPattern
			}
		case "hits":
			it.Hits = int(min(max(1, l.number(v)), math.MaxInt32))
		case "score":
			it.Score = l.number(v)
		case "firstSeen":
			it.FirstSeen = l.time(v.raw)
		case "lastSeen":
			it.LastSeen = l.time(v.raw)
		default:
			err = l.extra(it, name, v)
		}
		return err
	})
}

// extra reads the members that version 2 added. They are ours alone, so a
// wrong type is an error rather than something to work around.
func (l *loader) extra(it *Item, name string, v value) (err error) {
	switch name {
	case "id":
		it.ID, err = l.string(name, v)
	case "status":
		var s string
		s, err = l.string(name, v)
		it.Status = Status(s)
	case "severity":
		it.Severity, err = l.string(name, v)
	case "domain":
		it.Domain, err = l.string(name, v)
	case "confidence":
		it.Confidence, err = l.string(name, v)
	case "origin":
		var s string
		s, err = l.string(name, v)
		it.Origin = Origin(s)
	case "supersededBy":
		it.SupersededBy, err = l.string(name, v)
	case "sources":
		it.Sources, err = l.sources(v)
	case "pinned":
		err = decode(name, v.raw, &it.Pinned)
	case "tags":
		err = decode(name, v.raw, &it.Tags)
	case "derivedFrom":
		err = decode(name, v.raw, &it.DerivedFrom)
	case "recurred":
		err = decode(name, v.raw, &it.Recurred)
	case "evidence":
		err = decode(name, v.raw, &it.Evidence)
	case "violations":
		err = decode(name, v.raw, &it.Violations)
	case "by":
		err = decode(name, v.raw, &it.By)
	default:
		it.unknown, err = keep(it.unknown, name, v.raw)
	}
	return err
}

func (l *loader) sources(list value) ([]Source, error) {
	if list.raw.Kind() != '[' {
		return nil, fmt.Errorf("sources is a %s, not an array", list.raw.Kind())
	}
	if cap(l.pool)-len(l.pool) < maxSources {
		l.pool = make([]Source, 0, 4096)
	}
	start := len(l.pool)
	err := elements(list, func(v value) error {
		if v.raw.Kind() != '{' {
			return fmt.Errorf("a source is a %s, not an object", v.raw.Kind())
		}
		l.pool = append(l.pool, Source{})
		return l.source(&l.pool[len(l.pool)-1], v)
	})
	if len(l.pool) == start {
		return nil, err
	}
	return l.pool[start:len(l.pool):len(l.pool)], err
}

func (l *loader) source(s *Source, object value) error {
	return l.members(object, func(name string, v value) (err error) {
		switch name {
		case "trace":
			s.Trace, err = l.string(name, v)
		case "session":
			s.Session, err = l.string(name, v)
		case "span":
			s.Span, err = l.string(name, v)
		case "model":
			s.Model, err = l.string(name, v)
		case "at":
			s.At = l.time(v.raw)
		default:
			s.unknown, err = keep(s.unknown, name, v.raw)
		}
		return err
	})
}

func decode(name string, raw jsontext.Value, into any) error {
	if err := json.Unmarshal(raw, into, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (l *loader) string(name string, v value) (string, error) {
	if k := v.raw.Kind(); k != '"' {
		return "", fmt.Errorf("%s is a %s, not a string", name, k)
	}
	return l.lenient(v), nil
}

// time reads a date; one that cannot be understood counts as now.
func (l *loader) time(raw jsontext.Value) time.Time {
	if raw.Kind() == '"' {
		if t, ok := parseTime(raw[1 : len(raw)-1]); ok {
			return t
		}
	}
	l.report.BadDates++
	return l.now
}
