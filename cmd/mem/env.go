package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/term"

	"mem/agent"
	"mem/guard"
	"mem/repo/disk"
	"mem/workspace"
	"mem/workspace/review"
)

// An Env is the world as a command sees it. Tests make their own.
type Env struct {
	workspace.World // Version and Note are set by makeWorld

	In       io.Reader
	Out, Err io.Writer

	// Lend leaves Ctrl-C to another program on the same terminal until back is
	// called; nil if this program does not listen for it.
	Lend func() (back func())

	// IgnorePipe keeps the process alive when its output is closed early; nil does
	// nothing.
	IgnorePipe func()

	// Patience is the longest wait for the answer of a server; 0 leaves it to the
	// question.
	Patience time.Duration

	// Files changes the files that are not in a memory.
	Files disk.Files

	// Sleep waits before a server is asked again; nil is the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// systemEnv is the Env of a real process.
func systemEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	binary, _ := os.Executable() // without it git merges as it always did
	world := workspace.World{Dir: dir, Binary: binary, Environ: os.Environ(), Clock: time.Now, Detach: restartSelf}
	return Env{World: world, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
}

// An output is where the result goes. It keeps the first error, so that commands
// need not check each line.
type output struct {
	io.Writer
	err error
}

// Write passes p on.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Printf writes a part of the result. Neither it nor the others lets through
// characters that steer a terminal, wherever they come from.
func (e Env) Printf(format string, args ...any) { printClean(e.Out, format, args...) }

func printClean(to io.Writer, format string, args ...any) {
	fmt.Fprint(to, guard.Clean(fmt.Sprintf(format, args...)))
}

// Note tells the person something that is not the result.
func (e Env) Note(format string, args ...any) { printClean(e.Err, "mem: "+format+"\n", args...) }

// Hint says what to do next, if there is anything.
func (e Env) Hint(format string, args ...any) {
	if hint := fmt.Sprintf(format, args...); hint != "" {
		printClean(e.Err, "hint: %s\n", hint)
	}
}

// terminalOf returns the terminal that v is; nil if it is none.
func terminalOf(v any) *os.File {
	if o, ok := v.(*output); ok {
		v = o.Writer
	}
	if f, ok := v.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func isTerminal(v any) bool { return terminalOf(v) != nil }

func (e Env) ignorePipe() {
	if e.IgnorePipe != nil {
		e.IgnorePipe()
	}
}

// Interactive reports whether a person can be asked.
func (e Env) Interactive() bool { return isTerminal(e.In) && isTerminal(e.Err) }

// errAgent is returned when an agent runs what only its person may do.
var errAgent = errors.New("an agent runs this, and only a person can decide it")

// requirePerson refuses to let an agent release what is held for its person, or put
// something before all else. What only hides, an agent may do: it can be undone.
func (e Env) requirePerson(dryRun bool) error {
	if isAgent, _ := agent.FindCaller(e.Getenv); isAgent && !dryRun {
		return errAgent
	}
	return nil
}

// Confirm asks a yes-or-no question. Without a terminal the answer is no: the error
// wraps errNeedsYes then, and doing is what it says was not done.
func (e Env) Confirm(ctx context.Context, question, doing string) error {
	line := ""
	if e.Interactive() {
		var err error
		if line, err = e.newAsker()(ctx, question+" [y/N] "); err != nil && !errors.Is(err, io.EOF) { // the end of the input is an answer
			return err
		}
	}
	if line = strings.ToLower(strings.TrimSpace(line)); line != "y" && line != "yes" {
		return fmt.Errorf("%s: %w", doing, errNeedsYes)
	}
	return nil
}

// Progress returns a function that shows how much of something is done, and one
// that clears the line. Without a terminal show is nil.
func (e Env) Progress(what string) (show func(done, all int), clear func()) {
	if !isTerminal(e.Err) || e.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	return func(done, all int) { fmt.Fprintf(e.Err, "\r%s %d/%d", what, done, all) },
		func() { fmt.Fprint(e.Err, "\r\x1b[K") }
}

// newAsker returns a function that asks the person on the terminal.
func (e Env) newAsker() func(ctx context.Context, question string) (string, error) {
	in := bufio.NewReader(e.In)
	return func(ctx context.Context, question string) (string, error) {
		printClean(e.Err, "%s", question)
		return readUnlessDone(ctx, func() (string, error) { return in.ReadString('\n') })
	}
}

// openEditor opens a file in the person's editor and waits for it to end.
func (e Env) openEditor(ctx context.Context, path string) error {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(e.Getenv("VISUAL")), strings.TrimSpace(e.Getenv("EDITOR")), "vi"))
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = e.Environ
	if e.Lend != nil {
		defer e.Lend()()
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s: %w", review.ErrEditor, argv[0], err)
	}
	return nil
}
