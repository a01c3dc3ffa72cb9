package guard_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/guard"
)

// The limits of what TestEvalSaid counts.
const (
	mostLeakedSaid  = 0.02 // of testdata/planted.tsv
	mostTouchedSaid = 0.01 // of testdata/ordinary.tsv
)

// TestEvalSaid prints by kind how many secrets leak that people give in words, in
// commands, connection texts, calls, headers and bodies of keys (testdata/planted.tsv),
// and how many ordinary lines that resemble them change (testdata/ordinary.tsv). The
// rows of part b were written before the tables of words were made, and first measured after.
func TestEvalSaid(t *testing.T) {
	const rounds = 5
	for name, most := range map[string]float64{"planted": mostLeakedSaid, "ordinary": mostTouchedSaid} {
		data := envtest.Read(t, "testdata/"+name+".tsv")
		r := rand.New(rand.NewPCG(41, 42))
		rows, bad := map[string]int{}, map[string]int{}
		for line := range strings.Lines(data) {
			form := strings.SplitN(strings.TrimSpace(line), "\t", 3)
			for range rounds {
				text, planted := fill(r, strings.NewReplacer(`\n`, "\n", `\\`, `\`).Replace(form[2]))
				got := guard.Scrub(text)
				isLeft := slices.ContainsFunc(planted, func(p string) bool { return strings.Contains(got, p) })
				for _, kind := range []string{form[0] + " " + form[1], "in all"} {
					rows[kind]++
					if name == "planted" && isLeft || name == "ordinary" && got != text {
						bad[kind]++
						t.Logf("%s %s: %q", name, kind, got)
					}
				}
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(rows)) {
			t.Logf("== %-8s %-14s %4d of %d", name, kind, bad[kind], rows[kind])
		}
		envtest.FailIf(t, float64(bad["in all"]) > most*float64(rows["in all"]),
			"%s: %d of %d", name, bad["in all"], rows["in all"])
	}
}
