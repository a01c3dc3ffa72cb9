package shown_test

import (
	"bytes"
	"testing"

	"mem/recall/shown"
)

// TestFindGround: a receipt says where a lesson stood and why; an older one does not.
func TestFindGround(t *testing.T) {
	const file = `{"at":"2026-02-03T04:05:06Z","session":"s","items":["m-1","m-2"],"global":["m-3"],"why":["2 core","3 fits build pnpm","1 pinned"]}
{"at":"2026-02-03T04:05:06Z","session":"s","items":["m-1","m-2"]}
{"at":"2026-02-03T04:05:06Z","session":"s","items":["m-1"],"why":["odd"]}
`
	list := shown.ParseReceipts([]byte(file))
	for _, c := range []struct {
		receipt, place int
		id, ground     string
	}{{0, 3, "m-2", "fits build pnpm"}, {0, 1, "m-3", "pinned"}, {0, 0, "m-4", ""}, {1, 0, "m-2", ""}, {2, 0, "m-1", ""}} {
		if place, ground := list[c.receipt].FindGround(c.id); place != c.place || ground != c.ground {
			t.Errorf("%s in %d: %d %q", c.id, c.receipt, place, ground)
		}
	}
}

func FuzzParseReceipts(f *testing.F) {
	f.Add([]byte(`{"at":"2026-02-03T04:05:06Z","kind":"start","agent":"pi","session":"s","tokens":3,"items":["m-1"]}` + "\n"))
	f.Add([]byte("{\"session\":\"x\"}\n\xff{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range shown.ParseReceipts(data) {
			if r.Session == "" || r.At.IsZero() || bytes.Count(data, []byte("\n")) == 0 && len(shown.ParseReceipts(data)) > 1 {
				t.Fatalf("%+v of %q", r, data)
			}
		}
	})
}
