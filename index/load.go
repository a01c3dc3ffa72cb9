package index

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

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
func Load(data []byte, now time.Time) (*Index, Report, error) {
	if !utf8.Valid(data) {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, errEncoding)
	}
	// What is left of invalid text are escaped unpaired surrogates, which
	// JavaScript may have written; they come in as U+FFFD.
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
	l := loader{dec: dec, now: now.UTC().Truncate(time.Millisecond)}
	ix, err := l.index(len(data))
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

type loader struct {
	dec    *jsontext.Decoder
	now    time.Time
	report Report
}

// recordSize is a low guess at the bytes of one record, to size the slice.
const recordSize = 200

func (l *loader) index(size int) (*Index, error) {
	ix := &Index{Version: 1, UpdatedAt: l.now, size: size}
	found := false
	err := l.members(func(name string) (err error) {
		switch name {
		case "version":
			ix.Version, err = l.version()
		case "updatedAt":
			ix.UpdatedAt, err = l.time()
		case "replica":
			ix.Replica, err = l.text(name)
		case "items":
			found = true
			ix.Items = make([]Item, 0, size/recordSize)
			err = l.items(ix)
		default:
			ix.unknown, err = l.keep(ix.unknown, name)
		}
		return err
	})
	if err != nil {
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

// members calls f for every member of the object that comes next; f must
// consume the value.
func (l *loader) members(f func(name string) error) error {
	if k := l.dec.PeekKind(); k != '{' && k != 0 {
		return fmt.Errorf("a %s where an object belongs", k)
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	for l.dec.PeekKind() == '"' {
		raw, err := l.dec.ReadValue()
		if err != nil {
			return err
		}
		name, err := unquote(raw)
		if err != nil {
			return err
		}
		if err := f(name); err != nil {
			return err
		}
	}
	_, err := l.dec.ReadToken()
	return err
}

func (l *loader) items(ix *Index) error {
	if k := l.dec.PeekKind(); k != '[' && k != 0 {
		return fmt.Errorf("items is a %s, not an array", k)
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	for l.dec.PeekKind() != ']' {
		if k := l.dec.PeekKind(); k != '{' && k != 0 {
			l.report.Dropped++
			if err := l.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		item, err := l.item()
		if err != nil {
			return err
		}
		if item.Key == "" || item.Text == "" {
			l.report.Dropped++
			continue
		}
		ix.Items = append(ix.Items, item)
	}
	_, err := l.dec.ReadToken()
	return err
}

func (l *loader) item() (Item, error) {
	it := Item{Kind: Learning, Hits: 1, Score: 1, FirstSeen: l.now, LastSeen: l.now}
	err := l.members(func(name string) (err error) {
		switch name {
		case "key":
			it.Key, err = l.lenientText()
		case "text":
			it.Text, err = l.lenientText()
		case "kind":
			var kind string
			if kind, err = l.lenientText(); kind == string(AntiPattern) {
				it.Kind = AntiPattern
			}
		case "hits":
			var n float64
			n, err = l.lenientNumber()
			it.Hits = int(min(max(1, n), math.MaxInt32))
		case "score":
			it.Score, err = l.lenientNumber()
		case "firstSeen":
			it.FirstSeen, err = l.time()
		case "lastSeen":
			it.LastSeen, err = l.time()
		default:
			err = l.extra(&it, name)
		}
		return err
	})
	return it, err
}

// extra decodes the members that version 2 added. They are ours alone, so a
// wrong type is an error rather than something to work around.
func (l *loader) extra(it *Item, name string) (err error) {
	switch name {
	case "id":
		it.ID, err = l.text(name)
	case "status":
		var s string
		s, err = l.text(name)
		it.Status = Status(s)
	case "severity":
		it.Severity, err = l.text(name)
	case "domain":
		it.Domain, err = l.text(name)
	case "confidence":
		it.Confidence, err = l.text(name)
	case "origin":
		var s string
		s, err = l.text(name)
		it.Origin = Origin(s)
	case "supersededBy":
		it.SupersededBy, err = l.text(name)
	case "pinned":
		err = l.value(name, &it.Pinned)
	case "tags":
		err = l.value(name, &it.Tags)
	case "sources":
		err = l.sources(it)
	case "derivedFrom":
		err = l.value(name, &it.DerivedFrom)
	case "recurred":
		err = l.value(name, &it.Recurred)
	case "evidence":
		err = l.value(name, &it.Evidence)
	case "violations":
		err = l.value(name, &it.Violations)
	case "by":
		err = l.value(name, &it.By)
	default:
		it.unknown, err = l.keep(it.unknown, name)
	}
	return err
}

// sources reads an array of objects. It is spelled out because sources are
// half of the bytes of an index, and decoding them by reflection would double
// the time of loading it.
func (l *loader) sources(it *Item) error {
	if k := l.dec.PeekKind(); k != '[' && k != 0 {
		return fmt.Errorf("sources is a %s, not an array", k)
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	for l.dec.PeekKind() != ']' {
		var s Source
		err := l.members(func(name string) (err error) {
			switch name {
			case "trace":
				s.Trace, err = l.text(name)
			case "session":
				s.Session, err = l.text(name)
			case "span":
				s.Span, err = l.text(name)
			case "model":
				s.Model, err = l.text(name)
			case "at":
				s.At, err = l.time()
			default:
				s.unknown, err = l.keep(s.unknown, name)
			}
			return err
		})
		if err != nil {
			return err
		}
		it.Sources = append(it.Sources, s)
	}
	_, err := l.dec.ReadToken()
	return err
}

func (l *loader) value(name string, into any) error {
	if err := json.UnmarshalDecode(l.dec, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (l *loader) text(name string) (string, error) {
	if k := l.dec.PeekKind(); k != '"' && k != 0 {
		return "", fmt.Errorf("%s is a %s, not a string", name, k)
	}
	return l.lenientText()
}

// lenientText reads a string; another kind of value counts as absent.
func (l *loader) lenientText() (string, error) {
	raw, err := l.dec.ReadValue()
	if err != nil || raw.Kind() != '"' {
		return "", err
	}
	return unquote(raw)
}

// lenientNumber reads a number or a string that holds one; anything else
// counts as absent, which is 1 for hits and score alike.
func (l *loader) lenientNumber() (float64, error) {
	raw, err := l.dec.ReadValue()
	if err != nil {
		return 0, err
	}
	s := string(raw)
	if raw.Kind() == '"' {
		if s, err = unquote(raw); err != nil {
			return 0, err
		}
		s = Fold(s)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 1, nil
	}
	return n, nil
}

func (l *loader) time() (time.Time, error) {
	raw, err := l.dec.ReadValue()
	if err != nil {
		return time.Time{}, err
	}
	if raw.Kind() == '"' {
		if t, ok := parseTime(raw[1 : len(raw)-1]); ok {
			return t, nil
		}
	}
	l.report.BadDates++
	return l.now, nil
}

func (l *loader) version() (int, error) {
	var n int
	if err := l.value("version", &n); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, fmt.Errorf("version %d is not one", n)
	}
	return n, nil
}

func (l *loader) keep(to []member, name string) ([]member, error) {
	raw, err := l.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return append(to, member{name, raw.Clone()}), nil
}

// unquote decodes a JSON string that is known to be valid.
func unquote(raw jsontext.Value) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && utf8.Valid(b) { // an unpaired surrogate, replaced in b
		err = nil
	}
	return string(b), err
}

// assignIDs gives an id to every record that has none or repeats another's.
func (ix *Index) assignIDs() {
	missing := 0
	seen := make(map[string]bool, len(ix.Items))
	for i := range ix.Items {
		if id := ix.Items[i].ID; id == "" || seen[id] {
			ix.Items[i].ID = ""
			missing++
		} else {
			seen[id] = true
		}
	}
	for i := 0; i < len(ix.Items) && missing > 0; i++ {
		if it := &ix.Items[i]; it.ID == "" {
			it.ID = newID(it.Key, func(id string) bool { return seen[id] })
			seen[it.ID] = true
			missing--
		}
	}
}
