package page

import (
	"html"
	"strconv"
	"strings"
	"time"

	"mem/guard"
	"mem/render"
)

// A markup is HTML. Constants are of this type by themselves, and a string is not: what
// is not written in this room becomes markup only by one of the functions below. That
// is all of html/template that a page without attributes, scripts and addresses of
// others needs, and it makes the program no larger.
type markup string

// line is a text on one line, cleaned, redacted and escaped.
func line(s string) markup { return markup(html.EscapeString(guard.Line(s))) }

// lines is line for a text whose lines stay.
func lines(s string) markup { return markup(html.EscapeString(guard.Scrub(s))) }

// number is a number, with commas if it is long.
func number(n int) markup { return markup(render.Number(n)) }

func plural(n int, one, many markup) markup { return render.Plural(n, one, many) }

func count(n int, one, many markup) markup { return number(n) + " " + plural(n, one, many) }

func place(x float64) markup { return markup(strconv.FormatFloat(x, 'f', -1, 32)) }

func day(t time.Time) markup { return markup(t.UTC().Format(time.DateOnly)) }

func lesson(s string) markup { return code(line(s)) }

// code makes code of a text between two backticks on a line.
func code(escaped markup) markup {
	var b strings.Builder
	for row := range strings.Lines(string(escaped)) {
		for {
			before, rest, _ := strings.Cut(row, "`")
			inner, after, found := strings.Cut(rest, "`")
			if !found || inner == "" {
				break
			}
			b.WriteString(before + "<code>" + inner + "</code>")
			row = after
		}
		b.WriteString(row)
	}
	return markup(b.String())
}

// wrap breaks words into lines of at most so many characters, and behind a semicolon; a longer word has a line of its own.
func wrap(words markup, most int) (rows []markup) {
	row := ""
	for _, word := range strings.Fields(string(words)) {
		if row != "" && (len(row)+1+len(word) > most || strings.HasSuffix(row, ";")) {
			rows, row = append(rows, markup(row)), ""
		}
		row = strings.TrimSpace(row + " " + word)
	}
	return append(rows, markup(row))
}

type writer struct{ strings.Builder }

func (w *writer) put(parts ...markup) {
	for _, part := range parts {
		w.WriteString(string(part))
	}
}

func (w *writer) made() markup { return markup(w.String()) }
