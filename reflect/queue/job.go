package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mem/reflect"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/repo/private"
	"mem/trace"
)

// A failure is why a session stays in the queue.
type failure struct {
	why      string
	own      bool      // it may be the session that makes it fail
	hopeless bool      // it can never succeed
	next     time.Time // when it can succeed; zero if that is unknown
}

// do does one session: nil means that it has left the queue.
func (w Worker) do(ctx context.Context, root *repo.Root, name string) (f *failure) {
	defer func() {
		if p := recover(); p != nil {
			f = &failure{why: record.Scrub(fmt.Sprintf("a defect in mem: %v", p)), own: true}
		}
	}()
	g, err := loadReading(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && g == nil:
		return finishJob(root, name, nil)
	case errors.Is(err, errDamaged):
		return &failure{why: err.Error(), own: true, hopeless: true}
	case err != nil:
		return &failure{why: record.Scrub(err.Error())}
	}
	p, f := w.ask(ctx, g)
	if f != nil {
		return f
	}
	if p != nil {
		if err := w.count(ctx, root, p); err != nil {
			return &failure{why: record.Scrub(err.Error())}
		}
	}
	return finishJob(root, name, g)
}

// ask asks about a reading. Without a failure, nil means that there is nothing
// to learn.
func (w Worker) ask(ctx context.Context, g *reflect.Reading) (*reflect.Pending, *failure) {
	var said []string
	asked := w.Reflector
	asked.Wait, asked.Warn = true, func(s string) { said = append(said, s) }
	p, reason, err := asked.AskAbout(ctx, g)
	switch {
	case err != nil:
		return nil, &failure{why: record.Scrub(err.Error())}
	case reason == reflect.Spent:
		return nil, &failure{why: string(reason), next: w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)}
	case p == nil && reason != reflect.NothingToSay:
		why := string(reason)
		if len(said) > 0 {
			why += " (" + strings.Join(said, "; ") + ")"
		}
		return nil, &failure{why: why, own: reason == reflect.BadAnswer}
	}
	return p, nil
}

// loadReading returns what there is to ask about in a queued session, as its file
// has it now if that goes further: agents write their files a little late.
// Nil means that another process was faster.
func loadReading(root *repo.Root, name string) (*reflect.Reading, error) {
	g, err := readDeferred(root, name)
	if err != nil {
		return nil, err
	}
	known, err := watermark.ReadRoot(root)
	if err != nil {
		return nil, err
	}
	if !dropRead(g, known) {
		return nil, nil
	}
	if now := readAgain(known, g); now != nil {
		return now, nil
	}
	return g, nil
}

// readAgain reads the session of g from its file; nil if that does not hold all
// of g.
func readAgain(known watermark.File, g *reflect.Reading) *reflect.Reading {
	if g.Path == "" {
		return nil
	}
	doc, err := trace.OpenRegular(g.Path)
	if err != nil || doc.Session == nil || watermark.Identity(doc.Session) != g.Trace {
		return nil
	}
	now, reason := reflect.ReadSession(known, doc.Session, reflect.Options{Now: g.At, Label: g.Label})
	if reason != "" || !coversReading(now, g) {
		return nil
	}
	return now
}

// finishJob takes a session out of the queue. With a reading it notes first how
// far that went: a crash between the two costs a question at most.
func finishJob(root *repo.Root, name string, g *reflect.Reading) *failure {
	if g != nil {
		if err := watermark.NoteMark(root, g.Trace, *g.Mark); err != nil {
			return &failure{why: err.Error()}
		}
	}
	if err := root.FinishDeferred(name); err != nil {
		return &failure{why: err.Error()}
	}
	return nil
}

func setAside(root *repo.Root, name string) error {
	if err := root.SetAside(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tidyAside drops what was set aside of a session that went well after all.
func tidyAside(root *repo.Root, key string) error {
	aside, err := root.ListAside()
	if err != nil {
		return err
	}
	known, err := watermark.ReadRoot(root)
	if err != nil {
		return nil // what is set aside may stay
	}
	for _, name := range aside {
		if private.JobKey(name) != key {
			continue
		}
		if g, err := readDeferred(root, name); err == nil && !dropRead(g, known) {
			if err := root.FinishDeferred(name); err != nil {
				return err
			}
		}
	}
	return nil
}
