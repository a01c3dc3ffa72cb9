// Package frontmatter reads and edits the fields between two lines of --- at
// the start of a Markdown file, and finds the headings, the blocks of code and the items of lists below them.
//
// Such files are written by people and by many programs, and much of what they
// put there is not YAML: "name: Use foo: bar" and "description: see #12" mean
// what they look like. So a field is a line, and its value is the rest of the
// line; only what is in quotes, in brackets, or in a block after | or > is
// read as YAML. Editing changes the lines of one field: every other byte stays,
// line ends and a byte order mark included. The package is pure.
package frontmatter

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"mem/lazy"
	"mem/words"
)

// Errors of Parse.
var (
	ErrNone = errors.New("the file does not start with fields between two lines of ---")
	ErrOpen = errors.New("the line of --- that ends the fields is missing")
)

// A File is a Markdown file in two parts. The zero value has neither.
type File struct {
	start string   // the byte order mark, if any, and the first line of ---
	lines []string // of the fields, with their line ends
	rest  string   // the second line of --- and everything after it
}

// Parse takes a file apart. The error wraps ErrNone or ErrOpen; with one there are no fields.
func Parse(data []byte) (*File, error) {
	text := string(data)
	body := strings.TrimPrefix(text, "\ufeff")
	first := firstLine(body)
	if !isFence(first) {
		return new(File), ErrNone
	}
	f := &File{start: text[:len(text)-len(body)+len(first)]}
	at := len(first)
	for line := range strings.Lines(body[at:]) {
		if isFence(line) {
			f.rest = body[at:]
			return f, nil
		}
		f.lines = append(f.lines, line)
		at += len(line)
	}
	return new(File), ErrOpen
}

// New returns a file without fields, over a body.
func New(body string) *File { return &File{start: "---\n", rest: "---\n" + body} }

// Clone returns a copy that can be edited on its own.
func (f *File) Clone() *File { return &File{f.start, slices.Clone(f.lines), f.rest} }

// Bytes returns the file as it is to be written.
func (f *File) Bytes() []byte { return []byte(f.start + strings.Join(f.lines, "") + f.rest) }

// Body returns the text after the fields.
func (f *File) Body() string { return f.rest[len(firstLine(f.rest)):] }

// SetBody replaces what comes after the fields.
func (f *File) SetBody(body string) { f.rest = firstLine(f.rest) + body }

// Names returns the names of the fields at the top level, in order.
func (f *File) Names() (names []string) {
	for _, line := range f.lines {
		if name, _, ok := splitField(line); ok {
			names = append(names, name)
		}
	}
	return names
}

// Get returns the value of a field at the top level, and whether there is one.
// Of several with one name the first counts.
func (f *File) Get(name string) (string, bool) { return f.Under("", name) }

// Value returns the value of a field at the top level; "" if there is none.
func (f *File) Value(name string) string {
	value, _ := f.Get(name)
	return value
}

// Under returns the value of a field one level below another, such as type
// below metadata. Below "" is the top level.
func (f *File) Under(parent, name string) (string, bool) {
	from, to := f.findField(parent, name)
	if from < 0 {
		return "", false
	}
	_, value, _ := splitField(strings.TrimLeft(f.lines[from], " \t"))
	return readScalar(value, f.lines[from+1:to]), true
}

// HasLinesBelow reports whether the value of a field at the top level takes more
// than the line of its name.
func (f *File) HasLinesBelow(name string) bool {
	from, to := f.findField("", name)
	return to-from > 1
}

// List returns the values of a field that is a list: in brackets, one to a
// line after a dash, or between commas.
func (f *File) List(name string) []string {
	from, to := f.findField("", name)
	if from < 0 {
		return nil
	}
	_, value, _ := splitField(f.lines[from])
	var list []string
	switch {
	case value == "":
		for _, line := range f.lines[from+1 : to] {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "-"); ok {
				list = append(list, readScalar(strings.TrimSpace(v), nil))
			}
		}
	case strings.HasPrefix(value, "["):
		inside, isWhole := strings.CutSuffix(value[1:], "]")
		isOdd := func(r rune) bool { return r != ',' && !isPart(r) }
		// What is so obviously text, such as ids, is not worth the time of a reader of YAML.
		if !isWhole || strings.ContainsFunc(inside, isOdd) || strings.Contains(strings.ToLower(inside), "null") {
			if yaml.Unmarshal([]byte(value), &list) == nil {
				break
			}
			inside = strings.Trim(value, "[]")
		}
		value = inside
		fallthrough
	default:
		for v := range strings.SplitSeq(value, ",") {
			list = append(list, readScalar(strings.TrimSpace(v), nil))
		}
	}
	return slices.DeleteFunc(list, func(v string) bool { return v == "" })
}

// Set gives a field at the top level a value, in the place where it is or
// after the others. The value is quoted if it has to be.
func (f *File) Set(name, value string) { f.SetPlain(name, Quote(value)) }

// SetPlain is Set without quotes, for values that every reader of the format
// takes as they are, such as dates.
func (f *File) SetPlain(name, value string) {
	line := name + ": " + value + words.LineEnd(f.start)
	from, to := f.findField("", name)
	if from < 0 {
		from, to = len(f.lines), len(f.lines)
	}
	f.lines = slices.Replace(f.lines, from, to, line)
}

// SetList gives a field a list of values, in brackets.
func (f *File) SetList(name string, values []string) {
	quoted := make([]string, len(values))
	for i, v := range values {
		if quoted[i] = Quote(v); quoted[i] == v && strings.ContainsAny(v, ",[]{}") {
			quoted[i] = quote(v)
		}
	}
	f.SetPlain(name, "["+strings.Join(quoted, ", ")+"]")
}

// Delete takes a field at the top level out.
func (f *File) Delete(name string) {
	if from, to := f.findField("", name); from >= 0 {
		f.lines = slices.Delete(f.lines, from, to)
	}
}

// findField returns the lines of a field, from its name to the next one.
func (f *File) findField(parent, name string) (from, to int) {
	lines, offset := f.lines, 0
	if parent != "" {
		above, end := f.findField("", parent)
		if above < 0 {
			return -1, -1
		}
		lines, offset = f.lines[above+1:end], above+1
	}
	for i, line := range lines {
		if parent != "" {
			line = strings.TrimLeft(line, " \t")
		}
		if n, _, ok := splitField(line); !ok || n != name {
			continue
		}
		indent := indentOf(lines[i])
		to = i + 1 // blank lines belong to a field when more of it follows them
		for j := to; j < len(lines); j++ {
			bare := strings.TrimSpace(lines[j])
			belongs := indentOf(lines[j]) > indent || indentOf(lines[j]) == indent && strings.HasPrefix(bare, "- ")
			if bare != "" && !belongs {
				break
			}
			if bare != "" {
				to = j + 1
			}
		}
		return offset + i, offset + to
	}
	return -1, -1
}

// splitField takes a line apart that begins with a name and a colon.
func splitField(line string) (name, value string, ok bool) {
	line = strings.TrimRight(line, " \t\r\n")
	name, value, ok = strings.Cut(line, ":")
	odd := func(r rune) bool { return r == '/' || !isSimple(r) }
	if !ok || name == "" || strings.ContainsFunc(name, odd) || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return name, strings.TrimSpace(value), true
}

// readScalar reads a value; more are the lines that belong to it.
func readScalar(value string, more []string) string {
	switch {
	case value == "":
		if isNested(more) {
			return ""
		}
	case value[0] == '|' || value[0] == '>':
		block := "v: " + value + "\n" + strings.ReplaceAll(strings.Join(more, ""), "\r\n", "\n")
		var v struct {
			V string `yaml:"v"`
		}
		if yaml.Unmarshal([]byte(block), &v) == nil {
			return v.V
		}
	case value[0] == '"' || value[0] == '\'':
		var s string
		if yaml.Unmarshal([]byte(value), &s) == nil {
			return s
		}
	}
	// Plain text may go on in lines that are indented.
	for _, line := range more {
		if line = strings.TrimSpace(line); line != "" {
			value = strings.TrimSpace(value + " " + line)
		}
	}
	return value
}

// isNested reports whether the lines below a name are fields or a list.
func isNested(lines []string) bool {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			_, _, ok := splitField(line)
			return ok || strings.HasPrefix(line, "-")
		}
	}
	return false
}

// named matches an id or a slug of several words. To every reader of YAML it is text, so that none is asked: that takes its time.
var named = lazy.New(`^[a-z]+-[0-9a-z-]+$`)

// Quote returns a value as it may stand after a colon, for any reader of YAML:
// as it is where that is safe, else in double quotes.
func Quote(value string) string {
	var v any
	if !named.Matches(value) && (value == "" || strings.ContainsFunc(value, isSpecial) || strings.Contains(value, " #") ||
		yaml.Unmarshal([]byte(value), &v) != nil || v != any(value)) { // a number, a date, a word with a meaning
		return quote(value)
	}
	return value
}

func isPart(r rune) bool { return isSimple(r) || r == ' ' || r == '+' }

// isSimple reports whether a character after a letter means nothing in YAML.
func isSimple(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./", r)
}

// isSpecial reports whether a character may mean something in YAML.
func isSpecial(r rune) bool {
	return !isSimple(r) && !strings.ContainsRune(" ~#()+,", r) && (r <= 0xa0 || strings.ContainsRune("\ufeff\u2028\u2029", r))
}

// escapes is made once: it is a table.
var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func quote(value string) string {
	value = escapes.Replace(value)
	return `"` + strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, value) + `"`
}

func firstLine(s string) string { return strings.SplitAfterN(s, "\n", 2)[0] }

func isFence(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
