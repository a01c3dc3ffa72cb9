package facts

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/render"
)

// A Part of a day of the journal is an entry, or what a person wrote between entries.
type Part struct {
	ID   string // of the fact whose entry it is, or of the text; headID for what stands before all entries
	Text string // without white space at its ends
}

// headID is the id of what a day begins with.
const headID = "^"

// entry returns the part of the journal that a reflection has; false for none.
func (f *Fact) entry() (day string, p Part, has bool) {
	if f.Label == "" || len(f.Fixes)+len(f.Mistakes) == 0 {
		return "", Part{}, false
	}
	e := render.Entry{ID: f.ID, At: f.At, Label: f.Label, Outcome: f.Outcome, Session: f.Trace}
	for _, l := range f.Fixes {
		if index.SaysAvoid(l.Text) {
			e.Mistakes = append(e.Mistakes, index.StripAvoid(l.Text))
		} else {
			e.Fixes = append(e.Fixes, l.Text)
		}
	}
	for _, l := range f.Mistakes {
		e.Mistakes = append(e.Mistakes, index.StripAvoid(l.Text))
	}
	return f.At.UTC().Format(time.DateOnly), Part{f.ID, strings.TrimSpace(e.Markdown())}, true
}

// Day returns the day of the journal that has an entry of a fact; false for none.
func (f *Fact) Day() (date string, has bool) {
	date, _, has = f.entry()
	return date, has
}

// A Journal is what the days and months say, by their dates.
type Journal map[string][]Part

// Journal returns what the facts say.
func (l *Log) Journal() Journal {
	j := Journal{}
	for _, f := range l.facts {
		if l.counted[f.ID] {
			j.Add(f)
		}
	}
	return j
}

// Add adds what a fact says, which comes after all others.
func (j Journal) Add(f Fact) {
	if day, p, has := f.entry(); has && !j.has(day, p.ID) {
		j[day] = append(j[day], p)
	}
	for _, n := range f.Notes {
		if n.Day != proposals {
			j.note(n)
		}
	}
}

func (j Journal) has(day, id string) bool {
	return slices.ContainsFunc(j[day], func(p Part) bool { return p.ID == id })
}

func (j Journal) note(n Note) {
	parts := slices.Clone(j[n.Day])
	p := Part{n.Entry, strings.TrimSpace(n.Text)}
	if p.ID == "" {
		p.ID = "t-" + shortHash([]byte(p.Text))
	}
	at := slices.IndexFunc(parts, func(o Part) bool { return o.ID == p.ID })
	switch after := slices.IndexFunc(parts, func(o Part) bool { return o.ID == n.After }); {
	case isMonth(n.Day):
		parts = []Part{{headID, n.Text}}
	case at >= 0:
		parts[at] = p
	case p.ID == headID:
		parts = slices.Insert(parts, 0, p)
	case after >= 0 || n.After == headID: // which stands there even where none is kept
		parts = slices.Insert(parts, after+1, p)
	default:
		parts = append(parts, p)
	}
	j[n.Day] = parts
}

// Files returns the files of the journal. One that has lost all it had is nil.
func (j Journal) Files() map[string][]byte {
	files := map[string][]byte{}
	for date := range j {
		files[render.JournalPath(date)] = j.Render(date)
	}
	return files
}

// Render returns the file of a day or a month; nil if it says nothing.
func (j Journal) Render(date string) []byte {
	head, rest, all := "# "+date+"\n", &bytes.Buffer{}, &bytes.Buffer{}
	for _, p := range j[date] {
		if all.WriteString(p.Text); p.ID == headID {
			head = p.Text + "\n"
		} else if p.Text != "" {
			fmt.Fprintf(rest, "\n%s\n", p.Text)
		}
	}
	switch {
	case len(bytes.TrimSpace(all.Bytes())) == 0:
		return nil
	case isMonth(date):
		return all.Bytes()
	}
	return append([]byte(head), rest.Bytes()...)
}

func isMonth(date string) bool { return len(date) == len("2006-01") }

// ParseDay takes the file of a day apart.
func ParseDay(data []byte) (parts []Part) {
	text, open := strings.ReplaceAll(string(data), "\r\n", "\n"), &strings.Builder{}
	end := func() {
		p := Part{Text: strings.TrimSpace(open.String())}
		open = &strings.Builder{}
		_, mark, isMarked := strings.Cut(p.Text, "\n<!-- mem:")
		id, _, _ := strings.Cut(mark, "\n")
		id, _, _ = strings.Cut(strings.TrimSuffix(id, " -->"), " ")
		switch {
		case len(parts) == 0 && !strings.HasPrefix(p.Text, "## "):
			p.ID = headID
		case isMarked && id != "":
			p.ID = id
		default:
			p.ID = "t-" + shortHash([]byte(p.Text))
		}
		if p.Text != "" {
			parts = append(parts, p)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") {
			end()
		}
		open.WriteString(line)
	}
	end()
	return parts
}

// DiffDay returns the hand edits in the file of a day or a month that was rendered from j. isKnown reports
// which entries belong to facts that git merged in.
func (j Journal) DiffDay(date string, data []byte, isKnown func(id string) bool) (notes []Note) {
	text := string(data)
	switch {
	case strings.Contains("\n"+text, "\n<<<<<<< "):
		return nil // git could not merge what is made anew
	case !isMonth(date):
		return diffParts(date, ParseDay(j.Render(date)), ParseDay(data), isKnown)
	case text == string(j.Render(date)):
		return nil
	}
	return []Note{{Day: date, Text: text}}
}

// diffParts is DiffDay for the parts of a day.
func diffParts(date string, before, is []Part, isKnown func(id string) bool) (notes []Note) {
	was := map[string]string{headID: "# " + date}
	for _, p := range before {
		was[p.ID] = p.Text
	}
	here, after := map[string]bool{headID: true}, ""
	for _, p := range is {
		here[p.ID] = true
		if text, known := was[p.ID]; known && text != p.Text || !known && !isKnown(p.ID) {
			n := Note{Day: date, Entry: p.ID, After: after, Text: p.Text}
			if strings.HasPrefix(p.ID, "t-") {
				n.Entry = ""
			}
			notes = append(notes, n)
		}
		after = p.ID
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		if !here[id] {
			notes = append(notes, Note{Day: date, Entry: id})
		}
	}
	return notes
}

// MergeDay returns our file of a day with what the other side added or wrote by hand since a base. Entries of
// facts are rendered again.
func MergeDay(date string, base, ours, theirs []byte) []byte {
	j := Journal{date: ParseDay(ours)}
	for _, n := range diffParts(date, ParseDay(base), ParseDay(theirs), func(id string) bool { return j.has(date, id) }) {
		if n.Text != "" {
			j.note(n)
		}
	}
	return j.Render(date)
}

// DateOf returns the day or the month that a file of the journal is of.
func DateOf(name string) (date string, is bool) {
	folder, layout := path.Dir(name), time.DateOnly
	if folder == "monthly" {
		layout = "2006-01"
	}
	date, isText := strings.CutSuffix(path.Base(name), ".md")
	_, err := time.Parse(layout, date)
	return date, isText && err == nil && (folder == "daily" || folder == "monthly")
}

// A Diary separates a person's hand edits of the journal from git's changes to it.
type Diary struct {
	was, now Journal       // as the facts say of which it was made, and as they say now
	isSame   bool          // git brought and took out no facts meanwhile
	said     map[Note]bool // by facts, also by those that count no longer
	all      Journal       // of these, too
}

// NewDiary returns the Diary of a journal rendered from the log was, where the log is now another one.
func NewDiary(was, now *Log, isSame bool) Diary {
	d := Diary{was: was.Journal(), now: now.Journal(), isSame: isSame, said: map[Note]bool{}, all: Journal{}}
	d.Hear(was)
	d.Hear(now)
	return d
}

func bare(n Note) Note {
	return Note{Day: n.Day, Entry: n.Entry, Text: strings.TrimSpace(n.Text)}
}

// Hear adds the content of a log, including facts that count no longer.
func (d *Diary) Hear(l *Log) {
	for _, f := range l.Facts() {
		d.all.Add(f)
		for _, n := range f.Notes {
			d.said[bare(n)] = true
		}
	}
}

// Says reports whether a fact that was heard has a note.
func (d *Diary) Says(n Note) bool { return d.said[bare(n)] }

func (d *Diary) has(date, id string) bool {
	return slices.ContainsFunc(d.now[date], func(p Part) bool { return p.ID == id && p.Text != "" })
}

// List returns a person's hand edits of a file. A new entry belongs to a fact that git merged in or removed. So
// does a missing one, unless git left the log alone. If git may have merged files, only two kinds of text
// count: text between entries that has a line no fact has, and edited entries that matched the facts before.
func (d *Diary) List(date string, data, before []byte) []Note {
	isSo := func(text []byte, id string) bool { // as the facts say
		return slices.ContainsFunc(ParseDay(text), func(p Part) bool { return p.ID == id && slices.Contains(d.was[date], p) })
	}
	isOfFact := func(id string) bool { return !strings.HasPrefix(id, "t-") || d.has(date, id) }
	return slices.DeleteFunc(d.was.DiffDay(date, data, isOfFact), func(n Note) bool {
		if n.Text == "" {
			return !d.isSame || !d.has(date, n.Entry)
		}
		if strings.Contains(n.Entry, "-") { // and not what stands before all
			return !isSo(before, n.Entry) || isSo(data, n.Entry) || d.isMixed(n, before, data)
		}
		isAsMade := isMonth(date) && before != nil && string(before) == string(d.was.Render(date))
		return !isAsMade && !d.saysMore(n)
	})
}

// isMixed reports whether git made an entry by merging two line by line, as a cherry-pick does. Then its lost
// lines are in another new entry; or none of its lines is new, and one comes from another entry.
func (d *Diary) isMixed(n Note, before, data []byte) bool {
	was, others, own := ParseDay(before), "\n", "\n"
	for _, p := range was {
		if p.ID == n.Entry {
			own += p.Text + "\n"
		}
	}
	for _, p := range ParseDay(data) {
		if at := slices.Index(was, p); at >= 0 {
			was = slices.Delete(was, at, at+1) // what stands there once more is new
		} else if p.Text != n.Text {
			others += p.Text + "\n"
		}
	}
	lacks := func(text string) func(line string) bool {
		return func(line string) bool { return !strings.Contains(text, "\n"+line+"\n") }
	}
	lost := slices.DeleteFunc(strings.Split(strings.TrimSpace(own), "\n"), func(line string) bool { return !lacks("\n" + n.Text + "\n")(line) })
	return len(lost) > 0 && !slices.ContainsFunc(lost, lacks(others)) || !d.saysMore(n) && slices.ContainsFunc(strings.Split(n.Text, "\n"), lacks(own))
}

// saysMore reports whether a text has a line that no part of its day has.
func (d *Diary) saysMore(n Note) bool {
	known := map[string]bool{}
	for _, p := range slices.Concat(d.was[n.Day], d.now[n.Day], d.all[n.Day]) {
		for line := range strings.Lines(p.Text) {
			known[strings.TrimSpace(line)] = true
		}
	}
	for line := range strings.Lines(n.Text) {
		if line = strings.TrimSpace(line); line != "" && !known[line] {
			return true
		}
	}
	return false
}
