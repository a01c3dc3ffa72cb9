package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// bom may stand before the text of a file.
const bom = "\xef\xbb\xbf"

// A node is a value in a text, with its place. A JSON library that encodes
// again would lose comments, order and indentation, which are a person's.
type node struct {
	start, end int
	kind       jsontext.Kind
	list       []child // members or elements
}

// A child is a member of an object or an element of an array.
type child struct {
	name string
	at   int // where it starts, its name included
	node
}

// A document is a text and what it says.
type document struct {
	text   []byte
	commas []int // before a closing bracket, which JSON does not have
	top    node
	blank  bool // nothing but white space and comments
}

// readDocument understands JSON with comments and trailing commas.
func readDocument(text []byte) (document, error) {
	d := document{text: text}
	plain := d.blankComments()
	if len(bytes.TrimSpace(plain)) == 0 {
		d.blank = true
		return d, nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(plain))
	var err error
	if d.top, err = readNode(dec); err != nil {
		return d, fmt.Errorf("%w: it is not JSON: %w", ErrRefused, err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return d, fmt.Errorf("%w: it goes on behind the JSON", ErrRefused)
	}
	if d.top.kind != '{' {
		return d, fmt.Errorf("%w: it is not a JSON object", ErrRefused)
	}
	return d, nil
}

func readNode(dec *jsontext.Decoder) (n node, err error) {
	n.kind = dec.PeekKind()
	if n.kind != '{' && n.kind != '[' {
		v, err := dec.ReadValue()
		n.end = int(dec.InputOffset())
		n.start = n.end - len(v)
		return n, err
	}
	if _, err := dec.ReadToken(); err != nil {
		return n, err
	}
	n.start = int(dec.InputOffset()) - 1
	for next := dec.PeekKind(); next != '}' && next != ']'; next = dec.PeekKind() {
		var c child
		if n.kind == '{' {
			name, err := dec.ReadValue()
			if err != nil {
				return n, err
			}
			c.name, c.at = unquote(name), int(dec.InputOffset())-len(name)
		}
		if c.node, err = readNode(dec); err != nil {
			return n, err
		}
		if n.kind == '[' {
			c.at = c.start
		}
		n.list = append(n.list, c)
	}
	_, err = dec.ReadToken()
	n.end = int(dec.InputOffset())
	return n, err
}

// unquote returns what a JSON string says; "" for anything else.
func unquote(v []byte) string {
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}

// blankComments returns the text with a byte order mark, comments and trailing commas
// blanked out, so that every other byte keeps its place. It notes the commas.
func (d *document) blankComments() []byte {
	out := bytes.Clone(d.text)
	if bytes.HasPrefix(out, []byte(bom)) {
		copy(out, "   ")
	}
	last, before := -1, byte(0) // the last byte that counts, and the one before it
	for i := 0; i < len(out); {
		n := 1
		switch c := out[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case c == '/' && commentLen(out[i:]) > 0:
			n = commentLen(out[i:])
			blankOut(out[i : i+n])
			i += n
			continue
		case c == '"':
			n = stringLen(out[i:])
		case (c == '}' || c == ']') && last >= 0 && out[last] == ',' && strings.IndexByte("{[,", before) < 0:
			out[last] = ' '
			d.commas = append(d.commas, last)
		}
		if last >= 0 {
			before = out[last]
		}
		last = i + n - 1
		i += n
	}
	return out
}

func stringLen(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// commentLen is 0 if no whole comment starts here.
func commentLen(s []byte) int {
	switch {
	case bytes.HasPrefix(s, []byte("//")):
		if end := bytes.IndexByte(s, '\n'); end >= 0 {
			return end
		}
		return len(s)
	case bytes.HasPrefix(s, []byte("/*")):
		if end := bytes.Index(s[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
	}
	return 0
}

func blankOut(s []byte) {
	for i, c := range s {
		if c != '\n' && c != '\r' {
			s[i] = ' '
		}
	}
}

// findMember returns a member of an object by its name.
func (n node) findMember(name string) (child, bool) {
	if n.kind != '{' {
		return child{}, false
	}
	i := slices.IndexFunc(n.list, func(c child) bool { return c.name == name })
	if i < 0 {
		return child{}, false
	}
	return n.list[i], true
}

// stringMember returns the text of a string member; "" if there is none.
func (d document) stringMember(n node, name string) string {
	c, ok := n.findMember(name)
	if !ok || c.kind != '"' {
		return ""
	}
	return unquote(d.text[c.start:c.end])
}

// A splice replaces a stretch of the text.
type splice struct {
	from, to int
	text     string
}

// applySplices makes the changes, which do not overlap.
func (d document) applySplices(list []splice) []byte {
	slices.SortStableFunc(list, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range list {
		out = append(append(out, d.text[at:s.from]...), s.text...)
		at = s.to
	}
	return append(out, d.text[at:]...)
}

// lineEnd is how a text ends its lines.
func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentAt returns the white space at the start of the line that holds a place;
// alone says whether nothing else is before the place.
func (d document) indentAt(at int) (space string, alone bool) {
	line := strings.TrimPrefix(string(d.text[bytes.LastIndexByte(d.text[:at], '\n')+1:at]), bom)
	rest := strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest == ""
}

// indentUnit is one step of indentation.
func (d document) indentUnit() string {
	if len(d.top.list) > 0 {
		if space, alone := d.indentAt(d.top.list[0].at); alone && space != "" {
			return space
		}
	}
	return "  "
}

// isOurs reports whether install wrote the brackets of a container: its own have
// a line break behind them, and what it puts into an empty one has none.
func (d document) isOurs(n node) bool {
	rest := d.text[n.start+1:]
	return bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

// addChildren adds children at the end of a container, with the line break and the
// indentation of their place.
func (d document) addChildren(c node, children ...string) splice {
	at, sep := c.start+1, ",\n"
	space, _ := d.indentAt(c.start)
	indent, text := space+d.indentUnit(), ""
	if n := len(c.list); n > 0 {
		var alone bool
		at = c.list[n-1].end
		if indent, alone = d.indentAt(c.list[n-1].at); !alone {
			sep = ", "
		}
		text = sep
	}
	text += strings.Join(children, sep)
	return splice{at, at, strings.ReplaceAll(text, "\n", lineEnd(d.text)+indent)}
}

// cutChildren takes children out of a container, with their commas; comments stay.
// look says whether a child is one of them, and what else to take out of it. all means
// that no child is left, of those that were there.
func (d document) cutChildren(c node, look func(child) (inside []splice, gone bool)) (list []splice, all bool) {
	n, left := len(c.list), 0
	gone := make([]bool, n)
	for i, child := range c.list {
		inside, ok := look(child)
		if gone[i] = ok; !ok {
			list = append(list, inside...)
			left++
		}
	}
	for i := 0; i < n; i++ {
		if !gone[i] {
			continue
		}
		j := i
		for j+1 < n && gone[j+1] {
			j++
		}
		list = append(list, splice{from: c.list[i].at, to: c.list[j].end})
		switch {
		case i > 0:
			list = append(list, d.gap(c.list[i-1].end, c.list[i].at)...)
		case j+1 < n:
			list = append(list, d.gap(c.list[j].end, c.list[j+1].at)...)
		default:
			for _, at := range d.commas {
				if at >= c.list[j].end && at < c.end {
					list = append(list, splice{from: at, to: at + 1})
				}
			}
		}
		i = j
	}
	return list, n > 0 && left == 0
}

// gap takes out what is between two children: all of it, or the comma alone
// if there is a comment.
func (d document) gap(from, to int) []splice {
	between := d.text[from:to]
	if len(bytes.Trim(between, ", \t\r\n")) == 0 {
		return []splice{{from: from, to: to}}
	}
	plain := (&document{text: between}).blankComments()
	at := from + bytes.IndexByte(plain, ',')
	return []splice{{from: at, to: at + 1}}
}
