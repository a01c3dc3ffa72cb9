package merge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
)

// Joining an index again, or an older state of it, changes nothing; joining it
// after it grew gives what joining it only then would have given.
func TestJoinLaws(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	at := now // each time counts
	apply := func(t *rapid.T, ix *index.Index, label string) {
		for range rapid.IntRange(0, 4).Draw(t, label) {
			ix.Apply(index.Reflection{Fixes: []index.Lesson{{Text: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "text")}}}, at)
			at = at.Add(time.Millisecond)
		}
	}
	totals := func(ix *index.Index) map[string][2]float64 {
		m := map[string][2]float64{}
		for _, it := range ix.Items {
			m[it.Key] = [2]float64{float64(it.Hits), float64(int(it.Score*1000 + 0.5))}
		}
		return m
	}
	rapid.Check(t, func(t *rapid.T) {
		own, other := &index.Index{}, &index.Index{}
		apply(t, own, "own")
		late := own.Clone()
		apply(t, other, "other")
		before := own.Clone()
		early := other.Clone()
		merge.JoinRecords(own, other.Items, now, "cccccc")
		want := totals(before)
		for key, c := range totals(other) {
			was := want[key]
			want[key] = [2]float64{was[0] + c[0], was[1] + c[1]}
		}
		if diff := cmp.Diff(want, totals(own)); diff != "" {
			t.Fatal(diff)
		}
		if again := merge.JoinRecords(own, other.Items, now, "cccccc"); len(again) != 0 {
			t.Fatalf("joined twice: %v", again)
		}
		apply(t, other, "more")
		merge.JoinRecords(own, other.Items, now, "cccccc")
		if changes := merge.JoinRecords(own, early.Items, now, "cccccc"); len(changes) != 0 {
			t.Fatalf("joined an older state: %v", changes)
		}
		merge.JoinRecords(late, other.Items, now, "cccccc")
		if diff := cmp.Diff(totals(late), totals(own)); diff != "" {
			t.Fatal(diff)
		}
		data, err := codec.Encode(own)
		if err != nil {
			t.Fatal(err)
		}
		if _, report, err := codec.Load(data, now); err != nil || report.Dropped > 0 {
			t.Fatal(report, err)
		}
	})
}
