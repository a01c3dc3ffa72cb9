// Package manual writes manual pages, which man(1) shows.
package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Page is the manual page of a command.
type Page struct {
	Name     string // "mem learn"
	Short    string
	Version  string // of the program
	Sections []Section
}

// A Section is a part of a page. Lines of its text that are indented stay as they are;
// the others are filled.
type Section struct{ Title, Text string }

// FileName is what the file of a page is called.
func (p Page) FileName() string { return strings.ReplaceAll(p.Name, " ", "-") + ".1" }

// Render returns the page. Sections without a text are left out.
func (p Page) Render() []byte {
	var b strings.Builder
	name := strings.TrimSuffix(p.FileName(), ".1")
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"mem %s\" \"mem\"\n.SH NAME\n%s \\- %s\n", escape(strings.ToUpper(name)), escape(p.Version), escape(name), escape(p.Short))
	for _, s := range p.Sections {
		if strings.TrimSpace(s.Text) != "" {
			fmt.Fprintf(&b, ".SH %s\n", s.Title)
			writeText(&b, s.Text)
		}
	}
	return []byte(b.String())
}

// writeText writes paragraphs, and indented lines as they are.
func writeText(b *strings.Builder, text string) {
	literal, paragraph := false, false
	for row := range strings.Lines(strings.Trim(text, "\n")) {
		row = strings.TrimRight(row, "\n")
		if indented := strings.HasPrefix(row, " "); indented != literal && row != "" {
			if literal = indented; literal {
				b.WriteString(".PP\n.nf\n")
			} else {
				b.WriteString(".fi\n")
			}
			paragraph = !literal
		}
		switch {
		case row == "" && literal:
			b.WriteString("\n")
		case row == "":
			paragraph = true
		case paragraph:
			b.WriteString(".PP\n")
			paragraph = false
			fallthrough
		default:
			b.WriteString(escape(row) + "\n")
		}
	}
	if literal {
		b.WriteString(".fi\n")
	}
}

// escape keeps a line from being read as a request, or its signs as something else.
func escape(row string) string {
	row = signs.Replace(row)
	var b strings.Builder
	for _, r := range row {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r) // which is no matter of the locale
		}
	}
	if row = b.String(); strings.HasPrefix(row, ".") {
		row = `\&` + row
	}
	return row
}

// signs are those that mean something to troff, or that it draws as others.
var signs = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)
