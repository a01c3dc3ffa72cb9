// Package curate makes rules of what was learned.
//
//	a learning, or a lesson of a reflection
//	  → a pattern, when three similar ones have come together
//	  → a person's approval
//	  → a rule that every session reads
//
// A Capture keeps one learning. A Detector looks for patterns whenever something
// was learned; a scan of everything finds what that missed. A LessonChange is what a person
// decides about single lessons. Queues holds all that waits for a person: pending patterns, lessons
// that are held, imported memories. All of it runs inside repo.Root.Settle, so that a rule, the
// learnings behind it and the changelog are one commit. No model is asked.
package curate

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// CountPending counts the pending patterns of a memory, as far as they are not folded away.
func CountPending(m *repo.Memory) int { return readPatterns(m).countWaiting() }

func today(m *repo.Memory) string { return m.Now().UTC().Format(time.DateOnly) }

// AutoTrailer names, in a commit, the key of a rule that was written without asking.
const AutoTrailer = "Mem-Auto-Applied"

// adoptPattern makes a rule of a pattern: it writes the rule, archives the learnings, notes the rule in the changelog
// and in the pattern, and marks the lessons.
func (c *catalogue) adoptPattern(p *Pattern, auto bool) (msg repo.Message, err error) {
	if err := checkRule(p.Title, p.Text); err != nil {
		return msg, err
	}
	where, verb, err := writeRule(c.m, p)
	if err != nil {
		return msg, err
	}
	p.Status, p.Decided, p.Rule, p.Auto = approved, today(c.m), where, auto
	texts, items := compileLessons(c.m, p)
	lines, err := archiveLearnings(c.m, p, texts)
	if err == nil {
		err = errors.Join(noteChange(c.m, p, verb), c.writePattern(p))
	}
	if err != nil {
		return msg, err
	}
	msg = decisionMessage(p, verb)
	msg.Body = append([]string{fmt.Sprintf("Compiled from %s:", render.Count(p.countLearnings(), "learning", "learnings"))}, lines...)
	if auto {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: AutoTrailer, Value: p.Key})
	}
	for _, id := range items {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: id})
	}
	return msg, nil
}

func decisionMessage(p *Pattern, verb string) repo.Message {
	return repo.Message{
		Subject:  fmt.Sprintf("rule(%s): %s %s", p.Domain, verb, topic.Slug(p.Title, p.ID)),
		Trailers: []repo.Trailer{{Key: "Mem-Pattern", Value: p.ID}},
	}
}

// compileLessons marks the active lessons of a pattern as part of a rule. It
// returns what all its lessons say, by id, and the ids of those it marked.
func compileLessons(m *repo.Memory, p *Pattern) (texts map[string]string, items []string) {
	texts = map[string]string{}
	ids := slices.Concat(p.Sources, p.Items)
	for it := range m.Index.All() {
		if !slices.Contains(ids, it.ID) {
			continue
		}
		texts[it.ID] = it.Text
		if it.Status == index.Active {
			it.Change(func(it *index.Item) { it.Status = index.Compiled })
			items = append(items, it.ID)
		}
	}
	return texts, items
}

// archiveLearnings archives the files that a rule was made of. It returns a line for each source of the pattern.
func archiveLearnings(m *repo.Memory, p *Pattern, texts map[string]string) (lines []string, err error) {
	active, archived, _ := learningFiles(m)
	for _, id := range p.Sources {
		text := cmp.Or(texts[id], id+" is gone")
		if slices.Contains(active, id) {
			data, err := m.ReadFile(id)
			if err != nil {
				return nil, err
			}
			l, err := ParseLearning(id, data)
			if text = strings.TrimPrefix(id, LearningFolder+"/"); err == nil {
				text = l.Lesson()
			}
			stem := ArchivedFolder + "/" + strings.TrimSuffix(path.Base(id), ".md")
			to := freeName(stem, func(name string) bool { return slices.Contains(archived, name) })
			if err := m.MoveFile(id, to, archiveFile(data, p.Rule, today(m))); err != nil {
				return nil, err
			}
			archived = append(archived, to)
		}
		lines = append(lines, "- "+text)
	}
	return lines, nil
}

// A Recurring rule is one whose lesson came up again since it was written.
type Recurring struct {
	Rule  string `json:"rule"`
	Where string `json:"where"`
	Times int    `json:"times"`
}

// ManyRules is the number of rules from which on it is time to have fewer.
const ManyRules = 20

// CountRules counts the rules that sessions read, and returns those that were not kept, the worst first.
func CountRules(m *repo.Memory) (n int, recurred []Recurring) {
	rules, _ := ListRules(m)
	for _, d := range rules {
		if d.Recurred > 0 {
			recurred = append(recurred, Recurring{Rule: d.Name, Where: d.ID, Times: d.Recurred})
		}
	}
	slices.SortStableFunc(recurred, func(a, b Recurring) int { return b.Times - a.Times })
	return len(rules), recurred
}

// A Detector looks for patterns among what was learned.
type Detector struct {
	// AutoApply says whether a rule with this key, if it is a matter of form,
	// may be written without asking a person. Nil means never.
	AutoApply func(key string) bool

	// Now is when it looks, which may be long after what is learned; zero for the time of the memory.
	Now time.Time

	// Found is what the last call found. A callback of Settle may be called more than once; the last call counts.
	Found []Found

	// Pending is how many patterns waited after that; 0 if there was no reason to look.
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
	_, err := d.update(m, domains)
	for _, f := range d.Found {
		msg.Trailers = append(slices.Clip(msg.Trailers), repo.Trailer{Key: "Mem-Pattern", Value: f.ID})
	}
	return err
}

// ScanAll looks for patterns among everything, as a callback for Settle. When there is nothing to change the message is empty.
func (d *Detector) ScanAll(m *repo.Memory) (repo.Message, error) { return d.update(m, topic.Domains()) }

// adoptFormal returns what writes the rules of some patterns without asking, each in a commit of its own: to take
// the rule back takes no learning with it.
func (d *Detector) adoptFormal(ids []string) func(*repo.Memory) (repo.Message, error) {
	if len(ids) == 0 {
		return nil
	}
	return func(m *repo.Memory) (msg repo.Message, err error) {
		m.Then(m.Now(), d.adoptFormal(ids[1:]))
		c := readPatterns(m)
		at := c.indexOf(ids[0])
		if at < 0 || !canAppend(m, c.patterns[at].Domain, len(c.patterns[at].Text)) {
			return msg, nil
		}
		p := c.patterns[at]
		if msg, err = c.adoptPattern(p, true); err == nil {
			file, _, _ := strings.Cut(p.Rule, "#")
			d.Found = slices.DeleteFunc(d.Found, func(f Found) bool { return f.ID == p.ID })
			d.Found, d.Pending = append(d.Found, Found{ID: p.ID, Title: p.Title, Rule: file}), c.countWaiting()
		}
		return msg, err
	}
}

// update brings the patterns of some domains up to date. It returns the message for that, empty
// if they were. Rules that need no person follow.
func (d *Detector) update(m *repo.Memory, domains []string) (msg repo.Message, err error) {
	d.Found, d.Pending = nil, 0
	units, c, formal := gatherUnits(m, domains), readPatterns(m), []string{}
	if c.blocked {
		return msg, nil
	}
	c.today = max(c.today, d.Now.UTC().Format(time.DateOnly))
	for _, domain := range domains {
		list, err := c.scanDomain(domain, units[domain])
		if err != nil {
			return msg, err
		}
		for _, change := range list {
			if change.mark == "+" {
				d.Found = append(d.Found, Found{ID: change.ID, Title: change.Title})
			}
			if change.mark != "" {
				msg.Body = append(msg.Body, change.mark+" "+change.describe())
			}
			if d.isFormal(change) {
				formal = append(formal, change.ID)
			}
		}
	}
	m.Then(m.Now(), d.adoptFormal(formal))
	d.Pending = c.countWaiting()
	viewed, err := c.writeView()
	if viewed || len(msg.Body) > 0 {
		msg.Subject = "chore(memory): patterns"
	}
	return msg, err
}

// Tags for a matter of form, about which people rarely differ, and tags for how
// people work, which they decide themselves.
var (
	formTags    = []string{"naming-convention", "code-formatting", "comment-style", "import-order", "file-naming"}
	conductTags = []string{"behavioral", "process", "communication", "decision", "strategy", "workflow"}
)

// isFormal reports whether a pattern may become a rule without a person's approval: every learning has a tag for a matter
// of form, none has a tag for how people work, all share the rule's subject, and it joins the rules of coding or
// technical. Patterns that a person edited or reopened may not, nor those that change a rule or read like an order.
func (d *Detector) isFormal(c change) bool {
	p, g := c.Pattern, c.group
	if d.AutoApply == nil || g == nil || !g.Tight || p.isReworded() || p.Reopened || p.Amends != "" || p.Domain != p.originDomain() {
		return false
	}
	if p.Domain != topic.Coding && p.Domain != topic.Technical || !containsAny(g.Tags, formTags) {
		return false
	}
	isConduct := func(u unit) bool { return containsAny(u.Tags, conductTags) || len(guard.Lint(u.Text)) > 0 }
	return !slices.ContainsFunc(g.Units, isConduct) && checkRule(p.Title, p.Text) == nil && d.AutoApply(p.Key)
}

func containsAny(tags, some []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(some, tag) })
}
