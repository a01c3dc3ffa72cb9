package main

import (
	"context"
	"io"

	"mem/render/safejson"
)

// printJSON prints v as the result. All strings are scrubbed, and put on one line
// unless prose names their member.
func printJSON(env Env, v any, prose ...string) error {
	return printAs(env, v, safejson.Options{Prose: prose})
}

func printAs(env Env, v any, opts safejson.Options) error {
	data, err := opts.Encode(v)
	if err == nil {
		env.Printf("%s\n", data)
	}
	return err
}

// printResult prints a result: as JSON, for which prose is as for printJSON, or as a
// person is shown it.
func (w *work) printResult(v any, forPerson func(), prose ...string) error {
	if w.JSON {
		return printJSON(w.env, v, prose...)
	}
	forPerson()
	return nil
}

// printLong is printResult for what may not fit on a screen.
func (w *work) printLong(ctx context.Context, v any, write func(out io.Writer), prose ...string) error {
	return w.printResult(v, func() { w.env.PageOf(ctx, write) }, prose...)
}
