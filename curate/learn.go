package curate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// MaxText bounds what one capture holds, in bytes.
const MaxText = 16 << 10

// ErrNothing is wrapped when a text says nothing.
var ErrNothing = errors.New("there is nothing in it to note")

// A Capture is one insight that a person or an agent states.
type Capture struct {
	ID         string    `json:"id"` // of one that was queued: then it counts once
	At         time.Time `json:"at"`
	Text       string    `json:"text"`
	Domain     string    `json:"domain,omitzero"` // one of topic.Domains; "" leaves it to the words
	Tags       []string  `json:"tags,omitzero"`   // nil leaves them to the words
	Confidence string    `json:"confidence,omitzero"`
	Severity   string    `json:"severity,omitzero"` // "high" or ""
	Pinned     bool      `json:"pinned,omitzero"`
	Agent      bool      `json:"agent,omitzero"`   // an agent states it, not a person
	Session    string    `json:"session,omitzero"` // of the agent, if it tells
	Doubt      string    `json:"doubt,omitzero"`   // why it is held; "" if it is not, or reads as an order
}

// A Noted is the outcome of a capture.
type Noted struct {
	Path       string          `json:"path"` // of the learning; "" if it had been noted before
	Domain     string          `json:"domain"`
	Tags       []string        `json:"tags"`
	Confidence string          `json:"confidence"`
	Lesson     index.Item      `json:"-"`   // as it is now
	New        bool            `json:"new"` // the lesson was not known before
	Held       []guard.Problem `json:"-"`
}

// ScrubText returns the capture without secrets and characters that people cannot
// see. The error wraps ErrNothing if no word is left.
func (c Capture) ScrubText() (Capture, error) {
	c.Text = strings.TrimSpace(guard.Scrub(c.Text))
	c.Tags = topic.Tags(c.Tags)
	if titleOf(c.Text) == "" || words.SaysNothing(index.StripAvoid(c.Text)) {
		return c, ErrNothing
	}
	return c, nil
}

// LearnIn keeps a capture in the index and as a file of its own. It is a callback
// for repo.Root.Settle. The capture must have been scrubbed.
func (c Capture) LearnIn(m *repo.Memory) (Noted, repo.Message, error) {
	text := Learning{Domain: c.Domain, Text: c.Text}.Lesson()
	lesson := index.Lesson{
		Text: text, Origin: index.OriginUser, Held: c.Doubt != "", Severity: c.Severity, Pinned: c.Pinned,
		Source: index.Source{Session: c.Session},
	}
	var held []guard.Problem
	if c.Agent {
		held = guard.Lint(c.Text)
		lesson.Origin, lesson.Held = index.OriginAgent, lesson.Held || len(held) > 0
	}
	if c.Doubt != "" {
		lesson.Why = index.HeldFor(c.Doubt, "")
	}
	if c.ID != "" {
		lesson.Source.Trace = "learn:" + c.ID
	}
	known := findLesson(m, text)
	if known != nil && c.ID != "" && slices.ContainsFunc(known.Sources, func(s index.Source) bool { return s.Trace == lesson.Source.Trace }) {
		return Noted{Domain: known.Domain, Tags: known.Tags, Lesson: *known}, repo.Message{}, nil
	}
	c.fileLesson(&lesson, known)
	nameCue(&lesson)
	changes := m.Learn(facts.Fact{ID: c.ID, Session: c.Session, Fixes: []index.Lesson{lesson}})
	if m.Index.IsPurged(index.KeyOf(text)) {
		return Noted{}, repo.Message{}, fmt.Errorf("it was purged: %w", ErrNothing)
	}
	if len(changes) == 0 {
		return Noted{}, repo.Message{}, ErrNothing
	}
	it := m.Index.Items[changes[0].Pos]
	n := Noted{
		Domain: cmp.Or(topic.Domain(it.Domain), topic.General), Tags: topic.Tags(it.Tags), Confidence: cmp.Or(ParseConfidence(it.Confidence), MediumConfidence),
		Lesson: it, New: changes[0].New, Held: held,
	}
	msg, err := n.writeFile(m, c)
	return n, msg, err
}

// Remark returns a notice for the author of the lesson; "" for nothing.
func (n *Noted) Remark() string {
	switch {
	case n.Lesson.ID == "": // it is queued
	case len(n.Held) > 0:
		return fmt.Sprintf("held: it reads like an order (%s), and it comes from an agent; no session is shown it before a person agrees", n.Held[0].Rule)
	case n.Lesson.Doubted() != "":
		return fmt.Sprintf("held: %s; another session that shows it, or a person, lets it in", n.Lesson.Doubted())
	case !n.Lesson.IsShown():
		return fmt.Sprintf("this lesson is %s: it is counted, and not shown", n.Lesson.Status)
	}
	return ""
}

// findLesson returns the record that a text would count for; nil if it is new.
func findLesson(m *repo.Memory, text string) *index.Item {
	key := index.KeyOf(index.FoldAvoid(text))
	var found *index.Item
	for it := range m.Index.All() {
		if it.Key == key && (found == nil || found.Status != index.Active && it.Status == index.Active) {
			found = it
		}
	}
	return found
}

// fileLesson says where the lesson belongs. What the capture does not say is left
// as the record has it, or else to the words.
func (c Capture) fileLesson(l *index.Lesson, known *index.Item) {
	had := cmp.Or(known, &index.Item{})
	domain, _ := topic.File(l.Text, index.SaysAvoid(l.Text))
	l.Domain, l.Tags, l.Confidence = c.Domain, c.Tags, strings.ToLower(c.Confidence)
	if l.Domain == "" && topic.Domain(had.Domain) == "" {
		l.Domain = domain
	}
	if len(l.Tags) == 0 && len(had.Tags) < minShared {
		l.Tags = topic.Describe(index.StripAvoid(l.Text))
	}
	if l.Confidence == "" && known == nil { // of a known one, the index decides
		l.Confidence = strings.ToLower(MediumConfidence)
	}
}

func (n *Noted) writeFile(m *repo.Memory, c Capture) (repo.Message, error) {
	l := Learning{
		Date: today(m), Domain: n.Domain, Tags: n.Tags, Confidence: n.Confidence, Title: titleOf(c.Text), Text: c.Text,
	}
	names, err := m.ListTexts(LearningFolder + "/" + l.Domain)
	if err != nil {
		return repo.Message{}, err
	}
	n.Path = NewLearningPath(l, func(p string) bool { return slices.Contains(names, path.Base(p)) })
	if _, err := m.ReadFile(n.Path); !errors.Is(err, fs.ErrNotExist) {
		return repo.Message{}, fmt.Errorf("there is something at %s: %w", n.Path, errors.Join(err, fs.ErrExist))
	}
	if err := m.WriteFile(n.Path, CompleteLearning(nil, l)); err != nil {
		return repo.Message{}, err
	}
	return repo.Message{
		Subject:  fmt.Sprintf("learn(%s): %s", l.Domain, topic.Slug(l.Title, "learning")),
		Body:     []string{render.MarkSeen(n.New, n.Lesson.Hits) + " " + n.Lesson.Text},
		Trailers: []repo.Trailer{{Key: "Mem-Item", Value: n.Lesson.ID}},
	}, nil
}

// Words name a command that a lesson is about in quotes, behind one that says when, and elsewhere what to run.
var (
	reAbout = lazy.New("(?i)\\b(?:before|never (?:run|use)|do(?:n['’]t| not) (?:run|use)|instead of|rather than|avoid(?: running|:)?)\\s+[`'\"]([^`'\"\\s]+\\s[^`'\"]+)[`'\"]")
	reToRun = lazy.New("(?i)(?:^|[.,:;]\\s*|\\bthen\\s+)(?:run|use)\\s+[`'\"]([^`'\"]+)[`'\"]")
)

// nameCue sets the command that triggers a lesson, and the one that it recommends, as far as its words name them.
func nameCue(l *index.Lesson) {
	about := reAbout.Get().FindStringSubmatch(l.Text)
	if about == nil {
		return
	}
	l.Cue.Command = about[1]
	rest := strings.Replace(l.Text, about[0], "", 1)
	if run := reToRun.Get().FindStringSubmatch(strings.TrimSpace(rest)); run != nil {
		l.Remedy.Command = run[1]
	}
}

// CaptureKind marks captures among the jobs in a root's queue.
const CaptureKind = "learn"

// A job is a capture that waits in the queue.
type job struct {
	Kind    string  `json:"kind"`
	Capture Capture `json:"capture"`
}

// EnqueueIn keeps a capture, durably, that cannot be committed now. It must be scrubbed and have an ID.
func (c Capture) EnqueueIn(queue repo.Queue) error {
	data, err := json.Marshal(job{CaptureKind, c})
	if err != nil {
		return fmt.Errorf("queue learning: %w", err)
	}
	_, err = queue.AddJob(c.At, data)
	return err
}

// ReadJob makes a task of a job that holds a capture, for repo.Root.Drain.
func ReadJob(j repo.Job) (repo.Task, bool) {
	var got job
	if j.Kind() != CaptureKind || json.Unmarshal(j.Data, &got) != nil || got.Capture.At.IsZero() || got.Capture.ID == "" {
		return repo.Task{}, false
	}
	c, err := got.Capture.ScrubText()
	return repo.Task{At: c.At, Change: func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := c.LearnIn(m)
		return msg, err
	}}, err == nil
}
