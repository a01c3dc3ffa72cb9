package heuristic

import (
	"slices"
	"strings"
)

// maxCommand is the length of a command in a lesson.
const maxCommand = 70

// display writes a simple command the way a person would type it: its own
// settings, program and arguments, without redirections and wrappers such as
// sudo, with paths relative to the project.
func (s *timeline) display(c simple) string {
	var parts []string
	for _, e := range c.env {
		parts = append(parts, setting(e))
	}
	if c.wrapper != "" {
		parts = append(parts, c.wrapper)
	}
	for i, w := range c.words {
		raw := w.raw
		if strings.ContainsAny(raw, "\n") || len(raw) > 48 {
			raw = shortWord(w)
		}
		if i == 0 && strings.HasPrefix(raw, "/") {
			raw = s.paths.show(raw)
		}
		parts = append(parts, raw)
	}
	return clip(s.paths.show(strings.Join(parts, " ")), maxCommand)
}

// shortWord shortens an argument that is a text rather than a name.
func shortWord(w word) string {
	if strings.HasPrefix(w.raw, `"`) || strings.HasPrefix(w.raw, "'") {
		return w.raw[:1] + "…" + w.raw[:1]
	}
	if strings.ContainsAny(w.raw, "\n$") {
		return "…"
	}
	return w.raw
}

// setting shows an assignment. A value that looks private or long is left
// out: the name is what matters.
func setting(assign string) string {
	name, value, _ := strings.Cut(assign, "=")
	private := slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH", "DSN", "URL"}, func(p string) bool {
		return strings.Contains(strings.ToUpper(name), p)
	})
	if private || len(value) > 32 || strings.ContainsAny(value, "\n`") {
		return name + "=…"
	}
	return assign
}

// because returns the clause that says how a command fails, or "".
func because(f fault) string {
	if f.line == "" {
		return ""
	}
	if f.kind == timedOut {
		return "it times out"
	}
	return "it fails with " + code(f.line)
}
