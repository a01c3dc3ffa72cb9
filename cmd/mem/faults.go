package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/config"
	"mem/curate"
	"mem/curate/claude"
	"mem/curate/evidence"
	"mem/curate/ingest"
	"mem/curate/undo"
	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/project"
	"mem/purge"
	"mem/redistill"
	"mem/reflect"
	"mem/repo"
	"mem/repo/disk"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
	"mem/workspace/remote"
)

var (
	// Errors of a command itself. Those of what it works with are only in the table.
	errUsage        = errors.New("usage") // in the words of a command
	errNoTerminal   = errors.New("an editor needs a terminal")
	errResult       = errors.New("the result could not be printed")
	errNoCandidates = errors.New("no candidates: no failure or refusal waits for a second session")
	errIll          = errors.New("the memory is not as it should be")
	errOutput       = errors.New("not a place for a page")
	errNotGlobal    = errors.New("not for all projects")
	errNoModel      = errors.New("no model can be asked")
	errBadSkill     = errors.New("skills are not as they should be")
	errNothingRead  = errors.New("no oracle gave lessons that can be used")
	errBrought      = errors.New("git brought what you did not accept")
	errLearnings    = errors.New("not a file that mem changes")
	errExportPlace  = errors.New("the view cannot go there")
)

// A fault says what to do about one kind of error.
type fault struct {
	is   error
	code int
	hint string // the next thing to do, or ""
}

// Hints that several errors have.
const (
	hintHelp    = "run 'mem help' for the commands and flags"
	hintOpen    = "allow more open files with 'ulimit -n', or close some programs, and run the command again"
	hintUndo    = "'mem undo --list' shows the commits, and which of them are undone"
	hintDigits  = "of an id the first four digits are enough if they are its own"
	hintShow    = "'mem show ID' shows what it is"
	hintIDs     = "'mem list --status all', 'mem rule list', 'mem review' and 'mem log' show ids"
	hintSignIn  = "'git ls-remote ADDRESS' in your own terminal signs you in; to send, you need the right to push there"
	hintAgain   = "run the command again"
	hintOracle  = "run the command again later, or ask another one with --oracle; 'mem model' lists them"
	hintFormats = "mem reads sessions of Claude Code, pi, Codex, Gemini CLI, opencode and GitHub Copilot CLI, neutral traces, and {\"mistakes\":[],\"fixes\":[]}"
)

// faults holds the errors with a code of those in commands.md. The first match wins: errors that wrap
// others come before them.
var faults = []fault{
	{errResult, 74, "make room for the output or name another place; 'mem status' shows what was done"},
	{evidence.ErrNotCut, 75, "run the command again once the file can be written to"},
	{curate.ErrRuleRefused, 7, "rules go to regular Markdown files below rules/ and context/ in the memory; repair what is there instead"},
	{claude.ErrUnfinished, 73, "run the command again; it goes on where it stopped"},
	{syscall.EMFILE, 75, hintOpen},
	{syscall.ENFILE, 75, hintOpen},
	{syscall.ENOMEM, 75, "free some memory, or allow more with 'ulimit -v', and run the command again"},
	{syscall.EFBIG, 73, "allow larger files: 'ulimit -f' shows the limit; some disks have one of their own"},
	{syscall.ENOLCK, 73, "this disk gives out no locks, or no more of them; put the memory on a local one, or start the lock service of the server"},
	{errNothingRead, 75, "nothing was marked as read: " + hintOracle},
	{oracle.ErrUnusable, 75, hintOracle},
	{reflect.ErrSilent, 75, "none of these counts as read, and 'mem status' names them: " + hintOracle},
	{errUsage, 2, hintHelp},
	{errNotGlobal, 2, "add --global, for all projects; 'mem config' names the file"},
	{workspace.ErrApart, 2, hintHelp},
	{errExportPlace, 2, "--to names a file"},
	{oracle.ErrUnknown, 2, hintHelp},
	{undo.ErrAmbiguous, 2, "give more digits of its id; 'mem undo --list' shows them"},
	{curate.ErrAmbiguousRule, 2, "name one with its file, as 'mem rule list' shows it"},
	{install.ErrNoGlobal, 2, hintHelp},
	{remote.ErrRef, 2, hintHelp},

	{repo.ErrNoRoot, 3, "run 'mem init' here, or name a memory with --root"},
	{project.ErrNoFolder, 3, "go to a folder that exists, or name a memory with --root and its whole path"},
	{trace.ErrNoSession, 3, "name a session file, or - to read one from a pipe"},
	{curate.ErrNoLesson, 3, "'mem list --status all' shows the ids, and marks those of ~/.mem with (global); " + hintDigits},
	{remote.ErrNoRemote, 3, "name one: mem sync --remote NAME|URL"},
	{inspect.ErrUnknown, 3, hintIDs},
	{purge.ErrUnknown, 3, hintIDs},
	{inspect.ErrNoCommit, 3, hintShow},
	{inspect.ErrNoRule, 3, hintShow},
	{inspect.ErrNoProposal, 3, hintShow},
	{undo.ErrUnknown, 3, hintUndo + "; " + hintDigits},
	{evidence.ErrNoCode, 3, "name the code base with --codebase; what git ignores does not count"},
	{evidence.ErrCode, 3, "git must be there and able to list it; or name another folder with --codebase"},
	{curate.ErrNoRule, 3, "'mem rule list' shows the rules"},
	{curate.ErrNoProposal, 3, "'mem review' lists the pending proposals"},

	{exec.ErrNotFound, 75, "the program must be on the PATH"},
	{repo.ErrNotRoot, 4, "name the memory itself with --root, usually the folder .mem"},
	{repo.ErrUnsupported, 4, ""},

	{config.ErrFlag, 2, hintHelp},
	{trace.ErrSince, 2, hintHelp},
	{trace.ErrUnknownFormat, 5, hintFormats},
	{trace.ErrEmpty, 5, hintFormats},
	{trace.ErrTooLarge, 5, "give it in parts: one event a line, or several reflections"},
	{trace.ErrNotFile, 5, "name a session file; what a program prints can be piped in, with - as FILE"},
	{ingest.ErrFormat, 5, "mem reads LEARNINGS.md, expertise.yaml, learnings of PAI, lists as in AGENTS.md, .claude/rules and memories; --format says which it is"},

	{config.ErrInvalid, 6, "run 'mem config' once it is corrected; it shows every key and where it was set"},
	{errNoModel, 6, "'mem model' says why, and which agents on the PATH can be asked"},
	{config.ErrUnsure, 6, "change the file by hand; 'mem help model' names the keys"},
	{errOutput, 6, "name another file with -o"},
	{install.ErrRefused, 6, "repair the file, or change it by hand: 'mem hook install AGENT --dry-run' elsewhere, or 'mem export' without --to or 'mem review show ID' shows what goes in"},
	{errLearnings, 6, "name a regular file with --learnings"},
	{repo.ErrExclude, 6, "git reads there what the project ignores; make it a regular file, or a link to one"},
	{disk.ErrLink, 6, "make it a regular file, or a folder, again; 'git status' in the memory shows what was there"},

	{redistill.ErrTooMuch, 7, "look at it with --dry-run; --yes goes ahead"},
	{console.ErrAgent, 7, "run this in your own terminal"},
	{console.ErrDeclined, 7, ""},
	{console.ErrNeedsYes, 7, "run it on a terminal, or with --yes"},
	{workspace.ErrKey, 6, "set HOME, or XDG_STATE_HOME to a folder of your own that can be written to; without its key a memory is yours again after 'mem trust'"},
	{workspace.ErrUntrusted, 7, "'mem trust' shows what it holds, and asks once"},
	{errNoTerminal, 7, "without one, 'mem review approve ID --title NAME --text -' reads the words from standard input"},
	{remote.ErrPrivate, 7, "say --own if you alone push there, take it out with 'mem promote' and 'mem purge', or say --whole to send it all the same"},
	{project.ErrPassing, 7, "'mem init --global' makes your own memory, which '--root ~/.mem' names here; or use --root with a folder that git does not delete"},
	{repo.ErrNotPurged, 7, ""},
	{purge.ErrLeft, 7, "look at what is named, and take the words out there; then run 'mem purge --continue'"},
	{purge.ErrNothing, 3, ""},
	{purge.ErrTooShort, 2, "give six letters or more: fewer stand in many other words too"},
	{remote.ErrPublic, 7, "make it private; or say --public, once"},
	{repo.ErrConflict, 7, "merge it with git: 'git merge' in the memory, with the branch of the remote; then run 'mem sync' again"},
	{repo.ErrNotMemory, 7, "name the ref that has the memory with --ref, or an empty repository"},
	{remote.ErrRefused, 7, ""},
	{remote.ErrDeclined, 7, "that is a rule of the remote, not of mem: ask who runs it, or name another one with --remote"},
	{remote.ErrNoAccess, 77, hintSignIn},
	{remote.ErrAbsent, 3, "make an empty repository there, or name another address: mem sync --remote URL"},
	{remote.ErrUnfit, 76, "name another one with --remote: a repository with SHA-1 ids, as 'git init' makes it, that git can push to"},
	{remote.ErrTrouble, 75, hintAgain + " later; if that does not help, tell who runs the remote"},
	{remote.ErrUnpurged, 7, "'mem purge --push', with the same lesson or words, lets it follow"},
	{repo.ErrReturned, 75, hintAgain},
	{repo.ErrWords, 7, "run 'mem purge -' here with the same words, or clone the memory again"},
	{remote.ErrRace, 75, hintAgain},
	{curate.ErrRefused, 7, "'mem list ID' shows what became of it"},
	{undo.ErrRefused, 7, hintUndo},
	{undo.ErrConflict, 7, "nothing was changed; undo first what changed them, or edit the file by hand"},
	{curate.ErrDecided, 7, "'mem review' lists pending proposals; what was rejected is proposed again after 'mem review reopen ID'"},
	{curate.ErrInvalid, 7, "look at it with 'mem review show ID'; give it other words with --title and --text, or with 'mem review edit ID'"},

	{repo.ErrSecret, 7, "take it out of the file, and run the command again"},

	{errIll, 9, ""},
	{errBadSkill, 8, "the lines above name the files; 'mem help skills' says what is expected"},
	{index.ErrUnreadable, 65, ""},
	{facts.ErrTraces, 65, "repair the file; 'git show HEAD:core/traces.json' in the memory prints the last good one"},
	{evidence.ErrNotEditable, 65, "repair the file; 'git show HEAD:core/expertise.yaml' in the memory prints the last good one"},
	{index.ErrNewerVersion, 66, "install that version; this one only reads the memory"},
	{repo.ErrDamaged, 67, "copy the folder; then restore what 'git fsck' in the memory names from another copy, or let 'git reset --mixed' take the branch to the last whole commit: it leaves all files as they are"},
	{syscall.EXDEV, 73, "copy the folder to the other file system yourself, look at it with 'mem list', and then remove the old one"},
	{disk.ErrWrite, 73, "check who owns the folder and may write to it, and whether the disk has room"},
	{curate.ErrChanged, 75, hintAgain},
	{install.ErrChanged, 75, hintAgain},
	{repo.ErrLost, 75, hintAgain},
	{repo.ErrUnsigned, 75, "let the program that signs have its key, such as by 'ssh-add' or a commit of your own, then run any mem command; in a terminal it can ask you"},
	{repo.ErrBusy, 75, "finish or leave what git is in the middle of, then run any mem command"},
	{repo.ErrLocked, 75, "wait for the other process, then run any mem command"},
	{context.Canceled, 130, ""},
}

// explainError returns the exit code of an error and the hint for it.
func explainError(err error) (code int, hint string) {
	var unreadable *repo.UnreadableError
	if errors.As(err, &unreadable) {
		if unreadable.LastGood == "" {
			return 65, "repair the file by hand"
		}
		return 65, fmt.Sprintf("'git -C %s diff %.12s -- core' shows what changed since; repair the file and commit it with git", console.InShell(unreadable.Root), unreadable.LastGood)
	}
	for _, f := range faults {
		if errors.Is(err, f.is) {
			return f.code, f.hint
		}
	}
	return 1, ""
}

// usagef makes an error in the words of a command.
func usagef(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), hidden{errUsage})
}

// hidden wraps an error without showing its text.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// reportError tells the person what went wrong in a command and returns the exit code.
func reportError(env Env, command string, err error) int {
	if err == nil {
		return 0
	}
	code, hint := explainError(err)
	if hint == hintHelp && command != "mem" {
		hint = "run '" + command + " --help' for its arguments and flags"
	}
	env.Note("%s", workspace.DescribeError(err))
	env.Hint("%s", hint)
	return code
}
