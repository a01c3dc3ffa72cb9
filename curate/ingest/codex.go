package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/lazy"
)

// codexParts are the parts of a group that hold lessons. The rest is about the tasks that they come from.
var codexParts = []string{"## User preferences", "## Reusable knowledge", "## Failures and how to do differently"}

var (
	codexFolder = lazy.New(`\bcwd=([^;,)\n]*)`)
	codexTask   = lazy.New(`(?m)( *\[Task \d+\])+ *$`)
)

// ReadCodex reads the handbook that Codex keeps in a folder for all projects: of its groups those whose folders are here.
// What Codex noted of the person's wishes is held back until they confirm it. name is what the file is called.
func ReadCodex(folder, name string, here func(folder string) bool) (*Import, error) {
	imp := &Import{name: name}
	data, err := readTextFile(os.DirFS(folder), listName, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	imp.Files = []string{name}
	r, n := reader{imp, name}, 1
	for i, group := range strings.Split("\n"+string(data), "\n# Task Group:") {
		if i == 0 {
			n += strings.Count(group, "\n") // a heading of something else
			continue
		}
		switch of := foldersOfGroup(group); {
		case here == nil || len(of) > 0 && !slices.ContainsFunc(of, func(dir string) bool { return !here(dir) }):
			r.readGroup(group, n-1)
		case len(of) == 0:
			r.addProblem(n, "it does not say which project it is of")
		default:
			r.addProblem(n, "it is of another project, "+of[len(of)-1])
		}
		n += strings.Count(group, "\n") + 1
	}
	return imp, nil
}

// readGroup reads the parts of a group, after so many lines.
func (r reader) readGroup(group string, before int) {
	for i, part := range strings.Split("\n"+group, "\n## ") {
		heading, body, _ := strings.Cut("## "+part, "\n")
		for at, known := range codexParts {
			if i == 0 || strings.TrimSpace(heading) != known {
				continue
			}
			first := len(r.Texts)
			r.readLines(codexTask.Get().ReplaceAllString(blankOwn(body), ""), before+1, false)
			for j := first; j < len(r.Texts); j++ {
				r.Texts[j].Held = r.Texts[j].Held || at == 0
			}
		}
		before += strings.Count(part, "\n") + 1
		if i == 0 {
			before--
		}
	}
}

// foldersOfGroup returns the folders that a group says it applies to or, if it names none, in which its tasks ran.
func foldersOfGroup(group string) (list []string) {
	for _, start := range []string{"applies_to:", "-"} {
		for line := range strings.Lines(group) {
			if !strings.HasPrefix(line, start) {
				continue
			}
			for _, m := range codexFolder.Get().FindAllStringSubmatch(line, -1) {
				if dir := strings.Trim(strings.TrimSpace(m[1]), "`\"'"); filepath.IsAbs(dir) {
					list = append(list, dir)
				}
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
