package index

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
	"mem/words"
)

// ErrUnreadable is wrapped by the errors of Load: the bytes are not an index.
var ErrUnreadable = fault.New(fault.Unreadable, "not a readable index", "")

var (
	errEncoding = errors.New("not valid UTF-8; save it as UTF-8")
	errDeep     = fmt.Errorf("a member is nested deeper than %d", maxDepth)
)

// maxDepth bounds the nesting of members: indenting them takes time with the square of it.
const maxDepth = 64

// options are how everything of an index is read and written: times as JavaScript's toISOString
// has them, and unpaired surrogates that JavaScript wrote as escapes become U+FFFD.
var options = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), json.WithMarshalers(json.JoinMarshalers(
	json.MarshalToFunc(func(e *jsontext.Encoder, t time.Time) error {
		return e.WriteToken(jsontext.String(t.UTC().Format("2006-01-02T15:04:05.000Z")))
	}),
	json.MarshalToFunc(func(e *jsontext.Encoder, f float64) error { return e.WriteValue(formatNumber(f)) }),
)))

// Options returns how parts of an index are written and read, for what else holds them.
func Options() json.Options { return options }

// layouts are the spellings that JavaScript's Date accepts and that a hand-edited index may hold.
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

func inRange(t time.Time) bool {
	y := t.UTC().Year()
	return y >= 0 && y <= 9999
}

// formatNumber returns the shortest number that reads back as f, spelled as JavaScript spells it. An infinite or
// undefined score, which no JSON can hold, is written as 0.
func formatNumber(f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
		return []byte("0")
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(nil, f, 'f', -1, 64)
	}
	// JavaScript writes 1e-7 where Go writes 1e-07.
	return bytes.Replace(strconv.AppendFloat(nil, f, 'e', -1, 64), []byte("e-0"), []byte("e-"), 1)
}

// Encode returns the bytes of core/index.json: two-space indent, a final newline, members in a fixed order with unknown
// ones last, zero values left out except for the seven members of pi-self-learning.
func (ix *Index) Encode() ([]byte, error) { return ix.EncodeAfter(nil, nil) }

// EncodeAfter is Encode with a shortcut. Given an older index and its encoding, or nil, it copies the bytes of
// unchanged records, which nearly all are.
func (ix *Index) EncodeAfter(encoding []byte, was *Index) ([]byte, error) {
	if ix.ReadOnly() {
		return nil, fmt.Errorf("index of version %d: %w", ix.Version, ErrNewerVersion)
	}
	frame := *ix
	frame.Version, frame.Fold, frame.Items = Version, FoldRules, []Item{}
	data, err := json.Marshal(&frame, options, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode index: %w", err)
	}
	begin, end, _ := bytes.Cut(data, []byte("[]"))
	out := append(make([]byte, 0, len(data)+max(len(encoding)+4096, 600*len(ix.Items))), begin...)
	out = append(out, '[')
	old, find := splitRecords(encoding), func(string) int { return -1 }
	if was != nil && len(old) == len(was.Items) {
		find = was.Finder()
	}
	for i := range ix.Items {
		var record []byte
		if pos := find(ix.Items[i].ID); pos >= 0 && was.Items[pos].Equal(&ix.Items[i]) {
			record = old[pos]
		} else if record, err = json.Marshal(&ix.Items[i], options, jsontext.WithIndentPrefix("    "), jsontext.WithIndent("  ")); err != nil {
			return nil, fmt.Errorf("encode index: %w", err)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n    "...), record...)
	}
	if len(ix.Items) > 0 {
		out = append(out, "\n  "...)
	}
	return append(append(append(out, ']'), end...), '\n'), nil
}

func splitRecords(encoding []byte) (list [][]byte) {
	const begin, end = "\n    {", "\n    }"
	_, rest, isMore := bytes.Cut(encoding, []byte(`"items": [`))
	for ; isMore; rest, isMore = bytes.CutPrefix(rest, []byte(",")) {
		n := bytes.Index(rest, []byte(end)) + len(end)
		if n < len(end) || !bytes.HasPrefix(rest, []byte(begin)) {
			return nil
		}
		list, rest = append(list, rest[len(begin)-1:n]), rest[n:]
	}
	return list
}

// A Report counts what Load made up or left out.
type Report struct {
	Dropped  int // records without a key or a text
	BadDates int // dates that Load could not read and took for now
}

// Load decodes core/index.json of any version. Of one before 4 the records are in Old, too.
//
// A byte order mark is skipped. Unknown members are kept, and Encode writes them back. Missing hits and scores are 1,
// missing dates are now, and ids are made from the keys. Duplicate member names, invalid UTF-8, trailing data and a
// document without an items array are errors that wrap ErrUnreadable. A newer version loads as far as it can be read,
// for showing only: see ReadOnly. If it cannot be read the error wraps ErrNewerVersion.
func Load(data []byte, now time.Time) (*Index, Report, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	checked := make(chan error, 1)
	go func() { checked <- checkText(data) }() // beside the rest, of which it takes a fifth
	l := loader{now: now.UTC().Truncate(time.Millisecond)}
	l.options = json.JoinOptions(options, json.WithUnmarshalers(json.UnmarshalFromFunc(l.readTime)))
	ix := &Index{}
	if n := bytes.Count(data, []byte("\n    {")); n > 0 { // else the records are copied each time that their list grows
		ix.Items = make([]Item, 0, min(n, len(data)/200)+8) // with room for those of a session
	}
	err := json.Unmarshal(data, ix, options)
	if err := <-checked; err != nil {
		return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if err != nil || ix.Version < Version || !ix.isWhole() {
		if ix, err = l.readLoose(data); err != nil && l.version > Version {
			return nil, Report{}, fmt.Errorf("index of version %d: %w", l.version, ErrNewerVersion)
		} else if err != nil {
			return nil, Report{}, fmt.Errorf("%w: %w", ErrUnreadable, withPosition(err, data))
		}
	}
	ix.assignIDs()
	for i := range ix.Old {
		ix.Old[i].Item.ID = ix.Items[i].ID
	}
	return ix, l.report, nil
}

// Stream is Load for an index that mem wrote, without holding its size bytes, which would double the memory
// needed. It returns nil if only Load can judge the content.
func Stream(r io.Reader, size int64) *Index {
	in := bufio.NewReaderSize(r, 64<<10)
	start, _ := in.Peek(64 << 10)
	n := size * int64(bytes.Count(start, []byte("\n    {"))+1) / int64(len(start)+1) // what is not used takes no memory
	ix := &Index{Items: make([]Item, 0, n+n/4+8)}
	err := json.UnmarshalRead(in, ix, options, jsontext.AllowInvalidUTF8(false))
	hasMore := slices.ContainsFunc(ix.Items, func(it Item) bool { return it.Unknown != nil })
	if err != nil || ix.Version != Version || hasMore || ix.Unknown != nil || !ix.isWhole() {
		return nil
	}
	ix.assignIDs()
	return ix
}

func checkText(data []byte) error {
	switch {
	case !utf8.Valid(data):
		return errEncoding
	case words.IsDeep(data, maxDepth):
		return errDeep
	}
	return nil
}

// isWhole reports whether nothing has to be made up.
func (ix *Index) isWhole() bool {
	isDated := !ix.UpdatedAt.IsZero()
	return ix.Items != nil && isDated == (len(ix.Items) > 0) && !slices.ContainsFunc(ix.Items, func(it Item) bool { return !it.isWhole() })
}

func (it *Item) isWhole() bool {
	isKind := it.Kind == Learning || it.Kind == AntiPattern || it.Kind == Strategy
	isDate := func(t time.Time) bool { return inRange(t) && !t.IsZero() }
	return it.Key != "" && it.Text != "" && it.Hits >= 1 && isKind && isDate(it.FirstSeen) && isDate(it.LastSeen)
}

// withPosition turns the byte offset of a syntax error into the line and column that an editor shows.
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
