package main

import (
	"context"

	"mem/oracle"
	"mem/reflect"
)

// promptResult is the JSON of mem reflect --show-prompt.
type promptResult struct {
	Reason string `json:"reason"` // why nothing would be sent, or ""
	To     string `json:"to"`     // who would be asked first
	System string `json:"system"`
	Prompt string `json:"prompt"`
	Schema string `json:"schema"` // for servers that take one
}

// runShowPrompt prints what a model would be sent, byte for byte, and on standard
// error to whom.
func runShowPrompt(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	return withWork(env, g, func(w *work) error {
		doc, err := w.readInput(ctx, opts.File)
		if err != nil {
			return err
		}
		if doc.Session == nil {
			return usagef("--show-prompt is about sessions; finished lessons are not sent")
		}
		r, err := w.newReflector(opts.Oracle)
		if err != nil {
			return err
		}
		m, err := w.ViewRoot()
		if err != nil {
			return err
		}
		q, reason, err := r.PreviewRequest(m, doc.Session)
		if err != nil {
			return err
		}
		return printPrompt(env, opts, r, q, reason)
	})
}

func printPrompt(env Env, opts reflectOptions, r reflect.Reflector, q oracle.Request, reason reflect.Reason) error {
	res := promptResult{Reason: string(reason), System: q.System, Prompt: q.Prompt, Schema: q.Schema}
	if len(r.Oracles) > 0 && reason == "" {
		res.To = oracle.By(r.Oracles[0])
	}
	if opts.JSON {
		return printJSON(env, res, "system", "prompt", "schema")
	}
	switch {
	case reason != "":
		env.Note("nothing would be sent: %s", reasons[reason])
		return nil
	case res.To == "heuristic":
		env.Note("no model is configured, so nothing is sent; it would be:")
	default:
		env.Note("first to be asked: %s; nothing was sent", res.To)
	}
	env.Printf("%s", q.Text())
	return nil
}
