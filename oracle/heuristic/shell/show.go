package shell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lengths of a command and of an error line in a lesson, in characters.
const (
	maxCommand = 70
	maxError   = 100
)

// ShowCommand writes a simple command the way a person would type it: its own
// settings, program and arguments, without redirections and wrappers such as
// sudo, with paths relative to the project.
func (p Project) ShowCommand(c Simple) string {
	var parts []string
	for _, e := range c.Settings {
		parts = append(parts, ShowSetting(e))
	}
	if c.Runner != "" {
		parts = append(parts, c.Runner)
	}
	for _, w := range c.Words {
		raw := w.Raw
		if strings.Contains(raw, "\n") || len(raw) > 48 {
			raw = shortenWord(raw)
		}
		parts = append(parts, raw)
	}
	return Clip(p.ShowText(strings.Join(parts, " ")), maxCommand)
}

// shortenWord leaves out an argument that is a text rather than a name.
func shortenWord(raw string) string {
	if strings.HasPrefix(raw, `"`) || strings.HasPrefix(raw, "'") {
		return raw[:1] + "…" + raw[:1]
	}
	if strings.ContainsAny(raw, "\n$") {
		return "…"
	}
	return raw
}

// ShowSetting shows an assignment. A value that looks private or long is left
// out: the name is what matters.
func ShowSetting(assign string) string {
	name, value, _ := strings.Cut(assign, "=")
	private := slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH", "DSN", "URL"}, func(p string) bool {
		return strings.Contains(strings.ToUpper(name), p)
	})
	if private || len(value) > 32 || strings.ContainsAny(value, "\n`") {
		return name + "=…"
	}
	return assign
}

// Code sets text as code, between backticks.
func Code(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "`", "'"))
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// Clip shortens text to n characters at the end of a word and never leaves a
// backtick open. What was cut is marked by "…".
func Clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	cut := string([]rune(text)[:n-2]) // room for the mark and a backtick
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	cut = strings.TrimRight(cut, " ,;:-(&|")
	if strings.Count(cut, "`")%2 == 1 {
		if strings.HasSuffix(cut, "`") {
			return strings.TrimRight(strings.TrimSuffix(cut, "`"), " ") + "…"
		}
		return cut + "…`"
	}
	return cut + "…"
}

// OneLine makes text one clean line of at most n characters, without marks at
// its end.
func OneLine(text string, n int) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return strings.TrimRight(Clip(strings.Join(strings.Fields(text), " "), n), " .,;:-")
}
