package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mem/fault"
)

var (
	locked = fault.New(fault.Later, "locked", "wait")
	unread = fault.New(fault.Unreadable, "not readable", "")
)

// own knows its hint by itself.
type own struct{ error }

func (o own) Unwrap() error              { return o.error }
func (own) Fault() (fault.Code, string)  { return fault.Damaged, "copy it" }
func opened(errno syscall.Errno) error   { return &fs.PathError{Op: "open", Path: "x", Err: errno} }
func wrap(format string, a ...any) error { return fmt.Errorf(format, a...) }

// TestExplain holds the order: the outermost error with a code counts, of two side by side the first, whatever they wrap
// in turn; an error of the system counts like one of ours.
func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code fault.Code
		hint string
	}{
		{nil, 1, ""},
		{errors.New("who knows"), 1, ""},
		{opened(syscall.EACCES), 1, ""},
		{wrap("at work: %w", locked), fault.Later, "wait"},
		{wrap("%w: %w", locked, unread), fault.Later, "wait"},
		{wrap("%[2]w: %[1]w", unread, locked), fault.Unreadable, ""},
		{errors.Join(errors.New("first"), unread, locked), fault.Unreadable, ""},
		{wrap("a: %w", own{wrap("b: %w", locked)}), fault.Damaged, "copy it"},
		{wrap("%w: %w", locked, opened(syscall.EMFILE)), fault.Later, "wait"},
		{opened(syscall.EFBIG), fault.Disk, "allow larger files: 'ulimit -f' shows the limit; some disks have one of their own"},
		{&exec.Error{Name: "gpg", Err: exec.ErrNotFound}, fault.Later, "the program must be on the PATH"},
		{wrap("ask: %w", context.Canceled), 130, ""},
		{fault.Usagef("not %q", "x"), fault.Usage, ""},
	} {
		if code, hint := fault.Explain(tt.err); code != tt.code || hint != tt.hint || fault.Hint(tt.err) != hint {
			t.Errorf("Explain(%v) = %d, %q, want %d, %q", tt.err, code, hint, tt.code, tt.hint)
		}
	}
}

func TestTable(t *testing.T) {
	table := fault.Table()
	if n := strings.Count(table, "\n"); n != 19 || !strings.HasPrefix(table, "0    all is well\n1    ") || !strings.HasSuffix(table, "\n130  interrupted\n") {
		t.Errorf("%d lines:\n%s", n, table)
	}
}
