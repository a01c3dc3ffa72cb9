package recall_test

import (
	"bytes"
	"testing"

	"mem/recall"
)

func FuzzParseReceipts(f *testing.F) {
	f.Add([]byte(`{"at":"2026-02-03T04:05:06Z","kind":"start","agent":"pi","session":"s","tokens":3,"items":["m-1"]}` + "\n"))
	f.Add([]byte("{\"session\":\"x\"}\n\xff{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range recall.ParseReceipts(data) {
			if r.Session == "" || r.At.IsZero() || bytes.Count(data, []byte("\n")) == 0 && len(recall.ParseReceipts(data)) > 1 {
				t.Fatalf("%+v of %q", r, data)
			}
		}
	})
}
