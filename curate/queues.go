package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// LessonQueue holds the lessons in quarantine, under their own ids.
type LessonQueue struct{}

// maxLesson is how many characters a lesson has at most that a person rewords.
const maxLesson = 1000

// ListPending lists the lessons in quarantine, in the order in which they came.
func (LessonQueue) ListPending(m *repo.Memory) (list []Proposal, problems []Problem, err error) {
	for it := range m.Index.All() {
		if it.Status == index.Quarantined {
			list = append(list, heldProposal(m, it))
		}
	}
	return list, nil, nil
}

func heldProposal(m *repo.Memory, it *index.Item) Proposal {
	p := Proposal{
		ID: it.ID, Kind: KindHeld, Title: shortText(it.Text, maxSubject), Text: guard.Line(it.Text),
		From: []string{it.ID}, Domain: guard.Line(it.Domain),
		Since: slices.MaxFunc([]time.Time{it.LastSeen, it.StampOf("status")}, time.Time.Compare), Weight: it.EffectiveScore(m.Now()),
	}
	for _, tag := range it.Tags {
		p.Tags = append(p.Tags, guard.Line(tag))
	}
	if old := findRival(m.Index, it); old != nil && old.Status == index.Active {
		p.Notes = append(p.Notes, describeLesson("approving it retires the one whose place it takes", old), "rejecting it leaves that one")
	} else if old != nil {
		p.Notes = append(p.Notes, describeLesson("against a rule, which stays in its file until you remove it", old))
	}
	for _, why := range reasonsHeld(it) {
		p.Notes = append(p.Notes, "held: "+why)
	}
	stated := *it
	if stated.DropHeld(); stated.Why != "" {
		p.Notes = append(p.Notes, "why: "+guard.Line(stated.Why))
	}
	for _, s := range it.Sources {
		at := "at an unknown time"
		if !s.At.IsZero() {
			at = s.At.UTC().Format(time.DateOnly)
		}
		note := "said in " + guard.Line(cmp.Or(s.Trace, s.Session, "a session without a name")) + ", " + at
		if s.Model != "" {
			note += ", put into words by " + guard.Line(s.Model)
		}
		p.Notes = append(p.Notes, note)
	}
	if it.Hits > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("seen %d times", it.Hits))
	}
	return p
}

func describeLesson(what string, it *index.Item) string {
	times := render.Plural(max(1, it.Hits), "once", fmt.Sprintf("%d times", it.Hits))
	return fmt.Sprintf("%s: %s %s (seen %s, last %s)", what, guard.Line(it.ID), guard.Line(it.Text), times, it.LastSeen.UTC().Format(time.DateOnly))
}

// reasonsHeld says what speaks against a lesson; nil if nothing does that the lesson itself shows.
func reasonsHeld(it *index.Item) (why []string) {
	if doubt := it.Doubted(); doubt != "" {
		why = append(why, guard.Line(doubt))
	} else if it.Origin == index.OriginExternal {
		why = append(why, "its words come from outside, such as a web page")
	}
	for _, p := range guard.Lint(it.ShownText()) {
		why = append(why, fmt.Sprintf("it reads as an order (%s): %s", p.Rule, shortText(p.Text, maxSubject)))
	}
	return why
}

// Find returns the lesson with this id.
func (LessonQueue) Find(m *repo.Memory, id string) (Subject, error) {
	lessons, err := FindLessons(m.Index, []string{id})
	if err != nil {
		return nil, fmt.Errorf("%q: %w", id, ErrNoProposal)
	}
	return heldLesson{m, lessons[0]}, nil
}

// State is pending in quarantine, or else what the lesson is.
func (h heldLesson) State() string {
	if h.Status == index.Quarantined {
		return Pending
	}
	return cmp.Or(guard.Line(string(h.Status)), "active")
}

// Proposal returns the lesson as it is listed.
func (h heldLesson) Proposal() Proposal { return heldProposal(h.m, h.Item) }

// Reopen makes a lesson pending again that was retired.
func (h heldLesson) Reopen() (repo.Message, error) {
	h.Change(func(it *index.Item) { it.Status = index.Quarantined })
	return lessonMessage("reopen", "+ ", h.Item), nil
}

type heldLesson struct {
	m *repo.Memory
	*index.Item
}

var errNameless = fmt.Errorf("%w: a lesson has no name, only a text", ErrInvalid)

// Reword gives the lesson another text.
func (h heldLesson) Reword(d Decision) (repo.Message, error) {
	before, edited, text := h.Text, *h.Item, guard.Line(d.Text)
	switch {
	case d.Title != "":
		return repo.Message{}, errNameless
	case text == guard.Line(before):
		return repo.Message{}, nil
	case utf8.RuneCountInString(text) > maxLesson:
		return repo.Message{}, fmt.Errorf("%w: a lesson has at most %d characters", ErrInvalid, maxLesson)
	case !edited.SetText(text):
		return repo.Message{}, fmt.Errorf("%w: the lesson says nothing", ErrInvalid)
	}
	h.Change(func(it *index.Item) { *it = edited })
	msg := lessonMessage("reword", "- ", &index.Item{ID: h.ID, Text: before})
	msg.Subject, msg.Body = "reword: "+shortText(h.Text, maxSubject), append(msg.Body, "+ "+h.Text)
	return msg, nil
}

// Approve lets a lesson in: a person stands for it now. No other active lesson may say exactly the same.
func (h heldLesson) Approve() (repo.Message, error) {
	if other := findActiveTwin(h.m.Index, h.Item); other != nil {
		return repo.Message{}, fmt.Errorf("%w: %s says exactly this already", ErrInvalid, other.ID)
	}
	h.Change(func(it *index.Item) {
		it.Status, it.Origin = index.Active, index.OriginUser
		dropDoubt(it)
	})
	msg := lessonMessage("confirm", "+ ", h.Item)
	if old := (&applier{ix: h.m.Index}).takePlace(h.Item); old != nil {
		tell(&msg, "- ", old)
	}
	return msg, nil
}

// Reject retires a lesson.
func (h heldLesson) Reject(reason string) (repo.Message, error) {
	_, msg, err := LessonChange{Verb: Retire, IDs: []string{h.ID}, Reason: reason}.Apply(h.m)
	if err != nil {
		return repo.Message{}, fmt.Errorf("retire %s: %w", h.ID, err)
	}
	return msg, nil
}

func lessonMessage(verb, mark string, it *index.Item) repo.Message {
	msg := repo.Message{Subject: verb + ": " + shortText(it.Text, maxSubject)}
	tell(&msg, mark, it)
	return msg
}

// How much is kept of what people and agents say, in characters.
const (
	maxSubject = 60
	maxReason  = 240
)

func shortText(text string, most int) string { return render.Shorten(guard.Line(text), most-1) }

// confirm lets a person stand for a lesson that helped: it is as good as their own.
func (a *applier) confirm(it *index.Item) (bool, error) {
	switch {
	case it.Status == index.Retired || it.Status == index.Superseded:
		return false, refused("%s is %s; 'mem restore' brings it back", it.ID, it.Status)
	case it.Status == index.Quarantined && findActiveTwin(a.ix, it) != nil:
		return false, refused("%s says the same as %s, which is active", it.ID, findActiveTwin(a.ix, it).ID)
	case it.Status != index.Quarantined && it.Origin == index.OriginUser && it.Confidence == "high":
		return false, nil
	}
	if it.Status == index.Quarantined {
		it.Status = index.Active
		a.addNote("%s was quarantined; sessions are shown it from now on", it.ID)
		if old := a.takePlace(it); old != nil {
			a.addNote("%s, whose place it takes, is superseded", old.ID)
		}
	}
	it.Origin, it.Confidence = index.OriginUser, "high"
	dropDoubt(it)
	return true, nil
}

// hold takes a lesson out of sight until a person has looked at it: an agent that says
// that it is wrong may be wrong itself.
func (a *applier) hold(it *index.Item) (bool, error) {
	switch it.Status {
	case index.Quarantined:
		return false, nil
	case index.Active:
	default:
		return false, refused("%s is %s, and only a person can decide about it", it.ID, it.Status)
	}
	said := index.Doubt
	if a.Session != "" {
		said += " in session " + a.Session
	}
	if a.Reason != "" {
		said += ": " + shortText(a.Reason, maxReason)
	}
	if it.Why != "" {
		said = it.Why + "; " + said
	}
	it.Status, it.Why = index.Quarantined, said
	return true, nil
}

// dropDoubt takes out what an agent had against a lesson, once a person has decided.
func dropDoubt(it *index.Item) {
	it.DropHeld()
	why, _, _ := strings.Cut(it.Why, index.Doubt)
	it.Why = strings.TrimSuffix(why, "; ")
}

// RuleQueue holds the pending patterns, which may become rules.
type RuleQueue struct{}

// ListPending lists the pending patterns, in the order of their ids.
func (RuleQueue) ListPending(m *repo.Memory) ([]Proposal, []Problem, error) {
	c := readPatterns(m)
	var list []Proposal
	for _, p := range c.withStatus(Pending, "") {
		out := proposalOf(m, p)
		out.Since, out.Weight = p.since(), float64(len(p.Sources))
		for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Sources, p.Items)))) {
			if at := m.Index.ByID(id); at >= 0 {
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
	if p.Key == p.originDomain()+"/"+p.ID { // see proposeRules
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

// DescribePattern returns a pattern as proposed, with any decision. The error wraps ErrNoProposal.
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
			p.base = mark("", now)
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
		if now, ok := readRule(p.c.m, path, name); ok && p.base != mark("", now) {
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
