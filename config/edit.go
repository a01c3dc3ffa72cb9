package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"mem/fault"
	"mem/words"
)

// errUnsure is wrapped by Edit when a file is written in a way that it cannot
// change without touching something else.
var errUnsure = fault.New(fault.Config, "the file is not written in a way that mem can change",
	"change the file by hand; 'mem help model' names the keys")

// Edit returns a configuration file with one key set to a value, given as in
// a variable. Everything else, comments and order included, is left as it is: a
// line is replaced or added, nothing more. Where that is not certain, as with
// values over several lines, Edit wraps errUnsure. A value that the key does not
// take is an ErrInvalid.
func Edit(data []byte, name, text string) ([]byte, error) {
	k, err := keyNamed(name)
	if err != nil {
		return nil, newInvalid("key", err)
	}
	var c Config
	if err := k.store(&c, text); err != nil {
		return nil, newInvalid(name, err)
	}
	return editLine(data, name, asTOML(k.show(&c)))
}

// Unset returns a configuration file without the line of a key.
func Unset(data []byte, name string) ([]byte, error) { return editLine(data, name, "") }

// editLine is Edit for a value as TOML writes it; "" takes out the line of the key.
func editLine(data []byte, name, value string) ([]byte, error) {
	tree, err := ReadTables(data)
	path := strings.Split(name, ".")
	if err != nil || value == "" && valueAt(tree, path) == nil {
		return data, err
	}
	edited := setLine(data, path, value)
	// The proof that the lines mean what they look like: what is read from the
	// new text is the old with this one value changed.
	want, _ := ReadTables([]byte("v = " + value)) // none without a value
	after, err := ReadTables(edited)
	if err != nil || !putValue(tree, path, want["v"]) || !reflect.DeepEqual(tree, after) {
		return nil, fmt.Errorf("change %s: %w", name, errUnsure)
	}
	return edited, nil
}

// setLine replaces, adds or, for "", deletes one line in a section. It adds a missing section at the end.
func setLine(data []byte, path []string, value string) []byte {
	section, last := strings.Join(path[:len(path)-1], "."), path[len(path)-1]
	end, line := words.LineEnd(string(data)), last+" = "+value
	lines := strings.SplitAfter(string(data), "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	} else if value != "" {
		lines[n-1] += end
	}
	start, stop := findSection(lines, section)
	if start < 0 {
		if len(lines) > 0 {
			lines = append(lines, end)
		}
		return []byte(strings.Join(append(lines, "["+section+"]"+end, line+end), ""))
	}
	after := start // behind the last key: comments further down may belong to what follows
	for i := start; i < stop; i++ {
		name, rest, ok := strings.Cut(lines[i], "=")
		isIt := ok && strings.TrimSpace(name) == last
		if isIt && value == "" {
			return []byte(strings.Join(slices.Delete(lines, i, i+1), ""))
		} else if isIt {
			if comment := commentOf(rest); comment != "" {
				line += " " + comment
			}
			lines[i] = lines[i][:strings.Index(lines[i], last)] + line + end // indented as it was
			return []byte(strings.Join(lines, ""))
		}
		if said := strings.TrimSpace(lines[i]); said != "" && said[0] != '#' {
			after = i + 1
		}
	}
	return []byte(strings.Join(slices.Insert(lines, after, line+end), ""))
}

// findSection returns the lines of a section, without its heading; start is -1 if
// it is not there. The section "" stands before the first heading.
func findSection(lines []string, section string) (start, stop int) {
	start = -1
	if section == "" {
		start = 0
	}
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, "[") {
			continue
		}
		if start >= 0 {
			return start, i
		}
		if heading, _, _ := strings.Cut(l, "#"); strings.TrimSpace(heading) == "["+section+"]" {
			start = i + 1
		}
	}
	return start, len(lines)
}

// commentOf returns the comment after a value that holds no "#" itself.
func commentOf(rest string) string {
	if at := strings.LastIndexByte(rest, '#'); at >= 0 && !strings.ContainsAny(rest[at:], `"'`) {
		return strings.TrimSpace(rest[at:])
	}
	return ""
}

// putValue sets a value in a tree of tables; nil takes it out.
func putValue(tree map[string]any, path []string, value any) bool {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name]
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		if tree, ok = next.(map[string]any); !ok {
			return false
		}
	}
	if tree[path[len(path)-1]] = value; value == nil {
		delete(tree, path[len(path)-1])
	}
	return true
}

// Names of choices that are no oracles.
const (
	NoChoice = "default" // takes back what others wrote
	NoModel  = "none"    // the built-in rules alone
)

// DailyTokens is the budget that comes with the choice of an agent's program, whose use the
// person pays for by the month: about thirty sessions a day.
const DailyTokens = 300_000

// A Choice names the oracle that a person wants asked first.
type Choice struct {
	Name    string // command, anthropic, openai, heuristic, NoModel or NoChoice
	Model   string // for a server; for command a preset, perhaps with a model: claude/haiku
	BaseURL string // of a server
}

// EditFile returns the person's own configuration, from the file of this name,
// with the choice made. Only the lines of the keys that change are touched.
func (c Choice) EditFile(name string, data []byte) ([]byte, error) {
	mine, err := Load(&Source{Name: name, Data: data}, nil, nil)
	if err != nil {
		return nil, err
	}
	edit := func(s [2]string) ([]byte, error) { return Edit(data, s[0], s[1]) }
	list := c.settings(mine.Oracle)
	if c.Name == NoChoice {
		edit = func(s [2]string) ([]byte, error) { return Unset(data, s[0]) }
		list = [][2]string{{"oracle.order"}, {"oracle.command.preset"}, {"oracle.command.model"},
			{"oracle.anthropic.model"}, {"oracle.anthropic.base_url"}, {"oracle.openai.model"}, {"oracle.openai.base_url"}}
		if mine.Oracle.MaxTokens == DailyTokens {
			list = append(list, [2]string{"oracle.max_tokens_per_day"})
		}
	}
	for _, s := range list {
		if data, err = edit(s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = Load(&Source{Name: name, Data: data}, nil, nil)
	return data, err
}

// settings are the keys that the choice changes, with their values as text.
func (c Choice) settings(o Oracle) (list [][2]string) {
	set := func(key, text string) { list = append(list, [2]string{key, text}) }
	switch {
	case c.Name == NoModel:
		return [][2]string{{"oracle.order", "lessons,heuristic"}}
	case c.Name == "command" && c.Model != "":
		preset, model, _ := strings.Cut(c.Model, "/")
		set("oracle.command.preset", preset)
		set("oracle.command.model", model)
		if o.MaxTokens+o.MaxCalls == 0 {
			set("oracle.max_tokens_per_day", strconv.Itoa(DailyTokens))
		}
	case c.Model != "":
		set("oracle."+c.Name+".model", c.Model)
	}
	if c.BaseURL != "" {
		set("oracle."+c.Name+".base_url", c.BaseURL)
	}
	first, order := 0, o.Order
	if len(order) > 0 && order[0] == "lessons" { // what was handed in is never asked for
		first = 1
	}
	others := slices.DeleteFunc(slices.Clone(order), func(s string) bool { return s == c.Name })
	moved := slices.Insert(others, min(first, len(others)), c.Name)
	if !slices.Equal(moved, order) {
		set("oracle.order", strings.Join(moved, ","))
	}
	return list
}

// ReadTables reads any TOML file.
func ReadTables(data []byte) (map[string]any, error) {
	all := map[string]any{}
	if _, err := toml.Decode(string(data), &all); err != nil {
		return nil, newInvalid("file", err)
	}
	return all, nil
}
