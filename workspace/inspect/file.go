package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/curate/learning"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A fileThing is a file of a memory. Only a learning has what is below its text.
type fileThing struct {
	ID string `json:"id"`
	label
	Path       string   `json:"path"`
	Text       string   `json:"text"`
	Title      string   `json:"title,omitzero"`
	Date       string   `json:"date,omitzero"`
	Domain     string   `json:"domain,omitzero"`
	Tags       []string `json:"tags,omitzero"`
	Confidence string   `json:"confidence,omitzero"`
	Lesson     string   `json:"lesson,omitzero"` // that says the same
	Status     string   `json:"status,omitzero"` // of that lesson
}

func (f fileThing) name() label {
	if f.Type == search.Rule {
		f.Type, f.names = "file of rules", nil
	}
	return f.label
}

func (f fileThing) Write(out io.Writer) {
	if f.Type == search.Learning {
		fmt.Fprintf(out, "%s  %s\n", guard.Line(f.Path), guard.Line(f.Title))
		for _, fact := range [][2]string{
			{"noted on", f.Date}, {"domain", f.Domain}, {"tags", strings.Join(f.Tags, ", ")}, {"confidence", f.Confidence}, {"lesson", f.Lesson}, {"state", f.Status},
		} {
			if fact[1] != "" {
				fmt.Fprintf(out, "  %s: %s\n", fact[0], guard.Line(fact[1]))
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s\n", strings.TrimRight(guard.Scrub(f.Text), "\n"))
}

// findFile finds a file of rules, an imported memory, and MEMORY.md, by their paths: what
// sessions are shown of them.
func (q query) findFile(src *notes.Source) (Thing, error) {
	f := fileThing{ID: q.id, label: labelOf(src, search.Rule, q.id), Path: q.id}
	switch {
	case q.id == "MEMORY.md" && strings.TrimSpace(src.Notes) != "":
		f.Type, f.Text = search.Memo, src.Notes
	case slices.Contains(notes.RuleFolders, path.Dir(q.id)), topic.RuleFolder(path.Dir(q.id)+".md") != "":
		text, err := readMarked(src.Memory, q.id)
		if err != nil {
			return nil, err
		}
		f.Text, _ = guard.DropOrders(text)
	case strings.HasPrefix(q.id, "memories/"):
		text, err := readMarked(src.Memory, q.id)
		if err != nil {
			return nil, err
		}
		m, _, ok := notes.ReadImported(q.id, []byte(text))
		if !ok {
			return nil, ErrUnknown // it may wait as a proposal
		}
		body, _ := guard.DropOrders(notes.CleanBody(m.Body))
		f.Type, f.Text = search.Memo, m.Summary()+"\n\n"+strings.TrimSpace(body)
	default:
		return nil, ErrUnknown
	}
	return f, nil
}

// findLearning finds the file of a learning, by the name that a commit gives it too.
func (q query) findLearning(src *notes.Source) (Thing, error) {
	at, l, err := curate.FindLearning(src.Memory, q.id)
	if err != nil {
		return nil, err
	}
	ix := src.Memory.Index
	hidden := withheld.WordsOf(ix)
	f := fileThing{
		ID: q.id, label: labelOf(src, search.Learning, q.id), Path: at, Title: hidden.Mark(l.Title), Text: hidden.Mark(l.Text),
		Date: l.Date, Domain: string(l.Domain), Tags: l.Tags, Confidence: l.Confidence,
	}
	key := index.KeyOf(index.FoldAvoid(learning.StatementOf(l.Text)))
	if pos := slices.IndexFunc(ix.Items, func(it index.Item) bool { return it.Key == key }); pos >= 0 {
		f.Lesson, f.Status = ix.Items[pos].ID, cmp.Or(string(ix.Items[pos].Status), "active")
		f.names = []string{f.Lesson}
	}
	return f, nil
}

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
	if errors.Is(err, fs.ErrNotExist) {
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

func (q query) findDay(src *notes.Source) (Thing, error) {
	date, err := time.Parse(time.DateOnly, q.id)
	if err != nil {
		return nil, ErrUnknown
	}
	d, err := ReadDay(src.Memory, date)
	if err == nil && d.IsEmpty() {
		err = ErrUnknown
	}
	return dayThing{q.id, labelOf(src, search.Day, q.id), d}, err
}

// findMonth shows the summary of a month as it was written; mem month may write another.
func (q query) findMonth(src *notes.Source) (Thing, error) {
	date, err := time.Parse("2006-01", q.id)
	if err != nil {
		return nil, ErrUnknown
	}
	path := render.MonthlyPath(date)
	text, err := readMarked(src.Memory, path)
	return fileThing{ID: q.id, label: labelOf(src, search.Month, q.id), Path: path, Text: text}, err
}
