package curate

import (
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/guard"
	"mem/index"
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
	units, _ := gatherUnits(m, domains...)
	_, formal, err := d.update(m, units, domains)
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
		p := c.patterns[at]
		msg, err := c.adoptPattern(p, true)
		if err == nil {
			file, _, _ := strings.Cut(p.Rule, "#")
			d.Found, d.Pending = []Found{{ID: p.ID, Title: p.Title, Rule: file}}, len(c.withStatus(Pending, ""))
		}
		return msg, err
	}
}

// ScanAll looks for patterns among everything, as a callback for Settle. It first
// brings the patterns up to date; called again, it writes a rule that needs no
// person, one at a time. When there is neither to do the message is empty.
func (d *Detector) ScanAll(m *repo.Memory) (repo.Message, error) {
	units, _ := gatherUnits(m)
	msg, formal, err := d.update(m, units, topic.Domains())
	if err != nil || msg.Subject != "" || formal == nil {
		return msg, err
	}
	return d.adoptFormal(formal.ID)(m)
}

// update brings the patterns of some domains up to date. It returns the message for that, empty
// if they were, and the first pattern that may become a rule without a person; nil if there is none.
func (d *Detector) update(m *repo.Memory, units map[string][]pattern.Unit, domains []string) (msg repo.Message, formal *Pattern, err error) {
	d.Found, d.Pending = nil, 0
	c := readPatterns(m)
	if c.blocked {
		return msg, nil, nil
	}
	for _, domain := range domains {
		list, err := c.scanDomain(domain, units[domain])
		if err != nil {
			return msg, nil, err
		}
		for _, change := range list {
			if change.mark == "+" {
				d.Found = append(d.Found, Found{ID: change.ID, Title: change.Title})
			}
			if change.mark != "" {
				msg.Body = append(msg.Body, change.mark+" "+change.describe())
			}
			if formal == nil && d.isFormal(m, change) {
				formal = change.Pattern
			}
		}
	}
	d.Pending = len(c.withStatus(Pending, ""))
	viewed, err := c.writeView()
	if viewed || len(msg.Body) > 0 {
		msg.Subject = "chore(memory): patterns"
	}
	return msg, formal, err
}

// Tags for a matter of form, about which people rarely differ, and tags for how
// people work, which they decide themselves.
var (
	formTags    = []string{"naming-convention", "code-formatting", "comment-style", "import-order", "file-naming"}
	conductTags = []string{"behavioral", "process", "communication", "decision", "strategy", "workflow"}
)

// isFormal reports whether a pattern may become a rule without a person: every learning has a tag
// for a matter of form, none has a tag for how people work, all of them share what the rule is
// about, and it joins the rules of coding or technical. What a person changed or
// wanted back may not, nor what would change a rule or reads like an order.
func (d *Detector) isFormal(m *repo.Memory, c change) bool {
	p, g := c.Pattern, c.group
	if d.AutoApply == nil || g == nil || !g.Tight || p.IsReworded() || p.Reopened || p.Amends != "" || p.Domain != p.OriginDomain() {
		return false
	}
	if p.Domain != topic.Coding && p.Domain != topic.Technical || !containsAny(g.Tags, formTags) {
		return false
	}
	isConduct := func(u pattern.Unit) bool { return containsAny(u.Tags, conductTags) || len(guard.Lint(u.Text)) > 0 }
	return !slices.ContainsFunc(g.Units, isConduct) && checkRule(p.Title, p.Text) == nil && canAppend(m, p.Domain, len(p.Text)) && d.AutoApply(p.Key)
}

func containsAny(tags, some []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(some, tag) })
}
