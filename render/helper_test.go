package render_test

import (
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
)

var t0 = time.Date(2026, 2, 3, 23, 5, 6, 7e6, time.FixedZone("", -3600)) // the fourth in UTC

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	envtest.Golden(t, path, string(got))
}

// sample is an index with something of everything that a view shows.
func sample() *index.Index {
	day := func(n int) time.Time { return t0.AddDate(0, 0, -n) }
	return &index.Index{UpdatedAt: t0, Items: []index.Item{
		{ID: "m-00000001", Kind: index.Learning, Text: "Run `make lint` before a commit", Hits: 3, Score: 3.4, LastSeen: day(1)},
		{ID: "m-00000002", Kind: index.AntiPattern, Text: "Avoid: guessing the port", Hits: 1, Score: 1, LastSeen: day(2)},
		{ID: "m-00000003", Kind: index.Learning, Text: "Two\n## Lines", Hits: 1, Score: 1, LastSeen: day(9)},
		{ID: "m-00000004", Kind: index.Learning, Text: "Retired", Hits: 9, Score: 9, LastSeen: day(0), Status: index.Retired},
		{ID: "m-00000005", Kind: index.AntiPattern, Text: "Avoid: pushing to main", Hits: 2, Score: 2.16, LastSeen: day(40), Pinned: true},
		{ID: "m-00000006", Kind: index.Learning, Text: "From a page", Hits: 1, Score: 1, LastSeen: day(0), Status: index.Quarantined},
		{ID: "m-00000007", Kind: index.AntiPattern, Text: "Avoid: what is a rule now", Hits: 1, Score: 1, LastSeen: day(0), Status: index.Compiled},
		{ID: "m-00000008", Kind: index.Learning, Text: "The worst", Hits: 1, Score: 0.5, LastSeen: day(90)},
	}}
}
