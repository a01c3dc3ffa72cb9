package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// RuleQueue holds the pending patterns, which may become rules.
type RuleQueue struct{}

// ListPending lists the pending patterns, in the order of their ids.
func (RuleQueue) ListPending(m *repo.Memory) ([]Proposal, []Problem, error) {
	c, places := readPatterns(m), map[string]int{}
	for at := range m.Index.Items {
		places[m.Index.Items[at].ID] = at
	}
	var list []Proposal
	for _, p := range c.withStatus(Pending, "") {
		out := proposalOf(m, p)
		out.Since, out.Weight = p.since(), float64(len(p.Sources))
		for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Sources, p.Items)))) {
			if at, ok := places[id]; ok {
				out.Weight += m.Index.Items[at].EffectiveScore(m.Now())
			}
		}
		list = append(list, out)
	}
	_, problems := readLearnings(m, func(domain string) bool { return domain != "" })
	return list, slices.Concat(c.problems, problems), nil
}

func proposalOf(m *repo.Memory, p *Pattern) Proposal {
	out := Proposal{
		ID: p.ID, Kind: KindRule, Title: p.Title, Text: p.Text, From: p.Sources,
		Domain: p.Domain, Tags: p.Tags, Cohesion: p.Cohesion,
	}
	target, name, amends := strings.Cut(p.Amends, "#")
	if !amends {
		target = targetPath(p.Domain, p.Title)
	}
	out.Files = []string{target, p.Path(), patternIndex, ChangelogPath}
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if p.Detected != "" { // else a person wrote it
		note("%s, noticed on %s", render.Count(p.countLearnings(), "learning", "learnings"), p.Detected)
	}
	if amends {
		note("it adds to the rule %q", name)
		if d, err := FindRule(m, p.Amends); err == nil && d.Recurred > 0 {
			note("its lessons came up %s since they are a rule", render.Plural(d.Recurred, "once", fmt.Sprintf("%d times", d.Recurred)))
		}
	}
	if p.isAdopted() {
		note("it was in a memory that another person may have written")
	} else if p.isReworded() {
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
// The error wraps ErrNoProposal.
func DescribePattern(m *repo.Memory, id string) (Proposal, error) {
	p, err := findPattern(m, id)
	if err != nil {
		return Proposal{}, err
	}
	out := proposalOf(m, p.Pattern)
	if p.Status == Pending {
		return out, nil
	}
	note := fmt.Sprintf("%s on %s", p.Status, p.Decided)
	if p.Reason != "" {
		note += ": " + p.Reason
	}
	if p.Status == approved {
		note += ", and its rule is in no file"
		if d, err := FindRule(m, id); err == nil {
			note = fmt.Sprintf("%s on %s: it is in the rule %s", p.Status, p.Decided, d.ID)
		}
	}
	out.Files, out.Notes = nil, append([]string{note}, out.Notes...)
	return out, nil
}

type pendingRule struct {
	*Pattern
	c *catalogue
}

// Find returns the pattern with this id.
func (RuleQueue) Find(m *repo.Memory, id string) (Subject, error) { return findPattern(m, id) }

// State returns what was decided.
func (p pendingRule) State() string { return p.Status }

// Proposal returns the pattern as it is listed.
func (p pendingRule) Proposal() Proposal { return proposalOf(p.c.m, p.Pattern) }

func findPattern(m *repo.Memory, id string) (pendingRule, error) {
	c := readPatterns(m)
	at := c.indexOf(id)
	if at < 0 {
		return pendingRule{}, fmt.Errorf("%q: %w", id, ErrNoProposal)
	}
	return pendingRule{c.patterns[at], c}, nil
}

// Reopen makes a pattern pending again that was turned down.
func (p pendingRule) Reopen() (repo.Message, error) {
	p.Status, p.Decided, p.Reason, p.Reopened = Pending, "", "", true
	return decisionMessage(p.Pattern, "reopen"), p.c.writePattern(p.Pattern)
}

// Reword gives the pattern another name, text or domain. What is in the words of a person
// stays, whatever evidence joins.
func (p pendingRule) Reword(d Decision) (repo.Message, error) {
	before := string(p.Bytes())
	p.Title = cmp.Or(words.FoldSpace(guard.Scrub(d.Title)), p.Title) // before it becomes a name in another spelling
	p.Text = cmp.Or(strings.TrimSpace(strings.ReplaceAll(d.Text, "\r\n", "\n")), p.Text)
	if err := checkRule(p.Title, p.Text); err != nil {
		return repo.Message{}, err
	}
	if domain := topic.Domain(cmp.Or(d.Domain, p.Domain)); domain == "" {
		return repo.Message{}, fmt.Errorf("%q is not a domain; there are %s: %w", d.Domain, strings.Join(topic.Domains(), ", "), ErrInvalid)
	} else if domain != p.Domain {
		p.Domain, p.Amends = domain, "" // it goes elsewhere now
	}
	if path, name, ok := strings.Cut(p.Amends, "#"); ok && d.Text != "" {
		if now, ok := readRule(p.c.m, path, name); ok {
			p.buildUpon(now)
		}
	}
	if string(p.Bytes()) == before {
		return repo.Message{}, nil
	}
	return decisionMessage(p.Pattern, "edit"), p.c.writePattern(p.Pattern)
}

// Approve makes the pattern a rule.
func (p pendingRule) Approve() (repo.Message, error) {
	if path, name, ok := strings.Cut(p.Amends, "#"); ok {
		if now, ok := readRule(p.c.m, path, name); ok && !p.buildsUpon(now) {
			return repo.Message{}, fmt.Errorf("the rule %q in %s was changed after %s was proposed, and 'mem review' has not looked since: %w", name, path, p.ID, ErrInvalid)
		}
	}
	return p.c.adoptPattern(p.Pattern, false)
}

// Reject turns the pattern down. Its learnings stay.
func (p pendingRule) Reject(reason string) (repo.Message, error) {
	reason = words.FoldSpace(reason)
	msg := decisionMessage(p.Pattern, "reject")
	if reason != "" {
		msg.Body = []string{reason}
	}
	return msg, p.c.reject(p.Pattern, reason)
}
