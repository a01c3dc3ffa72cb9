package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mem/reflect"
	"mem/render"
	"mem/repo"
)

// maxSilent is after how many sessions in a row that nobody answered about a
// backfill gives up: the next ones will not fare better.
const maxSilent = 3

// errSilent is returned when nobody answers.
var errSilent = errors.New("no oracle answered")

// backfill reflects on sessions one after the other and says for each what
// came of it.
func (w *work) backfill(ctx context.Context, root *repo.Root, r reflect.Reflector, list []past, res *backfillResult, opts backfillOptions) error {
	silent := 0
	for i, l := range list {
		o, err := w.learnPast(ctx, root, r, l.Path)
		switch {
		case ctx.Err() != nil:
			w.env.Note("stopped after %d of %d; run it again to go on", i, len(list))
			res.Stopped = "interrupted"
			return ctx.Err()
		case err != nil:
			res.Stopped = errorText(err)
			return err
		case o.Reason == reflect.Spent:
			res.Stopped = string(o.Reason)
			w.env.Note("stopped after %d of %d: the day's budget for models is spent; run it again after midnight UTC", i, len(list))
			return nil
		case o.Reason == reflect.NoOracle:
			if silent++; silent == maxSilent || i+1 == len(list) {
				res.Stopped = string(o.Reason)
				return fmt.Errorf("%w for %s in a row; 'mem model' says why", errSilent, render.Count(silent, "session", "sessions"))
			}
		default:
			silent = 0
		}
		fresh, again := o.CountLessons()
		if o.Reason == "" || o.Reason == reflect.NothingToSay || o.Reason == reflect.NothingNew {
			res.Done++
		}
		res.Learned, res.Repeated = res.Learned+fresh, res.Repeated+again
		if !opts.JSON {
			w.env.Printf("%7s %s %s %s: %s\n", fmt.Sprintf("%d/%d", i+1, len(list)),
				l.ended.Format(time.DateOnly), l.Agent, cmp.Or(l.ID, filepath.Base(l.Path)), cameOf(o))
		}
	}
	if !opts.JSON {
		w.env.Printf("learned %d new, %d repeated from %s\n", res.Learned, res.Repeated, render.Count(res.Done, "session", "sessions"))
	}
	return nil
}

// learnPast reflects on one session.
func (w *work) learnPast(ctx context.Context, root *repo.Root, r reflect.Reflector, path string) (reflect.Outcome, error) {
	doc, err := openSession(path)
	if err != nil || doc.Session == nil {
		return reflect.Outcome{Reason: reflect.NothingNew}, nil // gone since it was found
	}
	g, reason, err := reflect.ReadPast(root, doc.Session, w.Now)
	if err != nil || reason != "" {
		return reflect.Outcome{Reason: reason}, err
	}
	return r.AskAndCommit(ctx, root, g)
}

// cameOf says in a few words what came of a session.
func cameOf(o reflect.Outcome) string {
	fresh, again := o.CountLessons()
	switch {
	case o.Queued != nil:
		return "queued: " + errorText(o.Queued)
	case o.Reason != "":
		return string(o.Reason)
	}
	return fmt.Sprintf("%d new, %d repeated", fresh, again)
}
