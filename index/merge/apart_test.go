package merge_test

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mem/index"
	"mem/index/merge"
)

// collide returns two texts whose lessons have the same id at birth.
func collide() (first, second string) {
	texts := map[string]string{}
	for n := 0; ; n++ {
		text := "Take " + strconv.Itoa(n)
		id := index.BaseID(index.KeyOf(text))
		if other := texts[id]; other != "" {
			return other, text
		}
		texts[id] = text
	}
}

// Two lessons whose ids are the same by chance stay two, in one clone and in whatever order clones
// meet: no words and no counts are lost (seen among 64,000 lessons of 1,000 writers).
func TestMergeOfTwoLessonsWithOneID(t *testing.T) {
	first, second := collide()
	rapid.Check(t, func(t *rapid.T) {
		n, want := 0, map[string]int{}
		learn := func(ix *index.Index, texts ...string) *index.Index {
			ix = reload(t, ix)
			for _, text := range texts {
				n++
				want[text]++
				ix.Apply(index.Reflection{ID: fmt.Sprint("r-", n), Fixes: []index.Lesson{{Text: text}}}, t0)
			}
			return reload(t, ix)
		}
		join := func(base, x, y *index.Index) *index.Index { return reload(t, merge.Indexes(base, x, y)) }
		empty := &index.Index{UpdatedAt: t0, Version: index.Version}
		draw := func(name string, of ...string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(of), 1, 3).Draw(t, name)
		}
		some := []string{first, second, "Use pnpm"}
		a, b, c := learn(empty, draw("a", some...)...), learn(empty, draw("b", some...)...), learn(empty, draw("c", some...)...)
		all := join(nil, join(nil, a, b), c)
		sameFile(t, "in another order", all, join(nil, a, join(nil, c, b)))
		sameFile(t, "again", all, join(nil, all, b))
		later := learn(b, draw("later", first, second)...) // b goes on, without having seen the others
		met := join(b, later, all)
		sameFile(t, "from either side", met, join(b, all, later))
		hits := map[string]int{}
		for _, it := range met.Items {
			hits[it.Text] += it.Hits
		}
		if fmt.Sprint(hits) != fmt.Sprint(want) {
			t.Fatalf("has %v, want %v", hits, want)
		}
	})
}
