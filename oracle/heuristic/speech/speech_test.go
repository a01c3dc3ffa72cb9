package speech

import (
	"mem/oracle/heuristic/spelling"

	"testing"

	"github.com/google/go-cmp/cmp"
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
		if got, _ := baseForm(in); got != want {
			t.Errorf("baseForm(%q) = %q, want %q", in, got, want)
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
		got := takeApart(in, false, Scene{})
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(remark{})); diff != "" {
			t.Errorf("takeApart(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	own, _ := SplitPasted("no! use foo.ts v1.2. See e.g. the docs.\n\n- one\n2. two\n```\ncode. never\n```\n> quoted\n    indented\n<file>x. y</file>\nlast?")
	got := SplitSentences(own)
	want := []string{"no!", "use foo.ts v1.2.", "See e.g. the docs.", "one", "two", "last?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

func TestMarkCode(t *testing.T) {
	for in, want := range map[string]string{
		"run npm run build before go test":        "run `npm run build` before `go test`",
		"edit src/a.ts, not ./b.go.":              "edit `src/a.ts`, not `./b.go`.",
		"pass --json and -race to pytest":         "pass `--json` and `-race` to `pytest`",
		"MAX_SIZE and maxSize in `x y` (foo_bar)": "`MAX_SIZE` and `maxSize` in `x y` (`foo_bar`)",
		"GitHub and/or JavaScript, make sure":     "GitHub and/or JavaScript, make sure",
		"open -> paid/held/sent, see a/b/c":       "open -> paid/held/sent, see `a/b/c`",
		"an `open tick":                           "an open tick",
		"files under gen/ and money.Amount":       "files under `gen/` and `money.Amount`",
	} {
		if got := spelling.MarkCode(in); got != want {
			t.Errorf("spelling.MarkCode(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestHearLongS: the letter ſ is an s to an expression that ignores case, and
// to nothing else.
func TestHearLongS(t *testing.T) {
	heard := Hear("u\u017fe pnpm instead of npm", Scene{Refused: true})
	if len(heard) != 1 {
		t.Errorf("heard %v, want one lesson", heard)
	}
}
