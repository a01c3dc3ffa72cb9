package index

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Stamp says when a field of a record changed after the record's birth.
type Stamp struct {
	Field string
	At    time.Time
}

// Spelling is the stamp of a text that a sighting wrote otherwise, in letters of
// other case, say. Any change of the words is stronger.
const Spelling = "spelling"

// redistilled is the stamp of a record that redistill looked at. It has no value.
const redistilled = "redistilled"

// A Field is a part of a record that may change after birth.
type Field struct {
	Name string
	of   func(*Item) any // where it is
}

// Fields are the parts of a record that may change, by name.
var Fields = []Field{
	{"confidence", func(it *Item) any { return &it.Confidence }},
	{"cue", func(it *Item) any { return &it.Cue }},
	{"domain", func(it *Item) any { return &it.Domain }},
	{"evidence", func(it *Item) any { return &it.Evidence }},
	{"kind", func(it *Item) any { return &it.Kind }},
	{"origin", func(it *Item) any { return &it.Origin }},
	{"pinned", func(it *Item) any { return &it.Pinned }},
	{redistilled, func(*Item) any { return &struct{}{} }},
	{"remedy", func(it *Item) any { return &it.Remedy }},
	{"severity", func(it *Item) any { return &it.Severity }},
	{"status", func(it *Item) any { return &it.Status }},
	{"supersededBy", func(it *Item) any { return &it.SupersededBy }},
	{"tags", func(it *Item) any { return &it.Tags }},
	{"text", func(it *Item) any { return &it.Text }},
	{"violations", func(it *Item) any { return &it.Violations }},
	{"why", func(it *Item) any { return &it.Why }},
}

// Read returns the field's value as JSON, which can be compared.
func (f Field) Read(it *Item) string {
	b, err := json.Marshal(f.of(it), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "null" // of members that no file can hold
	}
	return string(b)
}

// IsSame reports whether two records have the same value, at little cost; it may
// miss that "none" was written in two ways.
func (f Field) IsSame(a, b *Item) bool { return reflect.DeepEqual(f.of(a), f.of(b)) }

// Write gives the field a value that Read returned, or a file.
func (f Field) Write(it *Item, value string) {
	if err := json.Unmarshal([]byte(value), f.of(it), jsontext.AllowInvalidUTF8(true)); err == nil && f.Name == "text" {
		it.Key = KeyOf(it.Text)
	}
}

// SaysSame reports whether two records have the same fields, set at the same times.
func (it *Item) SaysSame(o *Item) bool {
	return it.Key == o.Key && slices.Equal(it.Set, o.Set) && !slices.ContainsFunc(Fields, func(f Field) bool {
		return !f.IsSame(it, o)
	})
}

// Change lets f change the fields of a record, and stamps what changed. It reports
// whether anything did.
func (it *Item) Change(now time.Time, f func(*Item)) bool { return it.changeAt(it.NextStamp(now), f) }

// changeAt is Change with the stamp that changes get.
func (it *Item) changeAt(at time.Time, f func(*Item)) bool {
	before := *it
	f(it)
	changed := false
	for _, f := range Fields {
		if !f.IsSame(&before, it) {
			it.SetStamp(f.Name, at)
			changed = true
		}
	}
	return changed
}

// NextStamp is the time of a change made now: later than every other of the record,
// whatever the clock says.
func (it *Item) NextStamp(now time.Time) time.Time {
	at := now.UTC().Truncate(time.Millisecond)
	for _, s := range it.Set {
		at = Latest(at, s.At.Add(time.Millisecond))
	}
	return at
}

// StampOf returns when a field changed; zero if it is as it was at birth.
func (it *Item) StampOf(field string) time.Time {
	for _, s := range it.Set {
		if s.Field == field {
			return s.At
		}
	}
	return time.Time{}
}

// SetStamp sets the stamp of a field; a zero time removes it.
func (it *Item) SetStamp(field string, at time.Time) {
	set := slices.DeleteFunc(slices.Clone(it.Set), func(s Stamp) bool { return s.Field == field })
	if !at.IsZero() {
		set = append(set, Stamp{field, at})
	}
	slices.SortFunc(set, func(a, b Stamp) int { return strings.Compare(a.Field, b.Field) })
	it.Set = set
}

// Latest returns the later of two times.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// A FieldVersion is how new the value of a field is; the zero value is that of birth.
type FieldVersion struct {
	At, Spelled time.Time
}

// VersionOf returns how new the value of a field is.
func (it *Item) VersionOf(name string) FieldVersion {
	v := FieldVersion{At: it.StampOf(name)}
	if name == "text" {
		v.Spelled = it.StampOf(Spelling)
	}
	return v
}

// CompareVersions orders versions, the older first.
func CompareVersions(a, b FieldVersion) int {
	return cmp.Or(a.At.Compare(b.At), a.Spelled.Compare(b.Spelled))
}
