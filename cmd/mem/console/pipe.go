package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// patience is how long a pipe without data is waited for. An agent's shell may
// hand a command a pipe that is never written to.
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
