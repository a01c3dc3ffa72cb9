package lookup

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"mem/curate"
	"mem/curate/proposal"
	"mem/guard"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/repo"
	"mem/workspace/review"
)

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

func (r ruleThing) name() (label, []string) { return r.label, r.PatternIDs() }

func (r ruleThing) Write(out io.Writer) { WriteRule(out, r.m, r.RuleDetail) }

func (q query) findRule(src *notes.Source) (Thing, error) {
	d, err := curate.FindRule(src.Memory, q.id)
	return ruleThing{label{search.Rule, src.Label()}, d, src.Memory}, err
}

// A proposalThing is a pending proposal, or a pattern that was decided about.
type proposalThing struct {
	label
	proposal.Proposal

	m *repo.Memory
}

func (p proposalThing) name() (label, []string) { return p.label, []string{p.ID} }

func (p proposalThing) Write(out io.Writer) {
	review.WriteProposal(out, p.m, p.Proposal)
	review.WriteNames(out, "would change", p.Files)
}

func (q query) findProposal(src *notes.Source) (Thing, error) {
	p, err := review.AllQueues(q.w).FindPending(src.Memory, q.id)
	return proposalThing{label{Proposal, src.Label()}, p, src.Memory}, err
}

// findPattern finds a pattern, whatever was decided about it, by its number too.
func (q query) findPattern(src *notes.Source) (Thing, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(q.id, "pattern-"))
	if err != nil {
		return nil, ErrUnknown
	}
	p, err := curate.DescribePattern(src.Memory, fmt.Sprintf("pattern-%03d", n))
	return proposalThing{label{Proposal, src.Label()}, p, src.Memory}, err
}
