package shell

import (
	"slices"
	"strings"
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
	var out []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") && !listed("i ci install add run", a) {
			out = append(out, a)
		}
	}
	return out
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
