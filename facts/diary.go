package facts

import (
	"slices"
	"strings"
)

// A Diary tells what a person wrote into the journal from what git made of it.
type Diary struct {
	was, now Journal       // as the facts say of which it was made, and as they say now
	isSame   bool          // git brought and took out no facts meanwhile
	said     map[Note]bool // by facts, also by those that count no longer
	all      Journal       // of these, too
}

// NewDiary returns the journal that was made of one log, where now there is another one.
func NewDiary(was, now *Log, isSame bool) Diary {
	d := Diary{was: was.Journal(), now: now.Journal(), isSame: isSame, said: map[Note]bool{}, all: Journal{}}
	d.Hear(was)
	d.Hear(now)
	return d
}

// bare is a note without its place.
func bare(n Note) Note {
	return Note{Day: n.Day, Entry: n.Entry, Text: strings.TrimSpace(n.Text)}
}

// Hear adds what a log says, also of facts that count no longer.
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

// List returns what a person wrote into a file. An entry that is new in it is of a fact that git merged in or took
// out; so it is with one that is missing, unless git did nothing to the  Where git may have merged files, only
// what stands between entries was written by hand, and of that only what has a line that no fact says; an entry was
// changed by hand if it was as the facts say before.
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
		isMonth := len(date) == len("2006-01") && before != nil && string(before) == string(d.was.Render(date))
		return !isMonth && !d.saysMore(n)
	})
}

// isMixed reports whether the text of an entry is what git makes of two that it merges line by line, as it does where a
// commit is picked: what it lost stands in another one that is new, or nothing in it is new, and it has a line of another
// one.
func (d *Diary) isMixed(n Note, before, data []byte) bool {
	was, others, own := ParseDay(before), "\n", "\n"
	for _, p := range was {
		if p.ID == n.Entry {
			own += p.Text + "\n"
		}
	}
	for _, p := range ParseDay(data) {
		if p.Text != n.Text && !slices.Contains(was, p) {
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
