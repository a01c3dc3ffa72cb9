package search

import (
	"slices"
	"strings"
	"time"

	"mem/index"
)

// A Type says what was found.
type Type string

// The types.
const (
	Lesson  Type = "lesson"
	Rule    Type = "rule"
	Memo    Type = "memory" // MEMORY.md, or a file in memories/
	Month   Type = "month"
	Day     Type = "day"
	AnyType Type = "all"
)

// Types are all of them, for help and completion.
var Types = [...]Type{Lesson, Rule, Memo, Month, Day, AnyType}

// AnyStatus asks for lessons whatever became of them.
const AnyStatus index.Status = "all"

// A Filter says what is asked for. The zero value is every active lesson, and
// everything else.
type Filter struct {
	Type   Type // "" is AnyType
	Kind   index.Kind
	Status index.Status
	Tag    string
	Domain string
	Since  time.Time // last seen, or of a day or month
	ID     string    // what the ids of lessons begin with
}

// onlyLessons reports whether only a lesson can pass.
func (f *Filter) onlyLessons() bool {
	return f.Kind != "" || f.Status != index.Active || f.Tag != "" || f.Domain != "" || f.ID != ""
}

func (f *Filter) wants(t Type) bool {
	return (f.Type == "" || f.Type == AnyType || f.Type == t) && (t == Lesson || !f.onlyLessons())
}

// passes reports whether a record is asked for.
func (f *Filter) passes(it *index.Item) bool {
	return (f.Status == AnyStatus || it.Status == f.Status) &&
		(f.Kind == "" || it.Kind == f.Kind) &&
		(f.Domain == "" || strings.EqualFold(it.Domain, f.Domain)) &&
		(f.Tag == "" || slices.ContainsFunc(it.Tags, func(tag string) bool { return strings.EqualFold(tag, f.Tag) })) &&
		!it.LastSeen.Before(f.Since) && strings.HasPrefix(it.ID, f.ID)
}
