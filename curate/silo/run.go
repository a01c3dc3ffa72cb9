package silo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// Check says what lies in the silos, and lets what the agent noted of the
// person's wishes wait for a yes, as copies in the memory. Silos stay as they are.
// Without a root, or with dry, nothing at all is changed.
func Check(ctx context.Context, root *repo.Root, now time.Time, opts Options, dry bool) (*Result, error) {
	silos, err := find(opts)
	if err != nil {
		return nil, err
	}
	return settle(ctx, root, now, look(silos, opts), run{dry: dry || root == nil})
}

// Apply takes over what is ready, in one commit, and then takes that out of the
// silos: first out of the list of each silo, then the file itself. What
// cannot be taken out now is left to the next run, as is everything after an
// error. With dry nothing is changed and the result is the plan.
func Apply(ctx context.Context, root *repo.Root, now time.Time, opts Options, dry bool) (res *Result, err error) {
	silos, err := find(opts)
	if err != nil {
		return nil, err
	}
	if dry || root == nil {
		return settle(ctx, root, now, look(silos, opts), run{dry: true, apply: true})
	}
	lock, err := root.Ingest(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	m, err := root.View(now)
	if err != nil {
		return nil, err
	}
	for _, s := range silos {
		if s.why != "" || opts.locked(s.real) != "" {
			continue
		}
		if err := s.heal(m, opts); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Dir, err)
		}
	}
	res, err = settle(ctx, root, now, look(silos, opts), run{apply: true})
	if err != nil {
		return nil, err
	}
	if m, err = root.View(now); err != nil {
		return res, err
	}
	var errs []error // trouble with one silo keeps nobody from the others
	for _, s := range silos {
		if err := ctx.Err(); err != nil {
			return res, err
		}
		if s.why != "" || s.busy != "" {
			continue
		}
		if err := s.empty(m, res, opts); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", s.Dir, ErrUnfinished, err))
		}
	}
	return res, errors.Join(errs...)
}

// ErrUnfinished is wrapped when Apply could not take out of a silo what the
// memory already has.
var ErrUnfinished = errors.New("not emptied")

// A run says what is done with what was found.
type run struct{ apply, dry bool }

// settle finds the place of every source and commits the new entries.
func settle(ctx context.Context, root *repo.Root, now time.Time, v *survey, r run) (*Result, error) {
	order := slices.Clone(v.sources) // the latest versions first, so that earlier ones come beside them
	slices.SortStableFunc(order, func(a, b *Source) int { return b.modified().Compare(a.modified()) })
	var res *Result
	change := func(m *repo.Memory) (repo.Message, error) {
		res = &Result{Silos: v.silos, Items: slices.Clone(v.left), Problems: slices.Clone(v.problems)}
		s, err := load(m)
		if err != nil {
			return repo.Message{}, err
		}
		for _, src := range order {
			it, err := s.put(src)
			if err != nil {
				return repo.Message{}, err
			}
			res.Items = append(res.Items, it)
		}
		slices.SortStableFunc(res.Items, func(a, b Item) int {
			return cmp.Or(cmp.Compare(a.Source.Silo.Slug, b.Source.Silo.Slug), cmp.Compare(a.Source.Path, b.Source.Path))
		})
		res.Problems = append(res.Problems, s.problems...)
		if res.Files, err = s.flush(r.apply); err != nil || len(res.Files) == 0 {
			return repo.Message{}, err
		}
		return res.message(r.apply), nil
	}
	var err error
	switch {
	case !r.dry:
		var commit repo.Commit
		if commit, err = root.Settle(ctx, now, change); err == nil && len(res.Files) > 0 {
			res.Commit = commit.ID
		}
	case root == nil:
		_, err = repo.Blank(now, repo.Options{}).Preview(change)
	default:
		var m *repo.Memory
		if m, err = root.View(now); err == nil {
			_, err = m.Preview(change)
		}
	}
	return res, err
}

// message is that of the commit.
func (r *Result) message(apply bool) repo.Message {
	marks := map[Change]string{Added: "+", Replaced: "~", Older: "<", Repeated: "="}
	var body []string
	var taken, proposed int
	silos := map[*Silo]bool{}
	for _, it := range r.Items {
		if it.Change == "" || it.State != Pending && !apply {
			continue
		}
		text := fmt.Sprintf("%s %s from %s", marks[it.Change], it.Home, it.Source.Path)
		if it.State == Pending {
			text += " (waits for review)"
			proposed++
		} else {
			taken++
		}
		silos[it.Source.Silo] = true
		body = append(body, text)
	}
	var parts []string
	if taken > 0 {
		parts = append(parts, render.Count(taken, "memory", "memories"))
	}
	if proposed > 0 {
		parts = append(parts, render.Count(proposed, "proposal", "proposals"))
	}
	const most = 200 // lines; who wants all of them has the commit itself
	if more := len(body) - most; more > 0 {
		body = append(body[:most], fmt.Sprintf("and %d more", more))
	}
	return repo.Message{
		Subject: fmt.Sprintf("ingest(claude): %s from %s", strings.Join(parts, " and "), render.Count(len(silos), "project", "projects")),
		Body:    body,
	}
}

// doubt says why a source is not to be read by sessions before a person has
// looked at it. Of what is about a project only the name and the description
// are ever shown.
func doubt(src *Source) (list []string) {
	text := src.Name + "\n" + src.Description
	if src.Type == "user" || src.Type == "feedback" {
		text += "\n" + src.body
	}
	return doubts(text)
}

func doubts(text string) (list []string) {
	text, _ = guard.Clean(text)
	for _, p := range guard.Lint(text) {
		list = append(list, fmt.Sprintf("it reads like an order or an attack (%s): %s", p.Rule, render.Shorten(words.FoldSpace(p.Text), 60)))
	}
	return list
}
