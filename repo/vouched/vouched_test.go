package vouched

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAcceptIsOfWhatWasShown: what came in while the person looked waits.
func TestAcceptIsOfWhatWasShown(t *testing.T) {
	shown := &List{Held: map[string][2]string{"m-1": {"Lint first"}, "m-2": {"Use pnpm"}, "rules/a.md": {"blob 2", "blob 1"}}}
	l := &List{Own: map[string]bool{}, Held: map[string][2]string{
		"m-1": {"Lint first"}, "m-2": {"Use npm"}, "m-3": {"Ask first"}, "rules/a.md": {"blob 3", "blob 1"},
	}}
	l.Accept(shown, []string{"origin"})
	want := map[string][2]string{"m-2": {"Use npm"}, "m-3": {"Ask first"}, "rules/a.md": {"blob 3", "blob 1"}}
	if diff := cmp.Diff(want, l.Held); diff != "" || !l.Own["origin"] {
		t.Errorf("Accept() leaves (-want +got):\n%s and own %v", diff, l.Own)
	}
}
