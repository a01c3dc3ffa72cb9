package shell

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/words"
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
	case Wraps(b, a):
		return true
	case slices.Equal(x, y):
		return AreKin(a.Program, b.Program) && (len(x) > 0 || a.Program == b.Program || unversioned(a.Program) == unversioned(b.Program))
	case b.Program == "docker" && a.Program == "docker-compose":
		return len(y) > 0 && y[0] == "compose" && slices.Equal(x, y[1:])
	case findProgram(a.Program).is&findProgram(b.Program).is&packages != 0:
		return slices.Equal(withoutVerbs(x), withoutVerbs(y))
	}
	return false
}

// Wraps reports whether b runs a by another program, such as in a container.
func Wraps(b, a Simple) bool {
	n := len(b.Words) - len(a.Words)
	return n > 0 && len(a.Words) > 0 && slices.EqualFunc(a.Words, b.Words[n:], func(x, y Word) bool { return x.Text == y.Text })
}

// SameTask reports whether b is the task of the project for what a does by itself, such as
// "npm run test" for "vitest test".
func SameTask(a, b Simple) bool {
	verb := path.Base(strings.ReplaceAll(a.Sub, " ", "/"))
	runs := findProgram(b.Program).rival == "make" || findProgram(b.Program).is&packages != 0 && strings.HasPrefix(b.Sub, "run ")
	return runs && listed(subsOfMake+" typecheck", verb) && strings.HasSuffix(" "+b.Sub, " "+verb) && a.Family() != b.Family()
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
		return words.ContainsWord(strings.ReplaceAll(line, "-", " "), strings.ReplaceAll(name, "-", " "))
	})
}

// NamesAny reports whether a command holds one of the names that an error line quotes.
func NamesAny(line string, c Simple) bool {
	for _, quoted := range reQuotedName.Get().FindAllStringSubmatch(line, -1) {
		if slices.ContainsFunc(c.Words, func(w Word) bool { return words.ContainsWord(w.Text, quoted[1]) }) {
			return true
		}
	}
	return false
}

// IsReckless reports whether a flag gets a program to do what it refused: that it then
// did is not advice.
func IsReckless(flag string) bool {
	return listed("--force -f --admin --no-verify --force-with-lease --allow-dirty --yes -y --break-system-packages", flag)
}

// IsForDiagnosis reports whether a setting makes a program say more.
func IsForDiagnosis(setting string) bool { return reDiagnosis.Matches(setting) }

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

// IsSilent reports whether an output shows nothing that was done: a filter ends
// well also when what feeds it does not.
func IsSilent(out string) bool {
	out = strings.TrimSpace(out)
	return out == "" || out == "0" || out == "(no output)" || strings.HasPrefix(out, "(Bash completed with no output")
}

// NamesSpace reports whether a flag of a command names the namespace that it works in.
func (s Simple) NamesSpace(flag string) bool {
	return flag == "-n" && listed("kubectl helm oc flux argocd", s.Program)
}

// FindAdvice returns the commands that an output says are to be run.
func FindAdvice(out string) (advice []Simple) {
	for _, m := range reAdvice.Get().FindAllStringSubmatch(out, -1) {
		line := m[2]
		if m[1] != "" {
			line, _, _ = strings.Cut(line, m[1])
		}
		if s := Parse(strings.TrimRight(line, " .,")).MainPart(); s.Runner+s.Sub != "" { // one word is in many sentences
			advice = append(advice, s)
		}
	}
	return advice
}

// SameFamily reports whether two commands do the same, whatever they do it to.
func SameFamily(a, b Simple) bool { return a.Runner == b.Runner && a.Family() == b.Family() }

// Suggests reports whether an output offers a word, or the last part of it, as one to choose.
func Suggests(out, word string) bool {
	name := word[strings.LastIndexAny(word, ":/=.")+1:]
	return len(name) > 3 && reSuggests.Matches(out) && words.ContainsWord(out, name)
}

var (
	reAdvice    = lazy.New("(?i)\\b(?:try )?(?:run|try|use|execute|running|using|with|did you mean)\\b(?: this| the command| one of these| first| instead)?[:?]*\\s*(?:\\$ )?(['\"`]?)([a-z.][^\\n]{3,120})")
	reSuggests  = lazy.New(`(?i)\b(?:did you mean|candidates|similar|perhaps you meant|instead|must be one of|choose from|available|possible values|expected one of|renamed)\b`)
	reDiagnosis = lazy.New(`(?i)^[A-Z0-9_]*(?:DEBUG|VERBOSE|TRACE|LOG|COLOR)[A-Z0-9_]*=`)
)

// reQuotedName matches a name in quotes.
var reQuotedName = lazy.New("['\"`]([\\w./@-]+)['\"`]")
