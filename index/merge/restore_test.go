package merge_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/index/indextest"
	"mem/index/merge"
)

var (
	full   = indextest.Full
	t0     = indextest.T0
	load   = indextest.Load
	encode = indextest.Encode
	diff   = indextest.Diff
)

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
	if n := merge.RestoreFrom(theirs, before, "file"); n != 1 {
		t.Errorf("%d records restored, want 1", n)
	}
	if theirs.Version != index.Version || len(theirs.Items[1].Sources) != 4 {
		t.Errorf("restored %+v", theirs)
	}
	got := encode(t, theirs)
	for _, want := range []string{`"text": "avoid: X"`, `"hits": 13`, `"score": 5.76`, `"9999-12-31T23:59:59.999Z",
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
	before.Apply(index.Reflection{Fixes: []index.Lesson{{Text: "Old words"}}}, t0)
	id := before.Items[0].ID
	before.RewordRecords(map[string]string{id: "New words"}, t0)
	before.Normalize()
	theirs, _ := load(t, `{"version":1,"items":[{"key":"old words","text":"Old words"},{"key":"new words","text":"New words"}]}`)
	merge.RestoreFrom(theirs, before, "file")
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
	merge.RestoreFrom(theirs, before, "file")
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
		if n := merge.RestoreFrom(ix, before, "file"); n != 0 {
			t.Errorf("%d records restored", n)
		}
		diff(t, "index", want, ix)
	}
}

// Version 1 is what pi-self-learning takes of our file: seven members of each record,
// by name.
type version1 struct {
	Version   int       `json:"version"`
	UpdatedAt string    `json:"updatedAt"`
	Items     []record1 `json:"items"`
}

type record1 struct {
	Key       string  `json:"key"`
	Text      string  `json:"text"`
	Kind      string  `json:"kind"`
	Hits      int     `json:"hits"`
	Score     float64 `json:"score"`
	FirstSeen string  `json:"firstSeen"`
	LastSeen  string  `json:"lastSeen"`
}

// pi-self-learning reads of our file what it holds, and what it writes then costs
// nothing: the same file comes back, with what it counted.
func TestRestoreLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{t: t, at: t0, least: -1, counts: rapid.Bool().Draw(t, "kinds")}
		before := l.live(&index.Index{UpdatedAt: t0, Version: index.Version}, 12)
		var theirs version1
		if err := json.Unmarshal(written(t, before), &theirs); err != nil {
			t.Fatal(err)
		}
		var want []record1
		for _, it := range before.Items {
			const form = "2006-01-02T15:04:05.000Z"
			kind := string(it.Kind)
			for _, m := range it.Unknown {
				if m.Name == "kind" {
					kind = "strategy"
				}
			}
			want = append(want, record1{it.Key, it.Text, kind, it.Hits, it.Score, it.FirstSeen.Format(form), it.LastSeen.Format(form)})
		}
		diff(t, "what the other program reads", want, theirs.Items)
		theirs.Version = 1
		hits := map[string]int{}
		for _, it := range before.Items {
			hits[it.ID] = it.Hits
		}
		counts := rapid.Bool().Draw(t, "counts")
		for i := range theirs.Items {
			if n := rapid.IntRange(0, 2).Draw(t, "sightings"); counts && n > 0 {
				theirs.Items[i].Hits += n
				theirs.Items[i].LastSeen = "2026-05-01T00:00:00.000Z"
				hits[before.Items[i].ID] += n
			}
		}
		data, err := json.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		again := func(now time.Time) *index.Index {
			ix, _, err := codec.Load(data, now)
			if err != nil {
				t.Fatal(err)
			}
			merge.RestoreFrom(ix, reload(t, before), string(data))
			ix.Normalize()
			return reload(t, ix)
		}
		got := again(t0)
		sameFile(t, "restored on two clones", got, again(t0.AddDate(0, 1, 0)))
		if !counts {
			sameFile(t, "restored", before, got)
		}
		for _, it := range got.Items {
			if it.Hits != hits[it.ID] {
				t.Fatalf("%s has %d hits, want %d", it.Text, it.Hits, hits[it.ID])
			}
		}
		if len(got.Items) != len(before.Items) {
			t.Fatal(len(got.Items))
		}
	})
}
