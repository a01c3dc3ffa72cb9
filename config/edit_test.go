package config

import (
	"strings"
	"testing"

	"mem/envtest"
)

func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, before, key, value, want string }{
		{"an empty file", "", "oracle.openai.model", "qwen3:8b", "[oracle.openai]\nmodel = \"qwen3:8b\"\n"},
		{"no final newline", "mode = 'global'", "oracle.openai.model", "x", "mode = 'global'\n\n[oracle.openai]\nmodel = \"x\"\n"},
		{"a line is replaced", "# mine\n[oracle.openai] # local\n  model = 'a' # fast\nbase_url = 'http://h/v1'\n", "oracle.openai.model", "b",
			"# mine\n[oracle.openai] # local\n  model = \"b\" # fast\nbase_url = 'http://h/v1'\n"},
		{"a line is added after the last one", "[oracle.openai]\nbase_url = 'http://h/v1'\n\n# next\n[oracle.command]\nargv = ['x']\n", "oracle.openai.model", "b",
			"[oracle.openai]\nbase_url = 'http://h/v1'\nmodel = \"b\"\n\n# next\n[oracle.command]\nargv = ['x']\n"},
		{"top level", "[oracle]\norder = ['heuristic']\n", "mode", "global", "mode = \"global\"\n[oracle]\norder = ['heuristic']\n"},
		{"a list", "[oracle]\norder = ['heuristic']\n", "oracle.order", "openai, heuristic", "[oracle]\norder = [\"openai\", \"heuristic\"]\n"},
		{"line ends of Windows", "mode = 'global'\r\n", "max_lessons", "3", "mode = 'global'\r\nmax_lessons = 3\r\n"},
		{"a number sign in a value", "[oracle.openai]\nmodel = 'a#b'\n", "oracle.openai.model", "c", "[oracle.openai]\nmodel = \"c\"\n"},
	} {
		got, err := Edit([]byte(tt.before), tt.key, tt.value)
		envtest.FailIf(t, err != nil || string(got) != tt.want, "%s: Edit = %q, %v, want %q", tt.name, got, err, tt.want)
	}
	for _, tt := range []struct {
		name, before, key, value string
		want                     error
	}{
		{"dotted", "oracle.openai.model = 'a'\n", "oracle.openai.model", "b", errUnsure},
		{"inline", "oracle = {openai = {model = 'a'}}\n", "oracle.openai.model", "b", errUnsure},
		{"several lines", "[oracle]\norder = [\n 'heuristic',\n]\n", "oracle.order", "heuristic", errUnsure},
		{"a heading in a text", "x = '''\n[oracle.openai]\n'''\n", "oracle.openai.model", "b", errUnsure},
		{"no TOML", "x = \n", "oracle.openai.model", "b", ErrInvalid},
		{"no value for the key", "", "oracle.openai.base_url", "ftp://x", ErrInvalid},
		{"no key", "", "oracle.openai.key", "x", ErrInvalid},
	} {
		got, err := Edit([]byte(tt.before), tt.key, tt.value)
		envtest.Wraps(t, tt.want, err, tt.name, "Edit", got)
	}
}

// A server's address is refused without being repeated: it may hold a password.
func TestCheckAddress(t *testing.T) {
	for text, ok := range map[string]bool{
		"http://localhost:11434/v1": true, "https://api.example.com": true, "http://[::1]:8080/v1/": true,
		"localhost:11434": false, "ftp://h/": false, "https://bob:hunter2@h/v1": false, "https://hunter2@h": false,
		"https://h/?key=hunter2": false, "https://h/#hunter2": false, "http://": false, "https://hunter2:x y@h": false,
	} {
		err := CheckAddress(text)
		envtest.Same(t, ok, err == nil, "CheckAddress", text, err)
		envtest.FailIf(t, err != nil && strings.Contains(err.Error(), "hunter2"),
			"CheckAddress(%q) repeats the password: %v", text, err)
	}
}
