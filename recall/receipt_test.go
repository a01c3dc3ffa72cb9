package recall_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mem/recall"
	"mem/repo"
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

// newRoot returns a memory root, and where it is.
func newRoot(t *testing.T) (*repo.Root, string) {
	path := filepath.Join(t.TempDir(), "root")
	r, err := repo.Create(t.Context(), path, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, path
}

// A hint is given to a reader once, however many processes ask, and not many to one.
func TestClaimHint(t *testing.T) {
	r, path := newRoot(t)
	var all sync.WaitGroup
	var given atomic.Int32
	for range 8 {
		all.Go(func() {
			own, err := repo.Open(path, repo.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			for i := range 20 {
				if recall.ClaimHint(own, "claude s1", fmt.Sprint("m-", i%4)) {
					given.Add(1)
				}
			}
		})
	}
	all.Wait()
	if given.Load() != 4 {
		t.Errorf("4 hints were given %d times", given.Load())
	}
	for i := range 20 {
		if recall.ClaimHint(r, "claude s1", fmt.Sprint("x-", i)) {
			given.Add(1)
		}
	}
	if given.Load() != 8 {
		t.Errorf("%d hints to one reader, want 8", given.Load())
	}
	for i := range 100 {
		if !recall.ClaimHint(r, fmt.Sprint("other ", i), "m-1") {
			t.Fatalf("reader %d got no hint", i)
		}
	}
	if names, err := os.ReadDir(filepath.Join(path, ".git/mem/hints")); err != nil || len(names) > 64 {
		t.Errorf("%d readers are remembered, %v", len(names), err)
	}
}

// Receipts are kept a month to a file, for two years.
func TestReceipts(t *testing.T) {
	r, path := newRoot(t)
	for i := range 30 {
		for range 2 {
			receipt := recall.Receipt{At: time.Date(2024, time.Month(1+i), 3, 0, 0, 0, 0, time.UTC), Session: "s"}
			if err := receipt.Keep(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	months, err := os.ReadDir(filepath.Join(path, ".git/mem/shown"))
	if err != nil || len(months) != 24 || months[0].Name() != "2024-07.jsonl" {
		t.Errorf("kept are %v, %v", months, err)
	}
	if list := recall.ListReceipts(r, time.Date(2026, 6, 9, 0, 0, 0, 0, time.UTC)); len(list) != 2 || list[0].At.Month() != time.June {
		t.Errorf("of the last month are %+v", list)
	}
}
