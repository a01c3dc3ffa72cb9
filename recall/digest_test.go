package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/index/digest"
	"mem/recall"
	"mem/recall/notes"
	"mem/repo"
)

// drawDocument draws a core/index.json: records of all kinds, some of them
// equal to each other in all that ranks them or in their keys, from the future,
// or without a date.
func drawDocument(t *rapid.T, label string) []byte {
	ix := &index.Index{Items: drawItems(t, label)}
	for i := range ix.Items {
		it := &ix.Items[i]
		it.Text = strings.ToValidUTF8(it.Text, "\ufffd")
		if rapid.IntRange(0, 2).Draw(t, "common") == 0 {
			it.Text = rapid.SampledFrom([]string{"Run the word 3 tests", "Read `a/b.go` first", "Ask"}).Draw(t, "common text")
		}
		it.Key, it.Hits = index.KeyOf(it.Text), rapid.IntRange(1, 2).Draw(t, "hits")
		it.ID = fmt.Sprintf("%s-%d", label, i)
		it.FirstSeen = t0
		it.LastSeen = t0.Add(time.Duration(rapid.IntRange(-12, 4).Draw(t, "days")) * 24 * time.Hour)
		it.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"word", "日本"}), 0, 1).Draw(t, "tags")
		if rapid.IntRange(0, 2).Draw(t, "cue") == 0 {
			it.Cue = &index.Literals{Command: "go test", Error: rapid.SampledFrom([]string{"", "undefined"}).Draw(t, "error")}
		}
		it.Severity, it.Origin, it.SupersededBy = "high", index.OriginUser, "m-1"
		it.Sources = []index.Source{{Session: "s"}}
	}
	data, err := codec.Encode(ix)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for range rapid.IntRange(0, 2).Draw(t, "undated") {
		text = strings.Replace(text, `"lastSeen": "2`, `"lastSaw": "2`, 1)
	}
	return []byte(text)
}

// A context out of digests is the one out of the indexes, whatever is in them
// and whenever it is made.
func TestBundleOfDigests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := [][]byte{drawDocument(t, "own"), drawDocument(t, "items")}
		byHand := nasty.Draw(t, "notes")
		now := t0.Add(time.Duration(rapid.IntRange(-20*24, 400*24).Draw(t, "hours")) * time.Hour)
		alone := rapid.IntRange(0, 3).Draw(t, "alone") == 0
		opts := recall.Options{
			Budget: rapid.IntRange(0, 900).Draw(t, "budget"), Limit: rapid.IntRange(0, 7).Draw(t, "limit"),
			Format: rapid.SampledFrom([]recall.Format{recall.Markdown, recall.XML}).Draw(t, "format"),
			For:    rapid.SampledFrom([]string{"", "no 3 word", "read a/b.go", "日本", "of the"}).Draw(t, "for"),
			Small:  rapid.Bool().Draw(t, "small"),
			Only:   rapid.IntRange(0, 3).Draw(t, "only") == 0,
			Since:  rapid.SampledFrom([]time.Time{{}, t0}).Draw(t, "since"),
			Known:  rapid.SliceOfN(rapid.SampledFrom([]string{"own-0", "items-0", "items-1", "items-5"}), 0, 2).Draw(t, "known"),
			Exists: func(p string) bool { return len(p)%2 == 0 },
		}
		bundle := func(read func([]byte) (*index.Index, error)) recall.Context {
			var sources []notes.Source
			for i, doc := range docs {
				ix, err := read(doc)
				if err != nil {
					t.Fatal(err)
				}
				m := repo.BlankMemory(now, repo.Options{})
				m.Index = ix
				sources = append(sources, notes.Source{Memory: m, Global: i == 0, Root: fmt.Sprint("root", i), Notes: byHand})
			}
			if alone {
				sources = sources[1:]
			}
			c, err := recall.Bundle(sources, opts)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		want := bundle(func(doc []byte) (*index.Index, error) {
			ix, _, err := codec.Load(doc, now)
			return ix, err
		})
		got := bundle(func(doc []byte) (*index.Index, error) {
			ix, report, err := codec.Load(doc, now)
			if err != nil || report.BadDates > 0 { // which has no digest
				return ix, err
			}
			return digest.Load(digest.Seal(digest.Make(ix), ""), "")
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the context of the digest (-want +got):\n%s", diff)
		}
	})
}
