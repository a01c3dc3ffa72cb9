package amend_test

import (
	"testing"

	"mem/reflect/amend"
)

// TestSaidAgain: a person says a rule again when some of its words stand in a row, those that
// lay something down among them.
func TestSaidAgain(t *testing.T) {
	const rule = "`.newsfragments`: we are in alpha, we only do misc"
	for said, want := range map[string]bool{
		"and note in the guide that while this is ALPHA we ONLY do misc entries.": true,
		"we only do misc":                           true,
		"we only do what is asked":                  false,
		"we do misc only":                           false,
		"we are in alpha, so be quick":              false,
		"> we only do misc\n\nis this quote right?": false,
	} {
		runs := amend.Runs{}
		runs.Add(said, "e1")
		if got := runs.FindAgain(rule) == "e1"; got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}
