package oracle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A command asks an external program: the prompt goes to its standard input, the answer comes from its standard output.
// MEM_CHILD=1 keeps its hooks from calling mem again.
type command struct {
	Argv    []string      // program and arguments; no shell is involved
	Limit   time.Duration // for one answer; 0 leaves it to the request
	Dir     string        // where it runs, away from the project's instructions; "" for the current folder
	Environ []string      // of the program
}

// Name returns "command".
func (command) Name() string { return "command" }

// maxComplaint bounds what is kept of a program's error output.
const maxComplaint = 400

// Ask runs the program. It fails when there is none, when the program fails, takes too long or answers more than maxAnswer.
func (c command) Ask(ctx context.Context, r Request) (string, error) {
	if len(c.Argv) == 0 {
		return "", errors.New("no command is configured")
	}
	limit := cmp.Or(c.Limit, r.Timeout)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var answer limited
	var complaint tail
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.Text()), &answer, &complaint
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: no answer within %s: %w", c.Argv[0], limit, ctx.Err())
	case answer.over: // the program may have died of it
		return "", fmt.Errorf("%s: %w", c.Argv[0], errTooLong)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // which is how it ended well, but for a child that holds its output
		return "", fmt.Errorf("%s: %w%s", c.Argv[0], err, complaint.lastLine())
	}
	return answer.buf.String(), nil
}

// Text is the request as one text, as programs get it.
func (r Request) Text() string {
	if r.System == "" {
		return r.Prompt
	}
	return r.System + "\n\n" + r.Prompt
}

func (c command) environ() []string {
	// Variables of git would point a program that uses git at the repository whose hook is running.
	outside := slices.DeleteFunc(slices.Clone(c.Environ), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "MEM_CHILD=")
	})
	return append([]string{"MEM_CHILD=1"}, outside...)
}

// limited fails a write that would make it longer than maxAnswer.
type limited struct {
	buf  bytes.Buffer
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.buf.Len()+len(p) > maxAnswer {
		l.over = true
		return 0, errTooLong
	}
	return l.buf.Write(p)
}

// tail keeps the end of what is written.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.buf.Write(p)
	t.buf.Next(max(0, t.buf.Len()-maxComplaint))
	return len(p), nil
}

// lastLine returns the last line after a colon; "" if there is none.
func (t *tail) lastLine() string {
	text := strings.TrimSpace(t.buf.String())
	if text == "" {
		return ""
	}
	return ": " + strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
