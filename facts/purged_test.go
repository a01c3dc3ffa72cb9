package facts

import (
	"slices"
	"testing"

	"mem/index"
)

// Of a fact that a purge wrote anew and its old form, in whatever order git brought them, what was not purged counts. Two
// reflections of one session are another case: the first counts, whole.
func TestPurgedUnited(t *testing.T) {
	lesson := func(text string) index.Lesson { return index.Lesson{Text: text} }
	whole := Fact{ID: "r-1", Kind: Reflection, N: 1, Fixes: []index.Lesson{lesson("one"), lesson("two")}, Mistakes: []index.Lesson{lesson("three")},
		Changes: []index.Decision{{Of: "m-1", Gone: true}}}
	idOf := func(text string) string { return index.BaseID(index.KeyOf(text)) }
	without := func(ids ...string) Fact {
		f := whole
		f.Drop(ids)
		return f
	}
	later := whole
	later.N, later.Fixes = 2, []index.Lesson{lesson("four")}
	purge := Fact{ID: "d-1", Kind: Decision, N: 9, Purged: []string{idOf("one"), idOf("avoid: three")}}
	for _, c := range []struct {
		name string
		list []Fact
		want []string
	}{
		{"one purged, another elsewhere", []Fact{without(idOf("one")), without(idOf("avoid: three"))}, []string{"one", "two", "three"}},
		{"purged, and pulled again", []Fact{without(idOf("one"), idOf("avoid: three")), whole, purge}, []string{"two"}},
		{"of another order", []Fact{later, whole}, []string{"one", "two", "three"}},
	} {
		var first []string
		for range 2 {
			f := NewLog(c.list).Facts()[0]
			var got []string
			for _, l := range slices.Concat(f.Fixes, f.Mistakes) {
				got = append(got, l.Text)
			}
			if first == nil {
				first = got
			}
			if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(slices.Sorted(slices.Values(got)), want) || !slices.Equal(first, got) || len(f.Changes) != 1 {
				t.Errorf("%s: %v and %v, want %v, and %d changes", c.name, first, got, want, len(f.Changes))
			}
			slices.Reverse(c.list)
		}
	}
}
