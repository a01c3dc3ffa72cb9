package lookup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"mem/guard"
	"mem/index/withheld"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/render"
	"mem/repo"
	"mem/repo/union"
)

// A Day is the journal of a day.
type Day struct {
	Day     string         `json:"day"` // "" if there is no journal at all
	Entries []render.Entry `json:"entries"`

	text string
}

// ReadDay reads the journal of a day. What it says of lessons that are not shown has
// their status behind it.
func ReadDay(m *repo.Memory, date time.Time) (Day, error) {
	d := Day{Day: date.Format(time.DateOnly)}
	text, err := readMarked(m, render.DailyPath(date))
	if errors.Is(err, fs.ErrNotExist) || union.IsBlank([]byte(text)) { // its entries were taken back
		text, err = "", nil
	}
	d.text, d.Entries = text, render.ParseDaily([]byte(text), date)
	return d, err
}

// IsEmpty reports whether there is no journal of the day.
func (d Day) IsEmpty() bool { return d.text == "" }

// Write shows the day as its file has it.
func (d Day) Write(out io.Writer) { fmt.Fprintf(out, "%s", guard.Scrub(d.text)) }

// readMarked reads a file in which what is said of lessons that are not shown has their
// status behind it.
func readMarked(m *repo.Memory, path string) (string, error) {
	data, err := m.ReadFile(path)
	if err != nil {
		return "", err
	}
	return withheld.WordsOf(m.Index).Mark(string(data)), nil
}

// A dayThing is a day that was asked for by its date.
type dayThing struct {
	ID string `json:"id"`
	label
	Day
}

func (d dayThing) name() (label, []string) { return d.label, []string{d.ID} }

func (q query) findDay(src *notes.Source) (Thing, error) {
	date, err := time.Parse(time.DateOnly, q.id)
	if err != nil {
		return nil, ErrUnknown
	}
	d, err := ReadDay(src.Memory, date)
	if err == nil && d.IsEmpty() {
		err = ErrUnknown
	}
	return dayThing{q.id, label{search.Day, src.Label()}, d}, err
}

// findMonth shows the summary of a month as it was written; mem month may write another.
func (q query) findMonth(src *notes.Source) (Thing, error) {
	date, err := time.Parse("2006-01", q.id)
	if err != nil {
		return nil, ErrUnknown
	}
	path := render.MonthlyPath(date)
	text, err := readMarked(src.Memory, path)
	return fileThing{ID: q.id, label: label{search.Month, src.Label()}, Path: path, Text: text}, err
}
