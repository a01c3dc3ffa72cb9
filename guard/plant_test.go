package guard_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/guard"
)

// surroundings are what stands around a secret.
var surroundings = [][2]string{
	{"", ""}, {"see ", " there"}, {"before\n", "\nafter it comes prose\n"}, {"\t", "\t"},
	{"run `", "`."}, {"$ ", "\nexport PATH=/usr/bin\n"},
}

func TestRedactFindsEveryFamilyInEveryForm(t *testing.T) {
	const rounds = 20
	r := rand.New(rand.NewPCG(1, 2))
	tried, missed := map[string]int{}, map[string]int{}
	worst := map[string]int{}
	for range rounds {
		for _, p := range guard.Plant(t, r) {
			if !p.Promised {
				continue
			}
			around := surroundings[r.IntN(len(surroundings))]
			clean := guard.Clean(around[0] + p.Text + around[1])
			got, n := guard.Redact(clean)
			tried[p.Form]++
			if n > 0 && !containsAny(got, p.Left) {
				continue
			}
			missed[p.Form]++
			if key := p.Family + ", " + p.Form; worst[key] == 0 {
				worst[key]++
				t.Logf("%s: Redact(%q) = %q", key, clean, got)
			}
		}
	}
	for form := range tried {
		rate := float64(missed[form]) / float64(tried[form])
		t.Logf("%-36s %6d tried, %4d missed, recall %.3f %%", form, tried[form], missed[form], 100*(1-rate))
		limit := 0.01
		if form == "plain" || form == "JSON" {
			limit = 0.001
		}
		envtest.FailIf(t, rate > limit,
			"%s: missed %.2f %% of the secrets, want at most %.1f %%", form, 100*rate, 100*limit)
	}
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if len(p) >= 6 && strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestScrubLeavesNoPlantedSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		all := guard.Plant(&testing.T{}, r)
		p := all[rapid.IntRange(0, len(all)-1).Draw(t, "secret")]
		if !p.Promised || !p.Token && len(p.Secret) < 6 {
			t.Skip("not promised")
		}
		before := rapid.String().Draw(t, "before")
		after := rapid.String().Draw(t, "after")
		got := guard.Scrub(before + "\n\n" + p.Text + "\n\n" + after)
		envtest.StopIf(t, containsAny(got, p.Left), "%s, %s: Scrub(%q) = %q", p.Family, p.Form, p.Text, got)
	})
}
