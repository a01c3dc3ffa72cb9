package console

import "mem/render/columns"

// Screen returns the terminal that a list is laid out for; false if the result goes
// elsewhere, where its lines stay as programs know them.
func (e Env) Screen() (columns.Terminal, bool) {
	kind := e.Getenv("TERM") // without one, as on Windows, what it understands is not known
	colour := e.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
	return columns.Terminal{Width: e.LineWidth(), Colour: colour}, IsTerminal(e.Out)
}
