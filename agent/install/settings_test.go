package install

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/envtest"
)

// A style is how a person, or their editor, writes JSON.
type style struct{ newline, indent, space string }

// A writer writes values with comments and commas wherever they may be.
type writer struct {
	t *rapid.T
	style
	strict bool
}

func (w writer) gap(depth int) string {
	switch n := rapid.IntRange(0, 9).Draw(w.t, "gap"); {
	case n < 5 || w.newline == "":
		return w.newline + strings.Repeat(w.indent, depth)
	case n < 7:
		return rapid.SampledFrom([]string{"", " ", "\t", w.newline, w.newline + "   "}).Draw(w.t, "odd")
	case w.strict:
		return " "
	case n < 9:
		return " // it's \"so\", {x]" + w.newline + strings.Repeat(w.indent, depth)
	}
	return " /* , \" } */ "
}

func (w writer) list(open, end string, items []string, depth int) string {
	var b strings.Builder
	b.WriteString(open)
	for i, item := range items {
		b.WriteString(w.gap(depth+1) + item)
		if i < len(items)-1 {
			b.WriteString(rapid.SampledFrom([]string{",", ",", " ,"}).Draw(w.t, "comma"))
		} else if !w.strict && rapid.IntRange(0, 4).Draw(w.t, "trailing") == 0 {
			b.WriteString(",")
		}
	}
	return b.String() + w.gap(depth) + end
}

func (w writer) value(depth int) string {
	n := rapid.IntRange(0, 7).Draw(w.t, "value")
	if depth > 4 {
		n %= 5
	}
	var items []string
	for i := range rapid.IntRange(0, 3).Draw(w.t, "n") * (n / 5) {
		item := w.value(depth + 1)
		if n > 5 {
			item = fmt.Sprintf("\"k%d\":%s%s", i, w.space, item)
		}
		items = append(items, item)
	}
	switch {
	case n == 5:
		return w.list("[", "]", items, depth)
	case n > 5:
		return w.list("{", "}", items, depth)
	}
	return rapid.SampledFrom([]string{"1e3", "true", "null", `"a \"b\" // c"`, `"é\u00e9 \\"`}).Draw(w.t, "scalar")
}

func (w writer) hooks() string {
	var events []string
	for _, name := range []string{"PreToolUse", "Stop", "SessionStart"} {
		var groups []string
		for range rapid.IntRange(0, 2).Draw(w.t, name) {
			handler := w.list("{", "}", []string{`"type":` + w.space + `"command"`, `"command": "say done"`}, 5)
			parts := []string{`"hooks": ` + w.list("[", "]", []string{handler}, 4)}
			if rapid.Bool().Draw(w.t, "matcher") {
				parts = append(parts, `"matcher": "Bash|*"`)
			}
			groups = append(groups, w.list("{", "}", parts, 3))
		}
		if len(groups) > 0 || rapid.IntRange(0, 3).Draw(w.t, "empty") == 0 {
			events = append(events, `"`+name+`": `+w.list("[", "]", groups, 2))
		}
	}
	return w.list("{", "}", events, 1)
}

// drawSettings is a settings file with all kinds of keys and hooks in it, as JSON or,
// unless strict, with comments and trailing commas.
func drawSettings(t *rapid.T, strict bool) []byte {
	w := writer{t, rapid.SampledFrom([]style{
		{"\n", "  ", " "}, {"\r\n", "    ", " "}, {"\n", "\t", ""}, {"", "", ""}, {"\n", "", " "}, {"\n", " \t", " "},
	}).Draw(t, "style"), strict}
	var members []string
	for i := range rapid.IntRange(0, 4).Draw(t, "members") {
		members = append(members, fmt.Sprintf("\"key%d\":%s%s", i, w.space, w.value(1)))
	}
	if rapid.IntRange(0, 2).Draw(t, "hooked") > 0 {
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		members = slices.Insert(members, at, `"hooks": `+w.hooks())
	}
	return marked(t, w.list("{", "}", members, 0)+rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end"))
}

// drawSmall is a settings file with next to nothing in it, or nil for none at all.
func drawSmall(t *rapid.T) []byte {
	if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
		return nil
	}
	return marked(t, rapid.SampledFrom([]string{
		"", "\n", "  \r\n", "// nothing\n", "\n/**/", "{}", "{} // x", "// x", "{ }", "{}\n", "{\n}\n", "{\r\n}", "{ // x\n}", "{\n  \"hooks\": {}\n}\n",
		"{\n  \"hooks\": {\n  }\n}\n", "{\"hooks\":{\"Stop\":[\n]}}", "{\n  \"hooks\": {\n    \"Stop\": [],\n  }\n}",
	}).Draw(t, "small"))
}

// marked puts a byte order mark before a text, now and then.
func marked(t *rapid.T, text string) []byte {
	if rapid.IntRange(0, 5).Draw(t, "mark") == 0 {
		text = "\xef\xbb\xbf" + text
	}
	return []byte(text)
}

// What keeps an agent from running hooks is found wherever its settings say so: the strongest
// file counts, in comments and in a broken file nothing does.
func TestFindOff(t *testing.T) {
	const managed, local, user = "etc/claude-code/managed-settings.json", "p/.claude/settings.local.json", "h/.claude/settings.json"
	const codex = "h/.codex/config.toml"
	type files map[string]string
	for _, tt := range []struct {
		agent string
		files files
		want  string
	}{
		{"claude", files{user: "\xef\xbb\xbf{\n// all of them\n\"disableAllHooks\": true,\n}"}, user + ": disableAllHooks = true"},
		{"claude", files{"p/.claude/settings.json": `{"disableAllHooks": true}`}, "p/.claude/settings.json: disableAllHooks = true"},
		{"claude", files{user: `{"disableAllHooks": true}`, local: `{"disableAllHooks": false}`}, ""},
		{"claude", files{user: `{"disableAllHooks": "true"}`, local: `{"disableAllHooks": true`}, ""},
		{"claude", files{local: `{} // "disableAllHooks": true`}, ""},
		{"claude", files{local: `{"disableAllHooks": false}`, managed: `{"disableAllHooks": true}`}, managed + ": disableAllHooks = true"},
		{"codex", files{codex: "[features]\nhooks = false\n"}, codex + ": features.hooks = false"},
		{"codex", files{codex: "features = { codex_hooks = false }\n"}, codex + ": features.codex_hooks = false"},
		{"codex", files{codex: "features.hooks = true\nfeatures.codex_hooks = false\n"}, ""},
		{"gemini", files{"p/.gemini/settings.json": `{"hooksConfig": {"enabled": false}}`}, "p/.gemini/settings.json: hooksConfig.enabled = false"},
		{"gemini", files{"h/.gemini/settings.json": `{"hooks": {"disabled": ["mem hook gemini"]}}`}, `h/.gemini/settings.json: hooks.disabled = ["mem hook gemini"]`},
		{"pi", files{"h/.pi/agent/settings.json": `{"extensions": ["-extensions/mem.ts"]}`}, `h/.pi/agent/settings.json: extensions = ["-extensions/mem.ts"]`},
		{"pi", files{"h/.pi/agent/settings.json": `{"extensions": ["!*.ts", "+extensions/mem.ts"]}`}, ""},
		{"opencode", nil, ""},
	} {
		dir := t.TempDir()
		for name, text := range tt.files {
			at := filepath.Join(dir, name)
			envtest.Write(t, text, at)
		}
		got, setting := FindOff(tt.agent, Place{
			Project: filepath.Join(dir, "p"), Home: filepath.Join(dir, "h"), Machine: dir, Getenv: func(string) string { return "" },
		})
		if got != "" {
			got = strings.TrimPrefix(got, dir+"/") + ": " + setting
		}
		envtest.FailIf(t, runtime.GOOS == "linux" && got != tt.want,
			"%s %v: got %q, want %q", tt.agent, tt.files, got, tt.want)
	}
}
