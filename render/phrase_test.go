package render_test

import (
	"testing"

	"mem/render"

	"mem/envtest"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 memories", 1: "1 memory", 2: "2 memories", -1: "-1 memories"} {
		envtest.Same(t, want, render.Count(n, "memory", "memories"), n)
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 5, ""},
		{"", 0, ""},
		{"a", 0, "…"},
		{"abc", 3, "abc"},
		{"abc", 2, "ab…"},
		{"日本語", 2, "日本…"},
		{"ab cd", 3, "ab…"}, // without the space
		{"  ab cd", 5, "  ab…"},
	} {
		envtest.Same(t, tt.want, render.Shorten(tt.in, tt.most), tt.in, tt.most)
	}
}
