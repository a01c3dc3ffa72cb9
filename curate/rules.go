package curate

import (
	"fmt"
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// RuleQueue holds the pending patterns, which may become rules.
type RuleQueue struct{}

var _ proposal.Queue = RuleQueue{}

// ListPending lists the patterns that wait, in the order of their ids.
func (RuleQueue) ListPending(m *repo.Memory) ([]proposal.Proposal, []proposal.Problem, error) {
	c := readPatterns(m)
	var list []proposal.Proposal
	for _, p := range c.list {
		if p.Status == pattern.Pending {
			list = append(list, propose(m, p))
		}
	}
	return list, slices.Concat(c.problems, gatherUnits(m).problems), nil
}

// propose is a pattern as people are shown it.
func propose(m *repo.Memory, p *pattern.Pattern) proposal.Proposal {
	out := proposal.Proposal{
		ID: p.ID, Kind: proposal.Rule, Title: p.Title, Text: p.Text, From: p.Sources,
		Domain: p.Domain, Tags: p.Tags, Cohesion: p.Cohesion,
	}
	target := rule.TargetPath(p.Domain, p.Title)
	if p.Amends != "" {
		target, _, _ = strings.Cut(p.Amends, "#")
	}
	out.Files = []string{target, p.Path(), pattern.IndexPath, rule.ChangelogPath}
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if p.Detected != "" { // else a person wrote it
		note("learned %s, noticed on %s", countTimes(p.Times), p.Detected)
	}
	if p.Amends != "" {
		_, name, _ := strings.Cut(p.Amends, "#")
		note("it adds to the rule %q", name)
	}
	if p.IsReworded() {
		note("the words are a person's")
	}
	if p.Reopened {
		note("it was turned down before")
	}
	if recurred := lately(m, p); recurred > 0 {
		note("its lessons came up %s since they are a rule", countTimes(recurred))
	}
	return out
}

// lately is how often the lessons of a pattern came up since they are part of a
// rule.
func lately(m *repo.Memory, p *pattern.Pattern) (n int) {
	if len(p.Items) == 0 || p.Amends == "" {
		return 0
	}
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Compiled && slices.Contains(p.Items, it.ID) {
			n += it.Recurred
		}
	}
	return n
}

// countTimes writes how often something happened.
func countTimes(n int) string { return render.Plural(n, "once", fmt.Sprintf("%d times", n)) }

// waiting returns the pattern with this id, which must wait.
func waiting(m *repo.Memory, id string) (catalogue, *pattern.Pattern, error) {
	c := readPatterns(m)
	p := c.findPattern(id)
	switch {
	case p == nil:
		return c, nil, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
	case p.Status != pattern.Pending:
		return c, nil, fmt.Errorf("%s is %s: %w", id, p.Status, proposal.ErrDecided)
	}
	return c, p, nil
}

// Approve makes the pattern a rule.
func (RuleQueue) Approve(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	c, p, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	if path, name, ok := strings.Cut(p.Amends, "#"); ok && d.Text == "" {
		if now, ok := rule.ReadText(m, path, name); ok && !p.BuildsUpon(now) {
			return repo.Message{}, fmt.Errorf("the rule %q in %s was changed after %s was proposed, and 'mem review' has not looked since: %w", name, path, id, proposal.ErrInvalid)
		}
	}
	if d.Title != "" {
		p.Title = words.FoldSpace(d.Title)
	}
	if d.Text != "" {
		p.Text = strings.TrimSpace(strings.ReplaceAll(d.Text, "\r\n", "\n"))
	}
	msg, _, err := adoptPattern(m, &c, p, false)
	if err != nil {
		return repo.Message{}, err
	}
	_, err = c.writeView(m)
	return msg, err
}

// Reject turns the pattern down. Its learnings stay.
func (RuleQueue) Reject(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	c, p, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	p.Status, p.Decided, p.Reason, p.Reopened = pattern.Rejected, today(m), words.FoldSpace(d.Reason), false
	msg := decisionMessage(p, "reject")
	if p.Reason != "" {
		msg.Body = []string{p.Reason}
	}
	return msg, keep(m, &c, p)
}

// Reopen lets a pattern that was turned down wait again. One that waits is left
// as it is.
func (RuleQueue) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	c := readPatterns(m)
	p := c.findPattern(id)
	switch {
	case p == nil:
		return repo.Message{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
	case p.Status == pattern.Pending:
		return repo.Message{}, nil
	case p.Status == pattern.Approved:
		return repo.Message{}, fmt.Errorf("%s is a rule in %s: %w", id, p.Rule, proposal.ErrDecided)
	}
	p.Status, p.Decided, p.Reason, p.Reopened = pattern.Pending, "", "", true
	return decisionMessage(p, "reopen"), keep(m, &c, p)
}

// ReadDraft returns the pattern's file.
func (RuleQueue) ReadDraft(m *repo.Memory, id string) ([]byte, error) {
	_, p, err := waiting(m, id)
	if err != nil {
		return nil, err
	}
	return p.Bytes(), nil
}

// ApplyEdit takes the pattern's file back. A draft that says the same makes no
// commit.
func (RuleQueue) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	c, p, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	edited, err := p.WithEdits(draft)
	if err != nil {
		return repo.Message{}, err
	}
	if string(edited.Bytes()) == string(p.Bytes()) {
		return repo.Message{}, nil
	}
	if path, name, ok := strings.Cut(edited.Amends, "#"); ok {
		if now, ok := rule.ReadText(m, path, name); ok {
			edited.BuildUpon(now)
		}
	}
	return decisionMessage(edited, "edit"), keep(m, &c, edited)
}

// keep writes a pattern and the view of all.
func keep(m *repo.Memory, c *catalogue, p *pattern.Pattern) error {
	if _, err := c.writePattern(m, p); err != nil {
		return err
	}
	_, err := c.writeView(m)
	return err
}
