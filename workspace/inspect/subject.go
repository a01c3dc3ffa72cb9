package inspect

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
	label
	root *repo.Root // of its memory
}

// refuse says what it is, and why a command does not take it.
func (s subject) refuse(id string, why error) error {
	return fmt.Errorf("%s is a %s, and %w", id, s.Type, why)
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
	s.label = s.Thing.name()
	s.root = w.RootOf(s.Memory)
	return s, nil
}

// findNamed finds something by an id or, if that is unknown, by the names of what it names, the
// last first; otherwise it refuses.
func findNamed[T any](w *workspace.Workspace, id string, unknown, refusal error, find func(name string) (T, error)) (T, error) {
	found, errFind := find(id)
	if !errors.Is(errFind, unknown) {
		return found, errFind
	}
	s, err := findSubject(w, id)
	if err != nil {
		return found, errFind
	}
	for _, name := range slices.Backward(s.names) {
		if found, err := find(name); !errors.Is(err, unknown) {
			return found, err
		}
	}
	return found, s.refuse(id, refusal)
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
	return findNamed(w, id, undo.ErrUnknown, ErrNoCommit, func(name string) (*undo.Step, error) { return log.FindStep(name, redo) })
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
	return findNamed(w, id, proposal.ErrUnknown, ErrNoProposal, func(name string) (proposal.Proposal, error) {
		return review.Queues.FindPending(m, name)
	})
}
