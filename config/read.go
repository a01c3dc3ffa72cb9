package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/go-json-experiment/json"
)

// invalid says that something is wrong at a place.
func invalid(place string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrInvalid, place, err)
}

// file stores what a file sets. allow, if not nil, refuses keys.
func (l *Loaded) file(origin string, data []byte, allow func(key) error) error {
	var tree map[string]any
	meta, err := toml.Decode(string(data), &tree)
	if err != nil {
		return invalid(origin, err)
	}
	table := keys()
	for _, path := range meta.Keys() {
		k, known, err := find(table, path)
		if err != nil {
			return invalid(origin, err)
		}
		value := at(tree, path)
		if !known {
			if _, ok := value.(map[string]any); ok {
				continue // [oracle]; what is in it comes later
			}
			return invalid(origin, fmt.Errorf("%s: want a table, got %s", path, typeOf(value)))
		}
		if allow != nil {
			if err := allow(k); err != nil {
				return invalid(origin, err)
			}
		}
		if err := k.set(&l.Config, value); err != nil {
			return invalid(origin+": "+k.name, err)
		}
		l.origins[k.name] = origin
	}
	return nil
}

// find returns the key at path. If path is a table with keys in it, known is
// false; if there is nothing of that name, the error suggests something.
func find(table []key, path toml.Key) (k key, known bool, err error) {
	name := strings.Join(path, ".")
	// A quoted "oracle.order" is a name with a dot in it, which no key has.
	dotted := strings.Count(name, ".") >= len(path)
	for _, k := range table {
		if dotted {
			break
		}
		if k.name == name {
			return k, true, nil
		}
		if strings.HasPrefix(k.name, name+".") {
			return key{}, false, nil
		}
	}
	if near := closest(table, name); near != "" {
		return key{}, false, fmt.Errorf("unknown key %q; did you mean %q?", path.String(), near)
	}
	return key{}, false, fmt.Errorf("unknown key %q", path.String())
}

// at returns what is in tree at path, or nil.
func at(tree map[string]any, path toml.Key) any {
	var value any = tree
	for _, name := range path {
		table, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = table[name]
	}
	return value
}

// environment stores what variables set.
func (l *Loaded) environment(environ []string) error {
	set := map[string]string{}
	for _, e := range environ {
		name, text, ok := strings.Cut(e, "=")
		if _, seen := set[name]; ok && !seen {
			set[name] = text
		}
	}
	for _, k := range keys() {
		text := set[k.env()]
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := l.text(k, text, "environment "+k.env()); err != nil {
			return err
		}
	}
	return nil
}

// flags stores what the command line sets.
func (l *Loaded) flags(flags map[string]string) error {
	table := keys()
	for _, k := range table {
		if text, ok := flags[k.name]; ok {
			if err := l.text(k, text, "flag "+k.flag()); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if !slices.ContainsFunc(table, func(k key) bool { return k.name == name }) {
			return invalid("flag", fmt.Errorf("unknown key %q", name))
		}
	}
	return nil
}

// text stores the text of a variable or flag.
func (l *Loaded) text(k key, text, origin string) error {
	if !utf8.ValidString(text) {
		return invalid(origin, errors.New("not valid UTF-8"))
	}
	value, err := k.read(strings.TrimSpace(text))
	if err == nil {
		err = k.set(&l.Config, value)
	}
	if err != nil {
		return invalid(origin, err)
	}
	l.origins[k.name] = origin
	return nil
}

// verbatim is the read of keys that are strings.
func verbatim(text string) (any, error) { return text, nil }

// readArgv reads a JSON array, or else words between white space.
func readArgv(text string) (any, error) {
	words := strings.Fields(text)
	if strings.HasPrefix(text, "[") {
		words = nil
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			return nil, fmt.Errorf("want a JSON array of strings or words, got %q", text)
		}
	}
	return list(words), nil
}

// list returns words as TOML would give them.
func list(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

// stringsOf returns the strings of a TOML array; nil if it is empty.
func stringsOf(value any) ([]string, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, wrongType("an array of strings", value)
	}
	var out []string
	for _, v := range array {
		s, ok := v.(string)
		if !ok {
			return nil, wrongType("an array of strings", v)
		}
		out = append(out, s)
	}
	return out, nil
}

// wrongType says what was wanted instead of value.
func wrongType(want string, value any) error {
	return fmt.Errorf("want %s, got %s", want, typeOf(value))
}

// typeOf names the type of a TOML value.
func typeOf(value any) string {
	switch v := value.(type) {
	case bool:
		return fmt.Sprint(v)
	case int64:
		return fmt.Sprintf("the number %d", v)
	case float64:
		return fmt.Sprintf("the number %g", v)
	case string:
		return fmt.Sprintf("the string %q", v)
	case time.Time:
		return "a date"
	case []any, []map[string]any:
		return "an array"
	}
	return "a table"
}

// either joins words as in "a, b or c".
func either[T ~string](words []T) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// short writes a time without its zero parts: 90s is 1m30s, an hour 1h.
func short(d time.Duration) string {
	if d%time.Second == 0 && d < 10*time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// asTOML writes a value as TOML. The values of the table can all be written.
func asTOML(value any) string {
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
		if d := distance(strings.ToLower(name), written); d < least {
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

// distance returns how many letters must be added, removed or changed to make
// b out of a (Levenshtein). Long texts are far from everything.
func distance(a, b string) int {
	if len(a) > 2*len(b)+3 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
