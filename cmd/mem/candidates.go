package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/cmd/mem/console"
	"mem/guard"
	"mem/recall/search"
	"mem/reflect"
	"mem/render"
	"mem/workspace/inspect"
)

var errNoCandidates = errors.New("no candidates: no failure or refusal waits for a second session")

// runListCandidates lists what one session showed, for a person alone: no session is shown it.
func (o *findOptions) runListCandidates(_ context.Context, w *work, _ []string) error {
	if w.env.RequirePerson(false) != nil {
		return fmt.Errorf("only a person sees candidates%w", hidden{console.ErrAgent})
	}
	f, err := o.newFilter(w.Now)
	if err != nil {
		return err
	}
	m, err := w.root.View(w.Now)
	if err != nil {
		return err
	}
	found, err := reflect.ListCandidates(m)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(found, func(c reflect.Listed) bool { return c.LastSeen.Before(f.Since) })
	all := len(list)
	if o.Limit > 0 {
		list = list[:min(all, o.Limit)]
	}
	if err := w.printResult(list, func() {
		var rows []inspect.Result
		var lines strings.Builder
		for _, c := range list {
			rows = append(rows, inspect.Result{Type: search.Type(c.Status), Text: c.Text, Hits: c.Sessions, LastSeen: c.LastSeen})
			fmt.Fprintf(&lines, "candidate  %s, last %s  %s\n", render.Count(c.Sessions, "session", "sessions"), c.LastSeen.Format(time.DateOnly), guard.Line(c.Text))
		}
		w.printFound(rows, lines.String(), all-len(list))
	}); err != nil || w.JSON || all > 0 {
		return err
	}
	return errNoCandidates
}
