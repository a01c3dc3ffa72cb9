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

// lessons reports whether only a lesson can pass.
func (f *Filter) lessons() bool {
	return f.Kind != "" || f.Status != index.Active || f.Tag != "" || f.Domain != "" || f.ID != ""
}

func (f *Filter) wants(t Type) bool {
	return (f.Type == "" || f.Type == AnyType || f.Type == t) && (t == Lesson || !f.lessons())
}

// pass reports whether a record is asked for.
func (f *Filter) pass(it *index.Item) bool {
	return (f.Status == AnyStatus || it.Status == f.Status) &&
		(f.Kind == "" || it.Kind == f.Kind) &&
		(f.Domain == "" || strings.EqualFold(it.Domain, f.Domain)) &&
		(f.Tag == "" || slices.ContainsFunc(it.Tags, func(tag string) bool { return strings.EqualFold(tag, f.Tag) })) &&
		!it.LastSeen.Before(f.Since) && strings.HasPrefix(it.ID, f.ID)
}

// A Found is something that was asked for. Its texts are free of secrets and of
// characters that nobody sees.
type Found struct {
	ID     string // of a lesson; a date or a month; else the path
	Type   Type
	Memory string      // "global" or "project"
	Path   string      // of a file, in the memory
	Text   string      // on one line; of a file, the line that fits best
	Item   *index.Item // of a lesson, as it is stored
	Score  float64     // its effective score

	rank int
	text string // of a file, as it is stored
	line string // of a file, what is shown whatever fits; "" for what fits best
	fits float64
}

// A Listing is what was found.
type Listing struct {
	Found   []Found
	More    int      // that the limit leaves out
	Skipped []string // files that could not be read, and why
}

// List returns what passes the filter: lessons by rank, those of the project
// first, then rules, notes, months and days, the newest first. A limit of 0
// is none.
func List(sources []Source, f Filter, limit int) Listing {
	return all(sources, f).upTo(limit, func(text string) string { return firstOf(text, "") })
}

// Search returns what has a word of the text, or, if nothing has, what has it
// letter for letter; best first. Without a text it is List.
func Search(sources []Source, text string, f Filter, limit int) Listing {
	if text == "" {
		return List(sources, f, limit)
	}
	l := all(sources, f)
	field := func(i int, f func(string)) {
		if it := l.Found[i].Item; it != nil {
			fields(it, f)
		} else {
			f(l.Found[i].text)
		}
	}
	q := newQuery(text)
	var hits []hit
	if q != nil {
		hits = q.score(len(l.Found), field)
	}
	var list []Found
	if len(hits) == 0 {
		text = strings.ToLower(words.FoldSpace(text))
		for i := range l.Found {
			if text != "" && contains(text, i, field) {
				list = append(list, l.Found[i])
			}
		}
		l.Found = list
		return l.upTo(limit, func(file string) string { return firstOf(file, text) })
	}
	for _, h := range hits {
		found := l.Found[h.doc]
		found.fits = h.score
		if found.Item != nil {
			found.fits += rankWeight / float64(1+found.rank)
		}
		list = append(list, found)
	}
	slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(b.fits, a.fits) })
	l.Found = list
	return l.upTo(limit, q.bestLine)
}

// all returns everything that passes the filter.
func all(sources []Source, f Filter) (l Listing) {
	for i := len(sources) - 1; i >= 0; i-- {
		if s := &sources[i]; s.Memory != nil && f.wants(Lesson) {
			l.Found = append(l.Found, lessons(s, &f)...)
		}
	}
	for i := len(sources) - 1; i >= 0; i-- {
		files, errs := texts(&sources[i], &f)
		l.Found, l.Skipped = append(l.Found, files...), append(l.Skipped, errs...)
	}
	return l
}

// upTo keeps the first ones and cleans what is shown of them, which would take
// long for all. line chooses the line of a file, as a whole.
func (l Listing) upTo(limit int, line func(text string) string) Listing {
	if limit > 0 && len(l.Found) > limit {
		l.Found, l.More = l.Found[:limit], len(l.Found)-limit
	}
	for i := range l.Found {
		if at := &l.Found[i]; at.Item != nil {
			at.ID, at.Text = guard.Line(at.Item.ID), guard.Line(at.Item.Text)
		} else if at.line != "" {
			at.Text = at.line
		} else {
			at.Text = words.FoldSpace(line(body(at.text)))
		}
	}
	return l
}

// firstOf returns the first line of a text that holds part, in lower case.
func firstOf(text, part string) string {
	lines, headings := said(text)
	for _, line := range append(lines, headings...) {
		if strings.Contains(strings.ToLower(line), part) {
			return line
		}
	}
	return ""
}

// bestLine returns the line of a text that has most of the query, a heading only
// if nothing else has any.
func (q *query) bestLine(text string) (best string) {
	lines, headings := said(text)
	for _, list := range [][]string{lines, headings} {
		fits := 0.0
		for _, h := range q.score(len(list), func(i int, f func(string)) { f(list[i]) }) {
			if best == "" || h.score > fits {
				best, fits = list[h.doc], h.score
			}
		}
		if best != "" {
			break
		}
	}
	return best
}

// said returns what the lines of a text say, those that only say where a rule is
// from behind the headings.
func said(text string) (lines, headings []string) {
	var origins []string
	for line := range strings.Lines(text) {
		switch out := quiet(line); {
		case out == "":
		case heading(words.FoldSpace(line)):
			headings = append(headings, strings.TrimSuffix(out, ":"))
		case bookkeeping(out):
			origins = append(origins, out)
		default:
			lines = append(lines, strings.TrimPrefix(out, "- "))
		}
	}
	return lines, append(headings, origins...)
}

// lessons returns the records of a memory: active ones by rank, then the
// others, the latest first.
func lessons(s *Source, f *Filter) (list []Found) {
	ix, now := s.Memory.Index, s.Memory.Now()
	var others []int
	for pos := range ix.Items {
		if ix.Items[pos].Status != index.Active {
			others = append(others, pos)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return ix.Items[b].LastSeen.Compare(ix.Items[a].LastSeen) })
	for n, pos := range append(ix.Rank(now), others...) {
		if it := &ix.Items[pos]; f.pass(it) {
			list = append(list, Found{Type: Lesson, Memory: s.name(), Item: it, Score: it.Effective(now), rank: n})
		}
	}
	return list
}

// memoryFolders are where curated notes lie.
var memoryFolders = [...]string{"memories", "memories/feedback", "memories/user", "memories/project", "memories/reference"}

// texts returns everything else of a memory.
func texts(s *Source, f *Filter) (list []Found, skipped []string) {
	fail := func(err error) {
		if err != nil {
			skipped = append(skipped, err.Error())
		}
	}
	add := func(t Type, id, path, text string) {
		list = append(list, Found{ID: id, Type: t, Memory: s.name(), Path: path, text: text})
	}
	read := func(t Type, id, path string) {
		data, err := s.Memory.Read(path)
		if err == nil {
			add(t, id, path, string(data))
		}
		fail(err)
	}
	if s.Memory != nil && f.wants(Rule) && f.Since.IsZero() {
		paths, err := RuleFiles(s.Memory)
		fail(err)
		for _, path := range paths {
			read(Rule, path, path)
		}
	}
	if f.wants(Memo) && f.Since.IsZero() {
		if strings.TrimSpace(s.Notes) != "" {
			add(Memo, "MEMORY.md", "MEMORY.md", s.Notes)
		}
		for _, folder := range memoryFolders {
			if s.Memory == nil {
				break
			}
			names, err := s.Memory.Texts(folder)
			fail(err)
			for _, name := range names {
				path := folder + "/" + name
				data, err := s.Memory.Read(path)
				fail(err)
				if m, ok := readMemory(path, data); err == nil && ok {
					list = append(list, m.found(s))
				}
			}
		}
	}
	if s.Memory == nil {
		return list, skipped
	}
	if f.wants(Month) {
		names, err := s.Memory.Months()
		fail(err)
		dated(names, "2006-01", f.Since, func(name string) { read(Month, name, "monthly/"+name+".md") })
	}
	if f.wants(Day) {
		names, err := s.Memory.Days("")
		fail(err)
		dated(names, time.DateOnly, f.Since, func(name string) { read(Day, name, "daily/"+name+".md") })
	}
	return list, skipped
}

// dated calls f with the names that are dates on or after the day, or in the
// month, of since, the newest first.
func dated(names []string, layout string, since time.Time, f func(string)) {
	for _, name := range slices.Backward(names) {
		if name >= since.UTC().Format(layout) {
			f(name)
		}
	}
}
