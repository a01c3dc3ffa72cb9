package reflect

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
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

// prepare makes events safe to show to an oracle and to learn from: invisible
// characters out, what mem itself injected out, secrets out. Events without
// anything left are dropped. The events given are not changed.
func prepare(events []session.Event) []session.Event {
	instead := hushed(events)
	safe := slices.Clone(events)
	each(len(safe), func(i int) { scrubEvent(&safe[i], instead) })
	return slices.DeleteFunc(safe, func(e session.Event) bool {
		return e.Origin == session.Injected ||
			e.Text == "" && e.Input == "" && e.Reason == "" && e.Kind != session.Interrupt && e.Kind != session.ToolResult
	})
}

// hushed returns what calls show instead of their results, by id, for those
// whose results nobody is to see.
func hushed(events []session.Event) map[string]string {
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
	text, hush := instead[e.CallID]
	if hush && e.Kind == session.ToolResult {
		e.Text = text
	}
	e.Text, e.Input, e.Reason = scrub(e.Text), scrub(e.Input), scrub(e.Reason)
	if e.Kind == session.ToolResult {
		e.Text = withoutNotes(e.Text)
	}
}

// each calls do for 0 to n-1, on all processors: an agent waits for a long
// session to be made safe. It panics as do does, where the caller can recover.
func each(n int, do func(i int)) {
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

// scrub cleans one text and takes out what mem itself gave the session. It
// cleans first, because an invisible character could hide a fence.
func scrub(s string) string {
	s, _ = guard.Clean(s)
	return guard.Scrub(render.StripFenced(s))
}

// showsSecrets reports whether a tool call, given its arguments as JSON,
// reads a place where secrets live.
func showsSecrets(input string) bool {
	var args struct {
		Command  any    `json:"command"`
		Cmd      any    `json:"cmd"`
		FilePath string `json:"file_path"`
		Path     string `json:"path"`
	}
	// Arguments of another shape name no file and no command.
	_ = json.Unmarshal([]byte(input), &args)
	if slices.ContainsFunc(slices.Concat(commands(args.Command), commands(args.Cmd)), guard.SecretiveCommand) {
		return true
	}
	return guard.Secretive(args.FilePath) || guard.Secretive(args.Path)
}

// commands returns what a command given as a text or as its words may be.
func commands(c any) []string {
	switch c := c.(type) {
	case string:
		return []string{c}
	case []any:
		var words []string
		for _, w := range c {
			if s, ok := w.(string); ok {
				words = append(words, s)
			}
		}
		return append(words, strings.Join(words, " "))
	}
	return nil
}

// hasConversation reports whether a person or the model said anything.
func hasConversation(events []session.Event) bool {
	return slices.ContainsFunc(events, func(e session.Event) bool {
		return e.Kind == session.UserText || e.Kind == session.AssistantText || e.Kind == session.ToolCall
	})
}
