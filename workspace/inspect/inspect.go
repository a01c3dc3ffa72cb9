// Package lookup says what the ids mean that commands print, and in which form each
// thing is shown: to a person, and as JSON. Nothing is changed.
package inspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"mem/curate"
	"mem/curate/lesson"
	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/guard"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/review"
)

// What an id can name, besides what a search finds.
const (
	Proposal search.Type = "proposal"
	Change   search.Type = "commit"
	Session  search.Type = "session"
)

// ErrUnknown means that an id names nothing.
var ErrUnknown = errors.New("nothing has this id")

// A Thing is what an id names. Its JSON has a member "type".
type Thing interface {
	// Write shows it to a person.
	Write(out io.Writer)
	// name says what it is.
	name() label
}

// WriteAll shows things to a person, with an empty line between them.
func WriteAll[T interface{ Write(out io.Writer) }](out io.Writer, list []T) {
	for i, thing := range list {
		fmt.Fprint(out, strings.Repeat("\n", min(i, 1)))
		thing.Write(out)
	}
}

// A label says what a thing is, and which memory holds it.
type label struct {
	Type   search.Type `json:"type"`
	Memory string      `json:"memory"` // "project" or "global"

	names []string // under which commits are about it
}

func (l label) name() label { return l }

func labelOf(src *notes.Source, t search.Type, names ...string) label {
	return label{t, src.Label(), names}
}

// A lessonThing is a lesson with all that is known of it.
type lessonThing struct {
	Result
	Story
}

func (l lessonThing) name() label { return label{l.Type, l.Memory, []string{l.ID}} }

func (l lessonThing) Write(out io.Writer) {
	fmt.Fprintf(out, "%s\n", l.Line())
	l.Story.Write(out)
}

// A query asks what an id names.
type query struct {
	w       *workspace.Workspace
	sources []notes.Source
	open    func(path string) (trace.Document, error)
	id      string
}

// Find returns what an id names: a day, a month, a file or a pattern; else a lesson, by
// the beginning of its id too, a rule, a pending proposal, a learning, a commit or a session.
// The project's memory comes before the person's own. open reads a session.
func Find(w *workspace.Workspace, sources []notes.Source, id string, open func(path string) (trace.Document, error)) (Thing, error) {
	q := query{w, sources, open, strings.TrimSpace(id)}
	if strings.Contains(q.id, "/") {
		q.id = strings.TrimPrefix(path.Clean(q.id), w.ShowPath(w.At.Root)+"/")
	}
	if slices.Contains([]string{"daily", "monthly", "patterns"}, path.Dir(q.id)) {
		q.id = strings.TrimSuffix(path.Base(q.id), ".md")
	}
	for _, find := range []func(query, *notes.Source) (Thing, error){
		query.findDay, query.findMonth, query.findFile, query.findPattern,
		query.findLesson, query.findRule, query.findProposal, query.findLearning, query.findCommit, query.findSession,
	} {
		for i := range slices.Backward(sources) {
			if sources[i].Memory == nil {
				continue
			}
			if thing, err := find(q, &sources[i]); err == nil || !isUnknown(err) {
				return thing, err
			}
		}
	}
	if !strings.HasPrefix(q.id, "m-") {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, q.id)
	}
	_, err := FindLesson(sources, q.id)
	return nil, err
}

// isUnknown reports whether an error says that an id names nothing of a kind.
func isUnknown(err error) bool {
	return slices.ContainsFunc([]error{ErrUnknown, lesson.ErrUnknown, rule.ErrUnknown, proposal.ErrUnknown, fs.ErrNotExist}, func(unknown error) bool {
		return errors.Is(err, unknown)
	})
}

// findLesson looks in all memories at once: the beginning of an id may fit several.
func (q query) findLesson(*notes.Source) (Thing, error) {
	found, err := FindLesson(q.sources, q.id)
	if err != nil {
		return nil, err
	}
	s, err := readStory(q.w, q.sources, found, q.open)
	return lessonThing{ListFound([]search.Found{found})[0], s}, err
}

// findRoot returns the repository of a memory.
func (q query) findRoot(src *notes.Source) *repo.Root { return q.w.RootOf(src.Label()) }

// WriteRule shows a rule of a memory, and the lessons that it was made of.
func WriteRule(out io.Writer, m *repo.Memory, d curate.RuleDetail) {
	fmt.Fprintf(out, "%s  %s\n\n%s\n", guard.Line(d.ID), guard.Line(d.Name+d.Describe()), strings.TrimRight(guard.Scrub(d.Text), "\n"))
	review.WriteNames(out, "made of", review.NameLessons(m, d.Lessons))
}

// A ruleThing is a rule of a memory.
type ruleThing struct {
	label
	curate.RuleDetail

	m *repo.Memory
}

func (r ruleThing) Write(out io.Writer) { WriteRule(out, r.m, r.RuleDetail) }

func (q query) findRule(src *notes.Source) (Thing, error) {
	d, err := curate.FindRule(src.Memory, q.id)
	return ruleThing{labelOf(src, search.Rule, d.PatternIDs()...), d, src.Memory}, err
}

// A proposalThing is a pending proposal, or a pattern that was decided about.
type proposalThing struct {
	label
	proposal.Proposal

	m *repo.Memory
}

func (p proposalThing) Write(out io.Writer) {
	review.WriteProposal(out, p.m, p.Proposal)
	review.WriteNames(out, "would change", p.Files)
}

func (q query) findProposal(src *notes.Source) (Thing, error) {
	p, err := review.Queues.FindPending(src.Memory, q.id)
	return proposalThing{labelOf(src, Proposal, p.ID), p, src.Memory}, err
}

// findPattern finds a pattern, whatever was decided about it, by its number too.
func (q query) findPattern(src *notes.Source) (Thing, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(q.id, "pattern-"))
	if err != nil {
		return nil, ErrUnknown
	}
	p, err := curate.DescribePattern(src.Memory, fmt.Sprintf("pattern-%03d", n))
	return proposalThing{labelOf(src, Proposal, p.ID), p, src.Memory}, err
}
