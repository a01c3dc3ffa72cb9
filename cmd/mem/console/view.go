package console

import (
	"fmt"
	"slices"
	"strings"

	"mem/render"
)

const keyHelp = `Keys
  arrows, j, k  choose a row; PgUp, PgDn, Home and End go further
  enter         show all that is known of it; esc goes back
  /             search while you type; esc ends the search
  a, r, e, s    approve a proposal, reject it for good, edit its words, skip it for now
  p, x          pin a lesson, so that it is shown first (again: unpin it); retire it
  u             undo the last change to the memory
  q, Ctrl-C     quit`

const (
	bold, faint, inverse = "1", "2", "7" // looks, as a terminal knows them
	wide, narrow, tall   = 60, 30, 16    // columns for the facts of a row, for its id; lines for empty ones
)

// View returns the page as Height lines of at most Width columns.
func (p Page) View() string {
	lines := append(p.head(), p.body()...)
	foot := []string{p.paint(bold, p.said), p.paint(faint, p.keys())}
	for len(lines)+len(foot) < p.Height {
		lines = append(lines, "")
	}
	lines = append(lines[:max(0, p.Height-len(foot))], foot...)
	return strings.Join(lines[max(0, len(lines)-p.Height):], "\n")
}

// Plain returns the changes since another state, everything for an empty one, as lines for a screen reader.
func (p Page) Plain(before Page) string {
	var lines []string
	switch p.Height = len(p.rows()) + tall; {
	case p.opened != "":
		lines = p.wrapOpened()
	case before.Width > 0 && before.opened == "" && p.query == before.query && p.at != before.at:
		lines = []string{p.formatRow(p.chosen(), [4]int{}, true)}
	case p.said == "" || p.at != before.at:
		lines = append(append(p.head(), p.body()...), p.keys())
		lines = lines[:min(len(lines), 2*tall)]
	}
	lines = slices.DeleteFunc(append(lines, p.said), func(line string) bool { return line == "" })
	return strings.Join(append(lines, ""), "\n")
}

// room is how many lines the lists, or the text that covers them, have.
func (p *Page) room() int { return max(1, p.Height-len(p.head())-2) }

func (p *Page) head() []string {
	left, right := "mem  "+p.data.Name, render.Count(len(p.data.Lessons)+p.data.More, "lesson", "lessons")
	if n := len(p.waits()); n > 0 {
		right += fmt.Sprintf(", %d waiting for you", n)
	}
	gap := max(2, p.Width-render.CellWidth(left)-render.CellWidth(right))
	lines := []string{p.paint(bold, left+strings.Repeat(" ", gap)+right)}
	switch {
	case p.opened != "":
	case p.isSearch():
		lines = append(lines, p.paint("", "Search: "+p.query+map[bool]string{true: "_"}[p.typing]))
	default:
		for _, line := range p.data.Week[:min(len(p.data.Week), max(1, p.Height/5))] {
			lines = append(lines, p.paint("", line))
		}
	}
	return p.separate(lines)
}

// separate adds an empty line where there is room for it.
func (p *Page) separate(lines []string) []string {
	if p.Height >= tall {
		lines = append(lines, "")
	}
	return lines
}

// body returns the lists, or the text that covers them, as far as it is on the screen.
func (p *Page) body() []string {
	lines, top := p.wrapOpened(), p.top
	if p.opened == "" {
		at := 0
		lines, at = p.list()
		top = at - p.room()/2
	}
	top = max(0, min(top, len(lines)-p.room()))
	return lines[top:min(len(lines), top+p.room())]
}

// list returns all lines of the lists, and which of them is the chosen row.
func (p *Page) list() (lines []string, at int) {
	waits := p.waits()
	if len(waits) > 0 || p.data.Folded != "" && !p.isSearch() {
		lines = append(append(lines, p.paint(faint, "Waiting for you")), p.listRows(waits, 0)...)
		if p.data.Folded != "" {
			lines = append(lines, p.paint(faint, "  "+p.data.Folded))
		}
		lines = append(p.separate(lines), p.paint(faint, "Lessons"))
	}
	if at = 1 + p.at; p.at >= len(waits) {
		at = len(lines) + p.at - len(waits)
	}
	lines = append(lines, p.listRows(p.data.Lessons, len(waits))...)
	last := ""
	switch {
	case p.data.More > 0:
		last = fmt.Sprintf("  and %d more: / finds them", p.data.More)
	case len(p.data.Lessons) == 0 && p.isSearch():
		last = "No lesson says that. esc ends the search."
	case len(p.data.Lessons) == 0:
		last = "No lessons yet. 'mem backfill' learns from your past sessions, 'mem hook install' from the next ones."
	}
	return append(lines, p.wrap(last)...), at
}

// listRows formats rows, of which the first has this place among all. Those that cannot be on the screen stay empty: there
// may be many.
func (p *Page) listRows(rows []render.Row, place int) []string {
	var widths [4]int
	for _, r := range rows {
		for i, cell := range cells(r) {
			widths[i] = max(widths[i], render.CellWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for i := max(0, p.at-place-p.Height); i < min(len(rows), p.at-place+p.Height); i++ {
		lines[i] = p.formatRow(rows[i], widths, place+i == p.at)
	}
	return lines
}

func cells(r render.Row) [4]string { return [4]string{r.ID, r.Kind, r.Seen, r.Age} }

func (p *Page) formatRow(r render.Row, widths [4]int, isChosen bool) string {
	line := map[bool]string{true: "> ", false: "  "}[isChosen]
	for i, cell := range cells(r) {
		if cell != "" && (p.Width >= wide || i == 0 && p.Width >= narrow) {
			line += cell + strings.Repeat(" ", max(0, widths[i]-render.CellWidth(cell))+2)
		}
	}
	if r.Marks != "" {
		line += "(" + r.Marks + ") "
	}
	return p.paint(map[bool]string{true: inverse}[isChosen], line+r.Text)
}

// keys are the most important keys, as many as have room. The last two always do.
func (p *Page) keys() string {
	list := "enter show|/ search|p pin|x retire|u undo|? keys|q quit"
	switch isWaiting := p.at < len(p.waits()); {
	case p.typing:
		list = "type to search|enter keep|esc end the search"
	case p.opened != "" && isWaiting:
		list = "a approve|r reject|e edit|s skip|esc back|? keys"
	case p.opened != "":
		list = "arrows scroll|p pin|x retire|esc back|? keys"
	case isWaiting:
		list = "enter show|a approve|r reject|e edit|s skip|/ search|u undo|? keys|q quit"
	}
	parts := strings.Split(list, "|")
	for len(parts) > 2 && render.CellWidth(strings.Join(parts, "  ")) > p.Width {
		parts = slices.Delete(parts, len(parts)-3, len(parts)-2)
	}
	return strings.Join(parts, "  ")
}

// paint cuts a line to the width of the screen and gives it a look, where there are colours.
func (p *Page) paint(look, line string) string {
	line = render.CutText(line, p.Width)
	if !p.Colour || line == "" || look == "" {
		return line
	}
	return "\x1b[" + look + "m" + line + "\x1b[0m"
}

// wrapOpened returns the lines of the text that covers the lists.
func (p *Page) wrapOpened() []string { return p.wrap(p.opened) }

// wrap lays a text out as commands do on a terminal, but for its colours.
func (p *Page) wrap(text string) (lines []string) {
	layout := render.Layout{Terminal: render.Terminal{Width: p.Width}}
	for line := range strings.SplitSeq(text, "\n") {
		for part := range strings.SplitSeq(layout.Fit(line), "\n") {
			lines = append(lines, p.paint("", part))
		}
	}
	return lines
}
