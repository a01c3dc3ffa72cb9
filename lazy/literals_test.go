package lazy

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMatchesAsRegexp: looking for literals first changes no answer.
func TestMatchesAsRegexp(t *testing.T) {
	exprs := []string{
		`abc`, `(?i)task`, `(?i)skip|mask`, `(?i:S)k`, `a|b*`, `(?:ab)+c?`, `(?:ab){2,}x|y{0,3}k`, `[ksz]t`, `[a-c]x`, `(?i)[sx]t`, `^k$|ſ`,
		`(?i)straße|ÄB`, `s(?i:k)S`, `(?:skt|skx|tsk)`, ``, `(?s).ks`, `\bsk\b`, `(?i)σς`,
	}
	part := rapid.SampledFrom([]string{"a", "b", "c", "s", "S", "k", "K", "ſ", "\u212a", "t", "T", "x", "y", "z", "ß", "ẞ", "Ä", "ä", "σ", "ς", "Σ", "İ", " ", "\xff", "stra", "e"})
	check := func(t rapid.TB, text string) {
		for _, expr := range exprs {
			if got, want := New(expr).Matches(text), regexp.MustCompile(expr).MatchString(text); got != want {
				t.Fatalf("%q matches %q: %v, want %v", expr, text, got, want)
			}
		}
	}
	for _, text := range []string{"ſk", "taſK", "ma\u212a", "STRASSE", "TAS\u212a"} {
		check(t, text)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "text"), "")) })
}

// TestMatchesWithoutCompiling: most texts hold none of the literals.
func TestMatchesWithoutCompiling(t *testing.T) {
	re := New(`(?i)error \d+|cannot (?:find|open)`)
	if re.Matches("all is well") || re.re != nil {
		t.Error("a text without any of the words had the expression compiled")
	}
	if !re.Matches("ERROR 7") || !re.Matches("Cannot open") {
		t.Error("no match")
	}
}
