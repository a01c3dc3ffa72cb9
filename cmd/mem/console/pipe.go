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
	"time"

	"mem/agent"
)

// patience is how long a pipe without data is waited for. An agent's shell may
// hand a command a pipe that is never written to.
const patience = time.Second

// PipedInput returns standard input if it is a file, or a pipe with data.
func (e Env) PipedInput(ctx context.Context) (io.Reader, bool) {
	if _, ok := e.In.(*os.File); !ok || !e.isPiped() {
		return e.In, e.isPiped()
	}
	in := bufio.NewReader(e.In)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := ReadUnlessDone(ctx, func() ([]byte, error) { return in.Peek(1) })
	if errors.Is(err, context.DeadlineExceeded) {
		e.Note("the pipe on standard input was silent for %s and is skipped; with - as FILE it is waited for", patience)
	}
	return in, err == nil
}

// isPiped reports whether standard input is one, and neither a terminal nor a device.
func (e Env) isPiped() bool {
	f, ok := e.In.(*os.File)
	if !ok {
		return e.In != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0
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

// ReadMessage reads the input of a hook, or what comes of it while there is time left for an
// answer: the agent may never write to the pipe, or never end what it began to write.
func (e Env) ReadMessage(ctx context.Context) []byte {
	if !e.isPiped() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(e.HookLimit, time.Hour)*3/4)
	defer cancel()
	data := agent.ReadInput(readFunc(func(p []byte) (int, error) {
		came, err := ReadUnlessDone(ctx, func() ([]byte, error) {
			own := make([]byte, len(p)) // p is used for something else once ctx is done
			n, err := e.In.Read(own)
			return own[:n], err
		})
		return copy(p, came), err
	}))
	if ctx.Err() != nil {
		e.Note("standard input did not end in time; what came of it is used")
	}
	return data
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
