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
	ix.Apply(index.Reflection{Fixes: fixes("One", "Two", "Three").Fixes, Mistakes: fixes("Four").Fixes}, t0, "")
	id := func(i int) string { return ix.Items[i].ID }
	ids := []string{id(0), id(1), id(2), id(3)}
	merges := ix.RewordRecords(map[string]string{
		id(0): "  Avoid:  The   first ", id(1): " ", id(2): "Avoid:", id(3): "the fourth", "m-unknown": "x",
	}, day(1))
	diff(t, "merges", []index.Merge(nil), merges)
	diff(t, "texts", []string{"The first", "Two", "Three", "Avoid: the fourth"}, texts(ix))
	for i, it := range ix.Items {
		if it.Key != index.KeyOf(it.Text) || it.ID != ids[i] || it.Hits != 1 || !it.LastSeen.Equal(t0) {
			t.Errorf("record %d became %+v", i, it)
		}
	}
	if !ix.UpdatedAt.Equal(day(1)) || ix.Version != index.Version {
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
			By: map[string]index.Counts{"r1": {Hits: 1, Score: 1}}},
		{ID: "m-r", Key: "other", Text: "Other", Kind: index.Learning, Hits: 1, Score: 1, Status: index.Retired},
		{ID: "m-b", Key: "b", Text: "B", Kind: index.Learning, Hits: 3, Score: 3.4, FirstSeen: day(-5), LastSeen: day(2),
			Pinned: true, Severity: "high", Origin: index.OriginAgent, Tags: []string{"x", "y"}, Recurred: 1, DerivedFrom: []string{"m-z"},
			Sources: []index.Source{src("s0", -5), src("s3", 0)},
			By:      map[string]index.Counts{"r1": {Hits: 1, Score: 1.5}, "r2": {Hits: 1, Score: 1}}},
		{ID: "m-c", Key: "c", Text: "C", Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: day(0), LastSeen: day(0)},
	}}
	before := ix.Clone()
	merges := ix.RewordRecords(map[string]string{"m-a": "same", "m-b": "Same", "m-c": "SAME", "m-r": "sAME"}, t0)
	diff(t, "merges", []index.Merge{{Into: "m-a", From: []string{"m-b", "m-c"}}}, merges)
	diff(t, "records", []index.Item{
		{ID: "m-a", Key: "same", Text: "Same", Kind: index.Learning, Hits: 6, Score: sum(2.16, 3.4, 1), FirstSeen: day(-5), LastSeen: day(2),
			Domain: "go", Confidence: "high", Origin: index.OriginAgent, Pinned: true, Severity: "high", Tags: []string{"x", "y"}, Recurred: 1,
			DerivedFrom: []string{"m-b", "m-z", "m-c"},
			Sources:     []index.Source{src("s0", -5), src("s1", -3), src("s3", 0), src("s2", 1)},
			By:          map[string]index.Counts{"r1": {Hits: 2, Score: 2.5}, "r2": {Hits: 1, Score: 1}}},
		{ID: "m-r", Key: "same", Text: "sAME", Kind: index.Learning, Hits: 1, Score: 1, Status: index.Retired},
	}, ix.Items)
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
		diff(t, "merges of what is merged", []index.Merge(nil), settled.RewordRecords(nil, day(3)))
		diff(t, "merged again", ix, settled)
	})
}

func TestRestore(t *testing.T) {
	before, _ := load(t, full)
	ours := encode(t, before)
	// What pi-self-learning makes of the file: version 1, its own members
	// only, one record seen again, one added, which has the first wording of
	// one that was reworded since.
	theirs, _ := load(t, `{"version":1,"updatedAt":"2026-03-01T00:00:00.000Z","items":[
		{"key":"added","text":"Added","kind":"learning","hits":1,"score":1,"firstSeen":"2026-03-01T00:00:00.000Z","lastSeen":"2026-03-01T00:00:00.000Z"},
		{"key":"avoid: x","text":"avoid: X","kind":"antiPattern","hits":13,"score":5.4,"firstSeen":"2025-01-01T00:00:00.000Z","lastSeen":"2026-03-01T00:00:00.000Z","z":1,"x":"theirs"}
	]}`)
	if n := theirs.RestoreFrom(before); n != 1 {
		t.Errorf("%d records restored, want 1", n)
	}
	if theirs.Version != 2 || theirs.Replica != "a1b2c3" || !theirs.UpdatedAt.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("restored %+v", theirs)
	}
	got := encode(t, theirs)
	for _, want := range []string{`"text": "avoid: X"`, `"hits": 13`, `"score": 5.4`, `"2026-03-01T00:00:00.000Z",
      "id": "m-1f9c2a7e"`, `"status": "compiled"`, `"mood": "\u0067ood"`, `"z": 1`, `"x": "theirs"`, `"y\nz": {`, `"future": {`, `"key": "added"`} {
		if !strings.Contains(got, want) {
			t.Errorf("restored without %s:\n%s", want, got)
		}
	}
	if strings.Contains(got, `"key": "k"`) {
		t.Error("a record that the other program removed is back")
	}
	if encode(t, before) != ours {
		t.Error("restoring changed what was restored from")
	}
}

// An id that a record had before stays with it, even when another program
// added a record whose key gives the same one.
func TestRestoreKeepsIDs(t *testing.T) {
	before := &index.Index{}
	before.Apply(fixes("Old words"), t0, "a1b2c3")
	id := before.Items[0].ID
	before.RewordRecords(map[string]string{id: "New words"}, t0)
	theirs, _ := load(t, `{"version":1,"items":[{"key":"old words","text":"Old words"},{"key":"new words","text":"New words"}]}`)
	theirs.RestoreFrom(before)
	if theirs.Items[1].ID != id || theirs.Items[0].ID == id || theirs.Items[0].ID == "" {
		t.Errorf("the ids are %s and %s, want the second to be %s", theirs.Items[0].ID, theirs.Items[1].ID, id)
	}
}

// Of two records with one key each gets its own back.
func TestRestoreEqualKeys(t *testing.T) {
	before := &index.Index{Version: 2, Items: []index.Item{
		{ID: "m-1", Key: "x", Text: "x", Status: index.Retired}, {ID: "m-2", Key: "x", Text: "x", Pinned: true},
	}}
	theirs, _ := load(t, `{"version":1,"items":[{"key":"x","text":"x"},{"key":"x","text":"X"}]}`)
	theirs.RestoreFrom(before)
	a, b := theirs.Items[0], theirs.Items[1]
	if a.ID != "m-1" || a.Status != index.Retired || b.ID != "m-2" || !b.Pinned || b.Status != index.Active {
		t.Errorf("restored %+v and %+v", a, b)
	}
}

func TestRestoreNothing(t *testing.T) {
	one := `{"version":1,"items":[{"key":"k","text":"T"}]}`
	for _, tt := range []struct{ ix, before string }{{one, one}, {full, full}, {full, one}} {
		ix, _ := load(t, tt.ix)
		before, _ := load(t, tt.before)
		want, _ := load(t, tt.ix)
		if n := ix.RestoreFrom(before); n != 0 {
			t.Errorf("%d records restored", n)
		}
		diff(t, "index", want, ix)
	}
}
