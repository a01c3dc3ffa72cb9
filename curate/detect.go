package curate

import (
	"fmt"
	"slices"

	"mem/curate/pattern"
	"mem/curate/rule"
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

// AfterLearning looks for patterns where lessons that were just counted may have made
// one. It is a repo.Options.AfterLearning.
func (d *Detector) AfterLearning(m *repo.Memory, changes []index.Change, msg *repo.Message) error {
	d.Found, d.Pending = nil, 0
	touched := mayGroup(m, changes)
	if len(touched) == 0 {
		return nil
	}
	c := readPatterns(m)
	if c.blocked {
		return nil
	}
	found, err := d.detect(m, &c, touched)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.New {
			d.Found = append(d.Found, Found{ID: f.Pattern.ID, Title: f.Pattern.Title})
			msg.Trailers = append(slices.Clip(msg.Trailers), repo.Trailer{Key: "Mem-Pattern", Value: f.Pattern.ID})
		}
	}
	if p := d.formal(m, found); p != nil {
		adopted, written, err := adoptPattern(m, &c, p, true)
		if err != nil {
			return err
		}
		both := slices.Concat(msg.Trailers, adopted.Trailers)
		adopted.Trailers = nil
		for _, t := range both {
			if !slices.Contains(adopted.Trailers, t) {
				adopted.Trailers = append(adopted.Trailers, t)
			}
		}
		*msg = adopted
		d.Found = []Found{{ID: p.ID, Title: p.Title, Rule: written.Path}}
	}
	d.Pending = c.countPending()
	_, err = c.writeView(m)
	return err
}

// ScanAll looks for patterns among everything, as a callback for Settle. It first
// brings the patterns in line; called again, it writes a rule that needs no
// person, one at a time. When there is neither to do the message is empty.
func (d *Detector) ScanAll(m *repo.Memory) (repo.Message, error) {
	d.Found, d.Pending = nil, 0
	c := readPatterns(m)
	if c.blocked {
		return repo.Message{}, nil
	}
	found, err := d.detect(m, &c, nil)
	if err != nil {
		return repo.Message{}, err
	}
	msg := repo.Message{Subject: "chore(memory): patterns"}
	changed := false
	for _, f := range found {
		line := ""
		switch {
		case f.New:
			d.Found = append(d.Found, Found{ID: f.Pattern.ID, Title: f.Pattern.Title})
			line = fmt.Sprintf("+ %s: %s (%s)", f.Pattern.ID, f.Pattern.Title, render.Count(f.Pattern.Times, "learning", "learnings"))
		case f.Gone:
			line = fmt.Sprintf("- %s: %s is withdrawn", f.Pattern.ID, f.Pattern.Title)
		case f.written:
			line = fmt.Sprintf("~ %s: %s (%s)", f.Pattern.ID, f.Pattern.Title, render.Count(f.Pattern.Times, "learning", "learnings"))
		default:
			continue
		}
		changed = true
		msg.Body = append(msg.Body, line)
	}
	viewed, err := c.writeView(m)
	if err != nil {
		return repo.Message{}, err
	}
	if changed || viewed {
		return msg, nil
	}
	p := d.formal(m, found)
	if p == nil {
		return repo.Message{}, nil
	}
	msg, written, err := adoptPattern(m, &c, p, true)
	if err != nil {
		return repo.Message{}, err
	}
	d.Found = []Found{{ID: p.ID, Title: p.Title, Rule: written.Path}}
	_, err = c.writeView(m)
	return msg, err
}

// A detected pattern is one that stands for a group, or did.
type detected struct {
	pattern.Change
	written bool // its file was changed
}

// detect brings the patterns of some domains in line with what groups there;
// of all domains when none is named.
func (d *Detector) detect(m *repo.Memory, c *catalogue, some []string) ([]detected, error) {
	g := gatherUnits(m, some...)
	if len(some) == 0 {
		some = topic.Domains()
	}
	scan := pattern.Scan{
		Patterns: c.list, Unread: c.unread, Last: c.last, Day: today(m), Target: rule.TargetPath,
		Rule: func(path, name string) (string, bool) { return rule.ReadText(m, path, name) },
	}
	var all []detected
	for _, domain := range some {
		for _, change := range scan.ScanDomain(domain, pattern.FindGroups(g.units[domain])) {
			out := detected{Change: change, written: !change.Same}
			var err error
			switch {
			case change.Gone:
				err = c.removePattern(m, change.Pattern)
			case !change.Same:
				out.written, err = c.writePattern(m, change.Pattern)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, out)
		}
	}
	c.last = scan.Last
	return all, nil
}

// formal returns the first pattern that may become a rule without a person:
// every learning has a tag for a matter of form, none has one for how people
// work, all of them share what the rule is about, and it joins the rules of
// coding or technical. What a person changed, or wanted back, waits, and so
// does what would change a rule or reads like an order.
func (d *Detector) formal(m *repo.Memory, found []detected) *pattern.Pattern {
	if d.AutoApply == nil {
		return nil
	}
	for _, f := range found {
		p, g := f.Pattern, f.Group
		if g == nil || !g.Tight || p.IsReworded() || p.Reopened || p.Amends != "" || p.Domain != p.OriginDomain() {
			continue
		}
		if p.Domain != topic.Coding && p.Domain != topic.Technical || !rule.SharesFile(p.Domain) || !slices.ContainsFunc(g.Tags, form) {
			continue
		}
		if slices.ContainsFunc(g.Units, func(u pattern.Unit) bool { return slices.ContainsFunc(u.Tags, conduct) || len(guard.Lint(u.Text)) > 0 }) {
			continue
		}
		if pattern.CheckRule(p.Title, p.Text) == nil && rule.CanAppend(m, p.Domain, len(p.Text)) && d.AutoApply(p.Key) {
			return p
		}
	}
	return nil
}

// form reports whether a tag is for a matter of form, which nobody minds.
func form(tag string) bool {
	return slices.Contains([]string{"naming-convention", "code-formatting", "comment-style", "import-order", "file-naming"}, tag)
}

// conduct reports whether a tag is for how people work, which they decide.
func conduct(tag string) bool {
	return slices.Contains([]string{"behavioral", "process", "communication", "decision", "strategy", "workflow"}, tag)
}
