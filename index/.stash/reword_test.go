package index_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/index"
)

func TestReword(t *testing.T) {
	ix := &index.Index{UpdatedAt: t0}
	ix.Apply(index.Reflection{Fixes: fixes("One", "Two", "Three").Fixes, Mistakes: fixes("Four").Fixes}, t0)
	id := func(i int) string { return ix.Items[i].ID }
	ids := []string{id(0), id(1), id(2), id(3)}
	merges := ix.RewordRecords(map[string]string{
		id(0): "  Avoid:  The   first ", id(1): " ", id(2): "Avoid:", id(3): "the fourth", "m-unknown": "x",
	}, day(1))
	diff(t, "merges", []index.Absorbed(nil), merges)
	diff(t, "texts", []string{"The first", "Two", "Three", "Avoid: the fourth"}, texts(ix))
	for i, it := range ix.Items {
		if it.Key != index.KeyOf(it.Text) || it.ID != ids[i] || it.Hits != 1 || !it.LastSeen.Equal(t0) {
			t.Errorf("record %d became %+v", i, it)
		}
	}
	if ix.Normalize(); !ix.UpdatedAt.Equal(day(1)) || ix.Version != index.Version {
		t.Errorf("updated %v, version %d", ix.UpdatedAt, ix.Version)
	}
}

// sum adds as the machine does, not as the compiler.
func sum(scores ...float64) (total float64) {
	for _, s := range scores {
		total += s
	}
	return total
}

func TestMerge(t *testing.T) {
	src := func(session string, n int) index.Source { return index.Source{Session: session, At: day(n)} }
	ix := &index.Index{Items: []index.Item{
		{ID: "m-a", Key: "a", Text: "A", Kind: index.Learning, Hits: 2, Score: 2.16, FirstSeen: day(-3), LastSeen: day(1),
			Domain: "go", Confidence: "high", Origin: index.OriginUser, Tags: []string{"x"}, Sources: []index.Source{src("s1", -3), src("s2", 1)},
			By: map[string]index.Share{"r1": {Hits: 1, Score: 1}}},
		{ID: "m-r", Key: "other", Text: "Other", Kind: index.Learning, Hits: 1, Score: 1, Status: index.Retired},
		{ID: "m-b", Key: "b", Text: "B", Kind: index.Learning, Hits: 3, Score: 3.4, FirstSeen: day(-5), LastSeen: day(2),
			Pinned: true, Severity: "high", Origin: index.OriginAgent, Tags: []string{"x", "y"}, Recurred: 1, DerivedFrom: []string{"m-z"},
			Sources: []index.Source{src("s0", -5), src("s3", 0)},
			By:      map[string]index.Share{"r1": {Hits: 1, Score: 1.5}, "r2": {Hits: 1, Score: 1}}},
		{ID: "m-c", Key: "c", Text: "C", Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: day(0), LastSeen: day(0)},
	}}
	before := ix.Clone()
	merges := ix.RewordRecords(map[string]string{"m-a": "same", "m-b": "Same", "m-c": "SAME", "m-r": "sAME"}, t0)
	diff(t, "merges", []index.Absorbed{{Into: "m-a", From: []string{"m-b", "m-c"}}}, merges)
	reworded := []index.Stamp{{Field: "redistilled", At: t0}, {Field: "text", At: t0}}
	diff(t, "records", []index.Item{
		{ID: "m-a", Key: "same", Text: "Same", Kind: index.Learning, Hits: 6, Score: sum(2.16, 3.4, 1), FirstSeen: day(-5), LastSeen: day(2),
			Domain: "go", Confidence: "high", Origin: index.OriginAgent, Pinned: true, Severity: "high", Tags: []string{"x", "y"}, Recurred: 1,
			DerivedFrom: []string{"m-b", "m-c"},
			Sources:     []index.Source{src("s0", -5), src("s1", -3), src("s3", 0), src("s2", 1)},
			Before:      index.Share{Hits: 3, Score: ix.Items[0].Before.Score, FirstSeen: day(-5), LastSeen: day(2)},
			By: map[string]index.Share{
				"r1": {Hits: 2, Score: 2.5, FirstSeen: day(-5), LastSeen: day(2)}, "r2": {Hits: 1, Score: 1, FirstSeen: day(-5), LastSeen: day(2)},
			},
			Set: []index.Stamp{
				{Field: "origin", At: t0}, {Field: "pinned", At: t0}, {Field: "redistilled", At: t0}, {Field: "severity", At: t0}, {Field: "tags", At: t0}, {Field: "text", At: t0},
			}},
		{ID: "m-r", Key: "same", Text: "sAME", Kind: index.Learning, Hits: 1, Score: 1, Status: index.Retired, Set: reworded},
	}, ix.Items)
	diff(t, "links", map[index.Link]int{{From: "m-z", Into: "m-b"}: 1}, ix.Undone.Links)
	if it := before.Items[0]; it.Hits != 2 || len(it.Tags) != 1 || len(it.Sources) != 2 || it.By["r1"].Hits != 1 {
		t.Errorf("merging changed the index that was cloned: %+v", it)
	}
}

// TestMergeOfEvidence: evidence goes where the confidence goes that it gave.
func TestMergeOfEvidence(t *testing.T) {
	proof := func(n int) *index.Evidence { return &index.Evidence{Files: n} }
	for _, tt := range []struct {
		first, later    string
		evidence, newer *index.Evidence
		want            string
		files           int
	}{
		{"high", "", proof(7), nil, "high", 7},
		{"", "high", nil, proof(7), "high", 7},
		{"medium", "high", proof(3), proof(7), "high", 7},
		{"high", "low", proof(7), nil, "low", 0},
		{"", "", nil, nil, "", 0},
	} {
		for _, swapped := range []bool{false, true} {
			a := index.Item{ID: "m-a", Key: "a", Text: "Same", LastSeen: day(1), Confidence: tt.first, Evidence: tt.evidence}
			b := index.Item{ID: "m-b", Key: "b", Text: "Same", LastSeen: day(2), Confidence: tt.later, Evidence: tt.newer}
			ix := &index.Index{Items: []index.Item{a, b}}
			if swapped {
				slices.Reverse(ix.Items)
			}
			ix.RewordRecords(map[string]string{"m-a": "Same", "m-b": "Same"}, t0)
			it := ix.Items[0]
			files := 0
			if it.Evidence != nil {
				files = it.Evidence.Files
			}
			if len(ix.Items) != 1 || it.Confidence != tt.want || files != tt.files {
				t.Errorf("%q and later %q: %q with %d files, want %q with %d", tt.first, tt.later, it.Confidence, files, tt.want, tt.files)
			}
		}
	}
}

func TestMergeKeepsFirstAndLatestSources(t *testing.T) {
	ix := &index.Index{Items: []index.Item{
		{ID: "m-a", Key: "a", Text: "a", LastSeen: day(21)}, {ID: "m-b", Key: "a", Text: "a", LastSeen: day(20)},
	}}
	for n := 2; n < 22; n++ { // even days first, odd ones second
		it := &ix.Items[n%2]
		it.Sources = append(it.Sources, index.Source{Session: fmt.Sprint("s", n), At: day(n)})
	}
	ix.RewordRecords(nil, t0)
	var got []string
	for _, s := range ix.Items[0].Sources {
		got = append(got, s.Session)
	}
	diff(t, "sources", strings.Fields("s2 s13 s14 s15 s16 s17 s18 s19 s20 s21"), got)
}

// The kind of the record seen last is that of the merged one.
func TestMergeOfKinds(t *testing.T) {
	for _, late := range []int{0, 1} {
		ix := &index.Index{Items: []index.Item{
			{ID: "m-a", Key: "avoid: x", Text: "avoid: X", Kind: index.Learning, LastSeen: t0},
			{ID: "m-b", Key: "avoid: x", Text: "Avoid: x", Kind: index.AntiPattern, LastSeen: t0},
		}}
		ix.Items[late].LastSeen = day(1)
		want := ix.Items[late]
		ix.RewordRecords(nil, t0)
		if it := ix.Items[0]; len(ix.Items) != 1 || it.Text != want.Text || it.Kind != want.Kind || it.ID != "m-a" {
			t.Errorf("merged into %+v", it)
		}
	}
}

func TestMergeLaws(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "a", "A", "Avoid: b", "c", "Avoid:"})
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		given := map[string]string{}
		for _, it := range ix.Items {
			if it.Status == index.Active && rapid.Bool().Draw(t, "reword") {
				given[it.ID] = words.Draw(t, "text")
			}
		}
		before := ix.Clone()
		merges := ix.RewordRecords(given, day(3))
		type sums struct {
			hits, recurred, by int
			score, byScore     float64
			first, last        time.Time
		}
		total := func(ix *index.Index) (s sums) {
			for _, it := range ix.Items {
				s.hits, s.recurred, s.score = s.hits+it.Hits, s.recurred+it.Recurred, s.score+it.Score
				for _, c := range it.By {
					s.by, s.byScore = s.by+c.Hits, s.byScore+c.Score
				}
				if s.first.IsZero() || it.FirstSeen.Before(s.first) {
					s.first = it.FirstSeen
				}
				if it.LastSeen.After(s.last) {
					s.last = it.LastSeen
				}
			}
			s.score = math.Round(s.score * 1e6)
			return s
		}
		if a, b := total(before), total(ix); a != b {
			t.Fatalf("from %+v to %+v", a, b)
		}
		// Every record is there or merged into one that is, which comes first.
		into := map[string]string{}
		for _, m := range merges {
			for _, from := range m.From {
				into[from] = m.Into
			}
		}
		rest := slices.DeleteFunc(slices.Clone(before.Items), func(it index.Item) bool { return into[it.ID] != "" })
		if len(rest) != len(ix.Items) {
			t.Fatalf("%d records became %d with %d merged away", len(before.Items), len(ix.Items), len(into))
		}
		keys := map[string]bool{}
		for i, it := range ix.Items {
			was := rest[i]
			if it.ID != was.ID || it.Status != was.Status {
				t.Fatalf("place %d went from %s to %s", i, was.ID, it.ID)
			}
			if it.Status != index.Active {
				diff(t, "a record that is not active", was, it)
				continue
			}
			if keys[it.Key] {
				t.Fatalf("two active records have the key %q", it.Key)
			}
			keys[it.Key] = true
			if it.Key != index.KeyOf(it.Text) || (it.Kind == index.AntiPattern) != index.SaysAvoid(it.Text) {
				t.Fatalf("record %+v", it)
			}
		}
		for from, to := range into {
			if before.ByID(from) <= before.ByID(to) || before.Items[before.ByID(from)].Status != index.Active {
				t.Fatalf("%s was merged into %s", from, to)
			}
		}
		settled := ix.Clone()
		diff(t, "merges of what is merged", []index.Absorbed(nil), settled.RewordRecords(nil, day(3)))
		diff(t, "merged again", ix, settled)
	})
}
