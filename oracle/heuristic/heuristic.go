// Package heuristic finds the lessons of a session without a model.
//
// It applies two rules to the events of a session: a command that failed and what cured it, and what a person
// corrected, refused or decided. Lessons is pure. Package shell understands commands and errors, package speech what
// people say.
//
// A junk lesson costs more than a missed one, so a rule that is in doubt says nothing. Ranking across sessions, trust
// and redaction are the work of other packages.
package heuristic

import (
	"cmp"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// maxText is the most characters that a lesson has.
const maxText = 240

// Once is the Op of a lesson that counts when another session shows it, too.
const Once = "once"

// Signature names the subject of a candidate, so that sessions that show the same agree on it: the error and
// the program that failed, or the command that a person stopped. It is "" if the cue has neither.
func Signature(cue index.Literals) string {
	switch {
	case cue.Command+cue.Error == "":
		return ""
	case cue.Error == "":
		return "ask\x00" + cue.Command
	}
	program, _, _ := strings.Cut(cmp.Or(cue.Command, cue.Tool), " ")
	if strings.Contains(cue.Error, "/") && !strings.Contains(cue.Error, " ") {
		program = "" // a folder, whatever fails there
	}
	list := strings.Fields(reSpeaker.Get().ReplaceAllString(cue.Error, "")) // a long one is cut, and not always at the same place
	return strings.TrimRight(strings.Join(list[:min(len(list), 7)], " "), ".,:;…") + "\x00" + shell.Voice(program)
}

// reSpeaker matches a prefix that names an error's source or level. It is dropped, as it varies from
// line to line: "psycopg2.OperationalError: ", "ERROR [alembic] ".
var reSpeaker = lazy.New(`^(?:(?:\S*(?:error|exception)|failed|fatal|e)(?: \[[^\]]*\]|[:!]) ?|e )+`)

// Lessons returns what the events of a session that began in a folder, "" if that is unknown, teach: at most max lessons,
// each one line of at most maxText characters; a max of 0 or less gives none.
func Lessons(events []session.Event, root string, max int) []index.Lesson {
	s := newTimeline(events, root)
	said := findCorrections(s)
	return pickLessons(slices.Concat(said, findFailures(s), findStops(s, said), findForeign(s)), max)
}

// A finding is a lesson before repetitions are dropped.
type finding struct {
	index.Lesson
	at    int    // index of the event it comes from
	topic string // findings with equal topics say the same; "" is never equal
}

// pickLessons drops repetitions and keeps at most max: a person's words first, each kind in the order in which
// things happened.
func pickLessons(all []finding, max int) (lessons []index.Lesson) {
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Or(strings.Compare(a.Op, b.Op), a.at-b.at) })
	var kept []finding
	for _, f := range all {
		f.Text = shell.OneLine(f.Text, maxText)
		if len(kept) < max && speech.IsSound(f.Text) && !slices.ContainsFunc(kept, f.saysSame) {
			kept, lessons = append(kept, f), append(lessons, f.Lesson)
		}
	}
	return lessons
}

func (f finding) saysSame(g finding) bool {
	return f.topic == g.topic && (f.topic != "" || speech.SaysSame(f.Text, g.Text))
}
