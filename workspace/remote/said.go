package remote

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mem/fault"
	"mem/lazy"
)

// Errors of an exchange that callers tell apart.
var (
	errOffline = errors.New("it cannot be reached now")
	errRace    = fault.New(fault.Later, "another clone pushed first", "run the command again")
	errLocked  = fault.New(fault.Later, "a lock stays there", "run the command again; if no git command runs there any more, remove the file that is named")
	errHalf    = fault.New(fault.Later, "a work tree of the memory is only half there",
		"run the command again: it may just be made or removed; if that does not help, 'git worktree list' and 'git worktree prune' in the memory")
	errRefused = fault.New(fault.Refused, "mem does not take it",
		"mem wrote no such thing: take it out with git in a clone of the remote, or name another one with --remote")
	errDeclined = fault.New(fault.Refused, "the remote refuses it",
		"that is a rule of the remote, not of mem: ask who runs it, or name another one with --remote")
	errNoAccess = fault.New(fault.NoAccess, "the remote does not let git in",
		"'git ls-remote ADDRESS' in your own terminal signs you in; to send, you need the right to push there")
	errAbsent = fault.New(fault.Missing, "there is no repository at this address",
		"make an empty repository there, or name another address: mem sync --remote URL")
	errUnfit = fault.New(fault.Unfit, "this remote can never take a memory",
		"name another one with --remote: a repository with SHA-1 ids, as 'git init' makes it, that git can push to")
	errTrouble = fault.New(fault.Later, "the remote has a fault of its own",
		"run the command again later; if that does not help, tell who runs the remote")
)

// kinds maps words of git, ssh and hosts, in lower case, to errors. The first match counts: a host's message
// says more than the lost connection that follows.
var kinds = []struct {
	is    error
	words []string
}{
	{errHalf, []string{"bad object worktrees/"}},
	{errLocked, []string{".lock: file exists", "unable to create '': file exists"}},
	{errRefused, []string{"fsck error"}},
	{errOffline, []string{"could not resolve", "couldn't resolve", "name resolution", "connect to host", "failed to connect", "couldn't connect", "could not connect", "unable to connect"}},
	{errUnfit, []string{"hash algorithm", "mismatched algorithms", "object format", "' not allowed", "is not a git command", "remote helper", "command not found", "strange hostname", "does not support push", "not supported"}},
	{errDeclined, []string{"archived", "read-only", "read only", "hook declined", "protected branch", "quota", "returned error: 413"}},
	{errNoAccess, []string{"permission denied", "permission to", "access denied", "authentication", "authoriz", "not allowed", "could not read username", "could not read password", "host key", "certificate", "returned error: 401", "returned error: 403", "returned error: 407", "http code 407", "forbidden", "dubious ownership", "insufficient permission"}},
	{errAbsent, []string{"not found", "does not appear to be a git repo", "does not exist", "no such file", "no such project", "no such repo", "not exported", "invalid gitfile", "is this a git repository", "returned error: 404", "returned error: 410", "could not be found"}},
	{errTrouble, []string{"returned error: 5", "http 5", "returned error: 429", "internal server error", "no space left", "http code 5", "rate limit", "too many requests", "unable to create temporary"}},
	{errDeclined, []string{"returned error: 4", "remote rejected"}},
	{errOffline, []string{
		"name or service not known", "unknown host", "unreachable", "connection refused", "timed out", "timeout", "no route to host", "connection reset", "connection closed", "connection was", "connection abort",
		"network is down", "host is down", "unable to look up", "early eof", "hung up unexpectedly", "unexpected disconnect", "too slow", "empty reply", "recv failure", "send failure", "recv error", "send error", "transfer closed", "closed by remote host",
		"ssl_", "ssl connect", "tls connect", "handshake", "broken pipe",
	}},
}

// reAddress matches what git quotes: its words are not about the error.
var reAddress = lazy.New(`'[^' ]*'`)

func says(text string, any []string) bool {
	return slices.ContainsFunc(any, func(words string) bool { return strings.Contains(text, words) })
}

// explain makes an error of what git said, in its own words and those of the remote. With a remote
// the words tell its kind.
func explain(said, remote string, err error) error {
	said, _, _ = strings.Cut(said, "Another git process seems to be running") // what to do about a lock, in eight lines
	words := strings.Join(pickLines(said), "; ")
	plain := strings.ToLower(reAddress.Get().ReplaceAllString(words, "''"))
	for _, kind := range kinds {
		if remote != "" && says(plain, kind.words) {
			err = kind.is
			break
		}
	}
	return failure{strings.TrimRight(words, "."), err}
}

// A failure is an error of git or of a remote: its words, and its kind.
type failure struct {
	words string
	is    error
}

func (f failure) Error() string { return fmt.Sprintf("git: %s: %s", f.words, f.is) }
func (f failure) Unwrap() error { return f.is }

// explainRejected makes an error of a push of which git gives the reason in a word, and the remote in its own.
func explainRejected(reason string, err error) error {
	if errors.Is(err, errLocked) {
		return err
	}
	if says(reason, []string{"(fetch first)", "(non-fast-forward)", "(stale info)", "failed to update ref", "cannot lock ref", "incorrect old value", "reference already exists"}) {
		return fmt.Errorf("%s: %w", reason, errRace)
	}
	var f failure
	if !errors.As(err, &f) {
		return err
	}
	if !strings.Contains(reason, "unpacker error") || f.is != errNoAccess && f.is != errTrouble {
		f.is = errDeclined
	}
	f.words = strings.TrimPrefix(f.words+"; "+reason, "; ")
	return f
}

// maxLines and maxLine bound how much of git's words is shown.
const (
	maxLines = 12
	maxLine  = 300
)

// pickLines returns the lines of git, ssh and the remote that give the cause, without progress lines and
// consequences. If there are only consequences, it returns the first.
func pickLines(said string) (lines []string) {
	follows := ""
	for line := range strings.FieldsFuncSeq(said, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"remote:", "fatal:", "error:", "ERROR:"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, prefix))
		}
		isProgress := strings.Contains(line, "% (") || strings.HasSuffix(line, ", done.") || strings.HasPrefix(line, "Total ") || strings.HasPrefix(line, "Delta compression")
		isAdvice := slices.ContainsFunc([]string{"hint: ", "warning: ", "Warning: ", "To ", "failed to push some refs", "Please make sure you have", "and the repository exists"}, func(start string) bool { return strings.HasPrefix(line, start) })
		switch {
		case isProgress || isAdvice || !strings.ContainsFunc(line, unicode.IsLetter) || slices.Contains(lines, line):
		case says(line, []string{"Could not read from remote", "hung up unexpectedly"}):
			follows = cmp.Or(follows, line)
		case len(lines) < maxLines:
			lines = append(lines, strings.ToValidUTF8(line[:min(len(line), maxLine)], ""))
		}
	}
	if len(lines) == 0 && follows != "" {
		lines = []string{follows}
	}
	return lines
}
