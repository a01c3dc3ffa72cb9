package main

import (
	"context"
	"errors"
	"slices"

	"mem/agent/install"
	"mem/cmd/mem/console"
)

// offerStart offers a person who just made a memory what fills it: the past sessions of
// this project, and the hooks of the agents that they are of. Otherwise it says in a line
// what could be done. A no is fine: the memory is there.
func (w *work) offerStart(ctx context.Context, g *globals) error {
	if !w.env.Interactive() || w.Yes {
		w.env.Hint("'mem backfill' learns from past sessions of this project; 'mem hook install AGENT' lets an agent read and fill the memory")
		_, err := w.offerModel(ctx, "", nil)
		return err
	}
	past := backfillOptions{ask: true}
	if err := w.accept(past.runBackfill(ctx, w, nil)); err != nil {
		return err
	}
	agents := slices.DeleteFunc(install.AgentNames(), func(name string) bool { return past.found[name] == 0 })
	for _, name := range agents {
		w.env.Printf("hooks   let %s read this memory at the start of a session and fill it at the end\n", name)
		if err := w.accept(runHookSettings(ctx, w.env, g, installOptions{Agent: name})); err != nil {
			return err
		}
	}
	if len(agents) == 0 {
		w.env.Hint("'mem hook install AGENT' lets an agent read and fill this memory; 'mem learn TEXT' notes a lesson of your own")
	}
	return nil
}

// accept takes a no for an answer, and says what it means.
func (w *work) accept(err error) error {
	if errors.Is(err, console.ErrDeclined) {
		w.env.Note("%v; 'mem backfill' and 'mem hook install' do it later", err)
		return nil
	}
	return err
}
