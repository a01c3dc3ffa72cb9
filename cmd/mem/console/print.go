package console

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mem/guard"
	"mem/render"
)

// An Output is where the result goes. It keeps the first error, so that commands
// need not check each line.
type Output struct {
	io.Writer
	Err error // the first one

	layout *render.Layout // of what is laid out; nil for what goes out as it is
	rest   string         // of it, the line that has no end yet
}

// Write passes p on.
func (o *Output) Write(p []byte) (int, error) {
	text := string(p)
	if o.layout != nil {
		lines := strings.SplitAfter(o.rest+text, "\n")
		o.rest, text = lines[len(lines)-1], ""
		for _, line := range lines[:len(lines)-1] {
			text += o.layout.Fit(strings.TrimSuffix(line, "\n")) + "\n"
		}
	}
	_, err := io.WriteString(o.Writer, text)
	if err != nil && o.Err == nil {
		o.Err = err
	}
	return len(p), err
}

// LayOut calls print, and fits what that prints to the terminal; elsewhere lines stay as programs know them.
func (e Env) LayOut(print func()) {
	o, _ := e.Out.(*Output)
	if screen, ok := e.Screen(); ok && o != nil && o.layout == nil {
		o.layout = &render.Layout{Terminal: screen}
		defer func() {
			rest := o.layout.Fit(o.rest)
			o.layout, o.rest = nil, ""
			_, _ = io.WriteString(o, rest)
		}()
	}
	print()
}

// Show shows a text on a stream, fitted to the terminal.
func (e Env) Show(to io.Writer, text string) {
	if _, ok := to.(*Output); !ok {
		to = &Output{Writer: to}
	}
	e.Out = to
	e.LayOut(func() { e.Printf("%s", text) })
}

// Printf writes a part of the result. Like Note and Hint it drops
// characters that steer a terminal, wherever they come from.
func (e Env) Printf(format string, args ...any) { PrintClean(e.Out, format, args...) }

// PrintClean prints without characters that steer a terminal.
func PrintClean(to io.Writer, format string, args ...any) {
	fmt.Fprint(to, guard.Clean(fmt.Sprintf(format, args...)))
}

// Note tells the person something that is not the result.
func (e Env) Note(format string, args ...any) {
	e.Show(e.Err, "mem: "+fmt.Sprintf(format+"\n", args...))
}

// Hint says what to do next, if there is anything.
func (e Env) Hint(format string, args ...any) {
	if hint := fmt.Sprintf(format, args...); hint != "" {
		e.Show(e.Err, "hint: "+hint+"\n")
	}
}

// terminalOf returns the terminal that v is; nil if it is none.
func terminalOf(v any) *os.File {
	if o, ok := v.(*Output); ok {
		v = o.Writer
	}
	if f, ok := v.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// IsTerminal reports whether a stream of an Env is a terminal.
func IsTerminal(v any) bool { return terminalOf(v) != nil }

// OutlivePipe keeps the process alive when its output is closed early.
func (e Env) OutlivePipe() {
	if e.IgnorePipe != nil {
		e.IgnorePipe()
	}
}

// plainWidth is the width of lines when the output is not a terminal.
const plainWidth = 120

// LineWidth returns how many characters a line of the result may have.
func (e Env) LineWidth() int {
	if f := terminalOf(e.Out); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 40 {
			return width
		}
	}
	return plainWidth
}

// Notes are Notes for the one line that a hook may print.
type Notes []string

// CollectNotes returns an Env that collects its notes instead of printing them.
func (e Env) CollectNotes() (quiet Env, notes *Notes) {
	notes = &Notes{}
	e.Err = notes
	return e, notes
}

// Write collects a note.
func (n *Notes) Write(p []byte) (int, error) {
	*n = append(*n, strings.TrimPrefix(guard.Line(string(p)), "mem: "))
	return len(p), nil
}

// AddTo adds the notes to a line, which may be empty.
func (n *Notes) AddTo(line string) string {
	notes := strings.Join(*n, "; ")
	if notes == "" || line == "" {
		return line + notes
	}
	return line + " (" + notes + ")"
}

// Screen returns the terminal that a list is laid out for; false if the result goes
// elsewhere, where its lines stay as programs know them.
func (e Env) Screen() (render.Terminal, bool) {
	kind := e.Getenv("TERM") // without one, as on Windows, what it understands is not known
	colour := e.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
	return render.Terminal{Width: e.LineWidth(), Colour: colour}, IsTerminal(e.Out)
}
