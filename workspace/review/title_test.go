package review

import "testing"

// A model's answer is a title only if it is a line of words.
func TestCleanTitle(t *testing.T) {
	const text = "Wrap errors in Go with their cause"
	for raw, want := range map[string]bool{
		"Wrap errors with their cause": true, `{"title": "Wrap errors in Go"}`: false, "```\nWrap errors\n```": false, `["Wrap errors in Go"]`: false,
	} {
		if title, ok := cleanTitle(raw, text); ok != want {
			t.Errorf("%q: %q, %t", raw, title, ok)
		}
	}
}
