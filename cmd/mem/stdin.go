package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mem/cmd/mem/console"
	"mem/trace"
	"mem/workspace/inspect"
)

// readInput reads what there is to reflect on.
func (w *work) readInput(ctx context.Context, file string) (trace.Document, error) {
	return w.TakeHeadless(console.ReadUnlessDone(ctx, func() (trace.Document, error) { return w.readDocument(ctx, file) }))
}

func (w *work) readDocument(ctx context.Context, file string) (trace.Document, error) {
	if file == "-" {
		w.env.AnnounceWait()
		return trace.Read(w.env.In)
	}
	if file == "" {
		if in, ok := w.env.PipedInput(ctx); ok {
			return trace.Read(in)
		}
		path, err := w.FindSession(trace.DefaultPlaces(w.env.Home(), w.env.Getenv))
		if err != nil {
			return trace.Document{}, err
		}
		return openSession(path)
	}
	path := w.AbsPath(file)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if path, _ = inspect.SplitRef(w.Workspace, file); path == file && !trace.IsExported(file) {
			return trace.Document{}, fmt.Errorf("there is no file %s, and no session with this id: %w", file, trace.ErrNoSession)
		}
	}
	return openSession(path)
}

// openSession reads a session file.
func openSession(path string) (trace.Document, error) {
	console.CollectOften(path)
	return trace.Open(path)
}

// openOneOfMany is openSession for a command that reads many: what is garbage is collected.
func (w *work) openOneOfMany(path string) (trace.Document, error) {
	console.CollectAsUsual()
	return w.TakeHeadless(openSession(path))
}
