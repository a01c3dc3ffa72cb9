package render_test

import (
	"testing"

	"mem/render"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 memories", 1: "1 memory", 2: "2 memories", -1: "-1 memories"} {
		if got := render.Count(n, "memory", "memories"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
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
		if got := render.Shorten(tt.in, tt.most); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}
