package lazy

import "testing"

// TestNewDoesNotCompile: a wrong expression is found when it is first used.
func TestNewDoesNotCompile(t *testing.T) {
	wrong := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was compiled")
		}
	}()
	wrong.Get()
}

func TestRegexp(t *testing.T) {
	re := New(`^a+$`)
	first := re.Get()
	if !re.Matches("aaa") || re.Matches("aab") || re.Get() != first {
		t.Error("the expression is not the one that was given, or is compiled twice")
	}
}
