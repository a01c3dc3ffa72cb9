package amend

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// A Setting is the name that a script of the project's own gives an option of a program.
type Setting struct {
	File    string `json:"file"` // of the scripts, below the project
	Program string `json:"program"`
	Option  string `json:"option"`
	Value   string `json:"value"`
}

// ReadSettings returns the settings that a session saw in the files that list the scripts of
// a project. An option that has two values is left out: it is not the project's to choose.
func ReadSettings(events []session.Event) (list []Setting) {
	files, named := map[string]string{}, []string(nil) // by call
	for _, e := range events {
		args := input.ParseArguments(e.Input)
		if named = append(named, args.File); e.Kind == session.ToolCall && path.Base(args.File) == scriptFile {
			files[e.CallID] = args.File
		}
	}
	project := shell.GuessProject(named)
	for _, e := range events {
		file := files[e.CallID]
		if e.Kind != session.ToolResult || e.Cause != session.OK || e.Abandoned || file == "" {
			continue
		}
		for _, m := range reScript.Get().FindAllStringSubmatch(e.Text, -1) {
			for _, part := range shell.Parse(m[1]).Parts {
				for option, value := range nameOptions(part) {
					list = append(list, Setting{File: strings.Trim(project.ShowFile(file), "`"), Program: part.Program, Option: option, Value: value})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Setting) int { return strings.Compare(a.key()+a.Value, b.key()+b.Value) })
	list = slices.Compact(list)
	return slices.DeleteFunc(slices.Clone(list), func(s Setting) bool {
		return slices.ContainsFunc(list, func(t Setting) bool { return s.key() == t.key() && s.Value != t.Value })
	})
}

// scriptFile is the name of the file that lists scripts as a shell reads them.
const scriptFile = "package.json"

func (s Setting) key() string { return s.File + " " + s.Program + " " + s.Option + " " }

// nameOptions returns the options of a command that are given a name, with that name.
func nameOptions(part shell.Simple) map[string]string {
	options := map[string]string{}
	args := part.Arguments()
	for i, a := range args {
		if a == "--" {
			break // the rest is another command's
		}
		name, value, set := strings.Cut(a, "=")
		if !set && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.HasPrefix(name, "--") && !shell.Selects(name) && reNameOnly.Matches(value) {
			options[name] = value
		}
	}
	return options
}

// FindSource returns the file whose settings a lesson's commands have, all that are known of
// their programs; "" if there is none.
func FindSource(text string, settings []Setting) (file string) {
	for _, s := range settings {
		for _, part := range listCommands(text, s.Option) {
			switch value := nameOptions(part)[s.Option]; {
			case part.Program != s.Program || value == "":
			case value != s.Value:
				return ""
			default:
				file = s.File
			}
		}
	}
	return file
}

// Renew gives the commands of a lesson the values that the file which it goes by has now.
func Renew(text, file string, settings []Setting) string {
	for _, s := range settings {
		for _, part := range listCommands(text, s.Option) {
			if old := nameOptions(part)[s.Option]; s.File == file && part.Program == s.Program && old != "" {
				for _, sep := range []string{" ", "="} {
					text = replaceWord(s.Option+sep+old, text, s.Option+sep+s.Value)
				}
			}
		}
	}
	return text
}

// replaceWord replaces old, where a word ends with it.
func replaceWord(old, text, now string) string {
	for _, end := range []string{" ", "`"} {
		text = strings.ReplaceAll(text, old+end, now+end)
	}
	return text
}

// listCommands returns the commands that a text sets as code, if it names the option.
func listCommands(text, option string) (all []shell.Simple) {
	if !strings.Contains(text, option) {
		return nil
	}
	for _, code := range reCommand.Get().FindAllStringSubmatch(text, -1) {
		all = append(all, shell.Parse(code[1]).Parts...)
	}
	return all
}

var (
	reScript   = lazy.New(`(?m)^\s*(?:\d+\s*[→|:]?\s*)?"[\w:.-]+":\s*"([^"\\]+)",?\s*$`)
	reNameOnly = lazy.New(`^[A-Za-z][\w.@/-]{0,40}$`)
	reCommand  = lazy.New("`([^`]+)`")
)
