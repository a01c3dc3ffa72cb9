package index

import (
	"testing"

	"mem/envtest"
)

// TestWriteShares: what a clone shares with an index is not written over.
func TestWriteShares(t *testing.T) {
	ix := &Index{Items: []Item{{ID: "m-00000001", Tags: []string{"go"}, Cue: &Literals{Tool: "go"}}}}
	it := &ix.Clone().Items[0]
	it.Write("tags", []byte(`["sh"]`))
	it.Write("cue", []byte(`{"tool":"sh"}`))
	want := Item{ID: "m-00000001", Tags: []string{"go"}, Cue: &Literals{Tool: "go"}}
	envtest.Same(t, want, ix.Items[0], "the index is another one")
	if it.Write("tags", []byte(`7`)); len(it.Tags) != 1 || it.Tags[0] != "sh" || it.Cue.Tool != "sh" {
		t.Errorf("the clone has %q, %+v", it.Tags, it.Cue)
	}
}
