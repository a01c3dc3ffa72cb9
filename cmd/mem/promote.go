package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/lesson"
	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/workspace"
)

func newPromote(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "promote ID...",
		Short: "Copy lessons to your own memory, for all your projects",
		Long: `Copy lessons of this project to your own memory, ~/.mem, which sessions of all your
projects read. The project keeps its own. One that your own memory has, in whatever state,
stays there as it is.`,
		Example: `  mem promote m-1f9c2a7e`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s takes the ids of lessons", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: completeSome(env, g, (*index.Item).IsShown),
		PreRunE:           func(*cobra.Command, []string) error { return env.RequirePerson(g.DryRun) },
		RunE:              g.inMemory(env, runPromote),
	}
	return g.addChangeFlags(c, "say what would be copied and write nothing")
}

// A promoted is a lesson, and what became of it.
type promoted struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status"` // "copied" or "known"
}

func runPromote(ctx context.Context, w *work, m *repo.Memory, ids []string) (err error) {
	places, err := lesson.FindLessons(m.Index, ids)
	if err != nil {
		return err
	}
	for _, pos := range places {
		if it := &m.Index.Items[pos]; !it.IsShown() {
			return fmt.Errorf("%s is %s: %w", it.ID, it.Status, lesson.ErrRefused)
		}
	}
	own, err := workspace.New(w.World, workspace.Options{Root: w.Person().GlobalRoot().Root, Now: w.Now})
	if err != nil {
		return err
	}
	if workspace.IsSameFolder(own.At.Root, w.At.Root) {
		return fmt.Errorf("this is your own memory: %w", lesson.ErrRefused)
	}
	defer func() { err = errors.Join(err, own.LeaveRoots()) }()
	var res struct {
		workspace.Changed
		List []promoted `json:"promoted"`
	}
	res.Changed, err = own.Change(ctx, w.DryRun, func(to *repo.Memory) (msg repo.Message, _ error) {
		res.List, msg = copyLessons(m, to, places, filepath.Base(w.At.Project))
		return msg, nil
	})
	if err != nil {
		return err
	}
	return w.printResult(res, func() {
		for _, l := range res.List {
			w.env.Printf("%s  %s  %s\n", l.Status, l.ID, guard.Line(l.Text))
		}
		if res.Commit != "" {
			w.env.Printf("in %s, commit %s\n", w.HomePath(own.At.Root), res.CommitLine())
		}
	})
}

// copyLessons adds lessons of a project to the person's own memory, in a callback for Settle.
func copyLessons(m, own *repo.Memory, places []int, from string) (list []promoted, msg repo.Message) {
	for _, pos := range places {
		it := &m.Index.Items[pos]
		l := promoted{ID: it.ID, Text: it.ShownText(), Status: "known"}
		if !slices.ContainsFunc(own.Index.Items, func(o index.Item) bool { return o.Key == it.Key }) {
			one := index.Lesson{
				Text: l.Text, Origin: index.OriginUser, Domain: it.Domain, Tags: it.Tags, Severity: it.Severity,
				Why: strings.TrimSuffix("promoted from "+from+": "+it.Why, ": "),
			}
			if it.Cue != nil {
				one.Cue = *it.Cue
			}
			if it.Remedy != nil {
				one.Remedy = *it.Remedy
			}
			for _, c := range own.Learn(facts.Fact{Fixes: []index.Lesson{one}}) { // none if it was purged there
				l.ID, l.Status = own.Index.Items[c.Pos].ID, "copied"
				msg.Body = append(msg.Body, guard.Line(l.ID+" "+l.Text))
				msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: l.ID})
			}
		}
		list = append(list, l)
	}
	if n := len(msg.Body); n > 0 {
		msg.Subject = fmt.Sprintf("promote: %s from %s", render.Count(n, "lesson", "lessons"), guard.Line(from))
	}
	return list, msg
}
