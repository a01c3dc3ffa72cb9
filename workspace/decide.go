package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mem/curate"
	"mem/curate/ingest"
	"mem/guard"
	"mem/reflect"
	"mem/repo"
	"mem/repo/disk"
)

// ErrEditor means that the editor failed. The proposal is unchanged.
var ErrEditor = errors.New("the editor failed")

// Queues are all queues, in the order in which people are shown them.
var Queues = curate.Queues{curate.RuleQueue{}, ingest.Queue{}, curate.LessonQueue{}}

// Decide carries out what a person decided about a proposal, in one commit.
func (w *Workspace) Decide(ctx context.Context, dryRun bool, d curate.Decision) (Changed, error) {
	changed, err := w.Change(ctx, dryRun, func(m *repo.Memory) (repo.Message, error) { return Queues.Decide(m, d) })
	changed.Call(Status(d.Verb))
	return changed, err
}

// ScanMemory looks for patterns in everything that was learned. It returns the memory with the patterns found,
// as ViewForCaller does, and the rules that it wrote without asking. With dryRun nothing is written. If the
// memory cannot be changed now, it is returned unchanged.
func (w *Workspace) ScanMemory(ctx context.Context, dryRun bool) (m *repo.Memory, applied []curate.Found, err error) {
	if dryRun {
		if m, err = w.ViewRoot(); err == nil {
			_, err = m.Preview(w.Detector.ScanAll)
			w.fitForCaller(m)
		}
		return m, nil, err
	}
	w.AllowAutoApply()
	_, err = w.Change(ctx, false, w.Detector.ScanAll)
	if reflect.IsPostponed(err) || errors.Is(err, disk.ErrWrite) {
		w.Note("%s; nothing new was looked for", guard.Line(err.Error()))
	} else if err != nil {
		return nil, nil, err
	}
	applied = slices.DeleteFunc(slices.Clone(w.Detector.Found), func(f curate.Found) bool { return f.Rule == "" })
	w.Detector.AutoApply = nil
	if m, err = w.ViewRoot(); err == nil {
		w.fitForCaller(m)
	}
	return m, applied, err
}

// MaxText bounds what a person writes of a proposal, in bytes.
const MaxText = 1 << 20

// EditProposal opens a proposal's text in the person's editor and stores the result. The status is "edited", or
// Nothing if the person changed nothing. If the result cannot be stored, it is kept in a file that the error
// names.
func (w *Workspace) EditProposal(ctx context.Context, id string, dryRun bool) (Changed, error) {
	m, err := w.ViewRoot()
	if err != nil {
		return Changed{}, err
	}
	p, err := Queues.FindPending(m, id)
	if err != nil {
		return Changed{}, err
	}
	draft := p.Draft()
	path, err := writeDraft(draft)
	if err != nil {
		return Changed{}, fmt.Errorf("write the draft of %s: %w", id, disk.AsWriteError(err))
	}
	failed := w.OpenEditor(ctx, path)
	text, err := disk.ReadRegular(path, MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Changed{}, cmp.Or(failed, fmt.Errorf("%w: it left no file", ErrEditor))
	case err != nil:
		return Changed{}, cmp.Or(failed, fmt.Errorf("%w: %w", ErrEditor, err))
	case bytes.Equal(text, draft): // nothing to keep
		return Changed{Status: Nothing}, errors.Join(failed, os.Remove(path))
	case ctx.Err() != nil:
		w.Note("what you wrote is in %s", path)
		return Changed{}, ctx.Err()
	case failed != nil:
		return Changed{}, fmt.Errorf("%w; what you wrote is in %s", failed, path)
	}
	var changed Changed
	d, err := p.ReadDraft(text)
	if err == nil {
		changed, err = w.Decide(ctx, dryRun, d)
	}
	if err != nil {
		return changed, fmt.Errorf("%w; what you wrote is in %s", err, path)
	}
	return changed, os.Remove(path)
}

func writeDraft(draft []byte) (path string, err error) {
	f, err := os.CreateTemp("", "mem-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.Write(draft)
	return f.Name(), errors.Join(err, f.Close())
}

// A Review goes through proposals, one after the other, with a person at a
// terminal. Each decision is a commit of its own, so that it can end at
// any moment: what was decided is done, and the rest waits.
type Review struct {
	*Workspace
	Out io.Writer

	// Ask asks the person and returns a line; io.EOF ends the review.
	Ask func(ctx context.Context, question string) (string, error)

	decided map[string]int // by what was decided
}

var errOver = errors.New("the review is over")

// What a person can answer.
const (
	accept = "accepted"
	edit   = "edited"
	reject = "rejected"
	skip   = "skipped"
	look   = "details"
	quit   = "quit"

	mostAtOnce = 10 // proposals that a person is asked about in a row
)

// answers are what a person may type; a and r are of older versions.
var answers = map[string]string{
	"y": accept, "yes": accept, "a": accept, "accept": accept, "n": reject, "no": reject, "r": reject, "reject": reject,
	"e": edit, "edit": edit, "s": skip, "skip": skip, "d": look, "details": look, "q": quit, "quit": quit,
}

// Run goes through the first of these proposals and sums up the decisions. Each is read anew.
func (s *Review) Run(ctx context.Context, list []curate.Proposal) error {
	s.decided = map[string]int{}
	var err error
	first := list[:min(len(list), mostAtOnce)]
	for i, p := range first {
		if err = s.reviewOne(ctx, p.ID, fmt.Sprintf("%d of %d", i+1, len(first))); err != nil {
			break
		}
	}
	var parts []string
	left := len(list) - s.decided["gone"]
	for _, what := range []string{accept, reject} {
		if n := s.decided[what]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
		left -= s.decided[what]
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d still pending", left))
	}
	s.printf("\n%s\n", cmp.Or(strings.Join(parts, ", "), "no proposals are left"))
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

func (s *Review) ask(ctx context.Context, question string) (string, error) {
	answer, err := s.Ask(ctx, question)
	if errors.Is(err, io.EOF) {
		return "", errOver
	}
	return strings.TrimSpace(answer), err
}

func (s *Review) printf(format string, args ...any) { fmt.Fprintf(s.Out, format, args...) }

func (s *Review) reviewOne(ctx context.Context, id, place string) error {
	for {
		m, err := s.ViewRoot()
		if err != nil {
			return err
		}
		p, err := Queues.FindPending(m, id)
		if errors.Is(err, curate.ErrNoProposal) || errors.Is(err, curate.ErrDecided) {
			s.printf("\n%s  %s: it is no longer pending\n", place, guard.Line(id))
			s.decided["gone"]++
			return nil
		}
		if err != nil {
			return err
		}
		s.printf("\n%s  ", place)
		writeCard(s.Out, p)
		answer, err := s.chooseAnswer(ctx)
		for err == nil && answer == look {
			s.printf("\n")
			WriteProposal(s.Out, m, p)
			answer, err = s.chooseAnswer(ctx)
		}
		if err != nil {
			return err
		}
		if done, err := s.actOn(ctx, p, answer); done || err != nil {
			return err
		}
	}
}

func (s *Review) chooseAnswer(ctx context.Context) (string, error) {
	for {
		line, err := s.ask(ctx, "\n[y]es  [n]o  [e]dit  [s]kip, or d for all of it, q to stop > ")
		if err != nil {
			return "", err
		}
		if answer := answers[strings.ToLower(line)]; answer != "" {
			return answer, nil
		}
		s.Note("answer with a letter: y, n, e, s, d or q")
	}
}

// actOn does what the person wants, and reports whether that was a decision.
func (s *Review) actOn(ctx context.Context, p curate.Proposal, answer string) (done bool, err error) {
	var changed Changed
	switch answer {
	case quit:
		return true, errOver
	case skip:
		return true, nil
	case accept:
		changed, err = s.Decide(ctx, false, curate.Decision{ID: p.ID, Verb: curate.Approve, Seen: &p})
	case reject:
		var reason string
		if reason, err = s.ask(ctx, "why? (a few words for later; may be empty) > "); err != nil {
			return true, err
		}
		changed, err = s.Decide(ctx, false, curate.Decision{ID: p.ID, Verb: curate.Reject, Reason: reason})
	case edit:
		changed, err = s.EditProposal(ctx, p.ID, false)
	}
	switch {
	case err == nil:
		WriteDecision(s.Out, p.ID, changed)
		s.decided[answer]++
		return answer != edit, nil
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.Is(err, curate.ErrInvalid), errors.Is(err, curate.ErrChanged), errors.Is(err, ErrEditor), errors.Is(err, curate.ErrRuleRefused),
		errors.Is(err, curate.ErrDecided), errors.Is(err, curate.ErrNoProposal): // another process did meanwhile
		s.Note("%s", DescribeError(err)) // the person can do something else about it
		return false, nil
	}
	return true, err
}

// WriteDecision tells the person the outcome of a decision.
func WriteDecision(w io.Writer, id string, changed Changed) {
	if changed.Status == Nothing {
		fmt.Fprintln(w, "nothing changed")
		return
	}
	fmt.Fprintf(w, "%s %s\ncommit  %s\n", changed.Status, guard.Line(id), changed.CommitLine())
}
