package inspect

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A Result is the JSON of a lesson, or of something else that a search found. Empty
// members are left out, as in core/index.json.
type Result struct {
	ID           string       `json:"id"`
	Type         recall.Type  `json:"type,omitzero"`
	Memory       string       `json:"memory,omitzero"` // "project" or "global"
	Path         string       `json:"path,omitzero"`
	Text         string       `json:"text"`
	Kind         index.Kind   `json:"kind,omitzero"`
	Status       string       `json:"status,omitzero"` // of lessons
	Hits         int          `json:"hits,omitzero"`
	Score        float64      `json:"score,omitzero"` // effective
	FirstSeen    time.Time    `json:"firstSeen,omitzero"`
	LastSeen     time.Time    `json:"lastSeen,omitzero"`
	Pinned       bool         `json:"pinned,omitzero"`
	Severity     string       `json:"severity,omitzero"`
	Confidence   string       `json:"confidence,omitzero"`
	Origin       index.Origin `json:"origin,omitzero"`
	Domain       string       `json:"domain,omitzero"`
	Tags         []string     `json:"tags,omitzero"`
	SupersededBy string       `json:"supersededBy,omitzero"`
	Recurred     int          `json:"recurred,omitzero"` // since it became a rule
	Days         []string     `json:"days,omitzero"`     // of the journal, that record it and were found too
}

// NewResult returns the JSON of a lesson, without the sessions that it came from.
func NewResult(it *index.Item) Result {
	return Result{
		ID: it.ID, Text: it.Text, Kind: it.Kind, Status: cmp.Or(string(it.Status), "active"), Hits: it.Hits,
		FirstSeen: it.FirstSeen, LastSeen: it.LastSeen, Pinned: it.Pinned, Severity: it.Severity,
		Confidence: it.Confidence, Origin: it.Origin, Domain: it.Domain, Tags: append([]string{}, it.Tags...),
		SupersededBy: it.SupersededBy, Recurred: it.Recurred,
	}
}

// NewResults returns the JSON of lessons.
func NewResults(items []index.Item) (list []Result) {
	for i := range items {
		list = append(list, NewResult(&items[i]))
	}
	return list
}

// ListFound returns the JSON of what was found.
func ListFound(found []recall.Found) (list []Result) {
	for _, f := range found {
		var r Result
		if f.Item != nil {
			r = NewResult(f.Item)
			r.setScore(f.Score)
		}
		r.ID, r.Type, r.Memory, r.Path, r.Text, r.Days = f.ID, f.Type, f.Memory, f.Path, f.Text, f.Days
		list = append(list, r)
	}
	return list
}

func (r *Result) setScore(x float64) { r.Score = math.Round(x*1e4) / 1e4 }

// Line returns the line that a person sees of something found.
func (r Result) Line() string {
	text := r.Text
	if marks := r.marks(); marks != "" {
		text += " (" + marks + ")"
	}
	if r.Type != recall.LessonType {
		text = string(r.Type) + ": " + text
	}
	return fmt.Sprintf("%-10s  %s", guard.Line(r.ID), guard.Line(text))
}

func (r Result) marks() string {
	var marks []string
	if r.Pinned {
		marks = append(marks, "pinned")
	}
	if r.Status != "active" && r.Status != "" {
		marks = append(marks, r.Status)
	}
	if r.Memory == recall.Global {
		marks = append(marks, r.Memory)
	}
	if len(r.Days) > 0 {
		marks = append(marks, "journal of "+strings.Join(r.Days, ", "))
	}
	return strings.Join(marks, ", ")
}

var kindNames = map[index.Kind]string{index.Learning: "lesson", index.AntiPattern: "watch-out"}

// Row returns the row of a match on a terminal. The days of a lesson are left
// out: they would take the room of its text, and its age says enough.
func (r Result) Row(now time.Time) render.Row {
	r.Days = nil
	kind := string(r.Type)
	if r.Type == recall.LessonType {
		kind = cmp.Or(kindNames[r.Kind], string(r.Kind))
	}
	row := render.Row{ID: guard.Line(r.ID), Kind: guard.Line(kind), Age: render.ShowAge(r.LastSeen, now), Text: guard.Line(r.Text), Marks: guard.Line(r.marks())}
	if r.Hits > 0 {
		row.Seen = fmt.Sprintf("×%d", r.Hits)
	}
	return row
}

// recordSchema is the version of the form of a Record. Members may be added to it.
const recordSchema = 1

// A Record is a line of mem export jsonl: a rule, or a lesson with what it is about. It is a
// projection for search engines, never read back.
type Record struct {
	Schema int `json:"schema"`
	Result
	Title   string          `json:"title,omitzero"`    // of a rule
	Why     string          `json:"why,omitzero"`      // of a lesson, a sentence
	Cue     *index.Literals `json:"cue,omitzero"`      // when the lesson matters
	Remedy  *index.Literals `json:"remedy,omitzero"`   // what cures the failure
	Lessons []string        `json:"lessons,omitempty"` // ids of those that became the rule
}

// ListRecords returns the rules of a memory and then the lessons that sessions are shown, the
// oldest first. unread are the files of rules that cannot be read.
func ListRecords(m *repo.Memory) (list []Record, unread []string) {
	rules, unread := curate.ListRules(m)
	for _, d := range rules {
		r := Result{ID: d.ID, Type: recall.RuleType, Path: d.File, Text: d.Text, Recurred: d.Recurred}
		list = append(list, Record{Schema: recordSchema, Result: r, Title: d.Name, Lessons: d.Lessons})
	}
	for it := range m.Index.All() {
		if !it.IsShown() {
			continue
		}
		r := NewResult(it)
		r.Type, r.Text = recall.LessonType, it.ShownText()
		list = append(list, Record{Schema: recordSchema, Result: r, Why: it.Why, Cue: it.Cue, Remedy: it.Remedy})
	}
	return list, unread
}

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
	if f.Type == recall.RuleType {
		f.Type, f.names = "file of rules", nil
	}
	return f.label
}

func (f fileThing) Write(out io.Writer) {
	if f.Type == recall.LearningType {
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
func (q query) findFile(src *recall.Source) (Thing, error) {
	f := fileThing{ID: q.id, label: labelOf(src, recall.RuleType, q.id), Path: q.id}
	isRule := slices.Contains(recall.RuleFolders, path.Dir(q.id)) || topic.RuleFolder(path.Dir(q.id)+".md") != ""
	switch {
	case q.id == "MEMORY.md" && strings.TrimSpace(src.Notes) != "":
		f.Type, f.Text = recall.MemoType, src.Notes
		return f, nil
	case !isRule && !strings.HasPrefix(q.id, "memories/"):
		return nil, ErrUnknown
	}
	text, err := src.Memory.ReadMarked(q.id)
	if err != nil {
		return nil, err
	}
	if isRule {
		f.Text, _ = guard.DropOrders(text)
		return f, nil
	}
	m, _, ok := recall.ReadImported(q.id, []byte(text))
	if !ok {
		return nil, ErrUnknown // it may wait as a proposal
	}
	body, _ := guard.DropOrders(recall.CleanBody(m.Body))
	f.Type, f.Text = recall.MemoType, m.Summary()+"\n\n"+strings.TrimSpace(body)
	return f, nil
}

// findLearning finds the file of a learning, by the name that a commit gives it too.
func (q query) findLearning(src *recall.Source) (Thing, error) {
	at, l, err := curate.FindLearning(src.Memory, q.id)
	if err != nil {
		return nil, err
	}
	ix, hidden := src.Memory.Index, src.Memory.Withheld()
	f := fileThing{
		ID: q.id, label: labelOf(src, recall.LearningType, q.id), Path: at, Title: hidden.Mark(l.Title), Text: hidden.Mark(l.Text),
		Date: l.Date, Domain: string(l.Domain), Tags: l.Tags, Confidence: l.Confidence,
	}
	key := index.KeyOf(index.FoldAvoid(curate.StatementOf(l.Text)))
	if pos := slices.IndexFunc(ix.Items, func(it index.Item) bool { return it.Key == key }); pos >= 0 {
		f.Lesson, f.Status = ix.Items[pos].ID, cmp.Or(string(ix.Items[pos].Status), "active")
		f.names = []string{f.Lesson}
	}
	return f, nil
}

// A dayThing is the journal of a day. What it says of lessons that are not shown has their status behind it.
type dayThing struct {
	ID string `json:"id"`
	label
	Entries []render.Entry `json:"entries"`

	text string
}

// Write shows the day as its file has it.
func (d dayThing) Write(out io.Writer) { fmt.Fprintf(out, "%s", guard.Scrub(d.text)) }

func (q query) findDay(src *recall.Source) (Thing, error) {
	date, err := time.Parse(time.DateOnly, q.id)
	if err != nil {
		return nil, ErrUnknown
	}
	text, err := src.Memory.ReadMarked(render.JournalPath(q.id))
	return dayThing{q.id, labelOf(src, recall.DayType, q.id), render.ParseDaily([]byte(text), date), text}, err
}

// findMonth shows the summary of a month as it was written; mem month may write another.
func (q query) findMonth(src *recall.Source) (Thing, error) {
	if _, err := time.Parse("2006-01", q.id); err != nil {
		return nil, ErrUnknown
	}
	path := render.JournalPath(q.id)
	text, err := src.Memory.ReadMarked(path)
	return fileThing{ID: q.id, label: labelOf(src, recall.MonthType, q.id), Path: path, Text: text}, err
}
