package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// A sitting goes through what waits, one proposal after the other, with a
// person at a terminal. Each decision is a commit of its own, so that it can
// end at any moment: what was decided is done, and the rest waits.
type sitting struct {
	*work
	root  *repo.Root
	in    *bufio.Reader
	edit  func(context.Context, string) error // opens a file in an editor
	count map[string]int                      // of decisions, by what was decided
}

// What a person can answer.
const (
	accept = "accepted"
	edited = "edited"
	reject = "rejected"
	skip   = "skipped"
	look   = "diff"
	quit   = "quit"
)

// errOver ends a sitting before its end.
var errOver = errors.New("the sitting is over")

// sit goes through the proposals with these ids.
func (w *work) sit(ctx context.Context, root *repo.Root, ids []string) error {
	s := sitting{w, root, bufio.NewReader(w.env.In), w.env.editor, map[string]int{}}
	var err error
	for i, id := range ids {
		if err = s.one(ctx, id, fmt.Sprintf("%d of %d", i+1, len(ids))); err != nil {
			break
		}
	}
	s.sum(len(ids))
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// sum says what came of it.
func (s *sitting) sum(all int) {
	var parts []string
	for _, what := range []string{accept, reject} {
		if n := s.count[what]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
		all -= s.count[what]
	}
	if all -= s.count["gone"]; all > 0 {
		parts = append(parts, fmt.Sprintf("%d still %s", all, render.Plural(all, "waits", "wait")))
	}
	s.env.Printf("\n%s\n", cmp.Or(strings.Join(parts, ", "), "nothing waits any more"))
}

// one shows a proposal until the person has decided.
func (s *sitting) one(ctx context.Context, id, place string) error {
	for {
		m, err := s.root.View(s.Now)
		if err != nil {
			return err
		}
		p, err := findProposal(m, id)
		if errors.Is(err, proposal.ErrUnknown) || errors.Is(err, proposal.ErrDecided) {
			s.env.Printf("\n%s  %s: it waits no longer\n", place, guard.Scrub(id))
			s.count["gone"]++
			return nil
		}
		if err != nil {
			return err
		}
		s.env.Printf("\n%s  ", place)
		printProposal(s.env, m, p)
		answer := look
		for all := false; answer == look; all = true {
			if err := s.printChange(p, all); err != nil {
				s.env.Note("%s", errorText(err))
			}
			if answer, err = s.choose(ctx); err != nil {
				return err
			}
		}
		if done, err := s.act(ctx, p, answer); done || err != nil {
			return err
		}
	}
}

// printChange shows what accepting would commit: in full what sessions will
// read of it, or all of it, and else the names of the files.
func (s *sitting) printChange(p proposal.Proposal, all bool) error {
	plan, err := s.Change(context.Background(), true, s.approval(p).callback(proposal.Decision{}))
	if err != nil {
		return err
	}
	files, err := plan.Diff()
	if err != nil {
		return err
	}
	s.env.Printf("\nAccepting it would commit %q:\n", guard.Scrub(plan.Subject))
	var others []string
	for _, f := range files {
		if folder, _, _ := strings.Cut(f.Path, "/"); all || folder == "rules" || folder == "context" || folder == "memories" {
			s.env.Printf("\n%s", guard.Scrub(string(f.Diff)))
		} else {
			others = append(others, f.Path)
		}
	}
	title := "and changes"
	if len(others) == len(files) {
		title = "it changes"
	}
	printLines(s.env, title, others)
	return nil
}

// choose asks what is to be done.
func (s *sitting) choose(ctx context.Context) (string, error) {
	for {
		line, err := s.ask(ctx, "\n[a]ccept  [e]dit  [r]eject  [s]kip  [d]iff  [q]uit > ")
		if err != nil {
			return "", err
		}
		line = strings.ToLower(line)
		for _, answer := range []string{accept, edited, reject, skip, look, quit} {
			word := strings.TrimSuffix(answer, "ed")
			if line != "" && (strings.HasPrefix(answer, line) || line == word) {
				return answer, nil
			}
		}
		s.env.Note("answer with a letter: a, e, r, s, d or q")
	}
}

// ask reads an answer. The end of the input ends the sitting.
func (s *sitting) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(s.env.Err, question)
	line, err := reading(ctx, func() (string, error) { return s.in.ReadString('\n') })
	if errors.Is(err, io.EOF) {
		return "", errOver
	}
	return strings.TrimSpace(line), err
}

// act does what the person wants, and reports whether that was a decision.
func (s *sitting) act(ctx context.Context, p proposal.Proposal, answer string) (done bool, err error) {
	switch answer {
	case quit:
		return true, errOver
	case skip:
		return true, nil
	case accept:
		err = s.decide(ctx, s.root, s.approval(p))
	case reject:
		var reason string
		if reason, err = s.ask(ctx, "why? (for whoever wonders later; may be empty) > "); err != nil {
			return true, err
		}
		err = s.decide(ctx, s.root, decision{"rejected", p.ID, decideOptions{Reason: reason}, proposal.Queue.Reject})
	case edited:
		err = s.editProposal(ctx, s.root, p.ID, decideOptions{}, s.edit)
	}
	switch {
	case err == nil && answer != edited:
		s.count[answer]++
		return true, nil
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.Is(err, proposal.ErrInvalid), errors.Is(err, errChanged), errors.Is(err, errEditor), errors.Is(err, rule.ErrRefused),
		errors.Is(err, proposal.ErrDecided), errors.Is(err, proposal.ErrUnknown): // somebody else did meanwhile
		s.env.Note("%s", errorText(err)) // the person can do something else about it
		return false, nil
	}
	return true, err
}

// approval is the decision to accept what the person has seen, and nothing else.
func (s *sitting) approval(p proposal.Proposal) decision {
	return decision{"approved", p.ID, decideOptions{}, func(d proposal.Queue, m *repo.Memory, id string, with proposal.Decision) (repo.Message, error) {
		list, _, err := d.ListPending(m)
		if err != nil {
			return repo.Message{}, err
		}
		at := slices.IndexFunc(list, func(now proposal.Proposal) bool { return now.ID == p.ID })
		if at >= 0 && (list[at].Text != p.Text || list[at].Title != p.Title || !slices.Equal(list[at].From, p.From)) {
			return repo.Message{}, fmt.Errorf("%s: %w", p.ID, errChanged)
		}
		return d.Approve(m, id, with)
	}}
}

// printProposal shows a proposal in full, without what it would change.
func printProposal(env Env, m *repo.Memory, p proposal.Proposal) {
	env.Printf("%s  %s\n", guard.Scrub(p.ID), guard.Line(p.Title))
	for _, line := range append([]string{filed(p)}, notesOf(p)...) {
		if line != "" {
			env.Printf("%s\n", line)
		}
	}
	env.Printf("\n%s\n", strings.TrimRight(guard.Scrub(p.Text), "\n"))
	printLines(env, "rests on", named(m, p.From))
}

func printLines(env Env, title string, lines []string) {
	if len(lines) > 0 {
		env.Printf("\n%s:\n", title)
	}
	for _, l := range lines {
		env.Printf("  %s\n", guard.Line(l))
	}
}

// named adds to the ids of lessons what they say.
func named(m *repo.Memory, ids []string) (lines []string) {
	at := map[string]*index.Item{}
	for i := range m.Index.Items {
		at[m.Index.Items[i].ID] = &m.Index.Items[i]
	}
	for _, id := range ids {
		if it := at[id]; it != nil {
			id += " " + it.Text
		}
		lines = append(lines, id)
	}
	return lines
}
