package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/curate/claude/imported"
	"mem/curate/lesson"
	"mem/curate/proposal"
	"mem/guard"
	"mem/reflect"
	"mem/repo"
	"mem/repo/disk"
	"mem/words"
)

// desks are the places where proposals wait, in the order in which people are
// shown them.
func desks() []proposal.Queue {
	return []proposal.Queue{curate.RuleQueue{}, imported.Queue{}, lesson.Queue{}}
}

type reviewOptions struct {
	List   bool // also on a terminal
	DryRun bool
	JSON   bool
}

func newReview(env Env, g *globals) *cobra.Command {
	var opts reviewOptions
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide what is agreed",
		Long: `Decide what waits for a decision, after a look at everything that was learned for
patterns that are rules in the making. On a terminal each is shown with the change
that it would make, to be accepted, edited, rejected or skipped; elsewhere, and
with --list, they are listed. Each decision is a commit of its own: what was
decided when you stop is done, and the rest waits.

'mem review show ID' shows one in full, 'approve' makes it part of what every
session reads, and 'reject' turns it down for good: only 'reopen' brings it back.
With --dry-run each shows the change as a diff.`,
		Example: `  mem review
  mem review --list
  mem review show pattern-001
  mem review approve pattern-001 --title "Wrap errors" --text "Wrap errors with %w."
  mem review reject pattern-002 --reason "only true of the old build"`,
		Args: noReview,
		RunE: func(c *cobra.Command, _ []string) error { return runReview(c.Context(), env, g, opts) },
	}
	c.Flags().BoolVarP(&opts.List, "list", "l", false, "list what waits, on a terminal too")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "list what a look at everything would find, and write nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	c.AddCommand(newReviewShow(env, g), newReviewApprove(env, g), newReviewReject(env, g), newReviewEdit(env, g), newReviewReopen(env, g))
	return c
}

// noReview refuses arguments, and says what may have been meant.
func noReview(c *cobra.Command, args []string) error {
	c.SuggestionsMinimumDistance = 2
	if len(args) == 0 || len(c.SuggestionsFor(args[0])) > 0 {
		return noCommand(c, args)
	}
	return usagef("mem review takes no argument, and got %q; to see one: mem review show ID", args[0])
}

func runReview(ctx context.Context, env Env, g *globals, opts reviewOptions) error {
	return withRoot(env, g, func(w *work, root *repo.Root) error {
		m, applied, err := w.scanned(ctx, root, opts.DryRun)
		if err != nil {
			return err
		}
		list, problems, err := pending(m)
		if err != nil {
			return err
		}
		for _, p := range problems {
			env.Note("left alone: %s: %s", guard.Line(p.Path), guard.Line(p.Why))
		}
		for _, f := range applied {
			env.Note("%s %q is a matter of form, so it is a rule now: %s", f.ID, f.Title, f.Rule)
		}
		if opts.JSON {
			return printJSON(env, list, "text")
		}
		if len(list) == 0 || opts.List || opts.DryRun || !env.Interactive() || !terminal(env.Out) {
			printPending(env, list)
			return nil
		}
		var ids []string
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		return w.sit(ctx, root, ids)
	})
}

// withRoot opens the memory for a command and closes it again.
func withRoot(env Env, g *globals, f func(*work, *repo.Root) error) (err error) {
	w, root, err := g.open(env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	return f(w, root)
}

// maxScans bounds the commits of one look at everything: each writes one rule.
const maxScans = 100

// scanned returns the memory after a look at everything, and the rules that
// this wrote without asking. When the memory cannot be changed now it is
// returned as it stands.
func (w *work) scanned(ctx context.Context, root *repo.Root, dryRun bool) (*repo.Memory, []curate.Found, error) {
	if dryRun {
		m, err := root.View(w.Now)
		if err == nil {
			_, err = m.Preview(w.Detector.ScanAll)
		}
		return m, nil, err
	}
	blocked := w.DrainQueue(ctx)
	w.Detector.AutoApply = w.mayApply()
	var applied []curate.Found
	for changed, n := true, 0; changed && blocked == nil && n < maxScans; n++ {
		_, blocked = root.Settle(ctx, w.Now, func(m *repo.Memory) (repo.Message, error) {
			msg, err := w.Detector.ScanAll(m)
			changed = msg.Subject != ""
			return msg, err
		})
		for _, f := range w.Detector.Found {
			if f.Rule != "" && blocked == nil {
				applied = append(applied, f)
			}
		}
	}
	w.Detector.AutoApply = nil
	switch {
	case reflect.Postponed(blocked), errors.Is(blocked, disk.ErrWrite):
		w.env.Note("%s; nothing new was looked for", words.FoldSpace(blocked.Error()))
	case blocked != nil:
		return nil, nil, blocked
	}
	m, err := root.View(w.Now)
	return m, applied, err
}

// pending lists what waits at all desks.
func pending(m *repo.Memory) (list []proposal.Proposal, problems []proposal.Problem, err error) {
	for _, d := range desks() {
		some, bad, err := d.ListPending(m)
		if err != nil {
			return nil, nil, err
		}
		list, problems = append(list, some...), append(problems, bad...)
	}
	return list, problems, nil
}

// waitingKinds says for people what is proposed, in the order in which it is shown.
var waitingKinds = []struct {
	kind  proposal.Kind
	title string
}{
	{proposal.Rule, "Rules in the making"},
	{proposal.Feedback, "What people told other tools"},
	{proposal.Quarantined, "Lessons that nobody vouches for"},
	{proposal.Duplicate, "Lessons that seem to say the same"},
	{proposal.Contradiction, "Lessons that cannot both hold"},
}

func printPending(env Env, list []proposal.Proposal) {
	if len(list) == 0 {
		env.Printf("nothing waits for a decision\n")
		return
	}
	first := true
	for _, k := range waitingKinds {
		title := k.title
		for _, p := range list {
			if p.Kind != k.kind {
				continue
			}
			if title != "" {
				if !first {
					env.Printf("\n")
				}
				env.Printf("%s:\n", title)
				title, first = "", false
			}
			env.Printf("  %s  %s\n", guard.Scrub(p.ID), guard.Line(p.Title))
			for _, about := range aboutProposal(p) {
				env.Printf("      %s\n", about)
			}
		}
	}
	env.Hint("'mem review show ID' shows one, 'mem review approve ID' agrees, 'mem review reject ID' turns it down")
}

// mostOnLine is how long a line is at most that lists things, in bytes.
const mostOnLine = 100

// aboutProposal is what there is to say of a proposal in a list: on one line, or
// each thing on its own where that would be too long to read.
func aboutProposal(p proposal.Proposal) []string {
	lines := slices.DeleteFunc(append([]string{filed(p)}, notesOf(p)...), func(s string) bool { return s == "" })
	if all := strings.Join(lines, "; "); all != "" && len(all) <= mostOnLine {
		return []string{all}
	}
	return lines
}

// filed is where a proposal belongs.
func filed(p proposal.Proposal) string {
	var parts []string
	if p.Domain != "" {
		about := p.Domain
		if len(p.Tags) > 0 {
			about += ": " + strings.Join(p.Tags, ", ")
		}
		parts = append(parts, about)
	}
	if p.Cohesion > 0 {
		parts = append(parts, fmt.Sprintf("cohesion %.2f", p.Cohesion))
	}
	return guard.Line(strings.Join(parts, "; "))
}

// notesOf are the notes on a proposal, each on one line.
func notesOf(p proposal.Proposal) (lines []string) {
	for _, n := range p.Notes {
		lines = append(lines, guard.Line(n))
	}
	return lines
}

// find returns what waits under an id.
func findProposal(m *repo.Memory, id string) (proposal.Proposal, error) {
	for _, d := range desks() {
		list, _, err := d.ListPending(m)
		if err != nil {
			return proposal.Proposal{}, err
		}
		for _, p := range list {
			if p.ID == id {
				return p, nil
			}
		}
		// It may have been decided.
		if _, err := d.ReadDraft(m, id); err != nil && !errors.Is(err, proposal.ErrUnknown) {
			return proposal.Proposal{}, err
		}
	}
	return proposal.Proposal{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
}

func newReviewShow(env Env, g *globals) *cobra.Command {
	var opts reviewOptions
	c := &cobra.Command{
		Use:               "show ID",
		Short:             "Show what is proposed, and what it rests on",
		Args:              oneID,
		ValidArgsFunction: completeProposals(env, g),
		RunE:              func(_ *cobra.Command, args []string) error { return runReviewShow(env, g, args[0], opts) },
	}
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

func runReviewShow(env Env, g *globals, id string, opts reviewOptions) error {
	return withRoot(env, g, func(w *work, root *repo.Root) error {
		m, err := root.View(w.Now)
		if err != nil {
			return err
		}
		p, err := findProposal(m, id)
		if err != nil {
			return err
		}
		if opts.JSON {
			return printJSON(env, p, "text")
		}
		printProposal(env, m, p)
		printLines(env, "would change", p.Files)
		return nil
	})
}
