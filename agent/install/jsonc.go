package install

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"mem/words"
)

// bom may stand before the text of a file.
const bom = "\xef\xbb\xbf"

// maxBrackets keeps a hostile file from being nested too deeply to be read.
const maxBrackets = 10_000

// A document is JSON with comments and trailing commas, as it is written. Offsets
// are those of text, also when root was changed.
type document struct {
	mark  string // the byte order mark, if any
	text  []byte // without it, and with one line break more: a comment may be all of the last line
	root  hujson.Value
	blank bool // nothing but white space and comments
}

func readDocument(data []byte) (d document, err error) {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxBrackets {
		return d, fmt.Errorf("%w: it has more than %d brackets", ErrRefused, maxBrackets)
	}
	text, marked := bytes.CutPrefix(data, []byte(bom))
	if marked {
		d.mark = bom
	}
	d.text = slices.Concat(text, []byte("\n"))
	if d.blank = hujson.Extra(d.text).IsValid(); d.blank {
		return d, nil
	}
	plain, err := hujson.Standardize(bytes.Clone(d.text))
	if err == nil { // a name that is there twice, or broken UTF-8
		_, err = jsontext.NewDecoder(bytes.NewReader(plain)).ReadValue()
	}
	if err != nil {
		return d, fmt.Errorf("%w: it is not JSON: %w", ErrRefused, err)
	}
	if d.root, err = hujson.Parse(d.text); err != nil || d.root.Value.Kind() != '{' {
		return d, fmt.Errorf("%w: it is not a JSON object", ErrRefused)
	}
	return d, nil
}

func (d document) write() []byte {
	packed := d.root.Pack()
	return slices.Concat([]byte(d.mark), packed[:len(packed)-1])
}

// A child is a member of an object or an element of an array.
type child struct {
	name         string
	first, value *hujson.Value // what it begins with, its name if it has one, and its value
}

// listChildren returns what is in a container, and what stands before its end.
func listChildren(v *hujson.Value) (list []child, end *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			list = append(list, child{m.Name.Value.(hujson.Literal).String(), &m.Name, &m.Value})
		}
		return list, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, child{"", &c.Elements[i], &c.Elements[i]})
		}
		return list, &c.AfterExtra
	}
	return nil, nil
}

// literalAt returns the string or number at a place below a value, as it is written;
// nil if there is none.
func literalAt(v *hujson.Value, pointer string) (l hujson.Literal) {
	if at := v.Find(pointer); at != nil {
		l, _ = at.Value.(hujson.Literal)
	}
	return l
}

// indentAt returns the white space at the start of the line that holds a value;
// alone says whether nothing else is before it.
func (d document) indentAt(v *hujson.Value) (space string, alone bool) {
	at := v.StartOffset
	line := string(d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at])
	rest := strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest == ""
}

func (d document) indentUnit() string {
	if list, _ := listChildren(&d.root); len(list) > 0 {
		if space, alone := d.indentAt(list[0].first); alone && space != "" {
			return space
		}
	}
	return "  "
}

// isOurs reports whether install wrote the brackets of a container: in its own, a line break follows the
// opening one; if it filled an existing empty one, none does.
func (d document) isOurs(v *hujson.Value) bool {
	rest := d.text[v.StartOffset+1:]
	return bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

// addChildren adds what is in one container, which mem wrote, at the end of another
// of its kind, with the line breaks and the indentation of that place.
func (d document) addChildren(v *hujson.Value, container string) {
	space, _ := d.indentAt(v)
	indent, alone := space+d.indentUnit(), true
	old, _ := listChildren(v)
	if len(old) > 0 {
		indent, alone = d.indentAt(old[len(old)-1].first)
	}
	nl := words.LineEnd(string(d.text)) + indent
	gap := nl
	if !alone {
		gap = " "
	}
	more, _ := hujson.Parse([]byte(strings.ReplaceAll(container, "\n", nl))) // Add proves the result
	added, _ := listChildren(&more)
	for i, c := range added {
		if i > 0 || len(old) > 0 {
			c.first.BeforeExtra = hujson.Extra(gap)
		}
	}
	if len(old) > 0 { // a trailing comma, and what stands before it, is behind the last one
		last, was := added[len(added)-1].value, old[len(old)-1].value
		last.AfterExtra, was.AfterExtra = was.AfterExtra, nil
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		c.Members = append(c.Members, more.Value.(*hujson.Object).Members...)
	case *hujson.Array:
		c.Elements = append(c.Elements, more.Value.(*hujson.Array).Elements...)
	}
}

// cutChildren removes children and their commas from a container; comments stay. look selects the children. all
// means that there were children and none is left.
func cutChildren(v *hujson.Value, look func(child) bool) (all bool) {
	list, _ := listChildren(v)
	left := len(list)
	for i, c := range slices.Backward(list) {
		if look(c) {
			cutChild(v, i)
			left--
		}
	}
	return len(list) > 0 && left == 0
}

func cutChild(v *hujson.Value, i int) {
	list, after := listChildren(v)
	gone, isLast := list[i], i == len(list)-1
	if !isLast {
		after = &list[i+1].first.BeforeExtra
	}
	switch {
	case i > 0:
		before := &list[i-1].value.AfterExtra
		rest := joinComments(*before, gone.first.BeforeExtra)
		if isLast && gone.value.AfterExtra == nil { // nor does the one before get a comma
			*before, *after = nil, append(rest, *after...)
		} else {
			*before = append(rest, gone.value.AfterExtra...)
		}
	case isLast:
		*after = slices.Concat(gone.first.BeforeExtra, gone.value.AfterExtra, *after)
	default:
		*after = slices.Concat(gone.first.BeforeExtra, joinComments(gone.value.AfterExtra, *after))
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// joinComments returns what stands before and behind a comma, without white space
// that is alone. It is never nil, as hujson takes nil for no comma.
func joinComments(before, behind hujson.Extra) hujson.Extra {
	if before.IsStandard() && behind.IsStandard() {
		return hujson.Extra{}
	}
	return slices.Concat(before, behind)
}
