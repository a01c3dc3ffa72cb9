package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mem/session"

	"mem/envtest"
)

func TestClip(t *testing.T) {
	envtest.Same(t, "short", Clip("short", 5), "clip(short, 5)")
	for _, s := range []string{strings.Repeat("a", 300), strings.Repeat("é", 150), strings.Repeat("🎉", 75), "a" + strings.Repeat("é", 150)} {
		for limit := 64; limit < len(s); limit++ {
			got := Clip(s, limit)
			envtest.StopIf(t, len(got) > limit || !utf8.ValidString(got),
				"clip of %d bytes to %d = %q", len(s), limit, got)
			var out int
			head, rest, _ := strings.Cut(got, "\n[…")
			_, err := fmt.Sscanf(rest, "%d bytes left out …]", &out)
			envtest.StopIf(t, err != nil, "clip to %d = %q: %v", limit, got, err)
			_, tail, _ := strings.Cut(rest, "]\n")
			envtest.StopIf(t, len(head)+out+len(tail) != len(s) || !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail),
				"clip to %d = %q, which does not add up", limit, got)
		}
	}
}

// No line and no word is cut in two where there are any.
func TestClipKeepsWordsWhole(t *testing.T) {
	for _, unit := range []string{"one whole line of text\n", "word "} {
		got := Clip(strings.Repeat(unit, 100), 400)
		head, rest, _ := strings.Cut(got, "\n[…")
		_, tail, _ := strings.Cut(rest, "]\n")
		if want := strings.TrimSpace(unit); !strings.HasSuffix(head, want) || !strings.HasPrefix(tail, want) {
			t.Errorf("clip of repeated %q cuts inside of one: %q", unit, got)
		}
	}
}

func TestCompact(t *testing.T) {
	long := strings.Repeat("x", 3*session.MaxText)
	tests := []struct {
		name, in string
		valid    bool // what is left still parses
	}{
		{"small", `{"b": 1, "a": [ "<é>" ]}`, true},
		{"one long string", `{"content":"` + long + `","path":"a.go"}`, true},
		{"many strings", `[` + strings.Repeat(`"`+long[:300]+`",`, 100) + `"x"]`, true},
		{"too many values", `[` + strings.Repeat(`1,`, session.MaxText) + `1]`, false},
		{"long spaces", `{"a":` + strings.Repeat(" ", 2*session.MaxText) + `1}`, true},
	}
	for _, tt := range tests {
		got := Compact(jsontext.Value(tt.in))
		if len(got) > session.MaxText || json.Valid([]byte(got)) != tt.valid {
			t.Errorf("%s: %d bytes, valid %v, want %v: %.80q", tt.name, len(got), json.Valid([]byte(got)), tt.valid, got)
		}
	}
	envtest.Same(t, `{"b":1,"a":["<é>"]}`, Compact(jsontext.Value(tests[0].in)), "compact")
	got := Compact(jsontext.Value(tests[1].in))
	envtest.FailIf(t, !strings.HasSuffix(got, `"path":"a.go"}`), "the short member is lost: %.80q", got)
}
