package speech

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/oracle/heuristic/spelling"
)

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

// What is said with a reason, as a choice, of what is done with a thing, and where the moment makes a rule
// of it; and what sounds alike, but is none.
func TestHearRules(t *testing.T) {
	agreed, asked := Scene{Agreed: true}, Scene{Asked: true}
	for _, test := range []struct {
		said  string
		scene Scene
		want  string // "-" before what is to be avoided; "" for nothing
	}{
		{"no globals in the drivers please, the linker script puts them into slow memory", Scene{}, "-globals in the drivers"},
		{"never commit the fixtures in data/raw, they hold names of customers", Scene{}, "-committing the fixtures in data/raw, they hold names of customers"},
		{"use the staging bucket from here, never production", Scene{}, "Use the staging bucket from here, never production"},
		{"snapshots always from the release build, never from debug", agreed, "Snapshots always from the release build, never from debug"},
		{"columns of `events` are always added nullable", agreed, "Columns of `events` are always added nullable"},
		{"we don't mock the database in integration tests, that hides broken queries", agreed, "-mocking the database in integration tests, that hides broken queries"},
		{"neither, use Redis streams with a consumer group", asked, "Use Redis streams with a consumer group"},
		{"can you return typed errors in `pkg/store` instead of strings?", agreed, "Return typed errors in `pkg/store` instead of strings"},
		{"please sort the imports before you commit python files", Scene{}, "Sort the imports before you commit python files"},

		{"some people say you should never use ORMs, what do you think?", Scene{}, ""},
		{"they say we should always use tabs", Scene{}, ""},
		{"use the left one, not the right", Scene{}, ""},
		{"the tests are never green on my machine", agreed, ""},
		{"the cache is always cold after a deploy", agreed, ""},
		{"fix the typo in the header before you commit", Scene{}, ""},
		{"don't add the chart to the page, marketing hates it", Scene{}, ""},
		{"that works on linux, never on windows", Scene{}, ""},
		{"I ran it twice, never mind", Scene{}, ""},
		{"can you show the name instead of the id?", agreed, ""},
		{"no luck with the build today, the cache server is down", Scene{}, ""},
		{"no error in the log, the service just stops", Scene{}, ""},
		{"we don't know the reason yet, the logs are gone", agreed, ""},
	} {
		got := ""
		for _, h := range Hear(test.said, test.scene) {
			if got = h.Text; h.Avoid {
				got = "-" + h.Text
			}
		}
		if got != test.want {
			t.Errorf("%q is heard as %q, want %q", test.said, got, test.want)
		}
	}
}
