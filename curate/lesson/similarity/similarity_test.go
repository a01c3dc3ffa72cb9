package similarity_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/curate/lesson/similarity"
)

// stated reads "avoid X" in capitals as an anti-pattern.
func stated(s string) similarity.Statement {
	text, avoid := strings.CutPrefix(s, "AVOID ")
	return similarity.Statement{Text: text, Avoid: avoid}
}

// none leaves no pair out.
func none(int, int) bool { return false }

func TestFind(t *testing.T) {
	const same, opposite, nothing = "same", "opposite", ""
	for _, c := range []struct{ a, b, want string }{
		// The same in other clothes.
		{"Run the tests before pushing", "Always run tests before you push.", same},
		{"Run the tests before pushing", "Before pushing, run the tests", same},
		{"Run the tests before pushing", "Make sure to run the tests before pushing", same},
		{"Run the tests before pushing", "Run the unit tests before pushing", same},
		{"Use `pnpm` instead of `npm`", "Prefer pnpm rather than npm", same},
		{"Never commit generated files", "Do not commit generated files", same},
		{"Never commit generated files", "Don’t commit any generated files", same},
		{"AVOID committing generated files", "AVOID to commit the generated files!", same},
		{"Add a line to `CHANGELOG.md` with each change", "Please add a line to CHANGELOG.md with each change", same},
		{"In CI, install with `--frozen-lockfile`", "Install with --frozen-lockfile in CI", same},
		{"Delete stale branches after merging", "Remove stale branches after the merge", same},
		// Something that counts differs.
		{"Run the tests before pushing", "Run the tests after pushing", nothing},
		{"Run the tests before pushing", "Run the tests", nothing},
		{"Keep a request below 400 lines", "Keep a request below 500 lines", nothing},
		{"Use Python 3.1", "Use Python 3.10", nothing},
		{"Use node v18 for builds in here", "Use node for builds in here", nothing},
		{"Run `make test` first of all", "Run `make tests` first of all", nothing},
		{"Run `make check` in the repository", "Run `make check all` in the repository", nothing},
		{"Import from `src/a.ts` in the tests", "Import from `src/b.ts` in the tests", nothing},
		{"Pass -u to update the snapshots", "Pass -U to update the snapshots", nothing},
		{"Use tabs for indenting Makefiles", "Use spaces for indenting Makefiles", nothing},
		{"Move tests from src to lib", "Move tests from lib to src", nothing},
		{"Turn on the build cache in here", "Turn off the build cache in here", nothing},
		{"Ask before a deploy", "Deploy before you ask", nothing},
		{"Keep lines where x < 5", "Keep lines where x > 5", nothing},
		{"Nur kleine Dateien hochladen bitte", "Nur kleine Dateien nicht hochladen bitte", nothing},
		{"Run tests", "Run tests locally", nothing},
		{"Tests", "tests!", nothing},
		{"Open the file for scans", "Open the file read-only for scans", nothing},
		{"", "", nothing},
		{"The A plan is the one", "The B plan is the one", nothing},
		{"Run the tests and only then push", "Run the tests and then push", nothing},
		{"Use the build cache", "Use the build cache without fail", nothing},
		{"Committing files that are generated", "AVOID committing files that were generated, for once", nothing},
		// Opposites, as far as words alone show it.
		{"Commit generated files", "Never commit generated files", opposite},
		{"Commit generated files", "AVOID committing generated files", opposite},
		{"AVOID running the e2e suite locally", "Run the e2e suite locally", opposite},
		{"Don't squash the commits of a branch", "You should always squash commits of a branch", opposite},
		{"Use tabs instead of spaces", "Use spaces instead of tabs", opposite},
		{"Use tabs, not spaces", "Use spaces, not tabs", opposite},
		{"Use `npm ci` rather than `npm install`", "Use `npm install` rather than `npm ci`", opposite},
		{"AVOID never committing generated files", "AVOID committing generated files", opposite},
		{"Deploy only on Fridays", "Do not deploy on Fridays", opposite},
		{"AVOID mocking the clock in tests", "Only mock the clock in tests", opposite},
		{"Deploy only on Fridays", "Do not deploy only on Fridays", opposite},
		// No opposites.
		{"Deploy on Fridays", "Do not deploy only on Fridays", nothing},
		{"AVOID committing generated files", "Never commit generated files", nothing},
		{"Commit generated files", "Never commit generated files on release branches", nothing},
		{"Use tabs instead of spaces", "AVOID using spaces instead of tabs", nothing},
		{"Use port 80", "Never use port 8080", nothing},
		{"Use x instead of x", "Use x instead of x, please", same},
		{"Do it", "Don't do it", nothing},
	} {
		for _, list := range [][]similarity.Statement{{stated(c.a), stated(c.b)}, {stated(c.b), stated(c.a)}} {
			got := nothing
			for _, p := range similarity.FindPairs(list, none) {
				got += map[bool]string{false: same, true: opposite}[p.Opposite]
			}
			if got != c.want {
				t.Errorf("Find(%q, %q) = %q, want %q", list[0].Text, list[1].Text, got, c.want)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	list := []similarity.Statement{
		stated("Never push to main on a Friday"),
		stated("Run the linter before you commit a change"),
		stated("Push to main on a Friday"),
		stated("Run the whole linter before you commit a change"),
		stated("Run the linter before committing a change"),
	}
	want := []similarity.Pair{
		{First: 1, Second: 4, Likeness: 1},
		{First: 1, Second: 3, Likeness: 5.0 / 6},
		{First: 3, Second: 4, Likeness: 5.0 / 6},
		{First: 0, Second: 2, Opposite: true, Likeness: 1},
	}
	if diff := cmp.Diff(want, similarity.FindPairs(list, none)); diff != "" {
		t.Error(diff)
	}
	got := similarity.FindPairs(list, func(first, second int) bool { return first == 1 })
	if diff := cmp.Diff(want[2:], got); diff != "" {
		t.Error("skipping:", diff)
	}
}

// words are what statements are made of in the laws.
var words = []string{
	"Use", "run", "the", "tests", "before", "pushing", "`make check`", "3.10", "v1.2", "src/a.ts", "not", "never", "only",
	"cache", "build", "Make", "sure", "to", "in", "CI,", "(always)", "don't", "files;", "\"quoted", "name\"", "commit", "2", "é", "when",
}

// statement draws a text.
func statement(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(t, "words"), " ")
}

func sames(a, b string, avoid bool) int {
	n := 0
	for _, p := range similarity.FindPairs([]similarity.Statement{{Text: a, Avoid: avoid}, {Text: b, Avoid: avoid}}, none) {
		if !p.Opposite {
			n++
		}
	}
	return n
}

// TestDigitLaw: a text in which a digit was changed is another statement.
func TestDigitLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := strings.Fields(statement(t) + " " + rapid.SampledFrom([]string{"5", "x2", "1.20.3,", "`a9`", "#7", "\"8\"", "(4)"}).Draw(t, "number"))
		parts = rapid.Permutation(parts).Draw(t, "order")
		text := []byte(strings.Join(parts, " "))
		var at []int
		for i, c := range text {
			if c >= '0' && c <= '9' {
				at = append(at, i)
			}
		}
		other := append([]byte{}, text...)
		i := rapid.SampledFrom(at).Draw(t, "digit")
		other[i] = '0' + (other[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		if sames(string(text), string(other), rapid.Bool().Draw(t, "avoid")) != 0 {
			t.Fatalf("%q and %q are said to be the same", text, other)
		}
	})
}

// TestNotLaw: a text into which a negation was put is another statement.
func TestNotLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := strings.Fields(statement(t))
		at := rapid.IntRange(0, len(parts)).Draw(t, "at")
		not := rapid.SampledFrom([]string{"not", "never", "don't", "no", "Not", "not,", "without", "n't", "cannot"}).Draw(t, "not")
		other := append(append(append([]string{}, parts[:at]...), not), parts[at:]...)
		a, b := strings.Join(parts, " "), strings.Join(other, " ")
		if sames(a, b, rapid.Bool().Draw(t, "avoid")) != 0 {
			t.Fatalf("%q and %q are said to be the same", a, b)
		}
	})
}

// TestListLaw: in a list the same pairs are found as among two alone, each
// once, whatever else is in it.
func TestListLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []similarity.Statement
		for range rapid.IntRange(2, 12).Draw(t, "n") {
			list = append(list, similarity.Statement{Text: statement(t), Avoid: rapid.Bool().Draw(t, "avoid")})
		}
		seen := map[[2]int]bool{}
		for _, p := range similarity.FindPairs(list, none) {
			if p.First >= p.Second || seen[[2]int{p.First, p.Second}] {
				t.Fatalf("pair %v is out of order or there twice", p)
			}
			seen[[2]int{p.First, p.Second}] = true
			alone := similarity.FindPairs([]similarity.Statement{list[p.First], list[p.Second]}, none)
			want := []similarity.Pair{{First: 0, Second: 1, Opposite: p.Opposite, Likeness: p.Likeness}}
			if diff := cmp.Diff(want, alone); diff != "" {
				t.Fatal(diff)
			}
		}
		for i := range list {
			for j := i + 1; j < len(list); j++ {
				if !seen[[2]int{i, j}] && len(list) <= 5 && len(similarity.FindPairs([]similarity.Statement{list[i], list[j]}, none)) > 0 {
					t.Fatalf("%q and %q are not found", list[i].Text, list[j].Text)
				}
			}
		}
	})
}

// TestMany bounds what is said of very many statements with the same words.
func TestMany(t *testing.T) {
	const n = 5000
	list := make([]similarity.Statement, n)
	for i := range list {
		list[i].Text = "Run the tests" + strings.Repeat(" ", i%7) + " before pushing"
	}
	if pairs := similarity.FindPairs(list, none); len(pairs) < n/2 || len(pairs) > 4*n {
		t.Errorf("%d pairs of %d equal statements", len(pairs), n)
	}
	for i := range list {
		list[i].Text = fmt.Sprintf("Run step %d of the build", i)
	}
	if pairs := similarity.FindPairs(list, none); len(pairs) > 0 {
		t.Errorf("numbered statements: %v", pairs[0])
	}
}

// BenchmarkFind shows that the time grows with the length of the list, not with
// its square: few words in many orders, one statement many times, and numbers.
func BenchmarkFind(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var vocabulary []string
	for i := range 400 {
		vocabulary = append(vocabulary, "word"+strings.Repeat(string(rune('a'+i%26)), 1+i/26))
	}
	for _, c := range []struct {
		name string
		text func(int) string
	}{
		{"few words", func(int) string {
			parts := make([]string, 8)
			for i := range parts {
				parts[i] = vocabulary[random.IntN(len(vocabulary))]
			}
			return strings.Join(parts, " ")
		}},
		{"one statement", func(i int) string { return "Run the tests" + strings.Repeat(" ", i%7) + " before pushing" }},
		{"numbered", func(i int) string { return fmt.Sprintf("Run step %d of the build", i) }},
	} {
		for _, n := range []int{10_000, 100_000} {
			list := make([]similarity.Statement, n)
			for i := range list {
				list[i].Text = c.text(i)
			}
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					similarity.FindPairs(list, none)
				}
			})
		}
	}
}
