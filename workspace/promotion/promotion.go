// Package promotion proposes rules and proven lessons of a project to the memory that a team
// shares above projects. They wait there for a review: a lesson as one that is not confirmed, a
// rule as a pattern. The project keeps its own; a context shows what both have once.
package promotion

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate"
	"mem/curate/lesson"
	"mem/curate/rule"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
	"mem/workspace"
)

// Errors that callers tell apart.
var (
	ErrNowhere = errors.New("no shared memory is configured")
	ErrUnfit   = errors.New("that is not promoted")
)

// States of what was promoted.
const (
	Proposed = "proposed"
	Known    = "known" // the shared memory has it, or decided about it
)

// A promoted is a lesson or a rule, and what became of it.
type promoted struct {
	ID     string `json:"id"`     // here
	Shared string `json:"shared"` // its id in the shared memory
	Text   string `json:"text"`
	Status string `json:"status"`
}

// A Result is what was promoted, and the commit that did it.
type Result struct {
	Root string     `json:"root"` // of the shared memory
	List []promoted `json:"promoted"`
	workspace.Changed
}

// Promote proposes what the ids name: lessons, or rules as mem rule list shows them. An id that
// cannot be promoted is an error, and nothing is.
func Promote(ctx context.Context, w *workspace.Workspace, m *repo.Memory, ids []string, dryRun bool) (res Result, err error) {
	at := w.FindShared()
	switch _, _, isOwn := w.FindOwn(); {
	case w.Config.Shared == "":
		return res, ErrNowhere
	case at == "":
		return res, fmt.Errorf("the shared memory is this one, or your own: %w", ErrUnfit)
	case isOwn:
		return res, fmt.Errorf("this is your own memory: %w", ErrUnfit)
	}
	p := promoter{from: filepath.Base(w.At.Project), m: m}
	for _, id := range ids {
		if err := p.choose(id); err != nil {
			return res, err
		}
	}
	shared, err := workspace.New(w.World, workspace.Options{Root: at, Now: w.Now})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, shared.LeaveRoots()) }()
	if _, err := shared.OpenRoot(); err != nil {
		return res, err
	}
	res.Root = shared.At.Root
	res.Changed, err = shared.Change(ctx, dryRun, p.propose)
	res.List = p.list
	return res, err
}

// A promoter holds what was chosen.
type promoter struct {
	from    string
	m       *repo.Memory
	lessons []*index.Item
	rules   []curate.RuleDetail
	list    []promoted // made anew by each call of propose
}

// choose finds what an id names. Only what a project can vouch for is promoted.
func (p *promoter) choose(id string) error {
	if strings.Contains(id, "/") {
		d, err := curate.FindRule(p.m, id)
		if err == nil && guard.IsAboutPerson(d.Text) {
			err = fmt.Errorf("%s is about a person: %w", d.ID, ErrUnfit)
		}
		p.rules = append(p.rules, d)
		return err
	}
	places, err := lesson.FindLessons(p.m.Index, []string{id})
	if err != nil {
		return err
	}
	it := &p.m.Index.Items[places[0]]
	switch {
	case !it.IsShown():
		return fmt.Errorf("%s is %s: %w", it.ID, it.Status, ErrUnfit)
	case guard.IsAboutPerson(it.Text + "\n" + it.Why):
		return fmt.Errorf("%s is about a person: %w", it.ID, ErrUnfit)
	case !it.IsProven() && !it.Pinned && it.Hits < 2:
		return fmt.Errorf("%s came up once, and nothing proves it: %w", it.ID, ErrUnfit)
	}
	p.lessons = append(p.lessons, it)
	return nil
}

// propose adds what was chosen to the shared memory, in a callback for Settle.
func (p *promoter) propose(shared *repo.Memory) (repo.Message, error) {
	p.list = nil
	for _, it := range p.lessons {
		id, isNew := p.proposeLesson(shared, it)
		p.add(promoted{ID: it.ID, Shared: id, Text: it.ShownText()}, isNew)
	}
	for _, d := range p.rules {
		parts := rule.SplitRules(d.File, []byte(d.Text)) // a person's file may hold several
		for _, r := range parts {
			if len(parts) == 1 {
				r.Name = d.Name
			}
			if r.Domain == "" {
				r.Domain, _ = topic.File(r.Name+". "+r.Text, false)
			}
			id, isNew, err := curate.ProposeRule(shared, r.Domain, render.Shorten(words.FoldSpace(r.Name), 79), r.Text)
			if err != nil {
				return repo.Message{}, err
			}
			p.add(promoted{ID: d.ID, Shared: id, Text: r.Name}, isNew)
		}
	}
	var msg repo.Message
	for _, l := range p.list {
		if l.Status != Proposed {
			continue
		}
		msg.Body = append(msg.Body, guard.Line(l.Shared+" "+l.Text))
		if strings.HasPrefix(l.Shared, "m-") {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: l.Shared})
		}
	}
	if n := len(msg.Body); n > 0 {
		msg.Subject = fmt.Sprintf("promote: %s from %s", render.Count(n, "proposal", "proposals"), guard.Line(p.from))
	}
	return msg, nil
}

// add notes what became of something.
func (p *promoter) add(l promoted, isNew bool) {
	if l.Status = Known; isNew {
		l.Status = Proposed
	}
	p.list = append(p.list, l)
}

// proposeLesson adds a lesson as one that waits, unless the shared memory knows it.
func (p *promoter) proposeLesson(shared *repo.Memory, it *index.Item) (id string, isNew bool) {
	if known := FindCopy(shared.Index, it); known != nil {
		return known.ID, false
	}
	l := index.Lesson{
		Text: it.ShownText(), Origin: index.OriginImport, Held: true, Domain: it.Domain, Tags: it.Tags, Severity: it.Severity,
		Why: strings.TrimSuffix("promoted from "+p.from+": "+it.Why, ": "),
	}
	if it.Cue != nil {
		l.Cue = *it.Cue
	}
	if it.Remedy != nil {
		l.Remedy = *it.Remedy
	}
	for _, c := range shared.Learn(index.Reflection{Fixes: []index.Lesson{l}}) {
		return shared.Index.Items[c.Pos].ID, c.New
	}
	return "", false // it was purged there
}

// FindCopy returns what the index of a shared memory has of a lesson, in whatever state and
// however it was worded since; nil for nothing.
func FindCopy(ix *index.Index, it *index.Item) *index.Item {
	at := slices.IndexFunc(ix.Items, func(o index.Item) bool { return o.ID == it.ID || o.Key == it.Key })
	if at < 0 {
		return nil
	}
	return &ix.Items[at]
}
