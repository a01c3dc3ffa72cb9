package secret_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"mem/guard"
)

// The limits of what TestEvalSaid counts.
const (
	mostLeakedSaid  = 0.03 // of testdata/planted.tsv
	mostTouchedSaid = 0.01 // of testdata/ordinary.tsv
)

// TestEvalSaid prints by kind how many secrets leak that people give in words, in
// commands, connection texts, calls, headers and bodies of keys (testdata/planted.tsv),
// and how many ordinary lines that resemble them change (testdata/ordinary.tsv). The
// rows of part b were written before the tables and not looked at while these were made.
func TestEvalSaid(t *testing.T) {
	for name, most := range map[string]float64{"planted": mostLeakedSaid, "ordinary": mostTouchedSaid} {
		r := rand.New(rand.NewPCG(41, 42))
		data, err := os.ReadFile("testdata/" + name + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		type kind struct {
			name      string
			bad, rows int
		}
		kinds, all := []kind{}, kind{}
		for line := range strings.Lines(string(data)) {
			form := strings.SplitN(strings.TrimSpace(line), "\t", 3)
			k := form[0] + " " + form[1]
			i := slices.IndexFunc(kinds, func(o kind) bool { return o.name == k })
			if i < 0 {
				i, kinds = len(kinds), append(kinds, kind{name: k})
			}
			const rounds = 5
			for range rounds {
				text, planted := fill(r, strings.NewReplacer(`\n`, "\n", `\\`, `\`).Replace(form[2]))
				got := guard.Scrub(text)
				kinds[i].rows++
				if name == "planted" && slices.ContainsFunc(planted, func(p string) bool { return strings.Contains(got, p) }) || name == "ordinary" && got != text {
					kinds[i].bad++
					t.Logf("%s %s: %q", name, k, got)
				}
			}
		}
		slices.SortFunc(kinds, func(a, b kind) int { return cmp.Compare(a.name, b.name) })
		for _, k := range kinds {
			t.Logf("== %-8s %-14s %4d of %d", name, k.name, k.bad, k.rows)
			all.bad, all.rows = all.bad+k.bad, all.rows+k.rows
		}
		t.Logf("== %-8s in all         %4d of %d", name, all.bad, all.rows)
		if float64(all.bad) > most*float64(all.rows) {
			t.Errorf("%s: %d of %d", name, all.bad, all.rows)
		}
	}
}
