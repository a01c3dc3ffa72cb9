package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"mem/guard"
	"mem/reflect"
	"mem/render"
)

// runListCandidates lists what one session showed, for a person alone: no session is shown it.
func runListCandidates(ctx context.Context, env Env, g *globals, limit int) error {
	if err := env.RequirePerson(false); err != nil {
		return err
	}
	return withWork(env, g, func(w *work) error {
		m, err := w.ViewRoot()
		if err != nil {
			return err
		}
		root, err := w.OpenRootIfAny()
		if err != nil {
			return err
		}
		list := reflect.ListCandidates(root, m.Index)
		if limit > 0 {
			list = list[:min(len(list), limit)]
		}
		return w.printLong(ctx, list, func(out io.Writer) { writeCandidates(out, list) })
	})
}

func writeCandidates(out io.Writer, list []reflect.Listed) {
	if len(list) == 0 {
		fmt.Fprintln(out, "no candidates: what one session shows is one, and becomes a lesson when a second session shows the same")
	}
	for _, c := range list {
		about := guard.Line(c.Cue.Command + " " + c.Cue.Error)
		seen := render.Count(c.Sessions, "session", "sessions") + ", last " + c.LastSeen.Format(time.DateOnly)
		fmt.Fprintf(out, "candidate  %s  %s\n    about %s\n", seen, guard.Line(c.Text), about)
	}
}
