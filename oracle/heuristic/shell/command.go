// Package shell understands the command lines that an agent ran and the errors
// that came of them: which program a line is about, whether two commands do the
// same, what sort of error an output shows. Every function is pure. What is
// known of single programs stands in one table, in programs.go.
package shell

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
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
	Words    []Word   // program and arguments, without wrappers such as sudo
	Program  string   // base name of the program; "" if there are only settings
	Sub      string   // subcommand, such as "push" or "run build"; "" if it has none
	Runner   string   // what runs it, such as "npx" or "uv run"; "" if nothing does
}

// Parse understands a command line; at worst it gives a Command without parts.
func Parse(raw string) Command {
	segments := splitLine(raw)
	for range 2 { // bash -lc "…"
		if len(segments) != 1 || len(segments[0].words) != 3 ||
			!reShellRun.Matches(segments[0].words[0].Text+" "+segments[0].words[1].Text) {
			break
		}
		segments = splitLine(segments[0].words[2].Text)
	}
	c := Command{Raw: raw}
	for _, seg := range segments {
		s := understand(seg)
		switch {
		case s.Program == "" && len(s.Settings) == 0:
		case s.Program == "cd" && len(c.Parts) == 0:
			if len(s.Words) > 1 {
				c.enter(s.Words[1].Text)
			}
		default:
			c.Parts = append(c.Parts, s)
		}
	}
	return c
}

// enter follows a cd.
func (c *Command) enter(dir string) {
	if !path.IsAbs(dir) {
		dir = path.Join(c.Dir, dir)
	}
	c.Dir = dir
}

// understand finds the program of a segment behind settings and wrappers.
func understand(seg segment) Simple {
	s := Simple{Op: seg.op, Words: seg.words}
	for len(s.Words) > 0 {
		w := s.Words[0]
		if reSetting.Matches(w.Text) {
			s.Settings = append(s.Settings, w.Raw)
			s.Words = s.Words[1:]
			continue
		}
		n := findProgram(w.Text).wraps
		if n == 0 || n > 1 && len(s.Words) <= n {
			break
		}
		s.Words = s.Words[n:]
	}
	if len(s.Words) == 0 {
		return s
	}
	s.Runner, s.Words = unwrap(s.Words)
	s.Program = path.Base(s.Words[0].Text)
	s.Sub = subcommand(s.Program, s.Words[1:])
	return s
}

// unwrap takes off a runner such as npx or "uv run".
func unwrap(words []Word) (string, []Word) {
	for _, more := range findProgram(words[0].Text).runs {
		runner := strings.Fields(words[0].Text + " " + more)
		n := len(runner)
		if len(words) <= n || !slices.EqualFunc(words[:n], runner, func(w Word, r string) bool { return w.Text == r }) ||
			strings.HasPrefix(words[n].Text, "-") && words[n].Text != "--" {
			continue
		}
		if words[n].Text == "--" && len(words) > n+1 {
			n++
		}
		return strings.Join(runner, " "), words[n:]
	}
	return "", words
}

// subcommand returns the word that says which of its commands a program runs,
// or two words where one does not say enough.
func subcommand(program string, args []Word) string {
	p := findProgram(program)
	if p.is&commands == 0 {
		return ""
	}
	var subs []string
	for i := 0; i < len(args); i++ {
		v := args[i].Text
		if strings.HasPrefix(v, "-") {
			if slices.Contains([]string{"--prefix", "--cwd", "--filter", "-f"}, v) || program == "git" && (v == "-C" || v == "-c") {
				i++
			}
			continue
		}
		if !reBareWord.Matches(v) {
			break
		}
		subs = append(subs, v)
		if len(subs) == 2 || p.two != "*" && !listed(p.two, v) {
			break
		}
	}
	return strings.Join(subs, " ")
}

// Family names what a command does, whatever it does it to: the program and
// its subcommand.
func (s Simple) Family() string { return strings.TrimSuffix(s.Program+" "+s.Sub, " ") }

// General names a command without what only one run of it needs: the runner, the
// program, the subcommand and, if flags is set, the names of the flags that say what
// is done. Which package or folder of a project it was is left out.
func (s Simple) General(flags bool) string {
	parts := []string{s.Program, s.Sub}
	if findProgram(s.Program).is&packages != 0 {
		parts[1] = strings.TrimPrefix(s.Sub, "run ")
	}
	if s.Runner != "" {
		parts = slices.Insert(parts, 0, s.Runner)
	}
	for _, a := range s.Arguments() {
		name, _, _ := strings.Cut(a, "=")
		if flags && strings.HasPrefix(a, "-") && !IsForOutput(a) && !listed("-- --filter -F --cwd -C --prefix --workspace -w", name) {
			parts = append(parts, name)
		}
	}
	return strings.TrimSpace(strings.Join(slices.Compact(parts), " "))
}

// Arguments returns the words after the program.
func (s Simple) Arguments() []string {
	var out []string
	for _, w := range s.Words[min(1, len(s.Words)):] {
		out = append(out, w.Text)
	}
	return out
}

// WithoutSettings returns the command alone.
func (s Simple) WithoutSettings() Simple {
	s.Settings = nil
	return s
}

// NamesTemporary reports whether one of the words is a temporary file.
func (s Simple) NamesTemporary() bool {
	return slices.ContainsFunc(s.Words, func(w Word) bool { return IsTemporary(w.Text) })
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

// BlamedPart returns the one simple command that an error line names, or MainPart.
func (c Command) BlamedPart(line string) Simple {
	var hits []Simple
	for _, s := range c.Parts {
		if s.Op != "|" && s.Program != "" && !Prepares(s.Program) &&
			(strings.HasPrefix(line, s.Program+":") || s.Sub != "" && ContainsWord(line, s.Family())) {
			hits = append(hits, s)
		}
	}
	if len(hits) == 1 {
		return hits[0]
	}
	return c.MainPart()
}

// SettingsOf returns the settings of s, a part of c, and those that the line exports.
func (c Command) SettingsOf(s Simple) []string {
	var out []string
	for _, p := range c.Parts {
		if p.Program == "export" {
			for _, w := range p.Words[1:] {
				out = append(out, w.Raw)
			}
		}
	}
	return append(out, s.Settings...)
}

// HidesExit reports whether the exit code may not be that of the main command.
func (c Command) HidesExit() bool {
	return slices.ContainsFunc(c.Parts, func(s Simple) bool { return s.Op == "|" || s.Op == ";" || s.Op == "||" })
}

// HoldsScript reports whether a command line carries a program of its own,
// which is then what fails.
func (c Command) HoldsScript() bool {
	return strings.Contains(c.Raw, "<<") || len(c.Raw) > 600 || strings.Count(c.Raw, "\n") > 8
}

// ChangesFiles reports whether a command line surely changes files in place.
func (c Command) ChangesFiles() bool { return reInPlace.Matches(c.Raw) }

var (
	reSetting  = lazy.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
	reShellRun = lazy.New(`^(?:/\S*/)?(?:ba|z)?sh -\w*c$`)
	reBareWord = lazy.New(`^[A-Za-z][A-Za-z0-9_:.-]*$`)
	reInPlace  = lazy.New(`\b(sed|perl) (-\w+ )*-\w*i|\btee \S|cat > ?\S|\bgit (apply|checkout|restore|revert|stash pop)\b|\bpatch -p`)
)

// SameWords reports whether two commands differ in settings and runner at most.
func SameWords(a, b Simple) bool {
	return slices.EqualFunc(a.Words, b.Words, func(x, y Word) bool { return x.Text == y.Text })
}

// SameJob reports whether two commands do the same with different programs:
// equal arguments, or one run through something else.
func SameJob(a, b Simple) bool {
	if a.Program == b.Program && a.Runner == b.Runner {
		return false
	}
	x, y := a.Arguments(), b.Arguments()
	switch {
	case slices.Equal(x, y):
		return AreKin(a.Program, b.Program) && (len(x) > 0 || a.Program == b.Program || unversioned(a.Program) == unversioned(b.Program))
	case b.Program == "docker" && a.Program == "docker-compose":
		return len(y) > 0 && y[0] == "compose" && slices.Equal(x, y[1:])
	case findProgram(a.Program).is&findProgram(b.Program).is&packages != 0:
		return slices.Equal(withoutVerbs(x), withoutVerbs(y))
	}
	return false
}

// withoutVerbs leaves out flags and the verbs that differ between package managers.
func withoutVerbs(args []string) []string {
	return slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") || listed("i ci install add run", a) })
}

// ArgumentsBeyond returns the arguments of a that b lacks.
func ArgumentsBeyond(a, b Simple) []string {
	have := b.Arguments()
	return slices.DeleteFunc(a.Arguments(), func(x string) bool {
		i := slices.Index(have, x)
		if i >= 0 {
			have = slices.Delete(have, i, i+1)
		}
		return i >= 0
	})
}

// ShareArguments reports whether a third of the arguments of two commands are equal.
func ShareArguments(a, b Simple) bool {
	x, y := a.Arguments(), b.Arguments()
	shared := 0
	for _, v := range x {
		if slices.Contains(y, v) {
			shared++
		}
	}
	return shared >= 1 && 3*shared >= max(len(x), len(y))
}

// NamesArgument reports whether an error line names one of the arguments.
func NamesArgument(line string, args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		return ContainsWord(strings.ReplaceAll(line, "-", " "), strings.ReplaceAll(name, "-", " "))
	})
}

// IsForOutput reports whether a flag changes what is printed, and nothing else.
func IsForOutput(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return listed("-v -vv -vvv --verbose --debug -q --quiet -s --silent -count --oneline --stat -n --color --no-color --json "+
		"--nocapture --help -h --version -x -l --name-only -1 -5 -10 --tb -run --dry-run --reporter --porcelain --short --no-pager", name)
}

// ContainsWord reports whether text holds w as a word of its own.
func ContainsWord(text, w string) bool {
	for i := 0; w != ""; {
		j := strings.Index(text[i:], w)
		if j < 0 {
			return false
		}
		from, to := i+j, i+j+len(w)
		if (from == 0 || !isWordByte(text[from-1])) && (to == len(text) || !isWordByte(text[to])) {
			return true
		}
		i = from + 1
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
