package console

import (
	"cmp"
	"context"
	"io"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"mem/agent"
	"mem/render/columns"
)

// Screen returns the terminal that a list is laid out for; false if the result goes
// elsewhere, where its lines stay as programs know them.
func (e Env) Screen() (columns.Terminal, bool) {
	kind := e.Getenv("TERM") // without one, as on Windows, what it understands is not known
	colour := e.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
	return columns.Terminal{Width: e.LineWidth(), Colour: colour}, IsTerminal(e.Out)
}

// Page prints a text that is clean already: on a terminal that is too low for it in the
// person's pager. An agent has none, as it cannot leave it.
func (e Env) Page(ctx context.Context, text string) {
	if !e.pageText(ctx, text) {
		_, _ = io.WriteString(e.Out, text) // Out keeps the error
	}
}

// pageText reports whether a pager showed the text.
func (e Env) pageText(ctx context.Context, text string) bool {
	f := terminalOf(e.Out)
	if f == nil || !IsTerminal(e.In) {
		return false
	}
	_, height, err := term.GetSize(int(f.Fd()))
	if isAgent, _ := agent.FindCaller(e.Getenv); isAgent || err != nil || !needsPager(text, height) {
		return false
	}
	argv := choosePager(e.Getenv)
	if len(argv) == 0 {
		return false
	}
	if e.Lend != nil {
		defer e.Lend()()
	}
	return runPager(ctx, argv, e.Environ, text, f, e.Err)
}

// PageOf is Page of what write prints.
func (e Env) PageOf(ctx context.Context, write func(out io.Writer)) {
	var b strings.Builder
	write(&b)
	e.Page(ctx, b.String())
}

// choosePager returns the command of the pager: MEM_PAGER, PAGER, or less. It is empty if
// the person wants none, or there is none.
func choosePager(getenv func(string) string) []string {
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

// needsPager reports whether a text has more lines than fit on a screen with the prompt
// below it. A height of 0 is not known.
func needsPager(text string, height int) bool {
	return height > 0 && strings.Count(text, "\n") >= height
}

// runPager shows the text, and waits until the person leaves the pager. started is false
// if nothing was shown. less ends with what it shows left on the screen, and shows colours,
// unless the person told it otherwise.
func runPager(ctx context.Context, argv, environ []string, text string, out, errs io.Writer) (started bool) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, errs
	cmd.Env = append([]string{"LESS=FRX"}, environ...) // the last one counts
	if err := cmd.Start(); err != nil {
		return false
	}
	_ = cmd.Wait() // a pager that is left early has shown what was wanted
	return true
}
