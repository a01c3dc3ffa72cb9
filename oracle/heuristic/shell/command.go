// Package shell parses the command lines that an agent ran, and the errors they caused: which program
// a line is about, whether two commands do the same, what sort of error an output shows. Every
// function is pure. All knowledge of single programs is in one table, in programs.go.
package shell

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/words"
)

// A Command is a whole command line, understood.
type Command struct {
	Raw   string
	Dir   string   // where a leading cd went; "" if nowhere
	Parts []Simple // in order, without that cd
}

// A Simple is one simple command of a command line.
type Simple struct {
	Op       string   // what joins it to the one before: "", "&&", "||", ";", "|", "&"
	Settings []string // NAME=value, as written
	Words    []word   // program and arguments, without wrappers such as sudo
	Program  string   // base name of the program; "" if there are only settings
	Sub      string   // subcommand, such as "push" or "run build"; "" if it has none
	Runner   string   // what runs it, such as "npx" or "uv run"; "" if nothing does
}

// Family names what a command does, whatever it does it to: the program and its subcommand.
func (s Simple) Family() string { return strings.TrimSuffix(s.Program+" "+s.Sub, " ") }

// General names a command without what only one run of it needs: the runner, the program, the subcommand and, if flags
// is set, the names of the flags that say what is done. Which package or folder of a project it was is left out.
func (s Simple) General(flags bool) string {
	if inner, ok := s.Inner(); ok && flags && s.Runner == "" {
		return s.Program + " " + inner.General(true)
	}
	parts := []string{s.Runner, s.Program, s.script()}
	for _, a := range s.Arguments() {
		name, _, _ := strings.Cut(a, "=")
		if flags && len(name) > 1 && name[0] == '-' && name != "--" && !IsForOutput(a) && !Selects(name) && !isPayload(name) {
			parts = append(parts, name)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// script returns the subcommand and, of a script that a package manager runs, the one of its
// names that is none of a command of its own.
func (s Simple) script() string {
	name, run := strings.CutPrefix(s.Sub, "run ")
	switch {
	case findProgram(s.Program).is&packages == 0 || s.Sub == "" || strings.Contains(s.Sub, "workspace"):
	case run && listed("test start", name) && s.Program != "bun":
		return name
	case name == "i":
		return "install"
	case !run && !listed(ownOfPackages, name) && (name != "build" || s.Program != "bun"):
		return "run " + name
	}
	return s.Sub
}

// Arguments returns the words after the program.
func (s Simple) Arguments() []string {
	var out []string
	for _, w := range s.Words[min(1, len(s.Words)):] {
		out = append(out, w.Text)
	}
	return out
}

// OnlyAsks reports whether a command only says how it is used, or which version it is.
func (s Simple) OnlyAsks() bool {
	args := s.Arguments()
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return slices.Contains(args, "--help") || slices.Contains([]string{"-help", "-h", "help", "--version"}, last) ||
		len(args) == 1 && strings.EqualFold(last, "-v")
}

// NamesTemporary reports whether one of the words is a temporary file.
func (s Simple) NamesTemporary() bool {
	return slices.ContainsFunc(s.Words, func(w word) bool { return IsTemporary(w.Text) })
}

// MainPart returns the simple command that a command line is about: the last one
// that does not prepare, report or filter. It is the zero value if there is none.
func (c Command) MainPart() Simple {
	best := Simple{}
	for _, s := range c.Parts {
		if s.Op == "|" || s.Program == "" || Prepares(s.Program) && best.Program != "" {
			continue
		}
		if best.Program == "" || Prepares(best.Program) || !LooksAround(s.Program) {
			best = s
		}
	}
	return best
}

// BlamedPart returns the one simple command that an error line names, or MainPart. It
// is the zero value if the line is of a program that only surrounds it.
func (c Command) BlamedPart(line string) Simple {
	var hits []Simple
	speaker, _, _ := strings.Cut(line, ":")
	for _, s := range c.Parts {
		if s.Program == speaker && s.Op == "|" {
			return s
		}
		if s.Op != "|" && s.Program != "" && !Prepares(s.Program) &&
			(s.Program == speaker || s.Sub != "" && words.ContainsWord(line, s.Family())) {
			hits = append(hits, s)
		}
	}
	if len(hits) == 1 {
		return hits[0]
	}
	if m := c.MainPart(); m.Program == speaker || !LooksAround(speaker) || findProgram(speaker).names == "" {
		return m
	}
	return Simple{}
}

// HidesExit reports whether the exit code may not be that of the main command.
func (c Command) HidesExit() bool {
	return slices.ContainsFunc(c.Parts, func(s Simple) bool { return s.Op == "|" || s.Op == ";" || s.Op == "||" })
}

// HidesFault reports whether a command failed though its exit code does not say so: a pipeline hides it, and a short
// output is nothing but an environment error.
func (c Command) HidesFault(out string) bool {
	if !c.HidesExit() || strings.Count(out, "\n") >= 12 || LooksAround(c.MainPart().Program) {
		return false
	}
	faults := Project{}.FindFaults(out, false)
	return len(faults) > 0 && (faults[0].Kind == Usage || faults[0].Kind == Setup)
}

// HoldsScript reports whether a command line carries a program of its own, which is then what fails.
func (c Command) HoldsScript() bool {
	return strings.Contains(c.Raw, "<<") || len(c.Raw) > 600 || strings.Count(c.Raw, "\n") > 8
}

// HasPayload reports whether a program was given a script on the command line.
func (s Simple) HasPayload() bool {
	return slices.ContainsFunc(s.Words, func(w word) bool { return isPayload(w.Text) }) && !HasSubcommands(s.Program)
}

func isPayload(flag string) bool { return listed("-c -e --eval", flag) }

// HidesOutput reports whether what a command prints is filtered, or replaced where it fails.
func (c Command) HidesOutput() bool {
	return slices.ContainsFunc(c.Parts, func(s Simple) bool {
		return s.Op == "||" || s.Op == "|" && !listed("tail head tee cat", s.Program)
	}) || strings.Contains(c.Raw, "2>/dev/null") || strings.Contains(c.Raw, "&>/dev/null")
}

// ChangesFiles reports whether a command line surely changes files in place.
func (c Command) ChangesFiles() bool { return reInPlace.Matches(c.Raw) }

var (
	reBareWord = lazy.New(`^[A-Za-z][A-Za-z0-9_:.-]*$`)
	reInPlace  = lazy.New(`\b(sed|perl) (-\w+ )*-\w*i|\btee \S|cat > ?\S|\bgit (apply|checkout|restore|revert|stash pop)\b|\bpatch -p`)
)
