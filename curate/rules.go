package curate

import (
	"fmt"
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// RuleQueue holds the pending patterns, which may become rules.
type RuleQueue struct{}

// ListPending lists the pending patterns, in the order of their ids.
func (RuleQueue) ListPending(m *repo.Memory) ([]proposal.Proposal, []proposal.Problem, error) {
	c := readPatterns(m)
	var list []proposal.Proposal
	for _, p := range c.withStatus(pattern.Pending) {
		list = append(list, proposalOf(m, p))
	}
	return list, slices.Concat(c.problems, gatherUnits(m).problems), nil
}

func proposalOf(m *repo.Memory, p *pattern.Pattern) proposal.Proposal {
	out := proposal.Proposal{
		ID: p.ID, Kind: proposal.Rule, Title: p.Title, Text: p.Text, From: p.Sources,
		Domain: p.Domain, Tags: p.Tags, Cohesion: p.Cohesion,
	}
	target, name, amends := strings.Cut(p.Amends, "#")
	if !amends {
		target = rule.FindTarget(m, p.Domain, p.Title)
	}
	out.Files = []string{target, p.Path(), pattern.IndexPath, rule.ChangelogPath}
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if p.Detected != "" { // else a person wrote it
		note("%s, noticed on %s", render.Count(p.CountLearnings(), "learning", "learnings"), p.Detected)
	}
	if amends {
		note("it adds to the rule %q", name)
		if d, err := FindRule(m, p.Amends); err == nil && d.Recurred > 0 {
			note("its lessons came up %s since they are a rule", render.Plural(d.Recurred, "once", fmt.Sprintf("%d times", d.Recurred)))
		}
	}
	if p.IsAdopted() {
		note("it was in a memory that another person may have written")
	} else if p.IsReworded() {
		note("a person reworded it")
	}
	if _, orders := guard.DropOrders(p.Text); len(orders) > 0 {
		note("sessions are not shown all of it: %s", orders[0])
	}
	if p.Reopened {
		note("it was turned down before")
	}
	return out
}

// DescribePattern returns a pattern as it was proposed, with what was decided about it.
// The error wraps proposal.ErrUnknown.
func DescribePattern(m *repo.Memory, id string) (proposal.Proposal, error) {
	p, err := findRule(m, id)
	if err != nil {
		return proposal.Proposal{}, err
	}
	out := proposalOf(m, p.Pattern)
	if p.Status == pattern.Pending {
		return out, nil
	}
	note := fmt.Sprintf("%s on %s", p.Status, p.Decided)
	if p.Reason != "" {
		note += ": " + p.Reason
	}
	if p.Status == pattern.Approved {
		note += ", and its rule is in no file"
		if d, err := FindRule(m, id); err == nil {
			note = fmt.Sprintf("%s on %s: it is in the rule %s", p.Status, p.Decided, d.ID)
		}
	}
	out.Files, out.Notes = nil, append([]string{note}, out.Notes...)
	return out, nil
}

type pendingRule struct {
	*pattern.Pattern
	m *repo.Memory
	c *catalogue
}

// Find returns the pattern with this id.
func (RuleQueue) Find(m *repo.Memory, id string) (proposal.Subject, error) { return findRule(m, id) }

// State returns what was decided.
func (p pendingRule) State() string { return string(p.Status) }

// Proposal returns the pattern as it is listed.
func (p pendingRule) Proposal() proposal.Proposal { return proposalOf(p.m, p.Pattern) }

func findRule(m *repo.Memory, id string) (pendingRule, error) {
	c := readPatterns(m)
	at := c.indexOf(id)
	if at < 0 {
		return pendingRule{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
	}
	return pendingRule{c.list[at], m, c}, nil
}

// Reopen makes a pattern pending again that was turned down.
func (p pendingRule) Reopen() (repo.Message, error) {
	p.Status, p.Decided, p.Reason, p.Reopened = pattern.Pending, "", "", true
	return decisionMessage(p.Pattern, "reopen"), p.c.writeBoth(p.m, p.Pattern)
}

// Approve makes the pattern a rule.
func (p pendingRule) Approve(d proposal.Decision) (repo.Message, error) {
	if path, name, ok := strings.Cut(p.Amends, "#"); ok && d.Text == "" {
		if now, ok := rule.ReadText(p.m, path, name); ok && !p.BuildsUpon(now) {
			return repo.Message{}, fmt.Errorf("the rule %q in %s was changed after %s was proposed, and 'mem review' has not looked since: %w", name, path, p.ID, proposal.ErrInvalid)
		}
	}
	if d.Title != "" {
		p.Title = words.FoldSpace(guard.Scrub(d.Title)) // before it becomes a name in another spelling
	}
	if d.Text != "" {
		p.Text = strings.TrimSpace(strings.ReplaceAll(d.Text, "\r\n", "\n"))
	}
	msg, err := adoptPattern(p.m, p.c, p.Pattern, false)
	if err != nil {
		return repo.Message{}, err
	}
	_, err = p.c.writeView(p.m)
	return msg, err
}

// Reject turns the pattern down. Its learnings stay.
func (p pendingRule) Reject(d proposal.Decision) (repo.Message, error) {
	p.Status, p.Decided, p.Reason, p.Reopened = pattern.Rejected, today(p.m), words.FoldSpace(d.Reason), false
	msg := decisionMessage(p.Pattern, "reject")
	if p.Reason != "" {
		msg.Body = []string{p.Reason}
	}
	return msg, p.c.writeBoth(p.m, p.Pattern)
}

// ReadDraft returns the pattern's file.
func (p pendingRule) ReadDraft() ([]byte, error) { return p.Bytes(), nil }

// ApplyEdit takes the pattern's file back. A draft that says the same makes no
// commit.
func (p pendingRule) ApplyEdit(draft []byte) (repo.Message, error) {
	edited, err := p.WithEdits(draft)
	if err != nil || string(edited.Bytes()) == string(p.Bytes()) {
		return repo.Message{}, err
	}
	if path, name, ok := strings.Cut(edited.Amends, "#"); ok {
		if now, ok := rule.ReadText(p.m, path, name); ok {
			edited.BuildUpon(now)
		}
	}
	return decisionMessage(edited, "edit"), p.c.writeBoth(p.m, edited)
}
