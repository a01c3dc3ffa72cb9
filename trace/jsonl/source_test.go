package jsonl

import (
	"testing"

	"mem/envtest"
)

func TestGapDropsOnlyCutLines(t *testing.T) {
	whole := `{"a":1}` + "\n"
	tests := []struct {
		name, head, tail string
		want             []string
	}{
		{"cut on both sides", whole + `{"cut`, `off"}` + "\n" + whole, []string{whole, whole}},
		{"nothing whole", `{"cut`, `off"}`, []string{"", ""}},
		{"line breaks at the gap", whole, "\n" + whole, []string{whole, whole}},
	}
	for _, tt := range tests {
		s := newSource([]byte(tt.head), []byte(tt.tail), 1000)
		var got []string
		for _, p := range s.parts {
			got = append(got, string(p.data))
		}
		envtest.Same(t, tt.want, got, tt.name)
	}
}
