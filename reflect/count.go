package reflect

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mem/index"
	"mem/render"
	"mem/repo"
)

// CountInto adds the reflection to a memory and says how the commit reads. It is
// pure over m, and counts nothing when the reflection is known already.
func (p *Pending) CountInto(m *repo.Memory) (Outcome, repo.Message, error) {
	t, err := readTraces(m.Read)
	if err != nil {
		return Outcome{}, repo.Message{}, err
	}
	if t.knows(p.ID) || p.stale(t) {
		return Outcome{ID: p.ID, Reason: NothingNew}, repo.Message{}, nil
	}
	known := *p
	if known.ID == "" { // each call counts, so each gets a name of its own
		known.ID = "r-" + digest(m.Tip(), p.At.Format(time.RFC3339Nano), fmt.Sprint(p.Fixes, p.Mistakes))
	}
	changes := m.Learn(known.reflection())
	if len(changes) == 0 {
		return Outcome{ID: p.ID, Reason: NothingToSay}, repo.Message{}, nil
	}
	if err := known.journal(m); err != nil {
		return Outcome{}, repo.Message{}, err
	}
	t.note(&known)
	if err := t.write(m); err != nil {
		return Outcome{}, repo.Message{}, err
	}
	o := Outcome{ID: known.ID}
	for _, c := range changes {
		it := &m.Index.Items[c.Pos]
		o.Lessons = append(o.Lessons, Counted{
			ID: it.ID, Text: it.Text, Kind: it.Kind, Status: it.Status, Hits: it.Hits,
			New: c.New, Confirmed: c.Confirmed, Recurred: c.Recurred,
		})
	}
	return o, known.message(o.Lessons), nil
}

// stale reports whether another reflection has read further in the same
// session since this one was made.
func (p *Pending) stale(t traces) bool {
	mark, ok := t.Marks[p.Trace]
	return ok && p.Mark != nil && mark.Events >= p.Mark.Events && (mark.Last == p.Mark.Last || !mark.At.Before(p.Mark.At))
}

// reflection is what the index counts.
func (p *Pending) reflection() index.Reflection {
	lessons := func(list []Lesson, mistakes bool) []index.Lesson {
		var out []index.Lesson
		for _, l := range list {
			domain, tags := l.filed(mistakes)
			out = append(out, index.Lesson{
				Text: l.Text, Origin: l.Origin, Held: l.Held,
				Source: index.Source{Trace: p.Trace, Session: p.Session, Span: l.Span, Model: p.Model},
				Domain: domain, Tags: tags, Severity: l.Severity, Guessed: true,
			})
		}
		return out
	}
	return index.Reflection{Fixes: lessons(p.Fixes, false), Mistakes: lessons(p.Mistakes, true)}
}

// journal appends the entry of the day.
func (p *Pending) journal(m *repo.Memory) error {
	path := render.DailyPath(p.At)
	old, err := m.Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e := render.Entry{ID: p.ID, At: p.At, Label: p.Label, Session: p.Trace}
	for _, l := range p.Mistakes {
		e.Mistakes = append(e.Mistakes, index.StripAvoid(l.Text))
	}
	for _, l := range p.Fixes {
		e.Fixes = append(e.Fixes, l.Text)
	}
	return m.Write(path, render.Daily(old, e))
}

// message is the commit for people: what was learned, one lesson a line.
func (p *Pending) message(lessons []Counted) repo.Message {
	msg := repo.Message{Subject: fmt.Sprintf("chore(memory): %s %s", p.At.UTC().Format(time.DateOnly), p.Label)}
	add := func(key, value string) {
		if value != "" {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: key, Value: value})
		}
	}
	add("Mem-Reflection", p.ID)
	add("Mem-Session", p.Session)
	add("Mem-Trace", p.Trace)
	add("Mem-Model", p.Model)
	for _, l := range lessons {
		mark := "+"
		if !l.New {
			mark = fmt.Sprintf("×%d", l.Hits)
		}
		msg.Body = append(msg.Body, mark+" "+l.Text)
		add("Mem-Item", l.ID)
	}
	msg.Body = slices.Clip(msg.Body)
	return msg
}
