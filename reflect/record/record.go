// Package record turns the events of a session into what a model may see of
// them.
//
// Prepare takes out secrets, invisible characters and what mem itself injected.
// Prompts writes what is left as the record that a question is about: the
// latest events as they are, earlier ones condensed. FindShown tells what mem
// showed the session, so that no lesson is learned from its own echo.
package record

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"mem/guard"
	"mem/render"
	"mem/session"
)

// What stands for the output of a tool that was asked to show secrets, or the
// memory itself: a lesson that was only read is no new sighting of it.
const (
	leftOut  = "[left out: it may hold secrets]"
	ownNotes = "[left out: mem's own notes]"
)

// Prepare makes events safe to show to an oracle and to learn from: invisible
// characters out, what mem itself injected out, secrets out. Events without
// anything left are dropped. The events given are not changed.
func Prepare(events []session.Event) []session.Event {
	instead := replaceResults(events)
	safe := slices.Clone(events)
	forEach(len(safe), func(i int) { scrubEvent(&safe[i], instead) })
	return slices.DeleteFunc(safe, func(e session.Event) bool {
		return e.Origin == session.Injected ||
			e.Text == "" && e.Input == "" && e.Reason == "" && e.Kind != session.Interrupt && e.Kind != session.ToolResult
	})
}

// replaceResults returns what calls show instead of their results, by id, for
// those whose results must not be seen.
func replaceResults(events []session.Event) map[string]string {
	instead := map[string]string{}
	for _, e := range events {
		switch {
		case e.Kind != session.ToolCall || e.CallID == "" || e.Origin == session.Injected:
		case showsSecrets(e.Input):
			instead[e.CallID] = leftOut
		case showsNotes(e.Input):
			instead[e.CallID] = ownNotes
		}
	}
	return instead
}

// scrubEvent makes one event safe.
func scrubEvent(e *session.Event, instead map[string]string) {
	if e.Origin == session.Injected {
		return // it is dropped
	}
	if text, hidden := instead[e.CallID]; hidden && e.Kind == session.ToolResult {
		e.Text = text
	}
	e.Text, e.Input, e.Reason = Scrub(e.Text), Scrub(e.Input), Scrub(e.Reason)
	if e.Kind == session.ToolResult {
		e.Text = withoutNotes(e.Text)
	}
}

// forEach calls do for 0 to n-1, on all processors: an agent waits for a long
// session to be made safe. It panics as do does, where the caller can recover.
func forEach(n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	var failed atomic.Value
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.Store(fmt.Sprint(p))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
	if p := failed.Load(); p != nil {
		panic(p)
	}
}

// Scrub is guard.Scrub for a text that may quote what mem injected, which goes
// too. Invisible characters go first: one inside a fence would hide it.
func Scrub(s string) string {
	return guard.Scrub(render.StripFenced(guard.Clean(s)))
}

// HasConversation reports whether a person or the model said anything.
func HasConversation(events []session.Event) bool {
	return slices.ContainsFunc(events, func(e session.Event) bool {
		return e.Kind == session.UserText || e.Kind == session.AssistantText || e.Kind == session.ToolCall
	})
}
