package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"mem/agent"
	"mem/fault"
	"mem/workspace"
)

// Why something is not done that a person decides.
var (
	errNeedsYes = fault.New(fault.Refused, "confirmation needed", "run it on a terminal, or with --yes") // a question cannot be asked
	ErrDeclined = fault.New(fault.Refused, "nothing was changed", "")                                    // the person did not say yes
	ErrAgent    = fault.New(fault.Refused, "an agent runs this, and only a person can decide it", "run this in your own terminal")
)

// Interactive reports whether a person can be asked.
func (e Env) Interactive() bool { return IsTerminal(e.In) && IsTerminal(e.Err) }

// RequirePerson refuses an agent that wants to release what is held for its person, or to rank something first.
// An agent may hide things: that can be undone.
func (e Env) RequirePerson(dryRun bool) error {
	if isAgent, _ := agent.FindCaller(e.Getenv); isAgent && !dryRun {
		return ErrAgent
	}
	return nil
}

// Confirm asks a yes-or-no question. Unless the answer is yes, the error says that
// doing was not done: it wraps ErrDeclined, or errNeedsYes without a terminal.
func (e Env) Confirm(ctx context.Context, question, doing string) error {
	return e.confirm(ctx, question+" [y/N] ", doing, "")
}

// ConfirmFree is Confirm for a step that is free and can be undone: an empty answer means yes. The letter d
// shows the details, if there are any. After any other answer it asks again.
func (e Env) ConfirmFree(ctx context.Context, question, doing, details string) error {
	more := map[bool]string{true: ", d for details"}[details != ""]
	return e.confirm(ctx, question+" [Y/n"+more+"] ", doing, details, "")
}

// confirm asks until it gets an answer; those of also mean yes, too.
func (e Env) confirm(ctx context.Context, question, doing, details string, also ...string) error {
	if !e.Interactive() {
		return fmt.Errorf("%s: %w", doing, errNeedsYes)
	}
	for ask := e.NewAsker(); ; {
		line, err := ask(ctx, question)
		answer := strings.ToLower(strings.TrimSpace(line))
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case answer == "d" && details != "":
			e.Show(e.Err, details)
		case answer == "y", answer == "yes", err == nil && slices.Contains(also, answer):
			return nil
		case err != nil, len(also) == 0, strings.HasPrefix(answer, "n"):
			return fmt.Errorf("%s: %w", doing, ErrDeclined)
		}
	}
}

// Ask returns the answer to a question, in lower case. The end of the input is one: "".
func (e Env) Ask(ctx context.Context, question string) (string, error) {
	line, err := e.NewAsker()(ctx, question)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.ToLower(strings.TrimSpace(line)), err
}

// barWidth is the width of a full bar, in cells.
const barWidth = 24

// Progress returns a function that shows as a bar how much of something is done, and one
// that clears the line. Without a terminal nothing is shown.
func (e Env) Progress(what string) (show func(done, all int), clear func()) {
	if !IsTerminal(e.Err) || e.Getenv("TERM") == "dumb" {
		return func(int, int) {}, func() {}
	}
	line := ""
	show = func(done, all int) {
		full := barWidth * min(done, all) / max(all, 1)
		line = fmt.Sprintf("\r%s %s%s %d/%d", what, strings.Repeat("█", full), strings.Repeat("░", barWidth-full), done, all)
		fmt.Fprint(e.Err, line)
	}
	return show, func() {
		if line != "" {
			fmt.Fprint(e.Err, "\r\x1b[K")
		}
	}
}

// NewAsker returns a function that asks the person on the terminal.
func (e Env) NewAsker() func(ctx context.Context, question string) (string, error) {
	in := bufio.NewReader(e.In)
	return func(ctx context.Context, question string) (string, error) {
		PrintClean(e.Err, "%s", question)
		return ReadUnlessDone(ctx, func() (string, error) { return in.ReadString('\n') })
	}
}

// OpenEditor opens a file in the person's editor and waits for it to end.
func (e Env) OpenEditor(ctx context.Context, path string) error {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(e.Getenv("VISUAL")), strings.TrimSpace(e.Getenv("EDITOR")), "vi"))
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = e.Environ
	if e.Lend != nil {
		defer e.Lend()()
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s: %w", workspace.ErrEditor, argv[0], err)
	}
	return nil
}

// patience is how long PipedInput waits for data in a pipe. An agent's shell may hand a command a pipe that is
// never written to.
const patience = time.Second

// PipedInput returns standard input if it is a file, or a pipe with data.
func (e Env) PipedInput(ctx context.Context) (io.Reader, bool) {
	f, ok := e.In.(*os.File)
	if !ok {
		return e.In, e.In != nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice != 0 {
		return nil, false
	}
	in := bufio.NewReader(f)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err = ReadUnlessDone(ctx, func() ([]byte, error) { return in.Peek(1) })
	if errors.Is(err, context.DeadlineExceeded) {
		e.Note("the pipe on standard input was silent for %s and is skipped; with - as FILE it is waited for", patience)
	}
	return in, err == nil
}

// ReadUnlessDone returns the result of read, or the error of ctx if it is done
// first: nothing else interrupts the read of a pipe or a terminal. A panic of read is
// passed on.
func ReadUnlessDone[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value  T
		err    error
		defect any
	}
	done := make(chan result, 1)
	go func() {
		r := result{}
		defer func() {
			r.defect = recover()
			done <- r
		}()
		r.value, r.err = read()
	}()
	select {
	case r := <-done:
		if r.defect != nil {
			panic(r.defect)
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// AnnounceWait says that the terminal is read, which shows nothing by itself.
func (e Env) AnnounceWait() {
	if IsTerminal(e.In) {
		e.Note("reading from the terminal; Ctrl-D on a line of its own ends it")
	}
}

// ReadText returns the text that an argument stands for: itself or, for "-", at most
// most bytes of standard input. what says in an error what was to be read.
func (e Env) ReadText(ctx context.Context, arg, what string, most int64) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	e.AnnounceWait()
	return ReadUnlessDone(ctx, func() (string, error) {
		data, err := io.ReadAll(io.LimitReader(e.In, most))
		if err != nil {
			return "", fmt.Errorf("read %s: %w", what, err)
		}
		return string(data), nil
	})
}
