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
func (o *findOptions) runListCandidates(ctx context.Context, w *work, _ []string) error {
	if err := w.env.RequirePerson(false); err != nil {
		return err
	}
	m, err := w.ViewRoot()
	if err != nil {
		return err
	}
	root, _ := w.OpenRootIfAny() // it is open, if there is one
	list := reflect.ListCandidates(root, m.Index)
	if o.Limit > 0 {
		list = list[:min(len(list), o.Limit)]
	}
	return w.printLong(ctx, list, func(out io.Writer) {
		if len(list) == 0 {
			fmt.Fprintln(out, "no candidates: what one session shows is one, and becomes a lesson when a second session shows the same")
		}
		for _, c := range list {
			seen := render.Count(c.Sessions, "session", "sessions") + ", last " + c.LastSeen.Format(time.DateOnly)
			fmt.Fprintf(out, "candidate  %s  %s\n    about %s\n", seen, guard.Line(c.Text), guard.Line(c.Cue.Command+" "+c.Cue.Error))
		}
	})
}
