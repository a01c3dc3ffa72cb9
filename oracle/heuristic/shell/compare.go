package shell

import (
	"slices"
	"strings"

	"mem/words"
)

// SameWords reports whether two commands differ in settings and runner at most.
func SameWords(a, b Simple) bool {
	return slices.EqualFunc(a.Words, b.Words, func(x, y word) bool { return x.Text == y.Text })
}

// SameFamily reports whether two commands do the same, whatever they do it to.
func SameFamily(a, b Simple) bool { return a.Runner == b.Runner && a.Family() == b.Family() }

// StandsIn reports whether b is another way to do a: behind another program, without the one in front,
// or by a program of the same kin with the same arguments.
func StandsIn(a, b Simple) bool {
	x, y := a.Arguments(), b.Arguments()
	switch {
	case len(a.Words)*len(b.Words) == 0, a.Runner == b.Runner && a.Words[0].Text == b.Words[0].Text:
		return false
	case isWithin(a, b), isWithin(b, a), strings.HasPrefix(strings.ReplaceAll(b.Family(), " ", "-")+"-", a.Program+"-"): // docker-compose up
		return true
	case findProgram(a.Program).is&findProgram(b.Program).is&packages != 0 && len(x) > 0:
		return slices.Equal(withoutVerbs(x), withoutVerbs(y))
	}
	return slices.Equal(x, y) && areKin(a.Program, b.Program) && (len(x) > 0 || unversioned(a.Program) == unversioned(b.Program))
}

// isWithin reports whether a is b behind something else, such as a wrapper or a container.
func isWithin(b, a Simple) bool {
	inner, ok := b.Inner()
	n := len(b.Words) - len(a.Words)
	return ok && SameFamily(inner, a) || n > 0 && SameWords(Simple{Words: b.Words[n:]}, a)
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

// NamesArgument reports whether an error line names one of the arguments.
func NamesArgument(line string, args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		return words.ContainsWord(strings.ReplaceAll(line, "-", " "), strings.ReplaceAll(name, "-", " "))
	})
}

// NamesOnly reports whether each name that an error line quotes stands in a command line.
func NamesOnly(line, command string) bool {
	return !slices.ContainsFunc(reQuoted.Get().FindAllString(line, -1), func(quoted string) bool {
		return !strings.Contains(command, strings.Trim(quoted, " '\"`‘’“”()=:,"))
	})
}

// Reckless flags get a program to do what it refused: that it then did is not advice.
var Reckless = strings.Fields("--force -f --admin --no-verify --force-with-lease --allow-dirty --yes -y --break-system-packages")

// Selects reports whether a flag chooses what a program works on.
func Selects(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return listed("--filter -F --cwd -C -chdir --prefix --workspace -w -W -k -t -run --grep", name)
}

// IsForOutput reports whether a flag changes what is printed, and nothing else.
func IsForOutput(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return listed("-v -vv -vvv --verbose --debug -q --quiet -s --silent -count --oneline --stat -n --color --no-color --json "+
		"--nocapture --help -h --version -x -l --name-only -1 -5 -10 --tb -run --dry-run --reporter --porcelain --short --no-pager", name)
}

// IsSilent reports whether an output shows nothing that was done: a filter ends
// well also when what feeds it does not.
func IsSilent(out string) bool {
	out = strings.TrimSpace(out)
	return out == "" || out == "0" || out == "(no output)" || strings.HasPrefix(out, "(Bash completed with no output")
}
