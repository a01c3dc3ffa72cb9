package console

import (
	"context"
	"io"
	"strings"

	"golang.org/x/term"

	"mem/agent"
	"mem/cmd/mem/pager"
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
	if isAgent, _ := agent.FindCaller(e.Getenv); isAgent || err != nil || !pager.NeedsPager(text, height) {
		return false
	}
	argv := pager.Choose(e.Getenv)
	if len(argv) == 0 {
		return false
	}
	if e.Lend != nil {
		defer e.Lend()()
	}
	return pager.Run(ctx, argv, e.Environ, text, f, e.Err)
}

// PageOf is Page of what write prints.
func (e Env) PageOf(ctx context.Context, write func(out io.Writer)) {
	var b strings.Builder
	write(&b)
	e.Page(ctx, b.String())
}
