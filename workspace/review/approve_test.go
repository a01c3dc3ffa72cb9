package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A line joins the list of lessons that a file has, and nothing else in it changes.
func TestAddToGuide(t *testing.T) {
	for before, want := range map[string]string{
		"":                                       "## Lessons\n\n- new\n",
		"# Shop":                                 "# Shop\n\n## Lessons\n\n- new\n",
		"# Shop\r\n":                             "# Shop\r\n\r\n## Lessons\r\n\r\n- new\r\n",
		"## Lessons\n":                           "## Lessons\n\n- new\n",
		"## Lessons\n\n- a\n\n- b":               "## Lessons\n\n- a\n\n- b\n- new\n",
		"## Lessons\n- a\n  more\n\n## B\n- c\n": "## Lessons\n- a\n  more\n- new\n\n## B\n- c\n",
		"## Lessons\n- a\n<!-- mem: begin -->\n- b\n": "## Lessons\n- a\n- new\n<!-- mem: begin -->\n- b\n",
		"```\n## Lessons\n- a\n```\n":                 "```\n## Lessons\n- a\n```\n\n## Lessons\n\n- new\n",
		"# Lessons from elsewhere\n- a\n":             "# Lessons from elsewhere\n- a\n\n## Lessons\n\n- new\n",
	} {
		if diff := cmp.Diff(want, string(addToGuide([]byte(before), "new"))); diff != "" {
			t.Errorf("%q: %s", before, diff)
		}
	}
}

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
