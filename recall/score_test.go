package recall_test

import (
	"testing"
	"time"

	"mem/index"

	"mem/envtest"
)

func TestRank(t *testing.T) {
	ix := &index.Index{}
	for _, it := range []index.Item{
		learning("Read the log", 9), learning("Run the migration", 3), watchOut("editing `packages/api/gen.ts`", 2),
		learning("Write to packages by api", 2), learning("Something else", 1),
	} {
		it.LastSeen = t0
		ix.Items = append(ix.Items, it)
	}
	ix.Items[4].Tags = []string{"database"}
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"", []int{0, 1, 2, 3, 4}},
		{"do it", []int{0, 1, 2, 3, 4}},
		{"nothing fits here", []int{0, 1, 2, 3, 4}},
		{"migrations", []int{1, 0, 2, 3, 4}},
		{"database migrations", []int{1, 4, 0, 2, 3}},
		{"packages/api/gen.ts", []int{2, 3, 0, 1, 4}},
	} {
		envtest.Same(t, tt.want, rank(ix, tt.text, t0), tt.text)
	}
}

func TestRankIsDeterministic(t *testing.T) {
	ix := labelled(t)
	for _, task := range tasks(t) {
		a, b := rank(ix, task.text, t0), rank(ix, task.text, t0.Add(time.Nanosecond))
		envtest.Same(t, a, b, task.text)
	}
}
