package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json"
)

func newInvalid(place string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrInvalid, place, err)
}

// setFile stores the settings of a file. For a memory's file, own names the file where keys that are not inert
// belong; "" means the person's own file, which may set all.
func (l *Loaded) setFile(origin string, data []byte, own string) error {
	var tree map[string]any
	meta, err := toml.Decode(string(data), &tree)
	if err != nil {
		return newInvalid(origin, err)
	}
	for _, path := range meta.Keys() {
		if err := l.setKey(path, valueAt(tree, path), origin, own); err != nil {
			return newInvalid(origin, err)
		}
	}
	return nil
}

// setKey stores what a file sets at path.
func (l *Loaded) setKey(path toml.Key, value any, origin, own string) error {
	k, known, err := findKey(keys(), path, value)
	switch {
	case err != nil && own != "": // another person's newer mem may have set it
		l.Unknown = append(l.Unknown, fmt.Sprintf("%s: ignored: %v", origin, err))
		return nil
	case !known: // [oracle]; what is in it comes later
		return err
	case !k.inert && own != "":
		return fmt.Errorf("%s decides who reads your prompts, what is run or whose words are shown, "+
			"and a memory may come from another person: move it to %s", k.name, own)
	}
	text, err := textOf(value)
	if err == nil {
		err = k.store(&l.Config, text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	l.origins[k.name] = origin
	return nil
}

// findKey returns the key at path. If path is a table with keys in it, known is
// false; if there is nothing of that name, the error suggests something.
func findKey(table []key, path toml.Key, value any) (k key, known bool, err error) {
	name := path.String() // with quotes around "oracle.order", which is not a key
	for _, k := range table {
		if k.name == name {
			return k, true, nil
		}
		if strings.HasPrefix(k.name, name+".") {
			if _, isTable := value.(map[string]any); !isTable {
				err = fmt.Errorf("%s: want a table", path)
			}
			return key{}, false, err
		}
	}
	if near := closest(table, strings.Join(path, ".")); near != "" {
		return key{}, false, fmt.Errorf("unknown key %q; did you mean %q?", name, near)
	}
	return key{}, false, fmt.Errorf("unknown key %q", name)
}

func valueAt(tree map[string]any, path toml.Key) any {
	var value any = tree
	for _, name := range path {
		table, _ := value.(map[string]any) // anything but a table counts as empty
		value = table[name]
	}
	return value
}

func (l *Loaded) setEnvironment(environ []string) error {
	for _, k := range keys() {
		name := k.envName()
		at := slices.IndexFunc(environ, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if at < 0 || strings.TrimSpace(environ[at][len(name)+1:]) == "" {
			continue
		}
		origin := "environment " + name
		if err := k.store(&l.Config, strings.TrimSpace(environ[at][len(name)+1:])); err != nil {
			return newInvalid(origin, err)
		}
		l.origins[k.name] = origin
	}
	return nil
}

// textOf returns a value of TOML as it is written elsewhere: a list as a JSON array.
func textOf(value any) (string, error) {
	switch v := value.(type) {
	case []any:
		data, err := json.Marshal(v)
		return string(data), err
	case map[string]any, []map[string]any:
		return "", errors.New("want a value, got a table")
	}
	return fmt.Sprint(value), nil
}

// joinOr joins two words or more as in "a, b or c".
func joinOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// asTOML writes a value as TOML. The values of the table can all be written.
func asTOML(value any) string {
	switch v := value.(type) {
	case time.Duration:
		value = formatDuration(v)
	case []string:
		value = append([]string{}, v...) // one without strings is written as well
	}
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(map[string]any{"v": value}); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(strings.TrimPrefix(b.String(), "v = "))
}

// closest returns the key or table that name most likely means, or "": one with
// few letters different, or one whose last part it is.
func closest(table []key, name string) string {
	best, least := "", 1+max(1, min(3, len(name)/3))
	try := func(meant, written string) {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), written); d < least {
			best, least = meant, d
		}
	}
	for _, k := range table {
		try(k.name, k.name)
		for i := range k.name {
			if k.name[i] == '.' {
				try(k.name[:i], k.name[:i])
				try(k.name, k.name[i+1:])
			}
		}
	}
	return best
}
