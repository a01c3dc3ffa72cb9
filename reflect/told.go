package reflect

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mem/index"
	"mem/render"
	"mem/session"
	"mem/words"
)

// ownFiles are names that only lead into a memory root.
var ownFiles = [...]string{"long-term-memory.md", "core/CORE.md", "core/index.json", ".mem/", "self-learning-memory/"}

// ownCommand matches a command that prints what is in a memory root.
var ownCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s"'/;&|(])mem (?:-\S+ (?:\S+ )?)?(?:context|list|search|log|why|daily|month|status|stats|review)\b|[\s"'=/]\.mem["'\s]`)
})

// showsNotes reports whether a tool call, given its arguments as JSON, reads
// the memory itself.
func showsNotes(input string) bool {
	if namesNotes(input) {
		return true
	}
	// Almost no call gets as far as the expression, which is slow.
	return (strings.Contains(input, "mem ") || strings.Contains(input, ".mem")) && ownCommand().MatchString(input)
}

func namesNotes(s string) bool {
	if !strings.Contains(s, "mem") && !strings.Contains(s, "core/") {
		return false // most texts, for the price of two of the names
	}
	return slices.ContainsFunc(ownFiles[:], func(name string) bool { return strings.Contains(s, name) })
}

// withoutNotes returns a tool's answer without the lines that a search found
// in the memory, such as ".mem/core/CORE.md:7:- Use pnpm".
func withoutNotes(s string) string {
	if !namesNotes(s) {
		return s
	}
	var b strings.Builder
	for l := range strings.Lines(s) {
		if file, _, found := strings.Cut(l, ":"); !found || !namesNotes(file) {
			b.WriteString(l)
		}
	}
	return b.String()
}

// told returns the lines that mem itself showed a session, each once: what a
// hook put before it, and what it looked up.
func told(events []session.Event) []string {
	var lines []string
	seen := map[string]bool{}
	add := func(s string) {
		for l := range strings.Lines(s) {
			if l = strings.TrimSpace(l); l != "" && !seen[l] {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	looked := map[string]bool{}
	for _, e := range events {
		if e.Kind == session.ToolCall && showsNotes(e.Input) {
			looked[e.CallID] = true
		}
		if e.Kind == session.ToolResult && looked[e.CallID] && e.CallID != "" {
			add(e.Text)
			continue
		}
		// A person's own words around the fence do no harm here: they are
		// evidence, which is looked for where the fence is gone.
		if render.StripFenced(e.Text) != e.Text || e.Kind == session.ToolResult && namesNotes(e.Text) {
			add(e.Text)
		}
	}
	return lines
}

// How much of a lesson's words must stand somewhere: in a line that mem
// showed, for the lesson to be told; in what a person said or in a failure,
// for a told lesson to be learned once more.
const (
	isTold    = 0.8
	isNewWord = suffices
	isNewFail = 0.5
)

// heard returns the lessons that are more than an echo: those that mem did
// not tell the session itself, and those for which the session has evidence
// of its own. That a model repeats or obeys what it was told is none.
func heard(lessons []Lesson, lines []string, events []session.Event) []Lesson {
	if len(lines) == 0 {
		return lessons
	}
	shown := make([]map[string]bool, len(lines))
	for i, l := range lines {
		shown[i] = words.AlignWords(l)
	}
	return slices.DeleteFunc(lessons, func(l Lesson) bool {
		want := words.AlignWords(index.StripAvoid(l.Text))
		covers := func(words map[string]bool) bool { return share(want, words) >= isTold }
		return len(want) > 0 && slices.ContainsFunc(shown, covers) && !evident(want, events)
	})
}

// evident reports whether a person said these words, or whether a failed call
// is about them.
func evident(want map[string]bool, events []session.Event) bool {
	calls := map[string]string{}
	for _, e := range events {
		switch {
		case e.Kind == session.ToolCall:
			calls[e.CallID] = e.Input
		case e.Origin == session.Human && e.Kind == session.UserText, e.Reason != "":
			if share(want, words.AlignWords(e.Text+" "+e.Reason)) >= isNewWord {
				return true
			}
		case e.Kind == session.ToolResult && e.Cause != session.OK && e.Cause != session.Cascade && e.Cause != session.Shutdown:
			if share(want, words.AlignWords(calls[e.CallID]+" "+e.Text)) >= isNewFail {
				return true
			}
		}
	}
	return false
}

// share is how many of the words wanted are among these.
func share(want, words map[string]bool) float64 {
	n := 0
	for w := range want {
		if words[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(want)))
}
