package recall_test

import (
	"fmt"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/recall"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// many returns an index of n records with the words of the labelled ones.
func many(b *testing.B, n int) *index.Index {
	from := labelled(b).Items
	ix := &index.Index{}
	for i := range n {
		it := from[i%len(from)]
		it.ID = fmt.Sprintf("m-%08x", i)
		it.Text = fmt.Sprintf("%s (module %d, see `services/unit%d/main.ts`)", it.Text, i%97, i)
		it.Key = index.KeyOf(it.Text)
		ix.Items = append(ix.Items, it)
	}
	return ix
}

// BenchmarkScore is how long it takes to hold a task against 100,000 loaded records, without and with their order.
func BenchmarkScore(b *testing.B) {
	ix, all := many(b, 100_000), tasks(b)
	b.Run("score", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			q := recall.NewQuery(all[i%len(all)].text, "")
			q.ScoreTexts(len(ix.Items), func(i int) []string { return recall.FieldsOf(&ix.Items[i]) })
		}
	})
	b.Run("rank", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			rank(ix, all[i%len(all)].text, t0)
		}
	})
}
