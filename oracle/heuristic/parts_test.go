package heuristic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mem/session"
)

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

func TestLine(t *testing.T) {
	long := strings.Repeat("wörter und `code` ", 40)
	if got := utf8.RuneCountInString(line(long)); got > MaxText || got < MaxText-20 {
		t.Errorf("line gives %d characters", got)
	}
	if got := line(" a\n\tb\x00\x1b[1m c\u202e .\xff"); got != "a b[1m c" {
		t.Errorf("line = %q", got)
	}
}

// TestProjectOfSession: the files and folders that calls name show the project.
func TestProjectOfSession(t *testing.T) {
	s := read(expand([]compact{
		{Read: "/home/robin/shop/src/a.go", Out: "x"}, {Read: "/home/robin/shop/src/b/c.go", Out: "x"}, {Bash: "cd /home/robin/shop && ls", Out: "x"},
	}))
	if s.project.Root != "/home/robin/shop" {
		t.Errorf("root = %q", s.project.Root)
	}
}

// TestNeverEver: a sentence that breaks off forbids nothing.
func TestNeverEver(t *testing.T) {
	m, f := Lessons(expand([]compact{{User: "x"}, {Say: "y"}, {User: "never ever ever"}}), 8)
	if len(m)+len(f) != 0 {
		t.Errorf("Lessons = %v, %v, want none", m, f)
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
