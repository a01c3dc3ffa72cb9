package shell

import (
	_ "embed" // for the table of errors
	"path"
	"slices"
	"strings"
	"sync"

	"mem/lazy"
)

// A Kind is a sort of failure.
type Kind int

// The kinds of errors.
const (
	Unknown    Kind = iota
	Vague           // nothing but a mark says so, or that it is the last line of a short output
	Usage           // the program, the script or an argument is not there
	Setup           // what it needs is not: a package, a service, a login, a setting
	NoFile          // a file or folder is not there
	TimedOut        // it took too long
	SourceCode      // the code that is being worked on is wrong: no lesson by itself
	Routine         // of this moment, or friction of a file tool that the agent deals with by itself
)

// A Fault is an error that an output shows.
type Fault struct {
	Line string // the most telling line, as showError writes it; "" if there is none
	Kind Kind
}

// A tell is an expression for the lines that show an error of one kind.
type tell struct {
	kind Kind
	re   *lazy.Regexp
	word bool // a line that matches has one of errorWords
}

//go:embed faults.txt
var faults string

// listTells returns the expressions of faults.txt, in order.
var listTells = sync.OnceValue(func() (all []tell) {
	for part := range strings.SplitSeq(strings.ReplaceAll(faults, "\r", ""), "\n== ") {
		head, lines, _ := strings.Cut(part, "\n")
		name, flag, _ := strings.Cut(head, " ")
		if kind := slices.Index(kindNames, name); kind >= 0 {
			all = append(all, tell{Kind(kind), lazy.New(flag + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "|")), flag != ""})
		}
	}
	return all
})

// errorWords stand before the expressions for letters of either case, each of which takes far longer.
var errorWords = strings.Split("abort|accept|already|argument|bad |been|configured|constraint|denied|did you|dubious|eacces|eaddr|eisdir|"+
	"enoent|eperm|eresolve|err_|error|exceeded|expired|externally|fail|found|gateway|glibc|gpg|have to|illegal|inconsistent|invalid|"+
	"java_home|lock|login|memory|mismatch|missing|must|n't|need to|no |not|pending|read-only|refused|requir|server|set|support|tell me|"+
	"time|too many|unable|unauth|unavail|unchecked|undefined|unexpected|unknown|unrecogni|upstream|wrong", "|")

func hasErrorWord(line string) bool {
	lower := strings.ToLower(line)
	return slices.ContainsFunc(errorWords, func(w string) bool { return strings.Contains(lower, w) })
}

// kindNames are the kinds as faults.txt has them.
var kindNames = []string{"Unknown", "Vague", "Usage", "Setup", "NoFile", "TimedOut", "SourceCode", "Routine"}

// startOf returns where the part of a line begins that says what is wrong: of a long line it may be far from its start.
func (t tell) startOf(line string) int {
	at := t.re.Get().FindStringIndex(line)
	if at[1] <= maxError {
		return 0
	}
	return max(0, strings.LastIndex(line[:at[0]], ": ")+1, strings.LastIndex(line[:at[0]], "* ")+1)
}

// How many lines of an output are searched, from either end: of a failure, and of what went well by its exit code.
const (
	maxLines = 200
	maxQuiet = 20
)

// maxFaults bounds how many errors of an output are told apart.
const maxFaults = 12

// FindFaults finds the lines of an output that say what went wrong, the most telling
// first; of a short output of a failure of which nothing is known it is the last.
func (p Project) FindFaults(out string, failed bool) []Fault {
	lines, worded := tellingLines(out, failed)
	var found []Fault
	for _, t := range listTells() {
		for i, l := range lines {
			if len(found) == maxFaults || t.word && !worded[i] || !t.re.Matches(l) {
				continue
			}
			f := Fault{p.showError(l[t.startOf(l):]), t.kind}
			if !slices.ContainsFunc(found, func(g Fault) bool { return g.Line == f.Line }) {
				found = append(found, f)
			}
		}
	}
	if n := len(lines); failed && len(found) == 0 && n > 0 && n <= 3 {
		return []Fault{{p.showError(lines[n-1]), Vague}}
	}
	return found
}

// NamesVariable returns the environment variable that an error misses; "" if it names none.
func (f Fault) NamesVariable() string {
	if m := reVariable.Get().FindString(f.Line); f.Kind == Setup {
		return m
	}
	return ""
}

// tellingLines returns the lines of an output that can be an error, from its ends, and whether each has a word of one.
func tellingLines(out string, failed bool) (lines []string, worded []bool) {
	all, most := strings.Split(out, "\n"), maxLines
	if !failed {
		most = maxQuiet
	}
	if len(all) > 2*most {
		all = append(all[:most:most], all[len(all)-most:]...)
	}
	seen := map[string]bool{}
	for _, l := range all {
		if len(l) > 2000 {
			continue
		}
		l = strings.TrimSpace(reANSI.Get().ReplaceAllString(strings.ToValidUTF8(l, ""), ""))
		l = strings.TrimSuffix(reOpening.Get().ReplaceAllString(l, ""), "</tool_use_error>")
		if l != "" && !seen[l] && !reNoise.Matches(l) {
			seen[l] = true
			lines, worded = append(lines, l), append(worded, hasErrorWord(l))
		}
	}
	return lines, worded
}

// Provides reports whether running a command makes something ready for others. To look at what
// would be made is a diagnosis, and a package that is added is needed from now on.
func (s Simple) Provides() bool {
	s = s.Bare()
	said := []string{s.Program}
	for _, a := range s.Arguments() {
		switch {
		case listed("--noEmit --dry-run --dry --help --version --check", a):
			return false
		case listed("--write --fix", a):
			return true
		case !strings.HasPrefix(a, "-") && len(said) < 4:
			said = append(said, path.Base(a))
		}
	}
	switch {
	case s.Program == "git":
		return s.Sub == "config" || s.Sub == "submodule update"
	case OnlyReads(s) && !listed("mkdir cp ln", s.Program), listed("rm mv pytest jest vitest rspec phpunit hg jj", s.Program),
		findProgram(s.Program).is&packages != 0 && listed("i install add", s.Sub) && len(said) > 2:
		return false
	}
	return reReadies.Matches(strings.Join(said, " ") + " ")
}

var (
	reVariable = lazy.New(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	reANSI     = lazy.New("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07")
	reOpening  = lazy.New(`^(<tool_use_error>|npm (ERR!|error) ?|@[\w.-]+/[\w.-]+[: ][\w:-]+: |[\w-]+:(?:build|test|lint|typecheck|check|dev): |\[[\w:./-]+\] |error: recipe for .*|│ ?|Error: Error: |Uncaught |Exit code \d+ ?)`)
	reNoise    = lazy.New(`(?i)^(?:exit code \d+|\d+ \| |command exited with code \d+|\(no output\)|npm (warn|notice)|warn(ing)?\b|hint:|note:|info\b|> |\$ |at |from |\^|debugger attached|waiting for the debugger|code E?[A-Z0-9]+$|errno|syscall|path /|command (sh|failed|/)|a complete log|lifecycle script|for help, run|received:|expected:|\(pass\) |✓ |traceback|file ".*", line|stack backtrace|in workspace|location|elifecycle|usage:|see '|error: script .* exited with|g?make(?:\[\d+\])?: \*\*\* \[.*\] error \d|\W{0,8}(?:omitted )?\d+ (?:of \d+ )?(?:bytes|char(?:acter)?s|lines|tokens) (?:left out|truncated|omitted))`)
	reReadies  = lazy.New(`^(?:eval|source|\.|mkdir|cp|ln|tsc|protoc|cmake|make|just|redis-server|service|mongod|nvm|pip-sync|corepack|createdb|alembic|ssh-add) |^(?:npm|pnpm|bun) (?:i|ci|add) |^yarn (?:add |$)|` +
		`\b(?:activate|login|authenticate|update-kubeconfig|get-credentials|migrat\w*|install|setup|bootstrap|sync|restore|download\w*|start|up|serve|dev|use|configure|init|(?:re)?build|compile|generate|codegen|gen|fix|fmt|format|gazelle|db push|db:\w+|` +
		`(?:network|volume) create|(?:component|target) add|config set|mod (?:tidy|vendor)|(?:deps|pub)[. ]get|(?:go|uv|cargo|rustup) (?:get|add|fetch)|update)[ .]`)
)
