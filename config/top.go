package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// ErrTaken is wrapped by AddTop when the key has another value already.
var ErrTaken = errors.New("it is set to something else")

const bom = "\xef\xbb\xbf"

// AddTop returns another program's TOML file with one line more, "name = value",
// before everything else: there a key belongs to no section, whatever follows.
// A missing file is nil. RemoveTop gives back the same bytes.
func AddTop(data []byte, name, value string) ([]byte, error) {
	line := name + " = " + value
	set, err := findTop(data, name)
	if err != nil {
		return nil, err
	}
	if set != nil {
		if want, err := findTop([]byte(line), name); err == nil && fmt.Sprint(set) == fmt.Sprint(want) {
			return data, nil
		}
		return nil, fmt.Errorf("%s: %w", name, ErrTaken)
	}
	if data == nil {
		return []byte(line + "\n"), nil
	}
	rest, marked := bytes.CutPrefix(data, []byte(bom))
	if marked {
		line = bom + line
	}
	if len(rest) == 0 { // no break at the end tells an empty file from none
		return []byte(line), nil
	}
	if bytes.Contains(rest, []byte("\r\n")) {
		line += "\r"
	}
	added := append([]byte(line+"\n"), rest...)
	if back, err := RemoveTop(added, name, value); err != nil || !bytes.Equal(back, data) {
		return nil, fmt.Errorf("set %s: %w", name, ErrUnsure)
	}
	return added, nil
}

// RemoveTop returns the file without the line that AddTop put in, or as it was
// if there is none. Nil stands for no file.
func RemoveTop(data []byte, name, value string) ([]byte, error) {
	set, err := findTop(data, name)
	if err != nil || set == nil {
		return data, err
	}
	line := name + " = " + value
	if string(data) == line+"\n" {
		return nil, nil // there was no file
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, l := range lines {
		text, marked := strings.CutPrefix(l, bom)
		if strings.TrimSpace(text) != line {
			continue
		}
		if lines[i] = ""; marked {
			lines[i] = bom
		}
		rest := []byte(strings.Join(lines, ""))
		if still, err := findTop(rest, name); err != nil || still != nil {
			return nil, fmt.Errorf("take out %s: %w", name, ErrUnsure)
		}
		return rest, nil
	}
	return data, nil // another value, or written by hand
}

// ListTop returns the names in a table of another program's TOML file, sorted; none
// if there is no such table.
func ListTop(data []byte, name string) ([]string, error) {
	set, err := findTop(data, name)
	table, _ := set.(map[string]any)
	return slices.Sorted(maps.Keys(table)), err
}

// findTop returns the value of a key outside of all sections; nil if it has none.
func findTop(data []byte, name string) (any, error) {
	var all map[string]any
	if _, err := toml.Decode(string(data), &all); err != nil {
		return nil, newInvalid("file", err)
	}
	return all[name], nil
}
