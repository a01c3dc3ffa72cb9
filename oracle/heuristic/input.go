package heuristic

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
)

// class groups tools by what they do, whichever agent they belong to.
type class int

const (
	otherTool class = iota
	shellTool
	editFile
	writeFile
	readFile
	planTool // proposes or asks; touches nothing
)

// classOf recognises the tools of the agents that trace reads.
func classOf(tool string) class {
	switch strings.ToLower(tool) {
	case "bash", "shell", "exec", "exec_command", "local_shell", "local_shell_call", "run_shell_command",
		"run_command", "container.exec", "shell_command", "terminal":
		return shellTool
	case "edit", "multiedit", "str_replace", "str_replace_editor", "str_replace_based_edit_tool",
		"apply_patch", "replace", "notebookedit":
		return editFile
	case "write", "write_file", "create_file":
		return writeFile
	case "read", "read_file", "view":
		return readFile
	case "exitplanmode", "askuserquestion", "todowrite", "request_user_input", "update_plan":
		return planTool
	}
	return otherTool
}

// An edit is one replacement inside a file.
type edit struct{ old, new string }

// arguments are the parts of a tool call's input that rules look at.
type arguments struct {
	command string
	file    string
	edits   []edit
	content string
}

// parseArguments reads the input of a call, or what can be had of a cut one.
func parseArguments(input string) arguments {
	var m map[string]jsontext.Value
	if json.Unmarshal([]byte(input), &m, lenient()) != nil {
		return arguments{command: cutMember(input, "command", "cmd"), file: cutMember(input, "file_path", "path")}
	}
	a := arguments{
		command: textMember(m, "command", "cmd", "script"),
		file:    textMember(m, "file_path", "path", "notebook_path", "filename", "filePath", "file"),
		content: textMember(m, "content"),
	}
	if o, n := textMember(m, "old_string", "oldText", "old_str"), textMember(m, "new_string", "newText", "new_str"); o != "" || n != "" {
		a.edits = append(a.edits, edit{o, n})
	}
	var list []map[string]jsontext.Value
	if json.Unmarshal(m["edits"], &list, lenient()) == nil {
		for _, e := range list {
			a.edits = append(a.edits, edit{textMember(e, "old_string", "oldText"), textMember(e, "new_string", "newText")})
		}
	}
	if touched := rePatched.Get().FindAllStringSubmatch(textMember(m, "input", "patch"), 2); a.file == "" && len(touched) == 1 {
		a.file = touched[0][1]
	}
	return a
}

// lenient are the options for JSON that an agent wrote.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// textMember returns the first of the named members that holds text. A command
// may also be a list of words, the last of which is the script of a shell.
func textMember(m map[string]jsontext.Value, names ...string) string {
	for _, name := range names {
		var text string
		var list []string
		switch {
		case json.Unmarshal(m[name], &text, lenient()) == nil && text != "":
			return text
		case json.Unmarshal(m[name], &list, lenient()) != nil || len(list) == 0:
		case len(list) == 3 && strings.HasPrefix(list[1], "-") && strings.HasSuffix(list[1], "c"):
			return list[2]
		default:
			return strings.Join(list, " ")
		}
	}
	return ""
}

// cutMember returns the first of the named members in cut JSON, as far as it goes.
func cutMember(input string, names ...string) string {
	for _, name := range names {
		_, rest, ok := strings.Cut(input, `"`+name+`":"`)
		if !ok {
			continue
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		var s string
		if json.Unmarshal([]byte(`"`+rest[:min(end, len(rest))]+`"`), &s, lenient()) == nil && utf8.ValidString(s) {
			return s
		}
	}
	return ""
}

// rePatched matches the line of a patch that names a file.
var rePatched = lazy.New(`(?m)^\s*\*\*\* (?:Update|Add|Delete) File: (.*?)\s*$`)
