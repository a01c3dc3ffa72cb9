package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
)

// A kind checks a value as TOML gives it, and returns what it stands for.
type kind[T any] func(value any) (T, error)

// readText makes a value as TOML gives it of the text of a variable or flag, for a
// key whose field is like this one.
func readText(field any, text string) (any, error) {
	switch field.(type) {
	case bool:
		switch strings.ToLower(text) {
		case "true", "1", "yes", "on":
			return true, nil
		case "false", "0", "no", "off":
			return false, nil
		}
		return nil, fmt.Errorf("want true or false, got %q", text)
	case int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("want a whole number, got %q", text)
		}
		return n, nil
	case []string:
		list := strings.Split(text, ",")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		return anyList(list), nil
	}
	return text, nil
}

// boolean is true or false.
func boolean(value any) (bool, error) { return asType[bool](value, "true or false") }

// number is a whole number from lowest to highest.
func number(lowest, highest int64) kind[int] {
	return func(value any) (int, error) {
		n, err := asType[int64](value, "a whole number")
		if err == nil && (n < lowest || n > highest) {
			err = fmt.Errorf("want %d to %d, got %d", lowest, highest, n)
		}
		return int(n), err
	}
}

// atLeast is k with numbers below lowest counting as lowest.
func atLeast(lowest int64, k kind[int]) kind[int] {
	return func(value any) (int, error) {
		if n, ok := value.(int64); ok {
			value = max(n, lowest)
		}
		return k(value)
	}
}

// word is one of a few words.
func word(words ...string) kind[string] {
	return func(value any) (string, error) {
		s, err := asType[string](value, "a string")
		if err == nil && !slices.Contains(words, s) {
			err = fmt.Errorf("want %s, got %q", joinOr(words), s)
		}
		return s, err
	}
}

// someOf is a list of some of the words, at least one and each at most once.
func someOf(words []string) kind[[]string] {
	return func(value any) ([]string, error) {
		got, err := stringsOf(value)
		if err == nil && len(got) == 0 {
			err = fmt.Errorf("want at least one of %s", joinOr(words))
		}
		for i, s := range got {
			switch {
			case !slices.Contains(words, s):
				return nil, fmt.Errorf("want %s, got %q", joinOr(words), s)
			case slices.Contains(got[:i], s):
				return nil, fmt.Errorf("%q is there twice", s)
			}
		}
		return got, err
	}
}

// rootNames is a list of memories, each by the id of its first commit or by its
// path.
func rootNames(value any) ([]string, error) {
	got, err := stringsOf(value)
	for _, s := range got {
		if _, bad := hex.DecodeString(s); (bad != nil || len(s) != 40) && !filepath.IsAbs(s) {
			return nil, fmt.Errorf("want the 40 digits of a memory's id or the whole path of its folder, got %q", s)
		}
	}
	return got, err
}

// argv is a program and its arguments, or nothing.
func argv(value any) ([]string, error) {
	got, err := stringsOf(value)
	if len(got) > 0 && got[0] == "" {
		return nil, errors.New("want the name of a program first, got \"\"")
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return nil, errors.New("an argument cannot hold a NUL")
	}
	return got, err
}

// readArgv is readText for a program and its arguments: a JSON array, or else words
// between white space.
func readArgv(text string) (any, error) {
	words := strings.Fields(text)
	if strings.HasPrefix(text, "[") {
		words = nil
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			return nil, fmt.Errorf("want a JSON array of strings or words, got %q", text)
		}
	}
	return anyList(words), nil
}

// duration is a time such as 90s.
func duration(shortest, longest time.Duration) kind[time.Duration] {
	return func(value any) (time.Duration, error) {
		s, err := asType[string](value, `a string such as "90s"`)
		if err != nil {
			return 0, err
		}
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, fmt.Errorf("want a time such as %q, got %q", "90s", s)
		}
		if d < shortest || d > longest {
			return 0, fmt.Errorf("want %s to %s, got %q", formatDuration(shortest), formatDuration(longest), s)
		}
		return d, nil
	}
}

// formatDuration writes a time without its zero parts: 90s is 90s, an hour 1h.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 && d < 10*time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// maxText bounds a line of text.
const maxText = 1000

// oneLine is a line of text that check accepts if it is not empty; nil accepts
// any.
func oneLine(check func(string) error) kind[string] {
	return func(value any) (string, error) {
		s, err := asType[string](value, "a string")
		switch {
		case err != nil:
		case strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s || len(s) > maxText:
			err = errors.New("want one short line without white space around it")
		case check != nil && s != "":
			err = check(s)
		}
		return s, err
	}
}

// checkFolder wants a folder that is the same wherever a command runs.
func checkFolder(s string) error {
	if filepath.IsAbs(s) || strings.HasPrefix(s, "~/") {
		return nil
	}
	return errors.New("want a whole path, or one that begins with ~/")
}

// CheckAddress returns nil for the address of a server, in the form that
// base_url keys take. The error does not repeat it: it may hold a password.
func CheckAddress(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("want an address such as http://localhost:11434/v1")
	case u.User != nil:
		return errors.New("want an address without a user or password; a key comes from key_command or the environment")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want an address without a query or fragment")
	}
	return nil
}
