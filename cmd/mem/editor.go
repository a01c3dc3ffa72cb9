package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"mem/workspace/review"
)

// newAsker returns a function that asks the person on the terminal.
func (e Env) newAsker() func(ctx context.Context, question string) (string, error) {
	in := bufio.NewReader(e.In)
	return func(ctx context.Context, question string) (string, error) {
		fmt.Fprint(e.Err, question)
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
