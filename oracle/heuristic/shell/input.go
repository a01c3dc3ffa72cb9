package shell

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
)

// Arguments are the parts of a tool call's input that rules look at.
type Arguments struct {
	Command string
	Dir     string // where the command runs; "" if it does not say
	File    string

	Background bool // it is left running
}

// lenient are the options for JSON that agents wrote: a name that comes twice, or what is not UTF-8, does not cost the rest.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ParseArguments reads the input of a call; one that is not JSON says nothing.
func ParseArguments(input string) Arguments {
	var m map[string]jsontext.Value
	if json.Unmarshal([]byte(input), &m, lenient) != nil {
		return Arguments{}
	}
	for name, value := range m { // in whatever letters
		m[strings.ToLower(name)] = value
	}
	a := Arguments{
		Command: textMember(m, "command", "cmd", "script"),
		Dir:     textMember(m, "workdir", "cwd"),
		File:    textMember(m, "file_path", "path", "notebook_path", "filename", "filepath", "file"),

		Background: string(m["run_in_background"]) == "true",
	}
	if touched := PatchedFiles(textMember(m, "input", "patch")); a.File == "" && len(touched) == 1 {
		a.File = touched[0]
	}
	return a
}

const maxPatched = 16

// PatchedFiles returns the files that a patch changes.
func PatchedFiles(patch string) (files []string) {
	for _, m := range rePatched.Get().FindAllStringSubmatch(patch, maxPatched) {
		files = append(files, m[1])
	}
	return files
}

// textMember returns the first of the named members that holds text. A command
// may also be a list of words, the last of which is the script of a shell.
func textMember(m map[string]jsontext.Value, names ...string) string {
	for _, name := range names {
		var text string
		var list []string
		switch {
		case json.Unmarshal(m[name], &text, lenient) == nil && text != "":
			return text
		case json.Unmarshal(m[name], &list, lenient) != nil || len(list) == 0:
		case len(list) == 3 && strings.HasPrefix(list[1], "-") && strings.HasSuffix(list[1], "c"):
			return list[2]
		default:
			return strings.Join(list, " ")
		}
	}
	return ""
}

var rePatched = lazy.New(`(?m)^\s*\*\*\* (?:Update|Add|Delete) File: (.*?)\s*$`)

// A Class groups tools by what they do, whichever agent they belong to.
type Class int

// The classes.
const (
	otherTool Class = iota
	ShellTool
	EditTool
)

// ClassOf recognises the tools of the agents that trace reads.
func ClassOf(tool string) Class {
	switch strings.ToLower(tool) {
	case "bash", "shell", "exec", "exec_command", "local_shell", "local_shell_call", "run_shell_command",
		"run_command", "container.exec", "shell_command", "terminal", "execute", "execute_command":
		return ShellTool
	case "edit", "multiedit", "str_replace", "str_replace_editor", "str_replace_based_edit_tool",
		"apply_patch", "replace", "notebookedit", "write", "write_file", "create_file", "create", "write_to_file", "replace_in_file":
		return EditTool
	}
	return otherTool
}

// IsRunning reports whether a result tells that a command runs on.
func IsRunning(result string) bool { return reRunning.Matches(result) }

var reRunning = lazy.New(`^Command running in background with ID: |(?:^|\n)Process running with session ID \w+$|<status>running</status>`)
