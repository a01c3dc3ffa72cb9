package main

import (
	"mem/guard"
	"mem/recall"
	"mem/repo"
)

// A want says what a context is for. The zero value is as configured.
type want struct {
	Budget  int    // tokens; 0 means as the configuration says
	For     string // the task; "" if it is not known
	Agent   string // who asks, for the receipt
	Session string // for which session; without one no receipt is kept
	Small   bool   // rules and lessons only, in a quarter of the configured budget
	Format  recall.Format

	Known []string // ids of lessons that were shown already
	Only  bool     // only lessons that fit the task
}

// bundleContext returns what a session should read, out of the project's memory and
// the person's own. Without either it is empty.
func (w *work) bundleContext(q want) (c recall.Context, err error) {
	sources, err := w.ReadMemories((*repo.Root).Skim)
	if err != nil {
		return c, err
	}
	budget := q.Budget
	if budget == 0 {
		budget = w.Config.BudgetTokens
		if q.Small {
			budget /= 4
		}
	}
	exists, done := w.InProject()
	defer done()
	c, err = recall.Bundle(sources, recall.Options{
		Budget: budget, Limit: w.Config.MaxCoreItems, Mode: recall.Mode(w.Config.InstructionMode),
		Format: q.Format, For: q.For, Small: q.Small,
		Monthly: w.Config.IncludeMonthly, Days: w.Config.IncludeDaily, Exists: exists,
		Known: q.Known, Only: q.Only, Here: w.OfProject,
	})
	if err != nil {
		return c, err
	}
	for _, s := range c.Skipped {
		w.env.Note("skipped: %s", guard.Line(s))
	}
	if q.Session != "" && c.Text != "" {
		w.KeepReceipt(c, q.Agent, q.Session)
	}
	return c, nil
}
