package record

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/lazy"
	"mem/render"
	"mem/session"
)

// ownFiles are names that only lead into a memory root.
var ownFiles = [...]string{"long-term-memory.md", "core/CORE.md", "core/index.json", ".mem/", "self-learning-memory/"}

// ownCommand matches a command that prints what is in a memory root.
var ownCommand = lazy.New(`(?:^|[\s"'/;&|(])mem (?:-\S+ (?:\S+ )?)?(?:context|list|search|log|why|daily|month|status|stats|review)\b|[\s"'=/]\.mem["'\s]`)

// showsNotes reports whether a tool call, given its arguments as JSON, reads
// the memory itself.
func showsNotes(input string) bool {
	if namesNotes(input) {
		return true
	}
	// Almost no call gets as far as the expression, which is slow.
	return (strings.Contains(input, "mem ") || strings.Contains(input, ".mem")) && ownCommand.Matches(input)
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

// FindShown returns the lines that mem itself showed a session, each once: what a
// hook put before it, and what it looked up.
func FindShown(events []session.Event) []string {
	var lines []string
	seen := map[string]bool{}
	looked := map[string]bool{} // calls that read the memory
	for _, e := range events {
		if e.Kind == session.ToolCall && showsNotes(e.Input) {
			looked[e.CallID] = true
		}
		if !quotesNotes(e, looked) {
			continue
		}
		for l := range strings.Lines(e.Text) {
			if l = strings.TrimSpace(l); l != "" && !seen[l] {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// quotesNotes reports whether an event holds what mem showed. A person's own
// words around the fence do no harm here: they are evidence, which is looked for
// where the fence is gone.
func quotesNotes(e session.Event, looked map[string]bool) bool {
	if e.Kind == session.ToolResult && (e.CallID != "" && looked[e.CallID] || namesNotes(e.Text)) {
		return true
	}
	return render.StripFenced(e.Text) != e.Text
}

// arguments are what the input of a tool call names.
type arguments struct {
	filePath, path string
	commands       []string // each command in every form that it may stand for
}

// file is the file that a call is about; "" if it names none.
func (a arguments) file() string { return cmp.Or(a.filePath, a.path) }

// readArguments reads the input of a tool call. Input of another shape names no
// file and no command.
func readArguments(input string) (a arguments) {
	var in struct {
		Command  any `json:"command"`
		Cmd      any `json:"cmd"`
		FilePath any `json:"file_path"`
		Path     any `json:"path"`
	}
	if json.Unmarshal([]byte(input), &in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true)) != nil {
		return a
	}
	a.commands = slices.Concat(commandForms(in.Command), commandForms(in.Cmd))
	a.filePath, _ = in.FilePath.(string)
	a.path, _ = in.Path.(string)
	return a
}

// commandForms returns what a command given as a text or as its words may be.
func commandForms(command any) []string {
	switch c := command.(type) {
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

// showsSecrets reports whether a tool call, given its arguments as JSON,
// reads a place where secrets live.
func showsSecrets(input string) bool {
	a := readArguments(input)
	return slices.ContainsFunc(a.commands, guard.PrintsSecrets) || guard.HoldsSecrets(a.filePath) || guard.HoldsSecrets(a.path)
}
