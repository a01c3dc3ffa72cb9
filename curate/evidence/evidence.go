// Package evidence proves lessons by the code they are about.
//
// What a lesson names is looked for in every file of a code base: Look counts
// the files, a Proof joins the counts with the memory and says which lessons
// are proven, which no longer are, and where a thing to avoid still stands.
// Proof.Settle commits that, keeps core/expertise.yaml, the list of proven
// lessons in the format of Psi, and takes what was proven out of a LEARNINGS.md,
// in which agents note what they learn as they work.
//
// The counts decide confidence, which says how true a lesson is, and never the
// score, which says how much it matters. Every run counts everything anew.
//
// Which files a code base has is for package repo to say, and who may change
// a memory as well.
package evidence

import (
	"errors"

	"mem/index"
)

// ErrNoCode is wrapped when a code base has no file to look at. To look on would
// mean to take back all that is proven.
var ErrNoCode = errors.New("there is no code to look at")

// How many files have to hold what a lesson names.
const (
	filesHigh   = 5
	filesMedium = 3
)

// The levels of confidence, as they stand in the index.
const (
	high   = "high"
	medium = "medium"
	low    = "low"
)

// confidenceFor is the confidence that a number of files gives.
func confidenceFor(files int) string {
	switch {
	case files >= filesHigh:
		return high
	case files >= filesMedium:
		return medium
	}
	return low
}

// isProof reports whether a number of files makes a lesson proven.
func isProof(files int) bool { return files >= filesMedium }

// strongerOf returns the stronger of two levels. What is no level is the weakest.
func strongerOf(a, b string) string {
	rank := func(s string) int {
		switch s {
		case high:
			return 3
		case medium:
			return 2
		case low:
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// A Lesson is what to look for evidence of.
type Lesson struct {
	Key  string
	Text string
	Kind index.Kind
}
