package vouched

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mem/index"
	"mem/repo/gitstore/object"
	"mem/repo/walk"
)

// TestAcceptIsOfWhatWasShown: what came in while the person looked waits.
func TestAcceptIsOfWhatWasShown(t *testing.T) {
	blob1, blob2, blob3 := object.Hash{1}, object.Hash{2}, object.Hash{3}
	shown := &List{
		Lessons: map[string][]string{"m-1": {"Lint first"}, "m-2": {"Use pnpm"}},
		Files:   map[string][]walk.Step{"rules/a.md": {{blob1, blob2}}, "rules/b.md": {{blob1, blob2}}},
	}
	l := &List{
		Remotes: map[string]string{}, Lessons: map[string][]string{"m-1": {"Lint first"}, "m-2": {"Use npm"}, "m-3": {"Ask first"}},
		Files: map[string][]walk.Step{"rules/a.md": {{blob1, blob2}}, "rules/b.md": {{blob1, blob2}, {blob2, blob3}}},
	}
	l.Accept(shown, map[string]string{"origin": "../a"})
	want := &List{
		Remotes: map[string]string{"origin": "../a"}, Lessons: map[string][]string{"m-2": {"Use npm"}, "m-3": {"Ask first"}},
		Files: map[string][]walk.Step{"rules/b.md": {{blob2, blob3}}}, changed: true,
	}
	if diff := cmp.Diff(want, l, cmp.AllowUnexported(List{}), cmpopts.IgnoreFields(List{}, "root")); diff != "" {
		t.Errorf("Accept() leaves (-want +got):\n%s", diff)
	}
}

// TestUncoverLetsInNewWords: a lesson that waits does so in all words but those that the
// person gives it in a review.
func TestUncoverLetsInNewWords(t *testing.T) {
	l := &List{Lessons: map[string][]string{"m-1": {"Lint first"}}, was: map[string]index.Item{}, let: map[string]bool{}}
	ix := &index.Index{Items: []index.Item{{ID: "m-1", Text: "Lint at once"}}}
	if !l.Waits(&ix.Items[0]) {
		t.Error("git's next words do not wait")
	}
	l.Cover(ix)
	ix.Items[0].Text = "Lint last"
	l.Uncover(ix)
	if l.Waits(&ix.Items[0]) || ix.Items[0].Status != index.Active {
		t.Errorf("the person's words are %+v and wait", ix.Items[0])
	}
}
