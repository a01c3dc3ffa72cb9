package facts

import (
	"cmp"
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
	e := render.Entry{ID: f.ID, At: f.At, Label: f.Label, Session: f.Trace}
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
	_, text, _ := strings.Cut(string(render.Daily(nil, e)), "\n\n")
	return f.At.UTC().Format(time.DateOnly), Part{f.ID, strings.TrimSpace(text)}, true
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
	case len(n.Day) == len("2006-01"):
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

// PathOf returns the file of a day or a month.
func (Journal) PathOf(date string) string {
	if len(date) == len("2006-01") {
		return "monthly/" + date + ".md"
	}
	return "daily/" + date + ".md"
}

// Files returns the files of the journal. One that has lost all it had is nil.
func (j Journal) Files() map[string][]byte {
	files := map[string][]byte{}
	for date := range j {
		files[j.PathOf(date)] = j.Render(date)
	}
	return files
}

// Render returns the file of a day or a month; nil if it says nothing.
func (j Journal) Render(date string) []byte {
	var b strings.Builder
	head, said := "# "+date, false
	for _, p := range j[date] {
		if len(date) == len("2006-01") {
			b.WriteString(p.Text)
			return notEmpty(b.String())
		}
		if said = said || p.Text != ""; p.ID == headID {
			head = p.Text
		} else if p.Text != "" {
			b.WriteString("\n" + p.Text + "\n")
		}
	}
	if !said {
		return nil
	}
	return []byte(head + "\n" + b.String())
}

func notEmpty(text string) []byte {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []byte(text)
}

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

// DiffDay returns what was written by hand into the file of a day or a month, which was rendered from j. What
// isKnown says of is an entry of a fact that git merged in.
func (j Journal) DiffDay(date string, data []byte, isKnown func(id string) bool) (notes []Note) {
	text := string(data)
	switch {
	case strings.Contains("\n"+text, "\n<<<<<<< "):
		return nil // git could not merge what is made anew
	case len(date) != len("2006-01"):
		return j.diffParts(date, ParseDay(data), isKnown)
	case text == string(j.Render(date)):
		return nil
	}
	return []Note{{Day: date, Text: text}}
}

// diffParts is DiffDay for the parts of a day.
func (j Journal) diffParts(date string, is []Part, isKnown func(id string) bool) (notes []Note) {
	was := textsOf(ParseDay(j.Render(date)))
	was[headID] = cmp.Or(was[headID], "# "+date)
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

// textsOf returns what parts say, by their ids.
func textsOf(parts []Part) map[string]string {
	texts := make(map[string]string, len(parts))
	for _, p := range parts {
		texts[p.ID] = p.Text
	}
	return texts
}

// MergeDay returns a day with what a second side has, or wrote by hand, since a base. The entries of facts are made
// anew.
func MergeDay(base, ours, theirs []byte) []byte {
	was, j, after := textsOf(ParseDay(base)), Journal{"": ParseDay(ours)}, ""
	for _, p := range ParseDay(theirs) {
		if text, known := was[p.ID]; known && text != p.Text || !known && !j.has("", p.ID) {
			j.note(Note{Entry: p.ID, After: after, Text: p.Text})
		}
		after = p.ID
	}
	return j.Render("")
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
