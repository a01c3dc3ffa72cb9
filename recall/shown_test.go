package recall_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mem/recall"
	"mem/repo"

	"mem/envtest"
)

func newRoot(t *testing.T) *repo.Root {
	root, err := repo.Create(t.Context(), t.TempDir()+"/m", repo.Options{})
	envtest.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestClaim(t *testing.T) {
	root := newRoot(t)
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	got := recall.FindRecord(root, "s")
	envtest.FailIf(t, got != nil, "before anything was shown: %+v", got)
	first := recall.ShownRecord{Key: "s", At: noon, Items: []string{"m-1"}}
	envtest.FailIf(t, !recall.ClaimRecord(root, nil, first, false), "the first claim failed")
	envtest.FailIf(t, recall.ClaimRecord(root, nil, first, false), "two processes showed it")
	was := recall.FindRecord(root, "s")
	next := recall.ShownRecord{Key: "s", At: noon.Add(time.Minute), Items: []string{"m-1", "m-2"}, Prompt: true}
	envtest.FailIf(t, was == nil || !recall.ClaimRecord(root, was, next, false) || recall.ClaimRecord(root, was, next, false),
		"the second claim from %+v did not work once", was)
	if !recall.ClaimRecord(root, recall.FindRecord(root, "s"), next, true) || recall.FindRecord(root, "s") != nil {
		t.Error("a record that was dropped is still there")
	}
	for i := range 70 {
		recall.ClaimRecord(root, nil, recall.ShownRecord{Key: fmt.Sprint(i), At: noon}, false)
	}
	envtest.FailIf(t, recall.FindRecord(root, "5") != nil || recall.FindRecord(root, "6") == nil,
		"not the latest 64 sessions are kept")
	for _, note := range []string{"", "null", "{}", "[1]", "["} {
		envtest.NoError(t, root.KeepNote(repo.NoteTold, []byte(note)))
		if recall.FindRecord(root, "s") != nil || !recall.ClaimRecord(root, nil, first, false) || recall.FindRecord(root, "s") == nil {
			t.Errorf("after a note %q", note)
		}
	}
	envtest.Same(t, 200, len(recall.CutKey(strings.Repeat("k", 1000))), "a key of")
}

func TestDue(t *testing.T) {
	atStart, answered := &recall.ShownRecord{Key: "s"}, &recall.ShownRecord{Key: "s", Prompt: true}
	for _, tt := range []struct {
		was                     *recall.ShownRecord
		atPrompt, anew, resumed bool
		want                    recall.Due
	}{
		{nil, false, false, false, recall.ShowAll}, {nil, true, false, false, recall.ShowAll},
		{atStart, false, false, false, recall.ShowNothing}, {atStart, true, false, false, recall.ShowRest},
		{answered, true, false, false, recall.ShowNothing}, {answered, false, true, false, recall.ShowAll},
		{answered, false, false, true, recall.ShowNew}, {nil, false, false, true, recall.ShowAll},
	} {
		envtest.Same(t, tt.want, recall.FindDue(tt.was, tt.atPrompt, tt.anew, tt.resumed), tt.was, tt.atPrompt, tt.anew, tt.resumed)
	}
}

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

// A hint is given to a reader once, however many processes ask, and not many to one.
func TestClaimHint(t *testing.T) {
	r := newRoot(t)
	var all sync.WaitGroup
	var given atomic.Int32
	for range 8 {
		all.Go(func() {
			own, err := repo.Open(r.Path(), repo.Options{})
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
	envtest.Same(t, 4, given.Load(), "4 hints were given")
	for i := range 20 {
		if recall.ClaimHint(r, "claude s1", fmt.Sprint("x-", i)) {
			given.Add(1)
		}
	}
	envtest.Same(t, 8, given.Load())
	for i := range 100 {
		envtest.StopIf(t, !recall.ClaimHint(r, fmt.Sprint("other ", i), "m-1"), "reader %d got no hint", i)
	}
	names, err := os.ReadDir(filepath.Join(r.Path(), ".git/mem/hints"))
	envtest.FailIf(t, err != nil || len(names) > 64, "%d readers are remembered, %v", len(names), err)
}

// Receipts are kept a month to a file, for two years.
func TestReceipts(t *testing.T) {
	r := newRoot(t)
	for i := range 30 {
		for range 2 {
			receipt := recall.Receipt{At: time.Date(2024, time.Month(1+i), 3, 0, 0, 0, 0, time.UTC), Session: "s"}
			envtest.NoError(t, receipt.Keep(r))
		}
	}
	months, err := os.ReadDir(filepath.Join(r.Path(), ".git/mem/shown"))
	envtest.FailIf(t, err != nil || len(months) != 24 || months[0].Name() != "2024-07.jsonl",
		"kept are %v, %v", months, err)
	list := recall.ListReceipts(r, time.Date(2026, 6, 9, 0, 0, 0, 0, time.UTC))
	envtest.FailIf(t, len(list) != 2 || list[0].At.Month() != time.June, "of the last month are %+v", list)
}
