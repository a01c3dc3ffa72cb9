package reflect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/topic"
	"mem/trace"
	"mem/words"
)

// The length of a lesson in characters: what is longer ends with a sentence before
// maxLesson, and a single sentence may have maxSentence.
const (
	maxLesson   = 240
	maxSentence = 400
)

// A Left lesson was proposed and is not kept.
type Left struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// A Known lesson is one that a session may confirm again. Held lessons wait for the user's review, or for
// another session that shows them. Candidate is a lesson that only one session showed; it has no ID.
type Known struct {
	ID, Text  string
	Held      bool
	Candidate *index.Lesson
}

type binder struct {
	evidence
	seen map[string]bool // keys of both sides
	left []Left
}

// bind makes lessons of an answer: at most perSide of its mistakes and of its fixes, and of one list the first that fill both
// sides but one. They are cleaned, each is different, and each is traced to the events that it is grounded in; one that is in
// none is held. Without events the words are the agent's. What is not kept is left, with the reason.
func bind(a trace.Stated, perSide int, from evidence) (mistakes, fixes []index.Lesson, left []Left) {
	topic.Prepare() // they are filed once they are counted, under the lock
	b := binder{evidence: from, seen: map[string]bool{}}
	mistakes = b.bindSide(a.Mistakes, true, perSide)
	clear(b.seen) // what to avoid may be said on both sides
	fixes = append(b.bindSide(a.Fixes, false, perSide), b.bindSide(a.Strategies, false, perSide)...)
	most := 2*perSide - 1
	for i, stated := range a.Lessons {
		if len(mistakes)+len(fixes) == most {
			b.leave(fmt.Sprintf("more than %d lessons", most), a.Lessons[i:]...)
			break
		}
		known := b.findKnown(&stated)
		if l, ok := b.bindOne(stated, known, stated.Mistake, false); ok && stated.Mistake {
			mistakes = append(mistakes, l)
		} else if ok {
			fixes = append(fixes, l)
		}
	}
	return slices.Clip(mistakes), slices.Clip(fixes), b.left
}

func (b *binder) bindSide(stated []index.Lesson, mistakes bool, n int) (lessons []index.Lesson) {
	for i, s := range stated {
		if len(lessons) == n {
			b.leave(fmt.Sprintf("more than %d on one side", n), stated[i:]...)
			break
		}
		known := b.findKnown(&s)
		if l, ok := b.bindOne(s, known, mistakes, true); ok {
			lessons = append(lessons, l)
		}
	}
	return lessons
}

func (b *binder) leave(reason string, stated ...index.Lesson) {
	for _, s := range stated {
		if text := words.FoldSpace(Scrub(s.Text)); text != "" {
			b.left = append(b.left, Left{Text: text, Reason: reason})
		}
	}
}

// findKnown returns the lesson whose handle an answer names, and puts its id in the place of that. What names none is
// a new lesson. What names a candidate makes a lesson of it: its cited events say what it is worth, as for any other.
func (b *binder) findKnown(s *index.Lesson) (known Known) {
	n, err := strconv.Atoi(strings.TrimPrefix(s.Of, "L"))
	if s.Of = ""; err != nil || n < 1 || n > len(b.Known) {
		return known
	}
	known = b.Known[n-1]
	s.Of = known.ID
	if c := known.Candidate; c != nil {
		if s.Op == Again {
			s.Text, s.Mistake = c.Text, index.SaysAvoid(c.Text)
			s.Cue.Command, s.Cue.Error, s.Remedy.Command = c.Cue.Command, c.Cue.Error, c.Remedy.Command
		}
		s.Op, s.Of = "", ""
	}
	return known
}

// bindOne makes one lesson. Mistakes are shown with "Avoid: ", and checked in that form. It leaves out
// a lesson that cites only events of an earlier question: that is no second sighting.
func (b *binder) bindOne(s index.Lesson, known Known, mistake, mayLook bool) (index.Lesson, bool) {
	text, ok := cutAtSentence(words.FoldSpace(Scrub(s.Text)))
	if mistake {
		text = words.TurnNegation(index.StripAvoid(text))
	}
	key := index.KeyOf(index.StripAvoid(text))
	left := ""
	switch {
	case b.Read > 0 && len(s.Events) > 0 && slices.Max(s.Events) <= b.Read:
		left = "it rests on what was asked about before"
	case !ok:
		left = fmt.Sprintf("one sentence of more than %d characters", maxSentence)
	case words.SaysNothing(index.StripAvoid(text)):
		left = "it says nothing"
	case key == "" || b.seen[key]:
		left = "another one says the same"
	}
	if left != "" {
		b.leave(left, s)
		return index.Lesson{}, false
	}
	b.seen[key] = true
	l := index.Lesson{
		Text: text, Domain: topic.Domain(s.Domain),
		Tags: topic.Tags(slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { // their form would hide what no lesson may keep
			return len(tag) > topic.MaxTag || Scrub(tag) != tag || len(guard.Lint(tag)) > 0
		})),
		Strategy: s.Strategy, Why: cleanLine(s.Why), Cue: cleanLiterals(s.Cue), Remedy: cleanLiterals(s.Remedy), Next: cleanLine(s.Next),
	}
	if strings.EqualFold(strings.TrimSpace(s.Severity), "high") {
		l.Severity = "high"
	}
	if s.Of != "" {
		l.Op, l.Of = s.Op, s.Of
	}
	shown := text
	if mistake {
		shown = index.AddAvoid(text)
	}
	if len(guard.Lint(shown)) > 0 {
		hold(&l, asOrder)
	}
	if at := b.existing(s.Events); b.ByCode && len(at) > 0 { // code names the events that it found the lesson in
		l.Origin, l.Span = b.weakest(at), b.spanOf(at)
	} else {
		b.ground(&l, s.Events, mayLook || b.ByCode)
	}
	if !b.ByCode && len(b.Events) > 0 && !mistake && !isAdvice(text) {
		hold(&l, noAdvice)
	}
	l.Cue = generalCue(l.Cue)
	b.bindAgain(&l, known, s.Events)
	b.clearBeside(&l)
	return l, true
}

// bindAgain takes the known words of a lesson that is again there, if its own are not grounded:
// it adds none. One that is held needs a session that says it.
func (b *binder) bindAgain(l *index.Lesson, known Known, cited []int) {
	if known.ID == "" || l.Op != Again {
		return
	}
	if known.Held && len(b.Events) > 0 && !b.ByCode { // whose words this session must bear out as well
		was := index.Lesson{Text: known.Text}
		if b.ground(&was, cited, false); was.Held {
			hold(l, was.Doubt)
		}
	}
	if own := slices.DeleteFunc(b.existing(cited), func(i int) bool { return !b.isOwn(i) }); l.Held && !known.Held && len(own) > 0 {
		l.Text, l.Held, l.Doubt, l.Why = known.Text, false, "", ""
		l.Origin, l.Span = lessTrusted(index.OriginAgent, b.weakest(own)), b.spanOf(own)
	}
}

// clearBeside clears why, cue, remedy and next if they may come from outside.
func (e *evidence) clearBeside(l *index.Lesson) {
	if !e.Outside {
		return
	}
	e.prepare() // code may have named its events, so that nothing was looked for yet
	beside := strings.Join([]string{string(l.Why), l.Cue.Tool, l.Cue.Command, l.Cue.Error, l.Cue.Path, l.Remedy.Tool, l.Remedy.Command, l.Remedy.Error, l.Remedy.Path, l.Next}, ". ")
	if e.doubt(e.claimOf(beside), nil) != "" {
		l.Why, l.Cue, l.Remedy, l.Next = "", index.Literals{}, index.Literals{}, ""
	}
}

// cleanLine cleans a line that was stated along with a lesson. If the line is too long, it returns "":
// half a command is worthless.
func cleanLine[S ~string](s S) string {
	line, _ := cutAtSentence(words.FoldSpace(Scrub(string(s))))
	return line
}

// cleanOutcome returns how a task ended, as the journal may say it: orders are not for it.
func cleanOutcome(s trace.Stated) string {
	line := cleanLine(s.Outcome)
	if len(guard.Lint(line)) > 0 {
		return ""
	}
	return line
}

func cleanLiterals(l index.Literals) index.Literals {
	return index.Literals{Tool: cleanLine(l.Tool), Command: cleanLine(l.Command), Error: cleanLine(l.Error), Path: cleanLine(l.Path)}
}

// generalCue gives what a lesson is about the form in which a command that runs, and an
// error that it shows, are compared with it.
func generalCue(l index.Literals) index.Literals {
	if l.Command != "" { // to read one takes its time
		l.Command = cmp.Or(shell.Parse(l.Command).MainPart().General(true), l.Command)
	}
	l.Error = shell.Project{}.Signature(l.Error)
	return l
}

// cutAtSentence cuts a text that is too long at the end of a sentence, and never within
// one. It is false if the first is too long by itself.
func cutAtSentence(s string) (string, bool) {
	if utf8.RuneCountInString(s) <= maxLesson {
		return s, true
	}
	end := 0
	for _, at := range reSentence.Get().FindAllStringIndex(s, -1) {
		if n := utf8.RuneCountInString(s[:at[0]]); end > 0 && n > maxLesson || n > maxSentence {
			break
		}
		end = at[0]
	}
	if end == 0 && utf8.RuneCountInString(s) <= maxSentence {
		return s, true
	}
	return strings.TrimRight(s[:end], " ;"), end > 0
}

var reSentence = lazy.New(`[.!?](?:\s|$)|[。！？]|;\s|$`)
