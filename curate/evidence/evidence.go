// Package evidence proves lessons by the code they are about.
//
// Package search counts the files of a code base that hold what a lesson names.
// A Proof joins the counts with the memory and says which lessons are proven,
// which no longer are, and where a thing to avoid still stands.
// Proof.CommitAndCut commits that, keeps core/expertise.yaml, and removes what
// was proven from a LEARNINGS.md, in which agents note what they learn as they
// work.
//
// The counts decide confidence, which says how true a lesson is, and never the
// score, which says how much it matters. Every run counts everything anew.
//
// Package repo says which files a code base has, and it alone changes a memory.
package evidence

import "slices"

// How many files have to hold what a lesson names.
const (
	filesHigh   = 5
	filesMedium = 3
)

// levels are the levels of confidence as they stand in the index, the weakest
// first.
var levels = []string{"low", "medium", "high"}

func confidenceFor(files int) string {
	switch {
	case files >= filesHigh:
		return "high"
	case files >= filesMedium:
		return "medium"
	}
	return "low"
}

func isProof(files int) bool { return files >= filesMedium }

// strongerOf returns the stronger of two levels. What is not a level is weaker
// than all of them.
func strongerOf(a, b string) string {
	if slices.Index(levels, b) > slices.Index(levels, a) {
		return b
	}
	return a
}
