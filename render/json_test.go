package render_test

import (
	"testing"
	"time"

	"mem/render"

	"mem/envtest"
)

const secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

func TestJSON(t *testing.T) {
	type inner struct {
		Text string            `json:"text"`
		List []string          `json:"list"`
		Map  map[string]string `json:"map,omitzero"`
		At   time.Time         `json:"at,omitzero"`
		none string
	}
	tests := map[string]struct {
		in   any
		opts render.JSON
		want string
	}{
		"empty list":            {in: []inner(nil), want: `[]`},
		"empty member":          {in: inner{Text: "a <b> & c"}, want: "{\n  \"text\": \"a <b> & c\",\n  \"list\": []\n}"},
		"one line":              {in: "  a\n\tb\u200b  c ", want: `"a b c"`},
		"invalid bytes":         {in: "a\xffb", want: "\"a\ufffdb\""},
		"terminal":              {in: "a\x1b[31mb", want: `"ab"`},
		"prose":                 {in: inner{Text: "a\n  b", List: []string{"c\nd"}}, opts: render.JSON{Prose: []string{"text"}}, want: "{\n  \"text\": \"a\\n  b\",\n  \"list\": [\n    \"c d\"\n  ]\n}"},
		"cut":                   {in: "äöüß", opts: render.JSON{MaxText: 3}, want: `"äöü…"`},
		"as long as it may be":  {in: "äöü", opts: render.JSON{MaxText: 3}, want: `"äöü"`},
		"names in order":        {in: map[string]int{"b": 1, "a": 2}, want: "{\n  \"a\": 2,\n  \"b\": 1\n}"},
		"secret":                {in: []string{"token " + secret}, want: "[\n  \"token [redacted:github-token]\"\n]"},
		"secret, hidden in two": {in: secret[:20] + "\u200b" + secret[20:], want: `"[redacted:github-token]"`},
		"secret as a name":      {in: map[string]int{secret: 1}, want: "{\n  \"[redacted:github-token]\": 1\n}"},
		"secrets as two names":  {in: map[string]int{secret: 1, secret + "A": 2}, want: "{\n  \"[redacted:github-token]\": 1,\n  \"[redacted:github-token]\": 2\n}"},
		"time":                  {in: inner{none: "x", At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}, want: "{\n  \"text\": \"\",\n  \"list\": [],\n  \"at\": \"2026-02-03T04:05:06Z\"\n}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.opts.Encode(tt.in)
			envtest.NoError(t, err)
			envtest.Same(t, tt.want, string(got), tt.in)
		})
	}
}

func TestJSONFails(t *testing.T) {
	got, err := (render.JSON{}).Encode(make(chan int))
	envtest.FailIf(t, err == nil, "Encode(channel) = %q, want an error", got)
}
