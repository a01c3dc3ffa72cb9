package heuristic

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
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

// parseArguments reads the input of a call. Input may have been cut in the
// middle and then is no JSON any more; what can be had is still taken.
func parseArguments(input string) arguments {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(input), &m) != nil {
		return scavenge(input)
	}
	var a arguments
	a.command = text(m, "command", "cmd", "script")
	a.file = text(m, "file_path", "path", "notebook_path", "filename", "filePath", "file")
	a.content = text(m, "content")
	if o, n := text(m, "old_string", "oldText", "old_str"), text(m, "new_string", "newText", "new_str"); o != "" || n != "" {
		a.edits = append(a.edits, edit{o, n})
	}
	var list []map[string]json.RawMessage
	if raw, ok := m["edits"]; ok && json.Unmarshal(raw, &list) == nil {
		for _, e := range list {
			a.edits = append(a.edits, edit{text(e, "old_string", "oldText"), text(e, "new_string", "newText")})
		}
	}
	if patch := text(m, "input", "patch"); a.file == "" && patch != "" {
		a.file = patched(patch)
	}
	return a
}

// text returns the first of the named members that holds text. A command may
// also be a list of words, the last of which is the script of a shell.
func text(m map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		raw, ok := m[name]
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
		var words []string
		if json.Unmarshal(raw, &words) == nil && len(words) > 0 {
			if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
				return words[2]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// scavenge finds the command and the file in input that is cut JSON.
func scavenge(input string) arguments {
	return arguments{
		command: member(input, "command", "cmd"),
		file:    member(input, "file_path", "path"),
	}
}

// member returns the text of the first of the named members found in cut
// JSON, as far as it goes.
func member(input string, names ...string) string {
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
		if json.Unmarshal([]byte(`"`+rest[:min(end, len(rest))]+`"`), &s) == nil && utf8.ValidString(s) {
			return s
		}
	}
	return ""
}

// patched returns the one file that a patch touches, or "" for several.
func patched(patch string) string {
	file := ""
	for l := range strings.Lines(patch) {
		for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if f, ok := strings.CutPrefix(strings.TrimSpace(l), mark); ok {
				if file != "" {
					return ""
				}
				file = f
			}
		}
	}
	return file
}
