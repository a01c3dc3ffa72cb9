// Package inspect says what is in a memory, and in the sessions that agents left on this machine, as values
// that print themselves to a person and as JSON: what an id names, with a lesson's whole story (inspect.go, lesson.go,
// result.go, commit.go), what was said in past sessions (talks.go, sessions.go), the state of it all
// (overview.go) and what is wrong with it (doctor.go), and whether lessons help (report.go). Only the doctor changes something.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"mem/curate"
	"mem/curate/undo"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/repo"
	"mem/workspace"

	"mem/fault"
)

// What an id can name, besides what a search finds.
const (
	Proposal recall.Type = "proposal"
	Change   recall.Type = "commit"
	Session  recall.Type = "session"
)

const showID = "'mem show ID' shows what it is"

// Errors about an id that names nothing, or something else than a command takes.
var (
	ErrUnknown  = fault.New(fault.Missing, "nothing has this id", "'mem list --status all', 'mem rule', 'mem review' and 'mem log' show ids")
	errNoCommit = fault.New(fault.Missing, "no commit names it", showID)
)

// A Thing is something that has an id. Its JSON has a member "type".
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
	Type   recall.Type `json:"type"`
	Memory string      `json:"memory"` // "project" or "global"

	names []string // under which commits are about it
}

func (l label) name() label { return l }

func labelOf(src *recall.Source, t recall.Type, names ...string) label {
	return label{t, src.Label(), names}
}

// A query asks what an id names.
type query struct {
	w       *workspace.Workspace
	sources []recall.Source
	id      string
	brief   bool // only what the record says, without history and sessions
	whole   bool // fold nothing for people
}

// Find returns the thing with an id: a day, a month, a file or a pattern; else a lesson, by
// the beginning of its id too, a rule, a pending proposal, a learning, a commit or a session.
// The project's memory comes before the person's own. With whole, nothing is folded for people.
func Find(w *workspace.Workspace, sources []recall.Source, id string, whole bool) (Thing, error) {
	return query{w, sources, id, false, whole}.find()
}

func (q query) find() (Thing, error) {
	w, sources := q.w, q.sources
	q.id = strings.TrimSpace(q.id)
	if strings.Contains(q.id, "/") {
		q.id = strings.TrimPrefix(path.Clean(q.id), w.ShowPath(w.At.Root)+"/")
	}
	if slices.Contains([]string{"daily", "monthly", "patterns"}, path.Dir(q.id)) {
		q.id = strings.TrimSuffix(path.Base(q.id), ".md")
	}
	unknown := fmt.Errorf("%w: %q", ErrUnknown, q.id)
	for _, find := range []func(query, *recall.Source) (Thing, error){
		query.findDay, query.findMonth, query.findFile, query.findPattern,
		query.findLesson, query.findRule, query.findProposal, query.findLearning, query.findCommit, query.findSession,
	} {
		for i := range slices.Backward(sources) {
			if sources[i].Memory == nil {
				continue
			}
			thing, err := find(q, &sources[i])
			if isUnknown := func(is error) bool { return errors.Is(err, is) }; err == nil || !slices.ContainsFunc(unknownErrors, isUnknown) {
				return thing, err
			}
			if errors.Is(err, curate.ErrNoLesson) && strings.HasPrefix(q.id, "m-") {
				unknown = err
			}
		}
	}
	return nil, unknown
}

// unknownErrors say that an id names nothing of a kind.
var unknownErrors = []error{ErrUnknown, curate.ErrNoLesson, curate.ErrNoRule, curate.ErrNoProposal, fs.ErrNotExist}

type ruleThing struct {
	label
	curate.Rule

	m *repo.Memory
}

// Write shows the rule, and the lessons that it was made of.
func (r ruleThing) Write(out io.Writer) {
	fmt.Fprintf(out, "%s  %s\n\n%s\n", guard.Line(r.ID), guard.Line(r.Name+r.Describe()), strings.TrimRight(guard.Scrub(r.Text), "\n"))
	workspace.WriteNames(out, "made of", workspace.NameLessons(r.m, r.Lessons))
}

func (q query) findRule(src *recall.Source) (Thing, error) {
	d, err := curate.FindRule(src.Memory, q.id)
	return ruleThing{labelOf(src, recall.RuleType, d.PatternIDs()...), d, src.Memory}, err
}

// A proposalThing is a pending proposal, or a pattern that was decided about.
type proposalThing struct {
	label
	curate.Proposal

	m *repo.Memory
}

func (p proposalThing) Write(out io.Writer) { workspace.WriteProposal(out, p.m, p.Proposal) }

func (q query) findProposal(src *recall.Source) (Thing, error) {
	p, err := workspace.Queues.FindPending(src.Memory, q.id)
	return proposalThing{labelOf(src, Proposal, p.ID), p, src.Memory}, err
}

// findPattern finds a pattern by its id or number, pending or decided.
func (q query) findPattern(src *recall.Source) (Thing, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(q.id, "pattern-"))
	if err != nil {
		return nil, ErrUnknown
	}
	p, err := curate.DescribePattern(src.Memory, fmt.Sprintf("pattern-%03d", n))
	return proposalThing{labelOf(src, Proposal, p.ID), p, src.Memory}, err
}

// refuse says what it is, and why a command does not take it.
func (l label) refuse(id string, why error) error {
	return fmt.Errorf("%s is a %s, and %w", id, l.Type, why)
}

// findSubject finds the thing that an id names, in brief, for a command about it.
func findSubject(w *workspace.Workspace, id string) (l label, err error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return l, err
	}
	thing, err := query{w, sources, id, true, false}.find()
	if err == nil {
		l = thing.name()
	}
	return l, err
}

// ListHistory lists the latest commits about everything that has an id, or all for "".
func ListHistory(w *workspace.Workspace, id string, limit int) ([]Commit, error) {
	here, _ := w.ListRoots()
	listAbout := func(root *repo.Root, ids ...string) ([]Commit, error) {
		hidden := new(index.Withheld)
		if m, err := w.ViewForCaller(root); err == nil { // else the history is all the more worth a look
			hidden = m.Withheld()
		}
		return listCommits(root, hidden, func(r repo.Revision) bool {
			return slices.ContainsFunc(ids, func(id string) bool { return id == "" || isAbout(r, id) })
		}, limit)
	}
	list, err := listAbout(here, id)
	if err != nil || id == "" || len(list) > 0 {
		return list, err
	}
	l, err := findSubject(w, id)
	if err == nil {
		list, err = listAbout(w.RootOf(l.Memory), l.names...)
	}
	if err == nil && len(list) == 0 {
		err = l.refuse(id, errNoCommit)
	}
	return list, err
}

// findStep finds the step of a log that an id names. If the log does not know the id, it finds the newest step
// about the thing that the id names, if that is in the same memory.
func findStep(ctx context.Context, w *workspace.Workspace, log *undo.Log, id string, redo bool) (*undo.Step, error) {
	step, errFind := log.FindStep(ctx, id, redo)
	if !errors.Is(errFind, undo.ErrUnknown) {
		return step, errFind
	}
	l, err := findSubject(w, id)
	if err != nil {
		return nil, errFind
	}
	if here, _ := w.ListRoots(); w.RootOf(l.Memory) != here { // which has patterns of the same numbers
		l.names = nil
	}
	for _, name := range slices.Backward(l.names) {
		if step, err := log.FindStep(ctx, name, redo); !errors.Is(err, undo.ErrUnknown) {
			return step, err
		}
	}
	return nil, l.refuse(id, errNoCommit)
}
