package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"mem/agent/install"
	"mem/config"
	"mem/curate/claude"
	"mem/curate/evidence"
	"mem/curate/evidence/expertise"
	"mem/curate/evidence/search"
	"mem/curate/ingest"
	"mem/curate/lesson"
	"mem/curate/proposal"
	"mem/curate/rule"
	"mem/index"
	"mem/recall/skill"
	"mem/redistill"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/repo/disk"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/oracles"
	"mem/workspace/review"
)

// errUsage is wrapped by errors in the words of a command.
var errUsage = errors.New("usage")

// errNeedsYes is wrapped when a question needs an answer and nobody is there.
var errNeedsYes = errors.New("confirmation needed")

// errNoTerminal is returned when a person's editor has no terminal to open on.
var errNoTerminal = errors.New("an editor needs a terminal")

// errResult is wrapped when standard output did not take the result.
var errResult = errors.New("the result could not be printed")

// A fault is what one kind of error means to whoever ran mem.
type fault struct {
	is      error
	code    int    // exit code: part of the interface, never renumbered
	meaning string // for the help topic
	hint    string // the next thing to do, or ""
}

// faults holds every exit code but 0 and 1. The first match wins.
var faults = []fault{
	{errResult, 74, "the result could not be printed; what the command did is done", "make room for the output or name another place; 'mem status' shows what was done"},
	{errUsage, 2, "the command was not understood", "run 'mem help' for the commands and flags"},
	{workspace.ErrApart, 2, "the command was not understood", "run 'mem help' for the commands and flags"},
	{repo.ErrNoRoot, 3, "there is no memory here", "run 'mem init' here, or name a memory with --root"},
	{repo.ErrNoFolder, 3, "there is no memory here", "go to a folder that there is, or name a memory with --root and its whole path"},
	{trace.ErrNoSession, 3, "there is no session to read", "name a session file, or pipe one in: mem reflect FILE"},
	{lesson.ErrUnknown, 3, "there is no such lesson", "'mem list --status all' shows the ids"},
	{search.ErrNoCode, 3, "there is no code to look at", "name the code base with --codebase; what git ignores does not count"},
	{repo.ErrCode, 3, "there is no code to look at", "git must be there and able to list it; or name another folder with --codebase"},
	{proposal.ErrUnknown, 3, "there is nothing to decide under this name", "'mem review' lists what waits for a decision"},
	{repo.ErrNotRoot, 4, "the folder is not a memory", "name the memory itself with --root, usually the folder .mem"},
	{repo.ErrUnsupported, 4, "the memory's repository is of a kind that mem does not write to", ""},
	{trace.ErrUnknownFormat, 5, "the input is of no known format", "mem reads sessions of Claude Code, pi and Codex, neutral traces, and {\"mistakes\":[],\"fixes\":[]}"},
	{ingest.ErrFormat, 5, "the input is of no known format", "mem reads LEARNINGS.md, lists as in AGENTS.md, .claude/rules and memories; --format says which it is"},
	{trace.ErrEmpty, 5, "the input is empty", "mem reads sessions of Claude Code, pi and Codex, neutral traces, and {\"mistakes\":[],\"fixes\":[]}"},
	{redistill.ErrPlan, 5, "the plan cannot be read", "make one with 'mem redistill --dry-run --plan FILE'"},
	{config.ErrInvalid, 6, "the configuration is wrong", "run 'mem config' after mending it; it shows every key and where it was set"},
	{config.ErrUnsure, 6, "the configuration is wrong", "change the file by hand; 'mem help model' names the keys"},
	{install.ErrRefused, 6, "a file cannot be changed without a risk", "mend the file, or change it by hand: 'mem hook install AGENT --dry-run' elsewhere, or 'mem export' without --to, shows what goes in"},
	{errLearnings, 6, "a file cannot be changed without a risk", "name a plain file with --learnings"},
	{evidence.ErrNotCut, 75, "the lessons are kept, but LEARNINGS.md could not be changed", "run the command again once the file can be written to"},
	{review.ErrChanged, 75, "a file was changed by another program meanwhile", "run the command again"},
	{oracles.ErrUnknown, 2, "the command was not understood", "run 'mem help' for the commands and flags"},
	{install.ErrNoGlobal, 2, "the command was not understood", "run 'mem help' for the commands and flags"},
	{install.ErrChanged, 75, "a file was changed by another program meanwhile", "run the command again"},
	{redistill.ErrTooMuch, 7, "refused: too much would be lost", "look at it with --dry-run; --yes goes ahead"},
	{errNeedsYes, 7, "refused: it needs a yes", "run it on a terminal, or with --yes"},
	{errNoTerminal, 7, "refused: it needs a terminal", "without one, 'mem review approve ID --title NAME --text -' reads the words from standard input"},
	{errTaken, 7, "refused: something has that name already", "choose another name, or another folder with --in"},
	{skill.ErrUnfit, 7, "refused: the lesson is not fit for a skill", "leave it out; what is to be said, say it in the skill yourself"},
	{errForeign, 7, "refused: a file that mem did not write is in the way", "move the file, or name another folder with --to"},
	{lesson.ErrRefused, 7, "refused: what became of the lesson does not allow it", "'mem list ID' shows what became of it"},
	{proposal.ErrDecided, 7, "refused: it was decided before", "'mem review' lists what waits; what was turned down waits again after 'mem review reopen ID'"},
	{proposal.ErrInvalid, 7, "refused: it cannot be agreed as it is", "look at it with 'mem review show ID'; give it other words with --title and --text, or with 'mem review edit ID'"},
	{rule.ErrRefused, 7, "refused: no rule may be written there", "rules go to plain Markdown files below rules/ and context/ in the memory; mend what is there instead"},
	{repo.ErrNotPlain, 6, "a file cannot be changed without a risk", "make it a plain file, or a plain folder, again; 'git status' in the memory shows what was there"},
	{errBadSkill, 8, "skills are not as they should be", "the lines above name the files; 'mem help skills' says what is expected"},
	{index.ErrUnreadable, 65, "core/index.json cannot be read; it was left as it is", ""},
	{watermark.ErrDamaged, 65, "core/traces.json cannot be read; it was left as it is", "mend the file; 'git show HEAD:core/traces.json' in the memory prints the last good one"},
	{expertise.ErrNotEditable, 65, "core/expertise.yaml cannot be changed; it was left as it is", "mend the file; 'git show HEAD:core/expertise.yaml' in the memory prints the last good one"},
	{index.ErrNewerVersion, 66, "the memory was written by a newer mem", "install that version; this one only reads the memory"},
	{repo.ErrDamaged, 67, "the memory's git repository is damaged", "run 'git fsck' in the memory and restore what it names from a copy"},
	{repo.ErrBusy, 75, "the memory cannot be changed now; try again later", "finish or leave what git is in the middle of, then run any mem command"},
	{repo.ErrLocked, 75, "the memory cannot be changed now; try again later", "wait for the other process, then run any mem command"},
	{repo.ErrLost, 75, "the memory cannot be changed now; try again later", "run the command again"},
	{claude.ErrUnfinished, 73, "what was taken over is in the memory, but its files could not be removed", "run the command again; it goes on where it stopped"},
	{disk.ErrWrite, 73, "the disk did not take it; nothing was changed", "check who owns the folder and may write to it, and whether the disk has room"},
	{context.Canceled, 130, "interrupted", ""},
}

// explain returns the exit code of an error and the hint for it.
func explain(err error) (code int, hint string) {
	var unreadable *repo.UnreadableError
	if errors.As(err, &unreadable) {
		if unreadable.LastGood == "" {
			return 65, "mend the file by hand"
		}
		return 65, fmt.Sprintf("compare it with 'git -C %s show %.12s:%s', then mend the file", inShell(unreadable.Root), unreadable.LastGood, repo.IndexPath)
	}
	for _, f := range faults {
		if errors.Is(err, f.is) {
			return f.code, f.hint
		}
	}
	return 1, ""
}

// inShell quotes a path, as far as that is needed to paste it.
func inShell(path string) string {
	odd := func(r rune) bool {
		return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != os.PathSeparator && !strings.ContainsRune("/._-+,:@%", r)
	}
	if !strings.ContainsFunc(path, odd) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
}

// usagef makes an error in the words of a command.
func usagef(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), hidden{errUsage})
}

// hidden wraps an error without showing its text.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// errorText is what an error says, on one line.
func errorText(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return oneLine(strings.ReplaceAll(err.Error(), "\n", "; "))
}

// report tells the person what went wrong and returns the exit code.
func report(env Env, err error) int {
	if err == nil {
		return 0
	}
	code, hint := explain(err)
	env.Note("%s", errorText(err))
	if hint != "" {
		env.Hint("%s", hint)
	}
	return code
}
