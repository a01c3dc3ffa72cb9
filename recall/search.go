package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/words"
)

// A Found is something that was asked for. Its texts are free of secrets and of characters that a person cannot see.
type Found struct {
	ID     string // of a lesson; a date or a month; else the path
	Type   Type
	Memory string      // its label
	Path   string      // of a file, in the memory
	Text   string      // on one line; of a file, the line that fits best
	Item   *index.Item // of a lesson, as it is stored
	Score  float64     // its effective score
	Days   []string    // of a lesson, the days and months whose best line it is

	rank  int
	text  string // of a file, as it is stored
	line  string // of a file, what is shown whatever fits; "" for what fits best
	fits  float64
	isRaw bool // the text may hold what reads as an order
}

// A Listing is what was found.
type Listing struct {
	Found   []Found
	More    int      // that the limit leaves out
	Skipped []string // files that could not be read, and why
}

// FindText returns what passes the filter and has a word of the text, or, if nothing has, what has it
// letter for letter: rules, then lessons, then learnings and notes, then the journal,
// the best of each first. Without a text it is all that passes: lessons by rank, those of the project
// first, then rules, notes, months and days, the newest first. A limit of 0 is none.
func FindText(sources []Source, text string, f Filter, limit int) Listing {
	l := gather(sources, f)
	if text == "" {
		return l.upTo(limit, func(file string) string { return firstLineWith(file, "") }, false)
	}
	all := l.Found
	fields := func(i int) []string {
		if it := all[i].Item; it != nil {
			return fieldsOf(it)
		}
		return []string{all[i].text}
	}
	q := NewQuery(text, "")
	l.Found = rankFound(all, q.ScoreTexts(len(all), fields))
	if best := l.upTo(limit, func(file string) string { return bestLine(q, file) }, true); len(best.Found) > 0 {
		return best
	}
	text, l.Found = words.Lower(words.FoldSpace(text)), nil
	for i := range all {
		if text != "" && HasName(text, fields(i)...) {
			l.Found = append(l.Found, all[i])
		}
	}
	return l.upTo(limit, func(file string) string { return firstLineWith(file, text) }, false)
}

// rankFound returns those of all that a query hits, in the order in which they are shown.
func rankFound(all []Found, hits []Hit) (list []Found) {
	for _, h := range hits {
		found := all[h.Doc]
		found.fits = h.Score
		if found.Item != nil {
			found.fits += rankWeight / float64(1+found.rank)
		}
		list = append(list, found)
	}
	slices.SortStableFunc(list, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Type.place(), b.Type.place()), cmp.Compare(b.fits, a.fits))
	})
	return list
}

// upTo keeps the first ones, as they may be shown, which would take long to find out for all. line chooses the line of a file:
// one that only an order in the file has is no find. With folds, days and months whose line is a lesson that was found stand
// below that lesson, and learnings are left out for it.
func (l Listing) upTo(limit int, line func(text string) string, folds bool) Listing {
	list, lessons := l.Found, map[string]int{}
	l.Found = nil
	for i := range list {
		if limit > 0 && len(l.Found) == limit {
			l.More = len(list) - i
			break
		}
		f := &list[i]
		if f.Item != nil {
			f.ID, f.Text = guard.Line(f.Item.ID), guard.Line(f.Item.Text)
			if _, ok := lessons[f.Item.Key]; !ok && folds {
				lessons[f.Item.Key] = len(l.Found)
			}
			l.Found = append(l.Found, *f)
			continue
		}
		if isCut := f.readLine(line); isCut && f.Text == "" {
			continue
		}
		at, ok := lessons[index.KeyOf(f.Text)]
		if !ok {
			at, ok = lessons[index.KeyOf(index.AddAvoid(f.Text))]
		}
		switch isJournal := f.Type.place() == places[DayType]; {
		case ok && isJournal:
			l.Found[at].Days = append(l.Found[at].Days, f.ID)
		case !ok || f.Type != LearningType:
			l.Found = append(l.Found, *f)
		}
	}
	return l
}

// readLine gives what was found in a file the line that is shown of it, and reports whether the file holds an order.
func (f *Found) readLine(line func(text string) string) (isCut bool) {
	if f.Text = f.line; f.Text != "" {
		return false
	}
	if f.isRaw {
		kept, _ := guard.DropOrders(f.text)
		isCut, f.text = kept != f.text, kept
	}
	f.Text = words.FoldSpace(line(CleanBody(f.text)))
	return isCut
}

// firstLineWith returns the first line of a text that holds part, which is in lower case.
func firstLineWith(text, part string) string {
	lines, headings := splitLines(text)
	for _, line := range append(lines, headings...) {
		if strings.Contains(words.Lower(line), part) {
			return line
		}
	}
	return ""
}

// bestLine returns the line of a text that has most of the query, a heading only if nothing else has any.
func bestLine(q *Query, text string) string {
	lines, headings := splitLines(text)
	return cmp.Or(q.Best(lines), q.Best(headings))
}

// A Type says what was found.
type Type string

// The types.
const (
	LessonType   Type = "lesson"
	RuleType     Type = "rule"
	LearningType Type = "learning" // a file in learnings/, which says more than its lesson
	MemoType     Type = "memory"   // MEMORY.md, or a file in memories/
	MonthType    Type = "month"
	DayType      Type = "day"
	AnyType      Type = "all"
)

// places is the order of types in results: rules, lessons and learnings, other notes, and last the
// journal, the source of the rest.
var places = map[Type]int{RuleType: 0, LessonType: 1, LearningType: 2, MemoType: 2, MonthType: 3, DayType: 3}

func (t Type) place() int { return places[t] }

// Types are all of them, for help and completion.
var Types = [...]Type{LessonType, RuleType, LearningType, MemoType, MonthType, DayType, AnyType}

// AnyStatus asks for lessons of any status, and for what months and days say of them.
const AnyStatus index.Status = "all"

// A Filter says what is asked for. The zero value is every active lesson, and everything else.
type Filter struct {
	Type   Type // "" is AnyType
	Kind   index.Kind
	Status index.Status
	Tag    string
	Domain string
	Severe bool      // only lessons of high severity
	Since  time.Time // last seen, or of a day or month
	ID     string    // what the ids of lessons begin with
}

func (f *Filter) wants(t Type) bool {
	onlyLessons := f.Kind != "" || f.Status != index.Active && f.Status != AnyStatus || f.Tag != "" || f.Domain != "" || f.Severe || f.ID != ""
	return (f.Type == "" || f.Type == AnyType || f.Type == t) && (t == LessonType || !onlyLessons)
}

func (f *Filter) passes(it *index.Item) bool {
	return (f.Status == AnyStatus || it.Status == f.Status) && !it.LastSeen.Before(f.Since) && strings.HasPrefix(it.ID, f.ID) &&
		(f.Kind == "" || it.Kind == f.Kind || f.Kind == index.Learning && it.IsLearning()) && (!f.Severe || it.Severity == "high") && f.isAbout(it)
}

func (f *Filter) isAbout(it *index.Item) bool {
	return (f.Domain == "" || strings.EqualFold(it.Domain, f.Domain)) &&
		(f.Tag == "" || slices.ContainsFunc(it.Tags, func(tag string) bool { return strings.EqualFold(tag, f.Tag) }))
}
