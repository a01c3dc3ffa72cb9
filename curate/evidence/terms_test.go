package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mem/index"

	"mem/envtest"
)

// shown is what is looked for: words in brackets.
func shown(text string, kind index.Kind) string {
	var list []string
	for _, t := range termsOf(&index.Item{Text: text, Kind: kind}) {
		if t.isWord {
			t.text = "(" + t.text + ")"
		}
		list = append(list, t.text)
	}
	return strings.Join(list, " ")
}

func TestTerms(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"E3 backticks", "Wrap errors with `fmt.Errorf` and `%w`", "fmt.Errorf %w"},
		{"E3 quotations", `Say "go test" and 'go vet', then say 'x`, "go test go vet"},
		{"E3 a double quotation before a single one", `Tell 'one two' from "three four" and “five six”`, "three four five six one two"},
		{"an apostrophe opens nothing", "It's the users' files that the dogs' owners lose", "(users) (files) (dogs) (owners) (lose)"},
		{"E3 identifiers", "Set max_size in src/app/main.ts for user@host, parseInstant and net.Dial.", "max_size src/app/main.ts user@host parseInstant net.Dial"},
		{"the order of the kinds", `Let fooBar follow "two words" and ` + "`code span`", "code span two words fooBar"},
		{"no names", "Mind the gaps, e.g. and/or i.e. 1.24 and 3/4", "(mind) (gaps)"},
		{"one word", "Mind this", ""},
		{"E3 words", "Always run the Migrations before seeding: otherwise foreign keys are missing", "(migrations) (seeding) (foreign) (keys) (missing)"},
		{"six words at most", "alpha bravo charlie delta echoes foxtrot golfing hotel", "(alpha) (bravo) (charlie) (delta) (echoes) (foxtrot)"},
		{"eight names at most", "`aa` `bb` `cc` `dd` `ee` `ff` `gg` `hh` `ii`", "aa bb cc dd ee ff gg hh"},
		{"a name twice", "`pnpm` and then `pnpm`", "pnpm"},
		{"more backticks", "See ``a `b` c`` and ```js\nfoo.bar\n```", "a `b` c"},
		{"backticks without an end", "Mind the ` in shell", "(mind) (shell)"},
		{"scripts without cases", "先跑 `make check` 再提交", "make check"},
		{"signs, and a single character", "Mind `===` and `x`", "==="},
		{"private use", "Mind \ue000 `aa` \uf8ff", "aa"},
		{"nothing", "", ""},
		{"denied", "Never use `aa`", ""},
		{"until the clause ends", "never ever use `aa` in tests; use `bb`", "bb"},
		{"a dash", "Don’t use `aa` — `bb` is there", "bb"},
		{"a comma ends none", "Do not call `aa`, call `bb`", ""},
		{"but", "Avoid `aa` but keep `bb`", "bb"},
		{"instead of", "Use `aa` instead of `bb`, and wrap with `cc`", "aa"},
		{"brackets", "Use `aa` (not `bb`) for `cc`", "aa cc"},
		{"abbreviations end none", "Never use e.g. `aa`", ""},
		{"marks in a name end none", "Never use `aa; bb`", ""},
		{"in an identifier", "Call fooBar, never bazQux", "fooBar"},
		{"not in a word", "Nevertheless `aa` notes `bb`", "aa bb"},
		{"words", "Never indent with tabs, spaces or newlines; braces align", "(braces) (align)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			envtest.Same(t, tt.want, shown(tt.text, index.Learning), tt.text)
		})
	}
	for text, want := range map[string]string{
		"Avoid: using `aa`": "aa", "using `aa`": "aa", "Avoid: using `aa` instead of `bb`": "aa", "Avoid: guessing at the words": "",
	} {
		envtest.Same(t, want, shown(text, index.AntiPattern), text)
	}
}

// TestTermsOfALot: no matter who wrote the index, a lesson costs little.
func TestTermsOfALot(t *testing.T) {
	for _, part := range []string{"“", "` `` ", "x. ", ", ", "(never ", "'a ", "a.b "} {
		got := shown("Use `fooBar`. "+strings.Repeat(part, 1<<20), index.Learning)
		envtest.FailIf(t, !strings.HasPrefix(got, "fooBar"), "%q: %q", part, got)
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("Use `aa` instead of ``b`b``, \"cc dd\" and 'ee ff' (not src/x.ts), don’t e.g. fooBar. 先跑", true)
	f.Add("\xff`\x01`“\x80”\ue001", false)
	f.Fuzz(func(t *testing.T, text string, avoid bool) {
		l := index.Item{Text: text, Kind: index.Learning}
		if avoid {
			l.Kind = index.AntiPattern
		}
		names, telling := 0, 0
		for _, s := range termsOf(&l) {
			if s.isWord {
				telling++
			} else {
				names++
			}
			if utf8.RuneCountInString(s.text) < 2 || strings.TrimSpace(s.text) != s.text || s.isWord && strings.ToLower(s.text) != s.text {
				t.Errorf("%q is looked for, from %q", s.text, text)
			}
		}
		if names > mostNames || telling > mostWords || telling == 1 || names > 0 && telling > 0 || avoid && telling > 0 {
			t.Errorf("%q has %d names and %d words", text, names, telling)
		}
	})
}
