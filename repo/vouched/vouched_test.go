package vouched

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestAcceptIsOfWhatWasShown: what came in while the person looked waits.
func TestAcceptIsOfWhatWasShown(t *testing.T) {
	shown := &List{
		Lessons: map[string][]string{"m-1": {"Lint first"}, "m-2": {"Use pnpm"}},
		Files:   map[string][]Step{"rules/a.md": {{"blob 1", "blob 2"}}, "rules/b.md": {{"blob 1", "blob 2"}}},
	}
	l := &List{
		Remotes: map[string]string{}, Lessons: map[string][]string{"m-1": {"Lint first"}, "m-2": {"Use npm"}, "m-3": {"Ask first"}},
		Files: map[string][]Step{"rules/a.md": {{"blob 1", "blob 2"}}, "rules/b.md": {{"blob 1", "blob 2"}, {"blob 2", "blob 3"}}},
	}
	l.Accept(shown, map[string]string{"origin": "../a"})
	want := &List{
		Remotes: map[string]string{"origin": "../a"}, Lessons: map[string][]string{"m-2": {"Use npm"}, "m-3": {"Ask first"}},
		Files: map[string][]Step{"rules/b.md": {{"blob 2", "blob 3"}}}, changed: true,
	}
	if diff := cmp.Diff(want, l, cmp.AllowUnexported(List{}), cmpopts.IgnoreFields(List{}, "root")); diff != "" {
		t.Errorf("Accept() leaves (-want +got):\n%s", diff)
	}
}
