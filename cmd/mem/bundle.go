package main

import (
	"cmp"
	"errors"

	"mem/recall"
	"mem/repo"
)

// A want is what somebody wants to read, and for what.
type want struct {
	Budget int // tokens; 0 means as the configuration says

	For            string   // what the session is about; "" if that is not known yet
	Agent, Session string   // who reads it; "" for a person
	Small          bool     // for an agent that another one started
	Known          []string // ids of what the session was shown before
}

// bundle returns what a session should read. Without a memory it is empty.
func (w *workspace) bundle(q want) (c recall.Context, err error) {
	root, err := w.open()
	if errors.Is(err, repo.ErrNoRoot) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	m, err := root.View(w.now)
	if err != nil {
		return c, err
	}
	journal, err := recall.Journal(m, w.cfg.IncludeMonthly, w.cfg.IncludeDaily)
	if err != nil {
		return c, err
	}
	return recall.Core(m, recall.Options{
		Budget: cmp.Or(q.Budget, w.cfg.BudgetTokens), Limit: w.cfg.MaxCoreItems, Journal: journal,
		Mode: recall.Mode(w.cfg.InstructionMode), Root: w.show(w.at.Root),
	}), nil
}
