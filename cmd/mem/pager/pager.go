// Package pager shows a long text in the pager that a person chose.
package pager

import (
	"cmp"
	"context"
	"io"
	"os/exec"
	"strings"
)

// Choose returns the command of the pager: MEM_PAGER, PAGER, or less. It is empty if
// the person wants none, or there is none.
func Choose(getenv func(string) string) []string {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(getenv("MEM_PAGER")), strings.TrimSpace(getenv("PAGER")), "less"))
	if argv[0] == "cat" || getenv("TERM") == "dumb" {
		return nil
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil
	}
	return append([]string{path}, argv[1:]...)
}

// NeedsPager reports whether a text has more lines than fit on a screen with the prompt
// below it. A height of 0 is not known.
func NeedsPager(text string, height int) bool {
	return height > 0 && strings.Count(text, "\n") >= height
}

// Run shows the text, and waits until the person leaves the pager. started is false
// if nothing was shown.
func Run(ctx context.Context, argv, environ []string, text string, out, errs io.Writer) (started bool) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, errs
	cmd.Env = withDefaults(environ)
	if err := cmd.Start(); err != nil {
		return false
	}
	_ = cmd.Wait() // a pager that is left early has shown what was wanted
	return true
}

// withDefaults lets less end with what it shows left on the screen, and show colours,
// unless the person told it otherwise.
func withDefaults(environ []string) []string {
	for _, v := range environ {
		if strings.HasPrefix(v, "LESS=") {
			return environ
		}
	}
	return append(environ[:len(environ):len(environ)], "LESS=FRX")
}
