package search_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mem/curate/evidence/search"
	"mem/index"
	"mem/words"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       search.Terms
	}{
		{"E3 backticks", "Wrap errors with `fmt.Errorf` and `%w`", search.Terms{
			Strong: []string{"fmt.Errorf", "%w"}, Weak: []string{"wrap", "errors"},
		}},
		{"E3 quotations", `Say "go test" and 'go vet', don't say 'x`, search.Terms{Strong: []string{"go test", "go vet"}}},
		{"E3 a double quotation before a single one", `Tell 'one two' from "three four" and “five six”`, search.Terms{
			Strong: []string{"three four", "five six", "one two"}, Weak: []string{"tell"},
		}},
		{"an apostrophe opens nothing", "It's the users' files that the dogs' owners lose", search.Terms{
			Weak: []string{"users", "files", "dogs", "owners", "lose"},
		}},
		{"E3 identifiers", "Set max_size in src/app/main.ts for user@host, parseInstant and net.Dial.", search.Terms{
			Strong: []string{"max_size", "src/app/main.ts", "user@host", "parseInstant", "net.Dial"},
		}},
		{"the order of the kinds", `Let fooBar follow "two words" and ` + "`code span`", search.Terms{
			Strong: []string{"code span", "two words", "fooBar"}, Weak: []string{"words"}[:0],
		}},
		{"no names", "Mind this, e.g. and/or i.e. 1.24 and 3/4", search.Terms{Weak: []string{"mind"}}},
		{"E3 words", "Always run the Migrations before seeding: otherwise foreign keys are missing", search.Terms{
			Weak: []string{"migrations", "seeding", "foreign", "keys", "missing"},
		}},
		{"six words at most", "alpha bravo charlie delta echoes foxtrot golfing hotel", search.Terms{
			Weak: []string{"alpha", "bravo", "charlie", "delta", "echoes", "foxtrot"},
		}},
		{"eight names at most", "`aa` `bb` `cc` `dd` `ee` `ff` `gg` `hh` `ii`", search.Terms{
			Strong: []string{"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"},
		}},
		{"a name twice", "`pnpm` and then `pnpm`", search.Terms{Strong: []string{"pnpm"}}},
		{"more backticks", "See ``a `b` c`` and ```js\nfoo.bar\n```", search.Terms{Strong: []string{"a `b` c"}}},
		{"backticks without an end", "Mind the ` in shell", search.Terms{Weak: []string{"mind", "shell"}}},
		{"scripts without cases", "先跑 `make check` 再提交", search.Terms{Strong: []string{"make check"}}},
		{"signs, and a single character", "Mind `===` and `x`", search.Terms{Strong: []string{"==="}, Weak: []string{"mind"}}},
		{"nothing", "", search.Terms{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := search.TermsOf(&index.Item{Text: tt.text, Kind: index.Learning})
			if len(tt.want.Weak) > 0 || len(tt.want.Strong) == 0 {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", tt.text, diff)
				}
			} else if diff := cmp.Diff(tt.want.Strong, got.Strong); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestPolarity(t *testing.T) {
	for _, tt := range []struct{ text, strong, avoided string }{
		{"Use `aa`", "aa", ""},
		{"Never use `aa`", "", "aa"},
		{"never ever use `aa` in tests; use `bb`", "bb", "aa"},
		{"Don’t use `aa` — `bb` is there", "bb", "aa"},
		{"Do not call `aa`, call `bb`", "", "aa"},
		{"Avoid `aa` but keep `bb`", "bb", "aa"},
		{"Never run `aa` before `bb`; use `cc` after `dd`", "cc dd", ""},
		{"Use `aa` before `bb`, not `cc`", "aa bb", "cc"},
		{"Use `aa`, not `bb`", "aa", "bb"},
		{"Use `aa` instead of `bb`, and wrap with `cc`", "aa", "bb"},
		{"Never use `aa` (such as `bb`)", "", "aa"},
		{"Never use e.g. `aa`", "", "aa"},
		{"Use `aa` (not `bb`) for `cc`", "aa cc", "bb"},
		{"Never use `aa` instead of `bb`", "", "aa"},
		{"Call fooBar, never bazQux", "fooBar", "bazQux"},
		{"Don't forget to call `aa`, never `bb`", "aa", "bb"},
		{"Never skip `aa`; do not fail to run `bb`", "aa bb", ""},
		{"Not only `aa` but `bb`", "aa bb", ""},
		{"Do not fail on `aa`", "", "aa"},
		{"Nevertheless `aa` notes `bb`", "aa bb", ""},
	} {
		got := search.TermsOf(&index.Item{Text: tt.text, Kind: index.Learning})
		if s, a := strings.Join(got.Strong, " "), strings.Join(got.Avoided, " "); s != tt.strong || a != tt.avoided {
			t.Errorf("TermsOf(%q) = %q, avoiding %q; want %q, avoiding %q", tt.text, s, a, tt.strong, tt.avoided)
		}
	}
	weak := search.TermsOf(&index.Item{Text: "Never indent with tabs, spaces or newlines; braces align", Kind: index.Learning})
	if diff := cmp.Diff([]string{"braces", "align"}, weak.Weak); diff != "" {
		t.Errorf("words after a negation are evidence (-want +got):\n%s", diff)
	}
}

func TestTermsOfAntiPattern(t *testing.T) {
	for _, tt := range []struct{ text, avoided string }{
		{"Avoid: using `aa`", "aa"},
		{"using `aa`", "aa"},
		{"Avoid: using `aa` instead of `bb`", "aa"},
		{"Avoid: adding `aa`, `src/time.ts` has `bb`", "aa"},
		{"Avoid: guessing at the words", ""},
		{"Avoid: running `aa` before `bb`", ""},
		{"Avoid: calling `aa` or `bb` without a lock", ""},
		{"Avoid: using `aa` if the disk is full", ""},
		{"Avoid: using `aa` but not `bb`", "aa bb"},
		{"Avoid: using `aa before bb`", "aa before bb"},
	} {
		got := search.TermsOf(&index.Item{Text: tt.text, Kind: index.AntiPattern})
		if a := strings.Join(got.Avoided, " "); a != tt.avoided || len(got.Strong)+len(got.Weak) > 0 {
			t.Errorf("TermsOf(%q) = %q, want only %q to avoid", tt.text, got, tt.avoided)
		}
	}
}

// TestTermsOfALot: no matter who wrote the index, a lesson costs little.
func TestTermsOfALot(t *testing.T) {
	for _, part := range []string{"“", "` `` ", "x. ", ", ", "(never ", "'a ", "a.b "} {
		l := index.Item{Text: "Use `fooBar`. " + strings.Repeat(part, 1<<20), Kind: index.Learning}
		if got := search.TermsOf(&l); got.Strong[0] != "fooBar" {
			t.Errorf("%q: %q", part, got)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("Use `aa` instead of ``b`b``, \"cc dd\" and 'ee ff' (not src/x.ts), don’t e.g. fooBar. 先跑", true)
	f.Add("\xff`\x01`“\x80”", false)
	f.Fuzz(func(t *testing.T, text string, avoid bool) {
		l := index.Item{Text: text, Kind: index.Learning}
		if avoid {
			l.Kind = index.AntiPattern
		}
		got := search.TermsOf(&l)
		if len(got.Strong) > 8 || len(got.Weak) > 6 || len(got.Avoided) > 8 {
			t.Errorf("too many terms: %q", got)
		}
		if avoid && len(got.Strong)+len(got.Weak) > 0 {
			t.Errorf("an anti-pattern has evidence: %q", got)
		}
		folded := words.FoldSpace(strings.ToValidUTF8(text, " "))
		for _, s := range slices.Concat(got.Strong, got.Avoided) {
			if !strings.Contains(folded, s) || len(s) < 2 || strings.TrimSpace(s) != s {
				t.Errorf("%q is no name in %q", s, text)
			}
		}
		for _, s := range got.Weak {
			if utf8.RuneCountInString(s) < 4 || strings.ToLower(s) != s || strings.ContainsFunc(s, unicode.IsSpace) {
				t.Errorf("%q is no word of %q", s, text)
			}
		}
	})
}
