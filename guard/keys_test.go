package guard

import (
	"testing"

	"pgregory.net/rapid"

	"mem/envtest"
)

// TestKeys makes texts that break a rule: each must hold one of its keys, or
// the rule would not be tried.
func TestKeys(t *testing.T) {
	for i := range rules() {
		r := &rules()[i]
		t.Run(r.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := rapid.StringMatching(r.expr.Get().String()).Draw(t, "text")
				envtest.FailIf(t, r.expr.Matches(s) && !r.isPossible(foldForKeys(s)), "%q matches without a key", s)
			})
		})
	}
}
