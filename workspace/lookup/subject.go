package lookup

import (
	"errors"
	"fmt"
	"slices"

	"mem/curate"
	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/curate/undo"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/review"
)

// Errors about an id that names something else than a command takes.
var (
	ErrNoCommit   = errors.New("no commit names it")
	ErrNoRule     = errors.New("no rule is made of it")
	ErrNoProposal = errors.New("does not wait for a review")
)

// A subject is what an id names, for commands that are about it.
type subject struct {
	Thing
	kind  string
	names []string   // that commits give it
	root  *repo.Root // of its memory
}

// refuse says what it is, and why a command does not take it.
func (s subject) refuse(id string, why error) error {
	return fmt.Errorf("%s is a %s, and %w", id, s.kind, why)
}

// findSubject finds what an id names, without what sessions say of it.
func findSubject(w *workspace.Workspace, id string) (s subject, err error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return s, err
	}
	unread := func(string) (trace.Document, error) { return trace.Document{}, trace.ErrNoSession }
	if s.Thing, err = Find(w, sources, id, unread); err != nil {
		return s, err
	}
	is, names := s.Thing.name()
	s.kind, s.names = string(is.Type), names
	s.root = w.RootOf(is.Memory)
	return s, nil
}

// ListHistory lists the latest commits about everything that has an id, or all for "".
func ListHistory(w *workspace.Workspace, id string, limit int) ([]Commit, error) {
	here, _ := w.ListRoots()
	about := func(ids ...string) func(repo.Revision) bool {
		return func(r repo.Revision) bool {
			return slices.ContainsFunc(ids, func(id string) bool { return id == "" || isAbout(r, id) })
		}
	}
	list, err := listCommits(w, here, about(id), limit)
	if err != nil || id == "" || len(list) > 0 {
		return list, err
	}
	s, err := findSubject(w, id)
	if err == nil {
		list, err = listCommits(w, s.root, about(s.names...), limit)
	}
	if err == nil && len(list) == 0 {
		err = s.refuse(id, ErrNoCommit)
	}
	return list, err
}

// FindStep finds the step of a log that everything that has an id names: of what several
// commits are about, the newest.
func FindStep(w *workspace.Workspace, log *undo.Log, id string, redo bool) (*undo.Step, error) {
	step, unknown := log.FindStep(id, redo)
	if !errors.Is(unknown, undo.ErrUnknown) {
		return step, unknown
	}
	s, err := findSubject(w, id)
	if err != nil {
		return nil, unknown
	}
	for _, name := range slices.Backward(s.names) {
		if step, err := log.FindStep(name, redo); !errors.Is(err, undo.ErrUnknown) {
			return step, err
		}
	}
	return nil, s.refuse(id, ErrNoCommit)
}

// FindRule finds a rule by its own names, or by those of a lesson, a learning or a pattern
// that it was made of.
func FindRule(w *workspace.Workspace, m *repo.Memory, id string) (curate.RuleDetail, error) {
	d, unknown := curate.FindRule(m, id)
	if !errors.Is(unknown, rule.ErrUnknown) {
		return d, unknown
	}
	s, err := findSubject(w, id)
	if err != nil {
		return d, unknown
	}
	if found, ok := s.Thing.(ruleThing); ok {
		return found.RuleDetail, nil
	}
	list, _ := curate.ListRules(m)
	at := slices.IndexFunc(list, func(d curate.RuleDetail) bool {
		return slices.ContainsFunc(slices.Concat(d.Lessons, d.PatternIDs()), func(of string) bool { return slices.Contains(s.names, of) })
	})
	if at < 0 {
		return d, s.refuse(id, ErrNoRule)
	}
	return list[at], nil
}

// FindProposal finds a pending proposal, or says what the id names instead.
func FindProposal(w *workspace.Workspace, m *repo.Memory, id string) (proposal.Proposal, error) {
	p, unknown := review.Queues.FindPending(m, id)
	if !errors.Is(unknown, proposal.ErrUnknown) {
		return p, unknown
	}
	s, err := findSubject(w, id)
	if err != nil {
		return p, unknown
	}
	for _, name := range s.names {
		if p, err := review.Queues.FindPending(m, name); !errors.Is(err, proposal.ErrUnknown) {
			return p, err
		}
	}
	return p, s.refuse(id, ErrNoProposal)
}
