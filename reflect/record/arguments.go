package record

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
)

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
