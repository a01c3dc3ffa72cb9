package shell

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
)

// A Kind says what sort of thing went wrong.
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

// IsEnvironment reports whether an error is about where and how something runs
// rather than about the code being worked on.
func (k Kind) IsEnvironment() bool { return k >= Usage && k <= NoFile }

// A Fault is an error that an output shows.
type Fault struct {
	Line string // the most telling line, as ShowError writes it; "" if there is none
	Kind Kind
}

// A tell is an expression for the lines that show an error of one kind.
type tell struct {
	kind Kind
	re   *lazy.Regexp
}

// tells are tried in order on every line: an earlier one beats a later one
// wherever in the output it matches.
var tells = []tell{
	{Routine, lazy.New(`(?i)no matches found: |^(File has not been read yet|String to replace not found|Found \d+ (matches|occurrences) of the|Could not find the exact text|File does not exist|File has been (unexpectedly )?modified|No changes to make|Path does not exist|EISDIR|InputValidationError|Operation aborted|Command aborted|Tool \S+ not found)|EADDRINUSE|address already in use|port is already allocated|no space left on device|\b(?:50[234]|429)\b.{0,40}(?:gateway|unavailable|too many|time-?out)`)},
	{Usage, lazy.New(`(?i)command (or file was )?not found|could not (locate|find) executable|(program|command|executable|tool) .{1,40} (could not be found|not found|is not installed|is missing)|: not found$|is not recognized as an internal|executable file not found in|executable (?:doesn't|does not) exist|missing script:|script not found|ERR_PNPM_NO_SCRIPT|no rule to make target|is not a \w+ command|could not determine executable to run|(unknown|no such|unrecognized) (sub)?command|task .{1,60} (does not exist|not found)|^error: unknown command|\b(?:must|need to|have to) \w+ .{0,40}\b(?:with|using|passing|pass) (?:the )?['"]?--?[a-z][\w-]+|unknown (shorthand |long )?(flag|option|argument)|unrecognized (option|argument)|(invalid|illegal|unexpected|bad|unsupported) (option|argument|flag|switch)|flag provided but not defined|accepts (at most |between )?\d+ arg|requires (at least|exactly|one|an?) .{0,20}arg|arguments? (is|are) required|invalid command code|ambiguous argument|missing required (option|argument|flag)|takes no arguments|named files must all be in one directory`)},
	{Setup, lazy.New(`(?i)cannot find module|ModuleNotFoundError|no module named|cannot find package|no required module provides|missing go\.sum entry|cannot load such file|could not resolve "|ERR_MODULE_NOT_FOUND|can't resolve '|package .{1,80} is not in (std|GOROOT)|node_modules missing|did you mean to install|unable to resolve dependency|library not found|unchecked dependencies|can't continue due to errors on dependencies|could not find .{1,60} in (any of the sources|locally installed gems)|there is no package called|no such kernel|can't locate \S+\.pm in @INC|can't find crate for .(?:std|core)\b|no such module|^ImportError|ECONNREFUSED|connection refused|(could not|couldn't|can't|cannot|unable to) connect to|cannot connect to the docker daemon|failed to connect to|is the server running|no such container|ENOTFOUND|can't reach database|could not translate host name|name or service not known|declared as external, but could not be found|could not resolve host|relation "[^"]+" does not exist|no such table|unknown column|table .{1,60} doesn't exist|pending migrations?|migrations? (is|are) pending|database "[^"]+" does not exist|unknown database|(not|must be) logged in|authentication (failed|required)|requires authentication|gh auth login|\bunauthorized\b|unauthenticated|(token|session|credentials?|login) (has |have |is |are )?expired|credentials? (not found|could not be)|permission denied \(publickey|externally-managed-environment|environment variable.{0,60}(not set|required|missing|must be)|(?-i:[A-Z][A-Z0-9_]{3,}) (environment variable )?(is |was |must be )?(not set|unset|not defined|required|set$)|(?-i:\b[Mm]issing (?:required )?(?:env(?:ironment)? (?:var(?:iable)?s?)?:? ?)?[A-Z][A-Z0-9]+_[A-Z0-9_]{2,})|(?-i:KeyError: '|key not found: "|undefined env(?:ironment)? var(?:iable)?:? )[A-Z][A-Z0-9_]{3,}|unsupported engine|requires (node|python|go|ruby|java|rust|php)\b|heap out of memory|build constraints exclude all go files|cannot find main module|no go files|inconsistent vendoring|ERESOLVE|frozen-lockfile|configured to use \w+|lockfile .{0,30}(out of date|outdated|needs to be updated)|lock file .{0,40}needs to be updated|gpg failed to sign|commit\.gpgsign|dubious ownership|not a git repository|has no upstream branch|upstream branch of your current branch|please tell me who you are|requires cgo|property \[?[\w/]+\]? is not (?:currently )?set|detected a version mismatch|JAVA_HOME|unsupported class file|initialization required|only supported from within|does not contain (?:main module|modules listed)|\bnot an? [\w ]{3,20} (?:project|workspace)|could(?:n't| not) find an? [\w. ]{3,20}(?:project|workspace|package\.json|cargo\.toml|config\w*)|already exists and is not an empty|wrong python version|GLIBC|permission denied|EACCES|EPERM|operation not permitted|read-only file system|access denied`)},
	{SourceCode, lazy.New(`error TS\d+|error\[E\d+\]|error CS\d+|: undefined: |SyntaxError|AssertionError|^--- FAIL|^FAIL\b|FAILED |panicked at|^panic: |cannot use .* as|declared and not used|imported and not used|expect\(received\)|^E  |\d+ (failed|failing)|✕|✗|lint (issues|errors)|not assignable to|does not implement|[Tt]ests? failed`)},
	{TimedOut, lazy.New(`(?i)(timed out after|timeout of \d+|deadline exceeded)`)},
	{NoFile, lazy.New(`(?i)(no such file\b|ENOENT|cannot open|does not exist|FileNotFoundError|not found in)`)},
	{Unknown, lazy.New(`^(fatal|error|Error|ERROR|ERR!|E|FATAL|failed|Failed)(:|\[| ) ?\S|^(?:[\w.+-]+|/[\w./+-]+): (?:fatal |internal )?(?:[Ee]rror|ERROR|[Ff]atal|FATAL|undefined reference)\b:? \S|^(\w+ )?\w*(Error|Exception)\b.{0,3}:`)},
	{Vague, lazy.New(`^(?:\[!\]|[✘✖×❌]) +\S`)}, // a test, a linter or a program
}

// startOf returns where the part of a line begins that says what is wrong: of a long line it
// may be far from its start.
func (t tell) startOf(line string) int {
	at := t.re.Get().FindStringIndex(line)
	if at[1] <= maxError {
		return 0
	}
	return max(0, strings.LastIndex(line[:at[0]], ": ")+1, strings.LastIndex(line[:at[0]], "* ")+1)
}

// How many lines of an output are searched, from either end: of a failure, and of what
// went well by its exit code.
const (
	maxLines = 200
	maxQuiet = 20
)

// maxFaults bounds how many errors of an output are told apart.
const maxFaults = 12

// FindFaults finds the lines of an output that say what went wrong, the most telling
// first; of a short output of a failure of which nothing is known it is the last.
func (p Project) FindFaults(out string, failed bool) []Fault {
	lines, lower := tellingLines(out, failed)
	var faults []Fault
	for _, t := range tells {
		for i, l := range lines {
			if len(faults) == maxFaults || !t.re.MatchesLowered(l, lower[i]) {
				continue
			}
			f := Fault{p.ShowError(l[t.startOf(l):]), t.kind}
			if !slices.ContainsFunc(faults, func(g Fault) bool { return g.Line == f.Line }) {
				faults = append(faults, f)
			}
		}
	}
	if n := len(lines); failed && len(faults) == 0 && n > 0 && n <= 3 {
		return []Fault{{p.ShowError(lines[n-1]), Vague}}
	}
	return faults
}

// NamesVariable returns the environment variable that an error misses; "" if it names none.
func (f Fault) NamesVariable() string {
	if m := reVariable.Get().FindString(f.Line); f.Kind == Setup {
		return m
	}
	return ""
}

// tellingLines returns the lines of an output that can be an error, from its ends, and each
// in small letters.
func tellingLines(out string, failed bool) (lines, lower []string) {
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
			lines, lower = append(lines, l), append(lower, lazy.Lower(l))
		}
	}
	return lines, lower
}

// Provides reports whether running a command makes something ready for others. To look at what
// would be made is a diagnosis, and a package that is added is needed from now on.
func (s Simple) Provides() bool {
	said := []string{s.Program}
	for _, a := range s.Arguments() {
		switch {
		case listed("--noEmit --dry-run --dry --help --version --check", a):
			return false
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
