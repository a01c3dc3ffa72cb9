package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteShares: what a clone shares with an index is not written over.
func TestWriteShares(t *testing.T) {
	ix := &Index{Items: []Item{{ID: "m-00000001", Tags: []string{"go"}, Cue: &Literals{Tool: "go"}}}}
	it := &ix.Clone().Items[0]
	it.Write("tags", []byte(`["sh"]`))
	it.Write("cue", []byte(`{"tool":"sh"}`))
	want := Item{ID: "m-00000001", Tags: []string{"go"}, Cue: &Literals{Tool: "go"}}
	if diff := cmp.Diff(want, ix.Items[0]); diff != "" {
		t.Errorf("the index is another one (-want +got):\n%s", diff)
	}
	if it.Write("tags", []byte(`7`)); len(it.Tags) != 1 || it.Tags[0] != "sh" || it.Cue.Tool != "sh" {
		t.Errorf("the clone has %q, %+v", it.Tags, it.Cue)
	}
}
