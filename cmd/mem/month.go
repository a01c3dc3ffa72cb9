package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/reflect"
	"mem/render"
	"mem/repo"
)

type monthOptions struct {
	Month  string
	Oracle string
	DryRun bool
	JSON   bool
}

func newMonth(env Env, g *globals) *cobra.Command {
	var opts monthOptions
	c := &cobra.Command{
		Use:   "month [YYYY-MM]",
		Short: "Summarise a month's journal",
		Long: `Summarise the journal of a month, this one unless another is named, in
monthly/YYYY-MM.md. A model writes the summary if one is configured; otherwise
it is a digest: what came up more than once, what is new, and which mistakes of
the month before did not come back. Running it again replaces the summary.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Month = args[0]
			}
			return runMonth(c.Context(), env, g, opts)
		},
	}
	oracleFlag(c, &opts.Oracle)
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print the summary and write nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// monthResult is the JSON of mem month.
type monthResult struct {
	Month   string `json:"month"`
	Status  string `json:"status"` // "written", "unchanged", "planned", "nothing"
	Entries int    `json:"entries"`
	By      string `json:"by"`
	Text    string `json:"text"`
	File    string `json:"file"`
	Commit  string `json:"commit"`
}

func runMonth(ctx context.Context, env Env, g *globals, opts monthOptions) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	month := w.Now
	if opts.Month != "" {
		if month, err = time.Parse("2006-01", opts.Month); err != nil {
			return usagef("%q is not a month such as 2026-02", opts.Month)
		}
	}
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if !opts.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	r, err := w.newReflector(opts.Oracle)
	if err != nil {
		return err
	}
	m, err := root.View(w.Now)
	if err != nil {
		return err
	}
	rollup, reason, err := r.SummariseMonth(ctx, m, month)
	if err != nil {
		return err
	}
	res := monthResult{Month: month.Format("2006-01"), Status: "nothing"}
	if reason == "" {
		res.Entries, res.By, res.Text, res.File = rollup.Entries, rollup.By, rollup.Text, render.MonthlyPath(rollup.Month)
		if err := commitMonth(ctx, w, root, rollup, opts, &res); err != nil {
			return err
		}
	}
	return printMonth(env, w, opts, res)
}

func commitMonth(ctx context.Context, w *work, root *repo.Root, rollup *reflect.Rollup, opts monthOptions, res *monthResult) error {
	if opts.DryRun {
		res.Status = "planned"
		return nil
	}
	done := false
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (msg repo.Message, err error) {
		msg, err = rollup.Apply(m)
		done = msg.Subject != ""
		return msg, err
	})
	if err != nil {
		return fmt.Errorf("month %s: %w", res.Month, err)
	}
	res.Commit, res.Status = commit.ID, "written"
	if !done { // a commit then is of a person's edits
		res.Status = "unchanged"
	}
	return nil
}

func printMonth(env Env, w *work, opts monthOptions, res monthResult) error {
	if opts.JSON {
		return printJSON(env, res, "text")
	}
	switch res.Status {
	case "nothing":
		env.Printf("nothing in the journal of %s\n", res.Month)
	case "planned":
		env.Printf("%s\n", strings.TrimSpace(res.Text))
	case "unchanged":
		env.Printf("summary of %s is as it was, from %s\n", res.Month, render.Count(res.Entries, "reflection", "reflections"))
	default:
		env.Printf("summary of %s from %s, by %s\n", res.Month, render.Count(res.Entries, "reflection", "reflections"), author(res.By))
		env.Printf("in     %s\ncommit %s\n", w.ShowPath(w.At.Root+"/"+res.File), shortHash(res.Commit))
	}
	return nil
}

// author says who wrote a summary, for people.
func author(by string) string {
	if by == "digest" {
		return "the built-in digest"
	}
	return by
}
