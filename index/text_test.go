package index_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/index"
	"mem/words"

	"mem/envtest"
)

func TestKeyLaws(t *testing.T) {
	parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(strings.Split("\t\n\v\f\r \u00a0\u2028\u3000\ufeff", "")), rapid.Just("a"), rapid.Just("\xff")))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(parts.Draw(t, "s"), "")
		if k := index.KeyOf(s); k != index.KeyOf(words.FoldSpace(s)) || k != index.KeyOf(k) {
			t.Errorf("Key(%q) = %q, which is not the key of its folded text and of itself", s, k)
		}
		a := index.AddAvoid(s)
		if index.AddAvoid(a) != a || index.StripAvoid(a) != index.StripAvoid(s) || a != "" && !index.SaysAvoid(a) {
			t.Errorf("Avoid(%q) = %q is not stable", s, a)
		}
	})
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"  Use  TABS ", "use tabs"},
		{"ÀÉÎ Ω Я", "àéî ω я"},
		{"Straße", "straße"},
		{"", ""},
	} {
		envtest.Same(t, tt.want, index.KeyOf(tt.in), tt.in)
	}
}

func TestAvoid(t *testing.T) {
	for _, tt := range []struct{ in, avoid, strip string }{
		{"x", "Avoid: x", "x"},
		{"  x  y ", "Avoid: x y", "x y"},
		{"Avoid: x", "Avoid: x", "x"},
		{"AVOID:x", "Avoid: x", "x"},
		{"avoid :x", "Avoid: avoid :x", "avoid :x"},
		{"Avoid: Avoid:\tavoid: x", "Avoid: x", "x"},
		{"Avoid x", "Avoid: Avoid x", "Avoid x"},
		{"avoiding: x", "Avoid: avoiding: x", "avoiding: x"},
		{"x Avoid: y", "Avoid: x Avoid: y", "x Avoid: y"},
		{"Avoid:", "", ""},
		{" avoid:  AVOID: ", "", ""},
		{"", "", ""},
		{"\ufeffAvoid: x", "Avoid: x", "x"},
		{"Ævoid: x", "Avoid: Ævoid: x", "Ævoid: x"},
	} {
		envtest.Same(t, tt.avoid, index.AddAvoid(tt.in), tt.in)
		envtest.Same(t, tt.strip, index.StripAvoid(tt.in), tt.in)
		envtest.Same(t, index.StripAvoid(tt.in) != words.FoldSpace(tt.in), index.SaysAvoid(tt.in), "SaysAvoid", tt.in)
	}
}
