package curate

import (
	"fmt"
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A Detector looks for patterns among what was learned.
type Detector struct {
	// AutoApply says whether a rule with this key, if it is a matter of form,
	// may be written without asking a person. Nil means never.
	AutoApply func(key string) bool

	// Found is what the last call found. A callback of Settle may be called
	// more than once; the last call counts.
	Found []Found

	// Pending is how many patterns waited after that; 0 if there was no reason
	// to look.
	Pending int
}

// A Found pattern is one that was not there before.
type Found struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Rule  string `json:"rule"` // the file it was written to without asking; "" if it waits for a person
}

// AfterLearning looks for patterns where lessons that were just counted may have
// made one. It is a repo.Options.Learned.
func (d *Detector) AfterLearning(m *repo.Memory, changes []index.Change, msg *repo.Message) error {
	d.Found, d.Pending = nil, 0
	domains := changedDomains(m, changes)
	if len(domains) == 0 {
		return nil
	}
	_, formal, err := d.update(m, gatherUnits(m, domains...), domains)
	for _, f := range d.Found {
		msg.Trailers = append(slices.Clip(msg.Trailers), repo.Trailer{Key: "Mem-Pattern", Value: f.ID})
	}
	if formal != nil {
		m.Then(d.adoptFormal(formal.ID))
	}
	return err
}

// adoptFormal returns what writes the rule of a pattern without asking, in a commit of its own: to take
// the rule back takes no learning with it.
func (d *Detector) adoptFormal(id string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		c := readPatterns(m)
		at := c.indexOf(id)
		if at < 0 {
			return repo.Message{}, nil
		}
		p := c.Patterns[at]
		msg, err := adoptPattern(m, c, p, true)
		if err != nil {
			return repo.Message{}, err
		}
		path, _, _ := strings.Cut(p.Rule, "#")
		d.Found, d.Pending = []Found{{ID: p.ID, Title: p.Title, Rule: path}}, len(c.withStatus(pattern.Pending))
		_, err = c.writeView(m)
		return msg, err
	}
}

// ScanAll looks for patterns among everything, as a callback for Settle. It first
// brings the patterns up to date; called again, it writes a rule that needs no
// person, one at a time. When there is neither to do the message is empty.
func (d *Detector) ScanAll(m *repo.Memory) (repo.Message, error) {
	msg, formal, err := d.update(m, gatherUnits(m), topic.Domains())
	if err != nil || msg.Subject != "" || formal == nil {
		return msg, err
	}
	return d.adoptFormal(formal.ID)(m)
}

// update brings the patterns of some domains up to date. It returns the message for that, empty
// if they were, and the first pattern that may become a rule without a person; nil if there is none.
func (d *Detector) update(m *repo.Memory, g gathering, domains []string) (msg repo.Message, formal *pattern.Pattern, err error) {
	d.Found, d.Pending = nil, 0
	c := readPatterns(m)
	if c.blocked {
		return msg, nil, nil
	}
	found, err := c.updateDomains(m, g, domains)
	if err != nil {
		return msg, nil, err
	}
	for _, f := range found {
		times := render.Count(f.Pattern.CountLearnings(), "learning", "learnings")
		switch {
		case f.New:
			d.Found = append(d.Found, Found{ID: f.Pattern.ID, Title: f.Pattern.Title})
			msg.Body = append(msg.Body, fmt.Sprintf("+ %s: %s (%s)", f.Pattern.ID, f.Pattern.Title, times))
		case f.Gone:
			msg.Body = append(msg.Body, fmt.Sprintf("- %s: %s is withdrawn", f.Pattern.ID, f.Pattern.Title))
		case !f.Same:
			msg.Body = append(msg.Body, fmt.Sprintf("~ %s: %s (%s)", f.Pattern.ID, f.Pattern.Title, times))
		}
	}
	d.Pending = len(c.withStatus(pattern.Pending))
	if viewed, err := c.writeView(m); err != nil || viewed || len(msg.Body) > 0 {
		msg.Subject = "chore(memory): patterns"
		return msg, d.findFormal(m, found), err
	}
	return msg, d.findFormal(m, found), nil
}

// updateDomains brings the patterns of some domains in line with what groups
// there.
func (c *catalogue) updateDomains(m *repo.Memory, g gathering, domains []string) (all []pattern.Change, err error) {
	for _, domain := range domains {
		agreeing := index.DropOutdone(g.units[domain], func(u pattern.Unit) index.Saying { return index.Saying{Text: u.Text, Seen: u.Seen} })
		for _, change := range c.ScanDomain(domain, pattern.FindGroups(agreeing)) { // a rule that says both is none
			switch {
			case change.Gone:
				c.Patterns = slices.DeleteFunc(slices.Clone(c.Patterns), func(o *pattern.Pattern) bool { return o.ID == change.Pattern.ID })
				err = m.RemoveFile(change.Pattern.Path())
			case !change.Same:
				err = c.writePattern(m, change.Pattern)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, change)
		}
	}
	return all, nil
}

// Tags for a matter of form, about which people rarely differ, and tags for how
// people work, which they decide themselves.
var (
	formTags    = []string{"naming-convention", "code-formatting", "comment-style", "import-order", "file-naming"}
	conductTags = []string{"behavioral", "process", "communication", "decision", "strategy", "workflow"}
)

// findFormal returns the first pattern that may become a rule without a person;
// nil if there is none.
func (d *Detector) findFormal(m *repo.Memory, found []pattern.Change) *pattern.Pattern {
	if d.AutoApply == nil {
		return nil
	}
	for _, f := range found {
		p := f.Pattern
		if f.Group != nil && isFormal(p, f.Group) && checkRule(p.Title, p.Text) == nil &&
			canAppend(m, p.Domain, len(p.Text)) && d.AutoApply(p.Key) {
			return p
		}
	}
	return nil
}

// isFormal reports whether a pattern is a matter of form: every learning has a tag
// for one, none has a tag for how people work, all of them share what the rule is
// about, and it joins the rules of coding or technical. What a person changed or
// wanted back is not, nor what would change a rule or reads like an order.
func isFormal(p *pattern.Pattern, g *pattern.Group) bool {
	if !g.Tight || p.IsReworded() || p.Reopened || p.Amends != "" || p.Domain != p.OriginDomain() {
		return false
	}
	if p.Domain != topic.Coding && p.Domain != topic.Technical || !containsAny(g.Tags, formTags) {
		return false
	}
	return !slices.ContainsFunc(g.Units, func(u pattern.Unit) bool {
		return containsAny(u.Tags, conductTags) || len(guard.Lint(u.Text)) > 0
	})
}

func containsAny(tags, some []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(some, tag) })
}
