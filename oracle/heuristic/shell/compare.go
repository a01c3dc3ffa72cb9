package shell

import (
	"slices"
	"strings"

	"mem/lazy"
)

// SameWords reports whether two commands differ in settings and runner at most.
func SameWords(a, b Simple) bool {
	return slices.EqualFunc(a.Words, b.Words, func(x, y Word) bool { return x.Text == y.Text })
}

// SameJob reports whether two commands do the same with different programs:
// equal arguments, or one run through something else.
func SameJob(a, b Simple) bool {
	if a.Program == b.Program && a.Runner == b.Runner && (len(a.Words) == 0 || len(b.Words) == 0 || a.Words[0].Text == b.Words[0].Text) {
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

// NamesAny reports whether a command holds one of the names that an error line quotes.
func NamesAny(line string, c Simple) bool {
	for _, quoted := range reQuotedName.Get().FindAllStringSubmatch(line, -1) {
		if slices.ContainsFunc(c.Words, func(w Word) bool { return ContainsWord(w.Text, quoted[1]) }) {
			return true
		}
	}
	return false
}

// IsReckless reports whether a flag gets a program to do what it refused: that it then
// did is no advice.
func IsReckless(flag string) bool {
	return listed("--force -f --admin --no-verify --force-with-lease --allow-dirty --yes -y --break-system-packages", flag)
}

// Selects reports whether a flag chooses what a program works on.
func Selects(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return listed("--filter -F --cwd -C --prefix --workspace -w -W -k -t -run --grep", name)
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

// reQuotedName matches a name in quotes.
var reQuotedName = lazy.New("['\"`]([\\w./@-]+)['\"`]")
