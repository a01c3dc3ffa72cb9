package index_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/facts"
	"mem/index"
	"mem/index/indextest"

	"mem/envtest"
)

func TestScore(t *testing.T) {
	ix := &index.Index{}
	want := []float64{1, 2.16, 3.40, 4.72, 6.12, 7.60, 9.16, 10.80, 12.52, 14.32, 16.20, 18.16}
	for n, score := range want {
		indextest.Apply(ix, facts.Fact{ID: fmt.Sprint(day(n)), Fixes: []index.Lesson{{Text: "Same"}}}, day(n))
		if it := ix.Items[0]; it.Hits != n+1 || math.Abs(it.Score-score) > 1e-12 {
			t.Errorf("after %d sightings: hits %d, score %v, want %v", n+1, it.Hits, it.Score, score)
		}
	}
	// From the thirteenth sighting on, each one adds 2.
	before := ix.Items[0].Score
	indextest.Apply(ix, facts.Fact{ID: fmt.Sprint(day(len(want))), Fixes: []index.Lesson{{Text: "Same"}}}, day(len(want)))
	envtest.Same(t, 2, ix.Items[0].Score-before, "the thirteenth sighting adds")
	envtest.Same(t, 1, len(ix.Items))
}

func TestEffective(t *testing.T) {
	it := index.Item{Score: 3, LastSeen: t0}
	for _, tt := range []struct {
		name string
		now  time.Time
		want float64
	}{
		{"at once", t0, 3},
		{"a day later", day(1), 2.95},
		{"half a day later", t0.Add(12 * time.Hour), 2.975},
		{"sixty days later", day(60), 0},
		{"below zero", day(100), -2},
		{"a clock that runs behind", day(-1), 3},
		{"a clock that runs far behind", day(-10000), 3},
		{"less than a millisecond", t0.Add(999 * time.Microsecond), 3},
		{"in another zone", day(1).In(time.FixedZone("", 3600)), 2.95},
	} {
		got := it.EffectiveScore(tt.now)
		envtest.FailIf(t, math.Abs(got-tt.want) > 1e-9, "%s: Effective = %v, want %v", tt.name, got, tt.want)
	}
}

func TestRank(t *testing.T) {
	items := []index.Item{
		{Key: "old", Score: 2, Hits: 9, LastSeen: day(-20)},
		{Key: "few hits", Score: 2, Hits: 1, LastSeen: t0},
		{Key: "more hits", Score: 2, Hits: 2, LastSeen: t0},
		{Key: "nearly as good", Score: 2.00004, Hits: 1, LastSeen: t0}, // rounds to the same
		{Key: "better", Score: 2.0001, Hits: 1, LastSeen: t0},          // does not
		{Key: "retired", Score: 99, Status: index.Retired, LastSeen: t0},
		{Key: "seen later, same score", Score: 2.05, Hits: 1, LastSeen: day(-1)},
		{Key: "same as few hits", Score: 2, Hits: 1, LastSeen: t0},
		{Key: "in the future", Score: 2, Hits: 1, LastSeen: day(1)},
	}
	ix := &index.Index{Items: items}
	var got []string
	for _, pos := range ix.Rank(t0) {
		got = append(got, ix.Items[pos].Key)
	}
	diff(t, "rank", []string{
		"better", "more hits", "in the future", "few hits", "nearly as good", "same as few hits", "seen later, same score", "old",
	}, got)
}

// The order does not depend on how the records lie in the file, except where nothing else tells two of them apart.
func TestRankIsPermutationInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		now := indextest.AnyTime.Draw(t, "now")
		shuffled := &index.Index{Items: rapid.Permutation(ix.Items).Draw(t, "items")}
		type rank struct {
			score    float64
			hits     int
			lastSeen time.Time
		}
		of := func(ix *index.Index) (ranks []rank) {
			last := -1
			var before rank
			for _, pos := range ix.Rank(now) {
				it := &ix.Items[pos]
				r := rank{math.Round(it.EffectiveScore(now)*1e4) / 1e4, it.Hits, it.LastSeen}
				switch {
				case it.Status != index.Active:
					t.Fatalf("record of status %q is ranked", it.Status)
				case r == before && pos < last:
					t.Fatalf("equal records are not in file order")
				}
				last, before = pos, r
				ranks = append(ranks, r)
			}
			return ranks
		}
		a, b := of(ix), of(shuffled)
		envtest.StopIf(t, !slices.Equal(a, b), "rank depends on the order of the file:\n%v\n%v", a, b)
		if !slices.IsSortedFunc(a, func(x, y rank) int {
			return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.hits, x.hits), y.lastSeen.Compare(x.lastSeen))
		}) {
			t.Fatalf("not sorted: %v", a)
		}
		active := 0
		for i := range ix.Items {
			if ix.Items[i].Status == index.Active {
				active++
			}
		}
		envtest.Same(t, len(a), active)
	})
}

func TestSelect(t *testing.T) {
	const l, a = index.Learning, index.AntiPattern
	for _, tt := range []struct {
		name   string
		kinds  []index.Kind // in rank order
		pinned []int        // -n is of high severity at n
		limit  int
		want   []int
	}{
		{"nothing", nil, nil, 5, []int{}},
		{"one kind", []index.Kind{l, l, l}, nil, 2, []int{0, 1}},
		{"both kinds", []index.Kind{l, l, l, l, a, a}, nil, 4, []int{0, 1, 4, 5}},
		{"the rank fills up", []index.Kind{l, l, l, l, a}, nil, 4, []int{0, 1, 4, 2}},
		{"an odd limit", []index.Kind{l, l, l, a, a}, nil, 3, []int{0, 3, 1}},
		{"learnings first", []index.Kind{a, a, l, l}, nil, 4, []int{2, 3, 0, 1}},
		{"one slot", []index.Kind{a, l}, nil, 1, []int{1}},
		{"a limit of nothing", []index.Kind{l, l}, nil, 0, []int{0}},
		{"a negative limit", []index.Kind{l, l}, nil, -3, []int{0}},
		{"more than there are", []index.Kind{a, l}, nil, 99, []int{1, 0}},
		{"pins first", []index.Kind{l, l, l, a, a}, []int{2, 4}, 4, []int{2, 4, 0, 3}},
		{"pins take half at most", []index.Kind{l, l, l, l, a, a}, []int{1, 2, 3}, 4, []int{1, 2, 4, 5}},
		{"severity after pins", []index.Kind{l, l, l, l, a, a}, []int{2, -1, -5}, 4, []int{2, 1, 4, 5}},
		{"pins and severity take half at most", []index.Kind{l, l, l, l, l, l}, []int{5, -2, -3, -4}, 4, []int{5, 2, 0, 1}},
		{"one slot is for no pin", []index.Kind{l, l}, []int{1}, 1, []int{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix := &index.Index{}
			var ranked []int
			for i, kind := range tt.kinds {
				ix.Items = append(ix.Items, index.Item{Kind: kind, Pinned: slices.Contains(tt.pinned, i)})
				if i > 0 && slices.Contains(tt.pinned, -i) {
					ix.Items[i].Severity = "high"
				}
				ranked = append(ranked, i)
			}
			diff(t, "chosen", tt.want, ix.Select(ranked, tt.limit))
		})
	}
}

func TestSelectLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		limit := rapid.IntRange(-1, 30).Draw(t, "limit")
		ranked := ix.Rank(t0)
		chosen := ix.Select(ranked, limit)
		limit = max(1, limit)
		want := min(limit, len(ranked))
		envtest.StopIf(t, len(chosen) != want, "%d chosen, want %d", len(chosen), want)
		unique := slices.Compact(slices.Sorted(slices.Values(chosen)))
		envtest.StopIf(t, len(unique) != len(chosen), "chosen twice: %v", chosen)
		all, got := map[index.Kind]int{}, map[index.Kind]int{}
		pins := 0
		for _, pos := range ranked {
			all[ix.Items[pos].Kind]++
			if ix.Items[pos].Pinned {
				pins++
			}
		}
		for n, pos := range chosen {
			it := ix.Items[pos]
			envtest.Same(t, index.Active, it.Status, "record of status")
			envtest.StopIf(t, n < min(limit/2, pins) && !it.Pinned,
				"a record without a pin stands at place %d of %v", n, chosen)
			got[it.Kind]++
		}
		for kind, n := range all {
			envtest.StopIf(t, limit > 1 && got[kind] < min(n, limit/2),
				"%d of kind %s chosen, want at least %d", got[kind], kind, min(n, limit/2))
		}
		// Apart from the pins, what is chosen of a kind is the best of it.
		for kind := range all {
			ended := false
			for _, pos := range ranked {
				if it := ix.Items[pos]; it.Kind != kind || slices.Contains(chosen[:min(limit/2, pins)], pos) {
					continue
				}
				taken := slices.Contains(chosen, pos)
				envtest.StopIf(t, taken && ended,
					"%d of kind %s was chosen over a better one: %v of %v", pos, kind, chosen, ranked)
				ended = ended || !taken
			}
		}
	})
}
