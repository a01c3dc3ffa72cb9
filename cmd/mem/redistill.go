package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mem/oracle"
	"mem/redistill"
	"mem/render"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

// confirmAbove is how many lessons are reworded without asking.
const confirmAbove = 200

func newRedistill(env Env, g *globals) *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:   "redistill [N]",
		Short: "Reword lessons so that fewer say more",
		Long: `Reword the best N lessons, or all of them, and merge those that come out the
same. A model does it well, if one is configured; the built-in rules only take
out white space.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 1 {
					return usagef("%q is not a number of lessons", args[0])
				}
				limit = n
			}
			return withRoot(env, g, func(w *work) error { return w.redistill(c.Context(), limit) })
		},
	}
	g.addOracleFlag(c)
	g.addYesFlag(c, "do not ask, and allow to lose more than a third")
	return g.addChangeFlags(c, "print what would change and change nothing")
}

func (w *work) redistill(ctx context.Context, limit int) error {
	if !w.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	plan, err := w.makePlan(ctx, limit)
	switch {
	case err != nil:
		return err
	case w.DryRun:
		return w.printResult(plan, func() { printPlan(w.env, plan) }, "before", "after", "text")
	}
	return w.applyPlan(ctx, plan)
}

func (w *work) makePlan(ctx context.Context, limit int) (*redistill.Plan, error) {
	m, err := w.root.View(w.Now)
	if err != nil {
		return nil, err
	}
	examined := len(m.Index.Rank(w.Now))
	if limit > 0 {
		examined = min(examined, limit)
	}
	if examined > confirmAbove && !w.Yes && !w.DryRun {
		lessons := fmt.Sprintf("%d lessons", examined)
		if err := w.env.Confirm(ctx, "Reword "+lessons+"?", "rewording "+lessons+" at once"); err != nil {
			return nil, err
		}
	}
	r, err := w.newReflector()
	if err != nil {
		return nil, err
	}
	show, done := w.env.Progress("rewording")
	defer done()
	var model oracle.Oracle // the built-in rules cannot reword
	if at := slices.IndexFunc(r.Oracles, func(o oracle.Oracle) bool { return o.Name() != oracle.Code }); at >= 0 {
		model = r.Oracles[at]
	}
	plan, err := redistill.MakePlan(ctx, m.Index, model, redistill.Options{
		Limit: limit, Global: r.Global, Now: w.Now, Progress: show,
	})
	if err == nil && plan.IsUnanswered() {
		for _, problem := range plan.Problems {
			w.env.Note("%s", problem)
		}
		return nil, fmt.Errorf("nothing reworded: %w", oracle.ErrUnusable)
	}
	return plan, err
}

func printPlan(env Env, p *redistill.Plan) {
	for _, rw := range p.Rewrites {
		env.Printf("~ %s %s\n       → %s\n", rw.ID, rw.Before, rw.After)
	}
	for _, m := range p.Merges {
		env.Printf("= %s takes in %s: %s\n", m.Into, strings.Join(m.From, ", "), m.Text)
	}
	env.Printf("%s examined by %s: %d to reword, %d to merge away\n", render.Count(p.Examined, "lesson", "lessons"), reworder(p), len(p.Rewrites), p.CountLost())
	noteProblems(env, p)
}

// reworder names who proposed the texts, for people.
func reworder(p *redistill.Plan) string {
	if p.Oracle == redistill.BuiltIn {
		return "the built-in rules"
	}
	return p.Oracle
}

func noteProblems(env Env, p *redistill.Plan) {
	for _, problem := range p.Problems {
		env.Note("%s", problem)
	}
	if p.Oracle == redistill.BuiltIn {
		env.Note("no model was asked: the built-in rules only tidy, a model rewords better")
	}
}

// redistillResult is the JSON of mem redistill.
type redistillResult struct {
	workspace.Changed          // "redistilled" or "nothing"
	Examined          int      `json:"examined"`
	Oracle            string   `json:"oracle"`
	Reworded          int      `json:"reworded"`
	Merged            int      `json:"merged"`
	Left              []string `json:"changed"` // ids left alone because they changed since the plan
	Problems          []string `json:"problems"`
}

func (w *work) applyPlan(ctx context.Context, p *redistill.Plan) error {
	var r redistill.Result
	changed, err := w.Change(ctx, false, func(m *repo.Memory) (msg repo.Message, err error) {
		r, msg, err = p.Apply(m, w.Yes)
		return msg, err
	})
	if err != nil {
		return err
	}
	if p.Unanswered == 0 { // else it is still due
		if err := inspect.NoteRedistilled(w.root, w.Now); err != nil {
			w.Note("it is due again, as this could not be noted: %s", workspace.DescribeError(err))
		}
	}
	changed.Call("redistilled")
	if w.JSON {
		return printJSON(w.env, redistillResult{
			Changed: changed, Examined: p.Examined, Oracle: p.Oracle, Reworded: r.Reworded, Merged: r.Merged,
			Left: r.Changed, Problems: p.Problems,
		})
	}
	if n := len(r.Changed); n > 0 {
		w.Note("%s since the plan was made and left alone: %s", render.Count(n, "lesson was changed", "lessons were changed"), strings.Join(r.Changed, ", "))
	}
	noteProblems(w.env, p)
	if changed.Status == workspace.Nothing {
		w.env.Printf("nothing to reword in %s\n", render.Count(p.Examined, "lesson", "lessons"))
		return nil
	}
	w.env.Printf("%d reworded, %d merged away, by %s\ncommit %.12s %s\n", r.Reworded, r.Merged, reworder(p), changed.Commit, changed.Subject)
	return nil
}
