package heuristic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mem/session"
)

func TestParseCommand(t *testing.T) {
	tests := []struct{ raw, family, wrapper, dir, shown string }{
		{"npm test", "npm test", "", "", "npm test"},
		{"cd web && npm run build 2>&1 | tail -3", "npm run build", "", "web", "npm run build"},
		{"cd /srv && cd app; FOO=1 go test ./... > out.txt", "go test", "", "/srv/app", "FOO=1 go test ./..."},
		{"sudo timeout 30 docker compose up -d", "docker compose up", "", "", "docker compose up -d"},
		{"uv run mypy src", "mypy", "uv run", "", "uv run mypy src"},
		{"python3 -m pytest -q", "pytest", "python3 -m", "", "python3 -m pytest -q"},
		{"git -C sub commit -m 'a && b; c'", "git commit", "", "", "git -C sub commit -m 'a && b; c'"},
		{"echo hi; make lint # not this: make test", "make lint", "", "", "make lint"},
		{`bash -lc "cd web && npm test"`, "npm test", "", "web", "npm test"},
		{`sh -c 'sh -c "sh -c x"'`, "sh", "", "", `sh -c x`},
		{"pnpm --filter core build", "pnpm build", "", "", "pnpm --filter core build"},
		{"cat <<'EOF' | sqlite3 x.db\nselect 1;\nEOF\n", "cat", "", "", "cat"},
		{"API_KEY=hunter2 ./run", "run", "", "", "API_KEY=… ./run"},
		{"  ", "", "", "", ""},
		{"'unfinished", "unfinished", "", "", "'unfinished"},
		{"a $(b 'c' (d)) && e", "e", "", "", "e"},
	}
	s := &timeline{}
	for _, test := range tests {
		c := parseCommand(test.raw)
		m := c.main()
		if m.family() != test.family || m.wrapper != test.wrapper || c.dir != test.dir || s.display(m) != test.shown {
			t.Errorf("parseCommand(%q) = family %q, wrapper %q, dir %q, shown %q; want %q, %q, %q, %q", test.raw,
				m.family(), m.wrapper, c.dir, s.display(m), test.family, test.wrapper, test.dir, test.shown)
		}
	}
}

func TestEssence(t *testing.T) {
	tests := []struct {
		out, line string
		kind      kind
	}{
		{"Exit code 127\n/bin/bash: line 1: foo: command not found", "foo: command not found", noCommand},
		{"zsh:1: command not found: foo", "command not found: foo", noCommand},
		{"npm error Missing script: \"lint\"\nnpm error\nnpm error To see a list of scripts, run:", "Missing script: \"lint\"", noCommand},
		{"Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'yaml'", noModule},
		{"\x1b[31merror[E0432]\x1b[0m: unresolved import `foo`\n --> src/a.rs:1:5", "error[E0432]: unresolved import `foo`", sourceCode},
		{"a/b.go:3:2: undefined: x\n", "undefined: x", sourceCode},
		{"--- FAIL: TestX (0.01s)\n    x_test.go:3: got 1", "--- FAIL: TestX (0.01s)", sourceCode},
		{"fatal: not a git repository (or any of the parent directories): .git", "fatal: not a git repository (or any of the parent directories): .git", badSetup},
		{"panic: runtime error: index out of range", "panic: runtime error: index out of range", sourceCode},
		{"2026-03-09 10:11:12 ERROR listen EADDRINUSE: address already in use :::3000 (pid 4242)", "ERROR listen EADDRINUSE: address already in use :::3000", badSetup},
		{"<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>", "String to replace not found in file", routine},
		{"open /tmp/run-81723/x.sock: permission denied", "open /tmp/…: permission denied", noRight},
		{"one\ntwo\nthree\nfour\nfive", "", unknown},
		{"", "", unknown},
	}
	s := &timeline{}
	for _, test := range tests {
		if f := s.essence(test.out); f.line != test.line || f.kind != test.kind {
			t.Errorf("essence(%q) = %q (kind %d), want %q (kind %d)", test.out, f.line, f.kind, test.line, test.kind)
		}
	}
}

func TestPaths(t *testing.T) {
	s := read(expand([]compact{
		{Read: "/home/robin/shop/src/a.go", Out: "x"}, {Read: "/home/robin/shop/src/b/c.go", Out: "x"}, {Bash: "cd /home/robin/shop && ls", Out: "x"},
	}))
	if s.paths.root != "/home/robin/shop" {
		t.Errorf("root = %q", s.paths.root)
	}
	for in, want := range map[string]string{
		"/home/robin/shop/src/a.go":          "src/a.go",
		"open /home/robin/other/x: failed":   "open ~/other/x: failed",
		"in /home/robin/shop: failed":        "in .: failed",
		"/Users/jo/x and /private/tmp/ab12/": "~/x and /tmp/…",
		"/home/robin/shopping/list":          "~/shopping/list",
	} {
		if got := s.paths.show(in); got != want {
			t.Errorf("show(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestGerund(t *testing.T) {
	for in, want := range map[string]string{
		"delete": "deleting", "run": "running", "commit": "committing", "use": "using", "edit": "editing", "be": "being",
		"put": "putting", "push": "pushing", "copy": "copying", "agree": "", "think": "", "open": "opening", "force-push": "",
	} {
		if got, _ := gerund(in); got != want {
			t.Errorf("gerund(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"delete tests": "deleting tests", "commit or push to main": "committing or pushing to main", "force push": "force pushing",
		"force-push to main": "force-pushing to main", "`rm -rf`": "running `rm -rf`", "guess, read the docs": "guessing, read the docs", "know": "", "": "",
	} {
		if got, _ := doing(in); got != want {
			t.Errorf("doing(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"used": "use", "run": "run", "committed": "commit", "checked": "check", "written": "write", "blue": ""} {
		if got, _ := base(in); got != want {
			t.Errorf("base(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestManners(t *testing.T) {
	for in, want := range map[string]remark{
		"No, use pnpm instead of npm here, please.":   {text: "use pnpm instead of npm", no: true, cried: true},
		"NO NO, USE PNPM!":                            {text: "use pnpm", no: true, cried: true},
		"Please use pnpm in this repo, thanks a lot.": {text: "use pnpm", cried: true, placed: true},
		"In this project, don’t use npm again":        {text: "don't use npm", placed: true},
		"Don't use npm here, use pnpm from now on.":   {text: "Don't use npm, use pnpm", lasting: true},
		"no thanks, we use pnpm here":                 {text: "we use pnpm here"},
		"put the button here, please":                 {text: "put the button here", cried: true},
		"the linter says: never use npm":              {text: "the linter says: never use npm"},
		"don't use it in this repository (yet)":       {text: "don't use it in this repository (yet)"},
	} {
		got := takeApart(sentence{text: in}, scene{})
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(remark{})); diff != "" {
			t.Errorf("takeApart(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	got := sentences(prose("no! use foo.ts v1.2. See e.g. the docs.\n\n- one\n2. two\n```\ncode. never\n```\n> quoted\n    indented\n<file>x. y</file>\nlast?"))
	var texts []string
	for _, s := range got {
		texts = append(texts, s.text)
	}
	want := []string{"no!", "use foo.ts v1.2.", "See e.g. the docs.", "one", "two", "last?"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

func TestTick(t *testing.T) {
	for in, want := range map[string]string{
		"run npm run build before go test":        "run `npm run build` before `go test`",
		"edit src/a.ts, not ./b.go.":              "edit `src/a.ts`, not `./b.go`.",
		"pass --json and -race to pytest":         "pass `--json` and `-race` to `pytest`",
		"MAX_SIZE and maxSize in `x y` (foo_bar)": "`MAX_SIZE` and `maxSize` in `x y` (`foo_bar`)",
		"GitHub and/or JavaScript, make sure":     "GitHub and/or JavaScript, make sure",
		"an `open tick":                           "an open tick",
		"files under gen/ and money.Amount":       "files under `gen/` and `money.Amount`",
	} {
		if got := tick(in); got != want {
			t.Errorf("tick(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("wörter und `code` ", 40)
	for _, n := range []int{20, 70, 100, MaxText} {
		got := clip(long, n)
		if c := utf8.RuneCountInString(got); c > n || c < n/2 || strings.Count(got, "`")%2 != 0 || !utf8.ValidString(got) {
			t.Errorf("clip(%d) = %q (%d characters)", n, got, c)
		}
	}
	if got := clip("short", 20); got != "short" {
		t.Errorf("clip = %q", got)
	}
	if got := utf8.RuneCountInString(line(long)); got > MaxText || got < MaxText-20 {
		t.Errorf("line gives %d characters", got)
	}
	if got := line(" a\n\tb\x00\x1b[1m c\u202e .\xff"); got != "a b[1m c" {
		t.Errorf("line = %q", got)
	}
}

func TestCutInputStillTells(t *testing.T) {
	for in, want := range map[string]arguments{
		`{"command":"npm test \"x\" && ec`:                        {command: `npm test "x" && ec`},
		`{"file_path":"/a/b.go","old_string":"x…[cut]…`:           {file: "/a/b.go"},
		`{"command":["bash","-lc","npm test"]}`:                   {command: "npm test"},
		`{"cmd":"ls","path":"a"}`:                                 {command: "ls", file: "a"},
		`{"path":"a.go","edits":[{"oldText":"x","newText":"y"}]}`: {file: "a.go", edits: []edit{{"x", "y"}}},
		`{"input":"*** Begin Patch\n*** Update File: a.go\n@@"}`:  {file: "a.go"},
		`nonsense`: {},
		`null`:     {},
	} {
		if diff := cmp.Diff(want, parseArguments(in), cmp.AllowUnexported(arguments{}, edit{})); diff != "" {
			t.Errorf("parseArguments(%s) (-want +got):\n%s", in, diff)
		}
	}
}

// TestOrphans: answers without calls and calls without answers are normal.
func TestOrphans(t *testing.T) {
	steps := []session.Event{
		{Kind: "tool_result", CallID: "x", Tool: "Bash", Cause: "failed", Text: "Error: no"},
		{Kind: "tool_call", CallID: "y", Tool: "Bash", Input: `{"command":"make"}`},
		{Kind: "tool_result", CallID: "z", Tool: "Edit", Cause: "denied_by_user", Reason: "never edit generated files by hand", Origin: "tool"},
	}
	m, f := Lessons(steps, 8)
	if len(m) != 1 || m[0].Text != "editing generated files by hand" || len(f) != 0 {
		t.Errorf("Lessons = %v, %v", m, f)
	}
}

// TestWeights: what a person said comes before what a machine said.
func TestWeights(t *testing.T) {
	m, _ := Lessons(expand([]compact{
		{User: "go"},
		{Bash: "python a.py", Cause: "failed", Out: "python: command not found"}, {Bash: "python3 a.py", Out: "ok"},
		{User: "please don't add emojis to commit messages"}, {Say: "ok"},
		{User: "never commit to main"},
		{Bash: "rm -rf build", Cause: "denied_by_user", Reason: "don't delete the build cache"},
	}), 8)
	var rules []string
	for _, l := range m {
		rules = append(rules, l.Rule)
	}
	if diff := cmp.Diff([]string{"denial", "standing", "correction", "resolution"}, rules); diff != "" {
		t.Errorf("order (-want +got):\n%s\n%v", diff, m)
	}
}
