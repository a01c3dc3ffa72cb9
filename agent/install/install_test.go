package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var ourHooks = hooks{Command: "mem hook claude", Events: []string{"SessionStart", "Stop"}, Timeout: 3}

// command is what is installed, bareGroup what a person may write.
var (
	command   = strings.TrimPrefix(`command -v mem >/dev/null && mem hook claude || exit 0`, map[string]string{"windows": "command -v mem >/dev/null && "}[runtime.GOOS])
	group     = `{"hooks": [{"type": "command", "command": "` + command + `", "timeout": 3}]}`
	bareGroup = `{"hooks": [{"type": "command", "command": "mem hook claude", "timeout": 10}]}`
)

func TestAdd(t *testing.T) {
	for _, tt := range []struct{ name, before, after string }{
		{"settings", "{\n\t\"model\": \"opus\" // the big one\n}\n",
			"{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t" + group + "\n\t\t],\n\t\t\"Stop\": [\n\t\t\t" + group + "\n\t\t]\n\t} // the big one\n}\n"},
		{"an empty object", "{}\n", "{\"hooks\": {\n    \"SessionStart\": [\n      " + group + "\n    ],\n    \"Stop\": [\n      " + group + "\n    ]\n  }}\n"},
		{"one line", `{"a":1}`, "{\"a\":1, \"hooks\": {\n  \"SessionStart\": [\n    " + group + "\n  ],\n  \"Stop\": [\n    " + group + "\n  ]\n}}"},
		{"foreign hooks", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]},\n      " + group + "\n    ],\n    \"SessionStart\": [\n      " + group + "\n    ]\n  }\n}"},
		{"an empty file", "", "{\n  \"hooks\": {\n    \"SessionStart\": [\n      " + group + "\n    ],\n    \"Stop\": [\n      " + group + "\n    ]\n  }\n}"},
		{"half of it by hand", `{"hooks": {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "/usr/bin/mem hook claude"}]}], "SessionStart": []}}`,
			`{"hooks": {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "/usr/bin/mem hook claude"}]}], "SessionStart": [` + group + `]}}`},
		{"by hand", `{"hooks": {"Stop": [` + bareGroup + `], "SessionStart": [` + bareGroup + `]}}`, `{"hooks": {"Stop": [` + bareGroup + `], "SessionStart": [` + bareGroup + `]}}`},
	} {
		got, err := ourHooks.add([]byte(tt.before))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		envtest.Same(t, tt.after, string(got), tt.name)
	}
}

// What people do with their file after the hooks were added stays.
func TestRemoveAfterEdits(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a handler of their own in our group", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mem hook claude"}, {"type": "command", "command": "x"}]}]}}`,
			`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`},
		{"one behind ours", "{\n  \"hooks\": {\n    \"Stop\": [\n      " + group + ", // mem\n      {\"hooks\": []},\n    ],\n  },\n}\n",
			"{\n  \"hooks\": {\n    \"Stop\": [\n       // mem\n      {\"hooks\": []},\n    ],\n  },\n}\n"},
		{"another key, then ours, with trailing commas", "{\n  \"hooks\": {\n    \"Stop\": [\n      " + group + ",\n    ],\n  },\n  \"a\": 1,\n}\n", "{\n  \"a\": 1,\n}\n"},
		{"only a trailing comma", `{"hooks": {"Stop": [` + group + `,]}}`, `{"hooks": {"Stop": []}}`},
		{"by hand", `{"hooks": {"Stop": [` + bareGroup + `, {}]}}`, `{"hooks": {"Stop": [{}]}}`},
		{"of another system", `{"hooks": {"Stop": [{"hooks": [{"command": "mem hook claude || exit 0"}]}, {}]}}`, `{"hooks": {"Stop": [{}]}}`},
		{"a comment between two of ours", "{\"hooks\": {\"Stop\": [" + group + ", // mine\n" + group + "]}}", "{\"hooks\": {\"Stop\": [ // mine\n]}}"},
		{"nothing of ours", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mem hook codex"}, {"command": "mem hook claude more"}]}]}}`,
			`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mem hook codex"}, {"command": "mem hook claude more"}]}]}}`},
	} {
		got, err := ourHooks.remove([]byte(tt.in))
		diff := cmp.Diff(tt.want, string(got))
		envtest.FailIf(t, diff != "" || err != nil, "%s: %v (-want +got):\n%s", tt.name, err, diff)
	}
}

func TestRefused(t *testing.T) {
	for _, in := range []string{
		"[]", "null", "{", `{"a":1`, `{"a":1}}`, `{"a":1} {}`, `{"a":1,"a":2}`, `{"hooks": 1}`, `{"hooks": {"Stop": {}}}`,
		`{"hooks": {}, "hooks": {}}`, `{,}`, `{"a":1,,}`, "{\"a\": \"\xff\"}", "\xff\xfe{\x00}\x00", `{"a": /* open }`, `{'a': 1}`, "{a: 1}",
		strings.Repeat("[", maxFile), // deep enough for a stack to end the process
	} {
		got, err := ourHooks.add([]byte(in))
		envtest.Wraps(t, ErrRefused, err, "Add", in, got)
	}
}

func TestBlockRefused(t *testing.T) {
	for _, in := range []string{"<!-- mem: begin -->", "<!-- mem: end -->\n<!-- mem: begin -->", "<!-- mem: begin --><!-- mem: begin --><!-- mem: end -->", "ends with half a line break\r"} {
		got, err := (Block{blockBegin, blockEnd}).Put([]byte(in), block)
		envtest.Wraps(t, ErrRefused, err, "AddBlock", in, got)
	}
}

// Hooks put into any settings and taken out again leave every byte as it was,
// twice is as once, and what reads JSON finds all there was and the hooks.
func TestHooksLaws(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) []byte{
		"JSON":                   func(t *rapid.T) []byte { return drawSettings(t, true) },
		"comments, extra commas": func(t *rapid.T) []byte { return drawSettings(t, false) },
		"hardly anything":        drawSmall,
	} {
		t.Run(name, func(t *testing.T) { hooksLaws(t, draw) })
	}
}

func hooksLaws(t *testing.T, draw func(*rapid.T) []byte) {
	rapid.Check(t, func(t *rapid.T) {
		before := draw(t)
		after, err := ourHooks.add(before)
		envtest.StopIf(t, err != nil, "Add(%q): %v", before, err)
		again, err := ourHooks.add(after)
		envtest.StopIf(t, err != nil || !bytes.Equal(again, after), "a second time: %v\n%s\nafter\n%s", err, again, after)
		envtest.StopIf(t, bytes.Count(after, []byte(`"`+command+`"`)) != len(ourHooks.Events),
			"a hook is missing or there twice:\n%s", after)
		if json.Valid(before) {
			var old, now map[string]any
			envtest.StopIf(t, json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil,
				"from JSON came what is none:\n%s", after)
			delete(old, "hooks")
			delete(now, "hooks")
			diff := cmp.Diff(old, now)
			envtest.StopIf(t, diff != "", "other settings changed (-before +after):\n%s", diff)
		}
		bare := bytes.ReplaceAll(after, []byte(group), []byte(bareGroup))
		if back, err := ourHooks.remove(bare); err != nil || !bytes.Equal(back, before) {
			t.Fatalf("Remove those written by hand: %v\n%q\nwant\n%q", err, back, before)
		}
		back, err := ourHooks.remove(after)
		envtest.StopIf(t, err != nil || !bytes.Equal(back, before) || (back == nil) != (before == nil),
			"Remove: %v\n%q\nwant\n%q\nfrom\n%s", err, back, before, after)
	})
}

func TestBlockLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before []byte
		if rapid.IntRange(0, 9).Draw(t, "missing") > 0 {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"# Title", "", "words", "<!-- x -->", "```"}), 0, 6).Draw(t, "lines"), "\n")
			text += rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "end")
			if rapid.Bool().Draw(t, "crlf") {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			before = []byte(text)
		}
		after, err := (Block{blockBegin, blockEnd}).Put(before, block)
		envtest.NoError(t, err)
		again, err := (Block{blockBegin, blockEnd}).Put(after, block)
		envtest.StopIf(t, err != nil || !bytes.Equal(again, after), "a second time: %v\n%q", err, again)
		back, err := (Block{blockBegin, blockEnd}).Remove(after)
		envtest.StopIf(t, err != nil || !bytes.Equal(back, before) || (back == nil) != (before == nil),
			"Remove: %v\n%q, want %q", err, back, before)
	})
}

func FuzzHooks(f *testing.F) {
	f.Add([]byte("{\"hooks\": {\"Stop\": [" + group + ",]}}"))
	f.Add([]byte("\xef\xbb\xbf{ // x\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		after, err := ourHooks.add(data)
		if err != nil {
			envtest.StopIf(t, !errors.Is(err, ErrRefused), "%v", err)
			return
		}
		again, err := ourHooks.add(after)
		envtest.StopIf(t, err != nil || !bytes.Equal(again, after), "a second time: %v\n%q\nafter\n%q", err, again, after)
	})
}

// Add gives nothing out that Remove would not take back to the same bytes, even
// if what is to be added is not as Remove expects it.
func TestAddProvesTheWayBack(t *testing.T) {
	for name, h := range map[string]hooks{
		"a command that Remove does not know": {Command: "/usr/bin/mem hook claude", Events: []string{"Stop"}, Timeout: 3},
		"no event":                            {Command: "mem hook claude", Timeout: 3},
		"an event twice":                      {Command: "mem hook claude", Events: []string{"Stop", "Stop"}, Timeout: 3},
	} {
		for _, before := range []string{"{}", "{\n  \"model\": \"opus\"\n}\n"} {
			got, err := h.add([]byte(before))
			envtest.Wraps(t, ErrRefused, err, name, "Add", before, got)
		}
	}
}
