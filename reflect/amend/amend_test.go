package amend_test

import (
	"testing"

	"mem/reflect/amend"
	"mem/reflect/answer"
)

// TestCompare: what a person decides anew stands for what was decided before, with its
// subject; what only looks like it does not.
func TestCompare(t *testing.T) {
	for _, tt := range []struct{ name, old, said, op, text string }{
		{"another number", "The page size of the export is 50", "The page size of the export is 100 now", answer.Replaces, ""},
		{"taken back by name", "Use 50 rows a page for exports to the ledger", "For exports it is 100 rows a page now, not 50", answer.Replaces, ""},
		{
			"a policy amended", "`should_poll` allows 2xx only, at most 4 attempts, backoff sleeps capped at 60 seconds",
			"Poll on any 2xx plus 304; still at most 4 attempts; backoff now caps at 30 seconds, superseding the old 60-second cap", answer.Replaces,
			"`should_poll`: poll on any 2xx plus 304; at most 4 attempts; backoff caps at 30 seconds",
		},
		{"a program", "Install packages with `npm` in the web folder", "Install packages of the web folder with `bun` rather than `npm`", answer.Replaces, ""},
		{"the same, with its reason", "We are not supposed to use the broker container in dev", "In dev we use a local broker rather than the container so that the debugger can attach", answer.Replaces, ""},
		{"the same, in short", "In dev we use a local broker rather than the container so that the debugger can attach", "We are not supposed to use the broker container in dev", answer.Again, ""},
		{"another subject", "Workers retry 3 times", "Importers retry 5 times", "", ""},
		{"refused, and nothing in its place", "Install packages of the web folder with `npm`", "Do not install packages of the web folder with tools, not `npm`", "", ""},
		{"another file", "Keep `a.go` under 400 lines", "Keep `b.go` under 300 lines", "", ""},
		{"a value that both refuse", "Use `pnpm`, not `npm`, for packages of the web folder", "Packages of the web folder: `pnpm` and not `npm` on 2 machines", "", ""},
		{"a value of something else", "Ports start at 50 in the staging network", "Colours have 100 steps, not 50", "", ""},
		{"forbids the same, of another place", "Do not use the broker container in dev tests", "Do not use the broker container in release builds", "", ""},
		{"asks for what was refused", "Do not use the broker container in dev", "Use the broker container in dev", "", ""},
		{"the same, under a condition", "Do not commit generated files by hand", "Do not commit generated files by hand in release branches", "", ""},
		{"the same text", "Retry 3 times", "Retry 3 times", "", ""},
	} {
		said, old := amend.ReadStatement(tt.said), amend.ReadStatement(tt.old)
		text, op := said.Compare(old)
		if op != tt.op || tt.text != "" && text != tt.text {
			t.Errorf("%s: %q, %q", tt.name, op, text)
		}
		if op != "" && !said.MayConcern(tt.old) {
			t.Errorf("%s: it is skipped", tt.name)
		}
	}
}

// TestMayConcern: of a large memory few lessons are read beside a new one.
func TestMayConcern(t *testing.T) {
	said := amend.ReadStatement("For exports it is 100 rows a page now, not 50")
	for text, want := range map[string]bool{
		"Use 50 rows a page for exports": true, "Exports have 50 parts": false, "Rows of exports are sorted": false, "Retry 50 times": false,
	} {
		if said.MayConcern(text) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
}
