package reflect

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A Head says which reflection something is.
type Head struct {
	ID      string      `json:"id,omitzero"` // "" means that each call counts
	At      time.Time   `json:"at"`
	Label   string      `json:"label"`
	Agent   string      `json:"agent,omitzero"`
	Session string      `json:"session,omitzero"`
	Trace   string      `json:"trace,omitzero"` // identity of the session, wherever its file lies
	Mark    *facts.Mark `json:"mark,omitzero"`  // how far it was read
}

// A Pending reflection is complete but not yet counted.
type Pending struct {
	Head
	Model    string         `json:"model,omitzero"` // who put the lessons into words
	Outcome  string         `json:"outcome,omitzero"`
	Fixes    []index.Lesson `json:"fixes,omitzero"`
	Mistakes []index.Lesson `json:"mistakes,omitzero"`
	Left     []Left         `json:"-"` // what was proposed and is not kept

	Sightings []index.Lesson `json:"sightings,omitzero"` // what this session shows and does not prove
	Unneeded  []string       `json:"unneeded,omitzero"`  // ids of lessons that it was shown needlessly

	Shown    map[string]Candidate `json:"shown,omitzero"` // what it and others show, by what it is about
	needless map[string]Candidate // by id: lessons that sessions were shown needlessly
}

// A Counted lesson is the outcome for one lesson.
type Counted struct {
	ID        string       `json:"id"`
	Text      string       `json:"text"`
	Kind      index.Kind   `json:"kind"`
	Status    index.Status `json:"status"`
	Hits      int          `json:"hits"`
	Doubt     string       `json:"doubt,omitzero"` // why it is held
	New       bool         `json:"new"`
	Confirmed bool         `json:"confirmed"`
	Recurred  bool         `json:"recurred"`
}

// Describe is the lesson in a line for a person: whether it is new, and whether sessions are shown it.
func (l Counted) Describe() string {
	note := ""
	switch {
	case l.Confirmed:
		note = " (confirmed)"
	case l.Recurred:
		note = " (again, although a rule says so)"
	case l.Doubt != "":
		note = " (held: " + l.Doubt + ")"
	case l.Status == index.Quarantined:
		note = " (quarantined: not shown before it is confirmed)"
	case l.Status != index.Active:
		note = " (" + string(l.Status) + ": counted, not shown)"
	}
	return render.MarkSeen(l.New, l.Hits) + " " + l.Text + note
}

// An Outcome is the result of a reflection.
type Outcome struct {
	Reason  Reason // "" when something was learned
	ID      string
	Lessons []Counted
	Queued  error // why it waits in the queue instead of being committed; nil if it does not
}

// CountLessons returns how many lessons were new and how many were known.
func (o Outcome) CountLessons() (fresh, again int) {
	for _, l := range o.Lessons {
		if l.New {
			fresh++
		}
	}
	return fresh, len(o.Lessons) - fresh
}

// CommitPending counts a reflection in the root, in one commit. When the root
// cannot be changed now, the reflection is queued, durably, and Outcome.Queued
// says why; ReadJob reads it from the queue.
func CommitPending(ctx context.Context, root *repo.Root, p *Pending) (o Outcome, err error) {
	err = commitAll(ctx, root, []*Pending{p}, []*Outcome{&o})
	return o, err
}

// commitAll is CommitPending for some, with a commit for each; all become visible at once.
func commitAll(ctx context.Context, root *repo.Root, list []*Pending, outcomes []*Outcome) error {
	if len(list) == 0 {
		return nil
	}
	var known map[string]Candidate // is read once, and each adds what it shows
	var next func(i int) func(*repo.Memory) (repo.Message, error)
	next = func(i int) func(*repo.Memory) (repo.Message, error) {
		return func(m *repo.Memory) (msg repo.Message, err error) {
			if i+1 < len(list) {
				m.Then(list[i+1].At, next(i+1))
			}
			*outcomes[i], msg, err = list[i].countBeside(m, &known)
			return msg, err
		}
	}
	_, err := root.Settle(ctx, list[0].At, func(m *repo.Memory) (repo.Message, error) {
		known = nil
		return next(0)(m)
	})
	if !IsPostponed(err) {
		return err
	}
	queued := error(nil)
	for i, p := range list {
		*outcomes[i] = Outcome{ID: p.ID, Queued: err}
		queued = errors.Join(queued, QueuePending(root.Queue, p))
	}
	return queued
}

// QueuePending queues a reflection, durably.
func QueuePending(queue repo.Queue, p *Pending) error {
	queued := *p
	if queued.ID == "" { // named now, so that draining it twice counts it once
		queued.ID = "r-" + rand.Text()[:12]
	}
	data, err := json.Marshal(queued)
	if err != nil {
		return fmt.Errorf("queue reflection: %w", err)
	}
	_, err = queue.AddJob(p.At, data)
	return err
}

// IsPostponed reports whether the same call can succeed later without anything
// being repaired.
func IsPostponed(err error) bool {
	return errors.Is(err, repo.ErrLocked) || errors.Is(err, repo.ErrBusy) || errors.Is(err, repo.ErrLost) || errors.Is(err, repo.ErrUnsigned)
}

// JobKind is the kind of queued reflections: they name none.
const JobKind = ""

// ReadJob makes a task of a job that holds a reflection, for
// repo.Root.Drain.
func ReadJob(j repo.Job) (repo.Task, bool) {
	var p Pending
	err := json.Unmarshal(j.Data, &p)
	return repo.Task{At: p.At, Change: func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := p.CountInto(m)
		return msg, err
	}}, err == nil && !p.At.IsZero()
}

// whyKnown says why a reflection that is known counts nothing.
func (p *Pending) whyKnown(ix *index.Index) Reason {
	for _, l := range slices.Concat(p.Fixes, p.Mistakes) {
		for _, mistake := range []bool{false, true} {
			if text, _ := index.TextOf(l.Text, mistake); slices.Contains(ix.Undone, index.BaseID(index.KeyOf(text))) {
				return Undone
			}
		}
	}
	return NothingNew
}

// purged is why a lesson that a person purged is left: neither the index nor the journal gets it again. purgedMark
// stands where a purge took words out.
const (
	purged     = "it was purged"
	purgedMark = "[purged]"
)

// dropPurged leaves the lessons that a person purged.
func (p *Pending) dropPurged(ix *index.Index) {
	p.Left = slices.DeleteFunc(slices.Clone(p.Left), func(l Left) bool { return l.Reason == purged }) // of an earlier try
	for _, side := range []*[]index.Lesson{&p.Fixes, &p.Mistakes} {
		*side = slices.DeleteFunc(slices.Clone(*side), func(l index.Lesson) bool {
			gone := ix.IsPurged(index.KeyOf(index.StripAvoid(l.Text)))
			if gone {
				p.Left = append(p.Left, Left{Text: purgedMark, Reason: purged})
			}
			return gone
		})
	}
}

// CountInto adds the reflection to a memory and says how the commit reads. It is
// pure over m, and counts nothing when the reflection is known already.
func (p *Pending) CountInto(m *repo.Memory) (Outcome, repo.Message, error) {
	return p.countBeside(m, new(map[string]Candidate))
}

// countBeside is CountInto with all that was shown before, which is read if it is nil.
func (p *Pending) countBeside(m *repo.Memory, shownBefore *map[string]Candidate) (o Outcome, msg repo.Message, err error) {
	known, err := readTraces(m.ReadFile)
	switch {
	case err != nil:
		return o, msg, err
	case known.Covers(p.ID, p.Trace, p.Mark):
		return Outcome{ID: p.ID, Reason: p.whyKnown(m.Index)}, msg, nil
	}
	named := *p
	if named.ID == "" {
		named.ID = facts.SightingID(fmt.Sprint(m.Tip(), p.At.UnixNano(), p.Fixes, p.Mistakes))
	}
	named.Shown, named.needless = map[string]Candidate{}, map[string]Candidate{}
	maps.Copy(named.Shown, p.Shown)
	shown, err := named.takeShown(m, shownBefore)
	if err != nil {
		return o, msg, err
	}
	p.Shown = named.Shown
	named.joinShown(m.Index, known)
	if named.Model == oracle.Code {
		named.Fixes, named.Mistakes = amendKnown(m.Index, named.Fixes), amendKnown(m.Index, named.Mistakes)
	}
	named.dropPurged(m.Index)
	p.Left = named.Left
	f := named.fact(m.Index)
	f.Candidates = shown
	changes := m.Learn(f)
	changes = append(changes, named.holdNeedless(m)...)
	if len(changes) == 0 {
		if len(shown) > 0 {
			msg = named.describeCommit(nil)
		}
		return Outcome{ID: p.ID, Reason: NothingToSay}, msg, nil
	}
	named.replaceKnown(m)
	replaceRivals(m.Index, changes)
	named.renewWords(m)
	o.ID = named.ID
	for _, c := range changes {
		it := &m.Index.Items[c.Pos]
		o.Lessons = append(o.Lessons, Counted{
			ID: it.ID, Text: it.Text, Kind: it.Kind, Status: it.Status, Hits: it.Hits, Doubt: it.Doubted(),
			New: c.New, Confirmed: c.Confirmed, Recurred: c.Recurred,
		})
	}
	return o, named.describeCommit(o.Lessons), nil
}

func (p *Pending) fact(ix *index.Index) facts.Fact {
	r := facts.Fact{ID: p.ID, Label: p.Label, Session: p.Session, Trace: p.Trace, Model: p.Model, Outcome: p.Outcome, Mark: p.Mark}
	add := func(list []index.Lesson, side *[]index.Lesson) {
		for _, l := range list {
			out := side
			fileLesson(&l, side == &r.Mistakes)
			if l.Held && l.Doubt != "" && l.Doubt != asOrder { // which a review sees for itself
				l.Why = index.HeldFor(l.Doubt, l.Why)
			}
			if it := findKnown(ix, l.Of); it != nil {
				if l.Op == Again {
					out = &r.Fixes // where one that begins with "Avoid: " is a mistake as well
				}
				l = p.besideKnown(l, it)
			}
			l.Source = index.Source{Trace: p.Trace, Session: p.Session, Span: l.Span, Model: cmp.Or(l.Source.Model, p.Model)}
			l.Guessed, l.Span, l.Doubt, l.Op, l.Of, l.Next = true, "", "", "", "", ""
			*out = append(*out, l)
		}
	}
	add(p.Fixes, &r.Fixes)
	add(p.Mistakes, &r.Mistakes)
	return r
}

// fileLesson lets the words of a lesson say where it belongs, as far as nothing else did.
func fileLesson(l *index.Lesson, isMistake bool) {
	if l.Domain == "" || len(l.Tags) == 0 {
		domain, tags := topic.File(l.Text, isMistake || index.SaysAvoid(l.Text))
		l.Domain = cmp.Or(l.Domain, domain)
		if len(l.Tags) == 0 {
			l.Tags = tags
		}
	}
}

// maxSubject is how many characters the subject of a commit has at most.
const maxSubject = 72

// nameLesson returns the subject of the commit: fixed words, and the first lesson that sessions
// are shown, with how many are new and how many came back. What is held is in no subject.
func (p *Pending) nameLesson(lessons []Counted) string {
	subject := fmt.Sprintf("chore(memory): %s %s", p.At.UTC().Format(time.DateOnly), p.Label)
	first, best := "", 0
	for _, l := range lessons {
		worth := 1
		if l.New {
			worth += 2
		}
		if l.Kind != index.AntiPattern { // what to do says more than what to avoid
			worth++
		}
		if l.Status == index.Active && worth > best {
			first, best = guard.Line(l.Text), worth
		}
	}
	if first == "" {
		return subject
	}
	fresh, again := Outcome{Lessons: lessons}.CountLessons()
	tail := fmt.Sprintf(" (+%d ×%d)", fresh, again)
	tail = strings.NewReplacer("+0 ", "", " ×0", "").Replace(tail)
	room := maxSubject - utf8.RuneCountInString(subject+": "+tail)
	return subject + ": " + render.Shorten(first, room-1) + tail
}

func (p *Pending) describeCommit(lessons []Counted) repo.Message {
	msg := repo.Message{Subject: p.nameLesson(lessons)}
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
		msg.Body = append(msg.Body, render.MarkSeen(l.New, l.Hits)+" "+l.Text)
		add("Mem-Item", l.ID)
	}
	return msg
}
