package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mem/config"
	"mem/envtest"
	"mem/fault"
	"mem/index"
	"mem/repo"
	"mem/repo/disk"
)

// listCodes returns what each exit code means, as help says it.
func listCodes() (codes []int, meanings []string) {
	for line := range strings.Lines(fault.Table()) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(code)
		codes, meanings = append(codes, n), append(meanings, strings.TrimSpace(meaning))
	}
	return codes, meanings
}

// TestFaults looks at every error that a room makes with a code: scripts can rely on the code, and the hint is a
// sentence for a person that destroys nothing. Each code has an error.
func TestFaults(t *testing.T) {
	made := map[string]bool{}
	eachFault(t, func(where, code, hint string) {
		made[code] = true
		envtest.FailIf(t, destructive.Get().MatchString(hint) || strings.HasSuffix(hint, "."),
			"%s: the hint %s destroys something or ends with a period", where, hint)
	})
	if codes, _ := listCodes(); len(made) != len(codes)-3 { // all is well, it has no code of its own, interrupted
		t.Errorf("%d codes, and errors of %d: %v", len(codes), len(made), slices.Sorted(maps.Keys(made)))
	}
}

// eachFault hands on where the product makes an error with a code, the code, and each part of the hint that stands there.
func eachFault(t *testing.T, look func(where, code, hint string)) {
	t.Helper()
	eachSource(t, "../..", func(path string, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		if name, ok := call.Fun.(*ast.SelectorExpr); !ok || fmt.Sprint(name.X) != "fault" || name.Sel.Name != "New" {
			return
		}
		code, ok := call.Args[0].(*ast.SelectorExpr)
		if !ok {
			t.Errorf("%s: a code has no name", path)
			return
		}
		look(path, code.Sel.Name, "")
		ast.Inspect(call.Args[2], func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				text, err := strconv.Unquote(lit.Value)
				envtest.NoError(t, err)
				look(path, code.Sel.Name, text)
			}
			return true
		})
	})
}

// eachSource hands all nodes of the product's files below a folder to look.
func eachSource(t *testing.T, folder string, look func(path string, n ast.Node)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			ast.Inspect(file, func(n ast.Node) bool {
				look(path, n)
				return true
			})
		}
		return err
	})
	envtest.NoError(t, err)
}

// What mem cannot write is the disk's fault; what it cannot read is not.
func TestUnreadableInput(t *testing.T) {
	cause := &fs.PathError{Op: "open", Path: "s.jsonl", Err: syscall.EACCES}
	code, hint := fault.Explain(fmt.Errorf("open session: %w", cause))
	envtest.FailIf(t, code != 1 || hint != "", "an input that cannot be read: exit code %d, hint %q", code, hint)
	code, _ = fault.Explain(fmt.Errorf("queue: %w", disk.AsWriteError(cause)))
	envtest.FailIf(t, code != 73, "a file that cannot be written: exit code %d", code)
}

// What the system refuses has the code and the advice of its reason, whatever failed of it.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		err  syscall.Errno
		code fault.Code
		hint string
	}{
		{syscall.EMFILE, 75, "'ulimit -n'"},
		{syscall.ENFILE, 75, "'ulimit -n'"},
		{syscall.ENOMEM, 75, "'ulimit -v'"},
		{syscall.EFBIG, 73, "'ulimit -f'"},
		{syscall.ENOLCK, 73, "gives out no locks"},
		{syscall.ENOSPC, 73, "whether the disk has room"},
		{syscall.EIO, 73, "whether the disk has room"},
	} {
		err := fmt.Errorf("keep: %w", disk.AsWriteError(&fs.PathError{Op: "write", Path: "/m/x", Err: test.err}))
		if code, hint := fault.Explain(err); code != test.code || !strings.Contains(hint, test.hint) {
			t.Errorf("explain(%v) = %d, %q, want %d and %s", err, code, hint, test.code, test.hint)
		}
	}
}

// TestCodes holds the codes that help prints to their order, each with a meaning.
func TestCodes(t *testing.T) {
	codes, meanings := listCodes()
	for i, code := range codes {
		envtest.FailIf(t, i > 0 && code <= codes[i-1] || meanings[i] == "" || strings.HasSuffix(meanings[i], "."),
			"code %d means %q, or comes too late", code, meanings[i])
	}
	envtest.FailIf(t, len(codes) < 19, "only %d codes", len(codes))
}

// TestExplain checks the errors whose hint is made from the error, and those with no fault of their own.
func TestExplain(t *testing.T) {
	unreadable := repo.Unreadable(strings.Repeat("ab", 20), index.ErrUnreadable)
	never := repo.Unreadable("", index.ErrUnreadable)
	for _, test := range []struct {
		err  error
		code fault.Code
		hint string
	}{
		{fmt.Errorf("reflect: %w", unreadable), 65, "'git diff abababababab -- core' in the memory shows what changed since; repair the file and commit it with git"},
		{never, 65, "repair the file by hand"},
		{errors.New("who knows"), 1, ""},
		{fmt.Errorf("ask: %w", context.Canceled), 130, ""},
		{fmt.Errorf("a: %w: b", config.ErrInvalid), 6, "run 'mem config' once it is corrected; it shows every key and where it was set"},
	} {
		if code, hint := fault.Explain(test.err); code != test.code || hint != test.hint {
			t.Errorf("explain(%v) = %d, %q, want %d, %q", test.err, code, hint, test.code, test.hint)
		}
	}
}

// TestReport checks that an error of many lines takes one.
func TestReport(t *testing.T) {
	var out, err bytes.Buffer
	code := reportError(t.Context(), Env{Out: &out, Err: &err}, "mem", errors.Join(errors.New("one"), fault.Usagef("two %d", 2)))
	if want := "mem: one; two 2\nhint: run 'mem help' for the commands and flags\n"; code != 2 || err.String() != want || out.Len() > 0 {
		t.Errorf("report = %d, %q, %q, want 2, %q, \"\"", code, err.String(), out.String(), want)
	}
}

// TestNoDestructiveAdvice looks at every text in the code that a person could
// come to read: none is a command that destroys something.
func TestNoDestructiveAdvice(t *testing.T) {
	for _, room := range []string{"../../cmd", "../../repo", "../../reflect", "../../redistill", "../../recall", "../../render", "../../config", "../../index", "../../trace"} {
		eachSource(t, room, func(path string, n ast.Node) {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !strings.Contains(lit.Value, "(?:") && destructive.Get().MatchString(lit.Value) { // an expression is no text
				t.Errorf("%s: %s", path, lit.Value)
			}
		})
	}
	envtest.Same(t, "", destructive.Get().FindString(reference), "the reference says")
	for _, bad := range []string{"run 'git reset --hard'", "git -C /m checkout -- x", "rm -rf .mem", "git push --force", "git clean -fd", "rm .mem/x.lock"} {
		envtest.FailIf(t, !destructive.Get().MatchString(bad), "the pattern lets %q pass", bad)
	}
}

// TestHelpNamesEveryFlag keeps the words of commands and flags in one form.
func TestHelpNamesEveryFlag(t *testing.T) {
	root := newRoot(Env{}, "")
	upper := regexp.MustCompile(`^[A-Z]`)
	for _, c := range root.Commands() {
		if c.Name() == "completion" || c.Hidden {
			continue // cobra's own, or git's
		}
		envtest.FailIf(t, !upper.MatchString(c.Short) || strings.HasSuffix(c.Short, ".") || c.Long == "",
			"%s: short %q, long %q", c.Name(), c.Short, c.Long)
		isListed := slices.ContainsFunc(groups, func(g [2]string) bool { return slices.Contains(strings.Fields(g[1]), c.Name()) })
		envtest.Same(t, isListed, c.GroupID != "", c.Name(), "stands in the group", c.GroupID)
		if strings.Contains(c.Flags().FlagUsages(), " string ") || strings.Contains(c.Flags().FlagUsages(), " int ") {
			t.Errorf("%s: a flag's value has no name:\n%s", c.Name(), c.Flags().FlagUsages())
		}
	}
}
