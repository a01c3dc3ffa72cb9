package lazy

import (
	"testing"

	"mem/envtest"
)

// TestNewDoesNotCompile: a wrong expression is found when it is first used.
func TestNewDoesNotCompile(t *testing.T) {
	wrong := New(`(`)
	defer func() {
		envtest.FailIf(t, recover() == nil, "a wrong expression was compiled")
	}()
	wrong.Get()
}

func TestRegexp(t *testing.T) {
	re := New(`^a+$`)
	first := re.Get()
	envtest.FailIf(t, !re.Matches("aaa") || re.Matches("aab") || re.Get() != first,
		"the expression is not the one that was given, or is compiled twice")
}
