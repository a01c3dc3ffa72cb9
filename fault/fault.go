// Package fault makes the errors that a person sees: each has mem's exit code, and a hint on what to do next.
//
// A package sets the meaning of its error where it makes it, so code that wraps the error need not know. Like
// words and lazy, fault belongs to no floor: every package may import it.
package fault

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// A Code is what kind of error something is, and the exit code for it. Codes are part of the interface: none is ever
// given another meaning.
type Code int

// The codes, as meanings explains them.
const (
	Usage      Code = 2
	Missing    Code = 3
	NotMemory  Code = 4
	Input      Code = 5
	Config     Code = 6
	Refused    Code = 7
	Skills     Code = 8
	Ill        Code = 9
	Unreadable Code = 65
	Newer      Code = 66
	Damaged    Code = 67
	Disk       Code = 73
	Output     Code = 74
	Later      Code = 75
	Unfit      Code = 76
	NoAccess   Code = 77

	other       Code = 1
	interrupted Code = 130
)

// meanings says what each exit code means, as 'mem help exit-codes' lists them; "" for a number that is none.
var meanings = [...]string{
	0:           "all is well",
	other:       "nothing was found, or something went wrong that has no code of its own",
	Usage:       "the command was not understood",
	Missing:     "it does not exist: a memory, a session, a lesson, a commit, a rule, a proposal, a remote, or code to look at",
	NotMemory:   "the folder is not a memory, or is one that mem does not write to",
	Input:       "the input is empty or of no known format",
	Config:      "the configuration is wrong, or a file cannot be changed without a risk",
	Refused:     "refused: it needs confirmation, or what is there does not allow it",
	Skills:      "skills are not as they should be",
	Ill:         "the doctor found something that should not stay so",
	Unreadable:  "a file of the memory cannot be read; it was left as it is",
	Newer:       "the memory was written by a newer mem",
	Damaged:     "the memory's git repository is damaged",
	Disk:        "the disk did not take it; what was there before is there",
	Output:      "the result could not be printed; what the command did is done",
	Later:       "it cannot be done now; try again later",
	Unfit:       "a remote can never take this memory",
	NoAccess:    "a remote does not let git in, or not to write",
	interrupted: "interrupted",
}

// Table lists the exit codes and what they mean, one a line.
func Table() string {
	var b strings.Builder
	for code, meaning := range meanings {
		if meaning != "" {
			fmt.Fprintf(&b, "%-4d %s\n", code, meaning)
		}
	}
	return b.String()
}

// A plain fault is a text, with what it means.
type plain struct {
	text string
	code Code
	hint string
}

// New returns an error with an exit code and a hint: the next thing to do, or "".
func New(code Code, text, hint string) error { return &plain{text, code, hint} }

// Usagef returns an error about the command line. It has no hint: the command adds one, as its help says more.
func Usagef(format string, args ...any) error {
	return &plain{fmt.Sprintf(format, args...), Usage, ""}
}

func (p *plain) Error() string         { return p.text }
func (p *plain) Fault() (Code, string) { return p.code, p.hint }

// The errors of the system and of Go that mean something to a person, whatever failed of them.
var system = map[error]plain{
	syscall.EMFILE:   {code: Later, hint: openFewer},
	syscall.ENFILE:   {code: Later, hint: openFewer},
	syscall.ENOMEM:   {code: Later, hint: "free some memory, or allow more with 'ulimit -v', and run the command again"},
	syscall.EFBIG:    {code: Disk, hint: "allow larger files: 'ulimit -f' shows the limit; some disks have one of their own"},
	syscall.ENOLCK:   {code: Disk, hint: "this disk gives out no locks, or no more of them; put the memory on a local one, or start the lock service of the server"},
	syscall.EXDEV:    {code: Disk, hint: "copy the folder to the other file system yourself, look at it with 'mem list', and then remove the old one"},
	exec.ErrNotFound: {code: Later, hint: "the program must be on the PATH"},
	context.Canceled: {code: interrupted},
}

const openFewer = "allow more open files with 'ulimit -n', or close some programs, and run the command again"

// Explain returns the exit code and the hint of an error. In a chain the outermost error with a code counts:
// code that wraps an error knows what it means for the person. Of joined errors the first counts.
func Explain(err error) (Code, string) {
	if f := find(err); f != nil {
		return f.Fault()
	}
	return other, ""
}

// Hint returns the hint for an error.
func Hint(err error) string {
	_, hint := Explain(err)
	return hint
}

// A coded error says itself what it means. Its hint may be made of what only it knows.
type coded interface{ Fault() (Code, string) }

func find(err error) coded {
	switch e := err.(type) {
	case coded:
		return e
	case interface{ Unwrap() error }:
		return find(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			if f := find(err); f != nil {
				return f
			}
		}
		return nil
	}
	for is, f := range system {
		if is == err { // not by looking it up, for which an error may not be fit
			return &f
		}
	}
	return nil
}
