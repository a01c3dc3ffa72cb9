package heuristic

import (
	"regexp"
	"strings"
)

// kind says what sort of thing went wrong.
type kind int

const (
	unknown   kind = iota
	noCommand      // the program, script or target is not there
	badUsage       // the program does not take these arguments
	noModule       // a dependency is not installed or not built
	noService      // a server does not answer
	noRight        // the system said no
	noLogin        // nobody is logged in
	noSchema       // the database lacks something
	badSetup       // a setting, a version, a port
	noFile         // a file or folder is not there
	timedOut
	sourceCode // the code that is being worked on is wrong: no lesson by itself
	routine    // friction of a file tool that the agent deals with by itself
)

// A fault is what went wrong in a call.
type fault struct {
	line   string // the most telling line, fit to be shown
	kind   kind
	masked bool // the exit code hid it
}

// environment reports whether a fault is about where and how something runs
// rather than about the code being worked on.
func (k kind) environment() bool { return k >= noCommand && k <= noFile }

// A tell is a pattern by which a line of output is known to be the error.
type tell struct {
	kind kind
	re   func() *regexp.Regexp
}

// tells are tried in order on every line: an earlier one beats a later one
// wherever in the output it matches.
func tells() []tell { return allTells() }

var allTells = onceTells([]tell{
	{routine, lazy(`(?i)^(File has not been read yet|String to replace not found|Found \d+ (matches|occurrences) of the|Could not find the exact text|File does not exist|File has been (unexpectedly )?modified|No changes to make|Path does not exist|EISDIR|InputValidationError|Operation aborted|Command aborted|Tool \S+ not found)`)},
	{noCommand, lazy(`(?i)(command not found|: not found$|is not recognized as an internal|executable file not found in|missing script:|ERR_PNPM_NO_SCRIPT|no rule to make target|is not a \w+ command|could not determine executable to run|(unknown|no such|unrecognized) (sub)?command|task .{1,60} (does not exist|not found)|^error: unknown command)`)},
	{badUsage, lazy(`(?i)(unknown (shorthand |long )?(flag|option|argument)|unrecognized (option|argument)|(invalid|illegal|unexpected|bad|unsupported) (option|argument|flag|switch)|flag provided but not defined|accepts (at most |between )?\d+ arg|requires (at least|exactly|one|an?) .{0,20}arg|arguments? (is|are) required|invalid command code|ambiguous argument|missing required (option|argument|flag)|no matches found: |takes no arguments|named files must all be in one directory)`)},
	{noModule, lazy(`(?i)(cannot find module|ModuleNotFoundError|no module named|cannot find package|no required module provides|missing go\.sum entry|cannot load such file|could not resolve "|ERR_MODULE_NOT_FOUND|can't resolve '|package .{1,80} is not in (std|GOROOT)|node_modules missing|did you mean to install|unable to resolve dependency|library not found|unchecked dependencies|can't continue due to errors on dependencies|could not find .{1,60} in (any of the sources|locally installed gems))`)},
	{noModule, lazy(`^ImportError`)},
	{noService, lazy(`(?i)(ECONNREFUSED|connection refused|could not connect to|cannot connect to the docker daemon|failed to connect to|is the server running|no such container|ENOTFOUND|can't reach database)`)},
	{noSchema, lazy(`(?i)(relation "[^"]+" does not exist|no such table|unknown column|table .{1,60} doesn't exist|pending migrations?|migrations? (is|are) pending|database "[^"]+" does not exist|unknown database)`)},
	{noLogin, lazy(`(?i)(not logged in|authentication (failed|required)|requires authentication|gh auth login|401 unauthorized|credentials? (not found|could not be)|permission denied \(publickey)`)},
	{badSetup, lazy(`(?i)(externally-managed-environment|environment variable.{0,60}(not set|required|missing|must be)|(?-i:[A-Z][A-Z0-9_]{3,}) (environment variable )?(is |was |must be )?(not set|unset|not defined|required|set$)|EADDRINUSE|address already in use|unsupported engine|requires (node|python|go|ruby|java|rust|php)\b|heap out of memory|build constraints exclude all go files|cannot find main module|no go files in|inconsistent vendoring|ERESOLVE|frozen-lockfile|lockfile .{0,30}(out of date|outdated|needs to be updated)|lock file .{0,40}needs to be updated|gpg failed to sign|commit\.gpgsign|dubious ownership|not a git repository|has no upstream branch|upstream branch of your current branch|please tell me who you are|requires cgo|detected a version mismatch|JAVA_HOME|already exists and is not an empty|wrong python version|GLIBC)`)},
	{noRight, lazy(`(?i)(permission denied|EACCES|EPERM|operation not permitted|read-only file system|access denied)`)},
	{sourceCode, lazy(`(error TS\d+|error\[E\d+\]|error CS\d+|: undefined: |SyntaxError|AssertionError|^--- FAIL|^FAIL\b|FAILED |panicked at|^panic: |cannot use .* as|declared and not used|imported and not used|expect\(received\)|^E  |\d+ (failed|failing)|✕|✗|[Tt]ests? failed|lint (issues|errors)|not assignable to|does not implement)`)},
	{timedOut, lazy(`(?i)(timed out after|timeout of \d+|deadline exceeded)`)},
	{noFile, lazy(`(?i)(no such file or directory|ENOENT|cannot open|does not exist|FileNotFoundError|not found in)`)},
	{unknown, lazy(`^(fatal|error|Error|ERROR|ERR!|E|FATAL|failed|Failed)(:|\[| ) ?\S`)},
	{unknown, lazy(`^\w*(Error|Exception)\b.{0,3}:`)},
})

// onceTells hands out a fixed table.
func onceTells(t []tell) func() []tell { return func() []tell { return t } }

// maxLines bounds how much of an output is searched, from either end.
const maxLines = 200

// essence finds the line of an output that says what went wrong.
func (s *timeline) essence(out string) fault {
	lines := significant(out)
	for _, t := range tells() {
		re := t.re()
		for _, l := range lines {
			if re.MatchString(l) {
				return fault{line: s.presentable(l), kind: t.kind}
			}
		}
	}
	if n := len(lines); n > 0 && n <= 3 {
		return fault{line: s.presentable(lines[n-1])}
	}
	return fault{}
}

// significant returns the lines of an output that can be an error, without
// colours, prefixes and noise.
func significant(out string) []string {
	all := strings.Split(out, "\n")
	if len(all) > 2*maxLines {
		all = append(all[:maxLines:maxLines], all[len(all)-maxLines:]...)
	}
	var lines []string
	seen := map[string]bool{}
	for _, l := range all {
		if len(l) > 2000 {
			continue
		}
		l = strings.TrimSpace(reANSI().ReplaceAllString(strings.ToValidUTF8(l, ""), ""))
		l = reOpening().ReplaceAllString(l, "")
		l = strings.TrimSuffix(l, "</tool_use_error>")
		if l == "" || seen[l] || reNoise().MatchString(l) {
			continue
		}
		seen[l] = true
		lines = append(lines, l)
	}
	return lines
}

// maxFault is the length of an error line in a lesson.
const maxFault = 100

// presentable strips from an error line what only holds for this one run:
// positions, paths, times, ids.
func (s *timeline) presentable(l string) string {
	l = reShellPrefix().ReplaceAllString(l, "")
	l = rePosition().ReplaceAllString(l, "")
	l = rePid().ReplaceAllString(l, "")
	l = reTime().ReplaceAllString(l, "")
	l = reLineNo().ReplaceAllString(l, "")
	l = reHex().ReplaceAllString(l, "…")
	l = reAddress().ReplaceAllString(l, "")
	l = s.paths.show(l)
	l = strings.Join(strings.Fields(l), " ")
	return clip(strings.TrimRight(l, " .:,;-([{"), maxFault)
}

// normal reduces an error line to what stays equal when it comes back.
func normal(l string) string {
	return reDigits().ReplaceAllString(strings.ToLower(l), "#")
}

var (
	reANSI        = lazy("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07")
	reOpening     = lazy(`^(<tool_use_error>|npm (ERR!|error) ?|\[[\w:./-]+\] |error: recipe for .*|│ ?|Error: Error: |Uncaught |Exit code \d+ ?)`)
	reNoise       = lazy(`(?i)^(exit code \d+|command exited with code \d+|\(no output\)|npm (warn|notice)|warn(ing)?\b|hint:|note:|info\b|> |\$ |at |from |\^|debugger attached|waiting for the debugger|code E?[A-Z0-9]+$|errno|syscall|path /|command (sh|failed|/)|a complete log|lifecycle script|traceback|file ".*", line|stack backtrace|in workspace|location|elifecycle|usage:|see ')`)
	reShellPrefix = lazy(`^(?:(?:/\S*/)?(?:ba|z|da|k)?sh: ?)?(?:line \d+: |\d+: )?|^\(eval\):\d+: `)
	rePosition    = lazy(`^(?:\S+\.\w{1,5}|\S+/\S+)(?::\d+(?::\d+)?|\(\d+,\d+\)):? ?(?:- )?`)
	rePid         = lazy(`\((node|pid|process):? ?\d+\) ?|\[\d{3,}\] ?`)
	reTime        = lazy(`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[.,\d]*(Z|[+-]\d\d:?\d\d)?\]? ?|\b\d\d:\d\d:\d\d(\.\d+)?\b ?`)
	reLineNo      = lazy(`(?i),? (at|on|in)? ?line \d+(,? col(umn)? \d+)?|:\d+:\d+\b`)
	reHex         = lazy(`\b(0x[0-9a-f]{4,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{6,}|[0-9a-f]{12,})\b`)
	reAddress     = lazy(` \(os error \d+\)| \[\d+(\.\d+)?m?s\]| in \d+(\.\d+)?m?s$|,? imported from \S+|; to add it:?$|:? see above for more details.*`)
	reDigits      = lazy(`\d+`)
)
