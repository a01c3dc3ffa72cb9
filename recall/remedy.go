package recall

import (
	"path"
	"slices"
	"strings"

	"mem/index"
	"mem/oracle/heuristic/shell"
)

// A Remedy is what a lesson tells to run. The zero value is nothing.
type Remedy struct {
	Keys  []index.CueKey // of the commands that have to run, but for the lesson's own
	words []string       // that have to be in the line, too
	dir   string         // where it runs; "" for wherever the agent is
}

// NewRemedy understands what a lesson about one of these keys tells to run. Often that is the
// command of the lesson again, behind another one: then the other one is the remedy. Or it is the
// same command with a setting, in a folder or with other words: then these are.
func NewRemedy(command string, about ...index.CueKey) (r Remedy) {
	line := shell.Parse(command)
	var scene, others []index.CueKey
	for _, s := range line.Parts {
		key := index.CommandKey(s.General(true))
		switch {
		case s.Program == "" || s.Program == "export":
			r.words = append(r.words, splitWords(strings.Join(append(s.Settings, s.Arguments()...), " "))...)
		case slices.Contains(about, key):
		case shell.Prepares(s.Program):
			scene = append(scene, key)
		default:
			others = append(others, key)
		}
	}
	switch {
	case len(others) > 0:
		r.Keys = others
	case len(scene) > 0:
		r.Keys = scene
	case len(r.words) == 0:
		r.words, r.dir = splitWords(command), line.Dir
	}
	return r
}

// IsIn reports whether a line, of whose commands these are the keys, has the remedy in it; dir is
// where the agent runs it.
func (r Remedy) IsIn(line string, keys []index.CueKey, dir string) bool {
	if len(r.Keys)+len(r.words) == 0 || !isWithin(r.Keys, keys) {
		return false
	}
	need := r.words
	if r.dir != "" && strings.HasSuffix(shell.Parse("cd "+dir+" && "+line).Dir, path.Join("/", r.dir)) {
		need = need[min(2, len(need)):] // cd DIR
	}
	return len(need) == 0 || isWithin(need, splitWords(line))
}

func isWithin[T comparable](need, has []T) bool {
	return !slices.ContainsFunc(need, func(v T) bool { return !slices.Contains(has, v) })
}

// splitWords returns the words of a command line, whatever joins and quotes them.
func splitWords(line string) []string {
	plain := strings.NewReplacer("'", "", `"`, "").Replace(line)
	return strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()", r) })
}

// Line returns the command line of a call of a shell; "" for another.
func (c Call) Line() string {
	if shell.ClassOf(c.Tool) != shell.ShellTool {
		return ""
	}
	return shell.ParseArguments(c.Input).Command
}

// Holds reports whether a command to come has in it what a lesson tells to run, which was found by a key.
func (c Call) Holds(remedy string, about index.CueKey, dir string) bool {
	line := c.Line()
	return !c.Over && line != "" && remedy != "" && NewRemedy(remedy, about).IsIn(line, c.RunKeys(), dir)
}

// RunKeys returns the keys of the commands of a call of a shell as they stand: what runs behind a wrapper
// does not run as a lesson tells to.
func (c Call) RunKeys() (keys []index.CueKey) {
	for _, s := range shell.Parse(c.Line()).Parts {
		keys = append(keys, index.CommandKey(s.General(true)))
		if _, ok := s.Inner(); ok {
			keys = append(keys, index.CommandKey(s.General(false)))
		}
	}
	return keys
}

// IsFailure reports whether the failure of a call is the one that a lesson is about which was found by its error: of the
// same program and, where the lesson quotes the error, of the same names.
func (c Call) IsFailure(l index.CueLine, dir string) bool {
	if l.Program == "" {
		return true
	}
	runs := false
	for _, s := range shell.Parse(c.Line()).Parts {
		for ok := true; ok; s, ok = s.Inner() {
			first, _, _ := strings.Cut(s.General(false), " ") // its runner, or itself
			runs = runs || s.Program == l.Program || shell.Voice(first) == shell.Voice(l.Program)
		}
	}
	p := shell.Project{Root: dir}
	quotes := func(line string) bool { return index.ErrorKey(p.Signature(line)) == l.Key }
	if !runs || !slices.ContainsFunc(strings.Split(l.Text, "`"), quotes) {
		return runs
	}
	return slices.ContainsFunc(p.FindFaults(c.Output, c.Failed), func(f shell.Fault) bool {
		return quotes(f.Line) && (strings.Contains(l.Text, "'…'") || shell.NamesOnly(f.Line, l.Text))
	})
}

// IsAbout reports whether a lesson that was found by a key is about a command line. What is known of "python x.py" is found
// for all that python runs, and of "./bin/x" or "make part0" for "x" and "make part5": if the lesson shows only such a command,
// the line is about another one.
func IsAbout(text, line string, key index.CueKey) bool {
	isOther, parts := false, shell.Parse(line).Parts
	for i, code := range strings.Split(text, "`") {
		said := shell.Parse(code).MainPart()
		for _, s := range parts {
			of, name := said.General(false), s.General(false)
			switch {
			case i%2 == 0 || len(said.Words)*len(s.Words) == 0 || shell.MaskNumbers(of) != shell.MaskNumbers(name):
			case of == name && isAlike(said, s, key):
				return true
			default:
				isOther = true
			}
		}
	}
	return !isOther
}

// isAlike reports whether the command of a lesson, found by a key, lies where another one does and runs the same file, if both
// name one.
func isAlike(said, s shell.Simple, key index.CueKey) bool {
	isFile := func(w string) bool {
		return w != "" && w[0] != '-' && (len(path.Ext(w)) > 1 && !strings.ContainsAny(w[:1], "0123456789") || strings.Contains(w, "://"))
	}
	files := slices.DeleteFunc(said.Arguments(), func(w string) bool { return !isFile(w) })
	args := slices.DeleteFunc(s.Arguments(), func(w string) bool { return strings.HasPrefix(w, "-") })
	isRun := key == index.CommandKey(s.Program) || key == index.FailureKey(s.Program) || shell.Voice(s.Program) == "" && key == index.CommandKey(s.General(false))
	isSame := func(w string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return path.Base(f) == path.Base(w) })
	}
	return (strings.Contains(s.Words[0].Text, "/") || !strings.Contains(said.Words[0].Text, "/")) && (!isRun || len(files)*len(args) == 0 || slices.ContainsFunc(args, isSame))
}
