package index

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/words"
)

// A Lesson is one thing that a reflection brought: a mistake or a fix, and
// where it came from. Text is as the oracle or a person gave it. What was not said is zero.
type Lesson struct {
	Text   string `json:"text"`
	Origin Origin `json:"origin,omitzero"`
	Source Source `json:"source,omitzero"`
	Span   string `json:"span,omitzero"`  // first and last supporting event, until it is counted: then its Source has it
	Held   bool   `json:"held,omitzero"`  // not to be trusted before a person has looked at it
	Doubt  string `json:"doubt,omitzero"` // why it is held

	// Where it is filed, and what is known of its worth. What a person says replaces what the record has; everything
	// else only fills gaps, a guess about a person's words too.
	Domain     string   `json:"domain,omitzero"`
	Tags       []string `json:"tags,omitzero"`
	Confidence string   `json:"confidence,omitzero"` // "high", "medium", "low" or ""
	Severity   string   `json:"severity,omitzero"`   // "high" or ""
	Pinned     bool     `json:"pinned,omitzero"`
	Strategy   bool     `json:"strategy,omitzero"` // it is of this kind, unless it is what to avoid
	Guessed    bool     `json:"guessed,omitzero"`  // all but Pinned is a guess about the text

	// What it is to a known lesson, "again" say, and which: the handle that a model was given, then the id.
	Op string `json:"op,omitzero"`
	Of string `json:"of,omitzero"`

	Cue    Literals `json:"cue,omitzero"` // what it is about; fills a gap, as Remedy does
	Remedy Literals `json:"remedy,omitzero"`
	Why    string   `json:"why,omitzero"`
	Next   string   `json:"next,omitzero"` // what ran and worked after a failure whose cure is not known, with "; " between

	Also []Source `json:"also,omitzero"` // earlier reflections, which showed it too; they count when it is new

	Events  []int `json:"-"` // that it rests on, as an oracle counts them: from 1
	Mistake bool  `json:"-"` // of a list that holds both: the text is what to avoid
}

// A Change is what a reflection did to one record.
type Change struct {
	Pos       int  // of the record in Items
	New       bool // the record was added; otherwise it was seen again
	Confirmed bool // it left quarantine
	Recurred  bool // it was compiled into a rule before, and happened again
}

// An Old is an imported record: of an index before version 4, or of another memory. Item holds the counts
// without sightings; of two imports of one record, the larger counts. Sightings count once, by their ids.
type Old struct {
	Item Item     `json:"item"`
	Seen []Source `json:"seen,omitzero"`
}

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
	b, err := json.Marshal(f.of(it), options)
	if err != nil {
		return "null" // of members that no file can hold
	}
	return string(b)
}

// Write sets the field of this name to a value from Read or from a file; null clears it. A name that is not a
// field sets an unknown member. A value of the wrong type changes nothing.
func (it *Item) Write(name string, value jsontext.Value) {
	at := slices.IndexFunc(Fields, func(f Field) bool { return f.Name == name })
	if at < 0 {
		it.Unknown = setMember(it.Unknown, name, value)
		return
	}
	was, field := *it, Fields[at].of(it)
	reflect.ValueOf(field).Elem().SetZero() // a list or a record that clones share is not written over
	if err := json.Unmarshal(value, field, options); err != nil {
		*it = was
	} else if it.Key = was.Key; name == "text" {
		it.Key = KeyOf(it.Text)
	}
}

// SetUnknown sets a member of the index that this version does not know; null takes it out.
func (ix *Index) SetUnknown(name string, value jsontext.Value) {
	ix.Unknown = setMember(ix.Unknown, name, value)
}

// ListMembers returns the members of an object; none of what is no object.
func ListMembers(object jsontext.Value) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	_ = json.Unmarshal(object, &members, options)
	return members
}

func setMember(object jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	members := ListMembers(object)
	if members[name] = value; value.Kind() == 'n' {
		delete(members, name)
	}
	if len(members) == 0 {
		return nil
	}
	data, err := json.Marshal(members, options)
	if err != nil {
		return object
	}
	return data
}

// Change lets f change the fields of a record. It reports whether anything did.
func (it *Item) Change(f func(*Item)) bool {
	before := *it
	f(it)
	return slices.ContainsFunc(Fields, func(f Field) bool { return f.Read(&before) != f.Read(it) })
}

// StampOf returns when a field was decided; zero if it is as it was at birth, or as rules chose it.
func (it *Item) StampOf(field string) time.Time { return it.Set[field] }

// Stamp notes when a field was decided.
func (it *Item) Stamp(field string, at time.Time) {
	it.Set = maps.Clone(it.Set)
	if it.Set == nil {
		it.Set = map[string]time.Time{}
	}
	it.Set[field] = at
}

// SetText gives the record a new text, with the prefix that its kind has, and
// the key of it. It reports whether there is one: an empty text is ignored.
func (it *Item) SetText(text string) bool {
	text = StripAvoid(text)
	if it.Kind == AntiPattern {
		text = AddAvoid(text)
	}
	if text == "" {
		return false
	}
	it.Text, it.Key = text, KeyOf(text)
	return true
}

// TextOf returns the text of a lesson as the index has it, and its kind: a mistake, and a fix that says
// "Avoid:", is an anti-pattern.
func TextOf(said string, mistake bool) (string, Kind) {
	if mistake || SaysAvoid(said) {
		return AddAvoid(said), AntiPattern
	}
	return words.FoldSpace(said), Learning
}

// IsSightingID reports whether an id may be that of a fact: it stands in the names of commits.
func IsSightingID(id string) bool {
	return len(id) > 2 && len(id) <= 40 && id[1] == '-' && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
