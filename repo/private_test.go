package repo_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mem/repo"
	"mem/repo/private"
)

// Of notes that several processes add to at once, none is lost.
func TestAmend(t *testing.T) {
	r := create(t, repo.Options{})
	path := r.Path()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			own, err := repo.Open(path, repo.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			for range 5 {
				err := repo.ErrLocked
				for errors.Is(err, repo.ErrLocked) {
					err = own.AmendNote(private.NoteTold, func(old []byte) []byte { return append(old, 'x') })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if data, err := r.ReadNote(private.NoteTold); err != nil || !bytes.Equal(data, bytes.Repeat([]byte("x"), 20)) {
		t.Errorf("%q, %v; want 20 times x", data, err)
	}
}

// A hint is given to a reader once, however many processes ask, and not many to one.
func TestClaimHint(t *testing.T) {
	r := create(t, repo.Options{})
	path := r.Path()
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
				if own.ClaimHint("claude s1", fmt.Sprint("m-", i%4)) {
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
		if r.ClaimHint("claude s1", fmt.Sprint("x-", i)) {
			given.Add(1)
		}
	}
	if given.Load() != 8 {
		t.Errorf("%d hints to one reader, want 8", given.Load())
	}
	for i := range 100 {
		if !r.ClaimHint(fmt.Sprint("other ", i), "m-1") {
			t.Fatalf("reader %d got no hint", i)
		}
	}
	if names, err := os.ReadDir(filepath.Join(path, ".git/mem/hints")); err != nil || len(names) > 64 {
		t.Errorf("%d readers are remembered, %v", len(names), err)
	}
}

// Receipts are kept a month to a file, for two years; those of earlier versions go.
func TestReceipts(t *testing.T) {
	r := create(t, repo.Options{})
	path := r.Path()
	old := filepath.Join(path, ".git/mem/shown")
	noError(t, errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.WriteFile(old, []byte("{}\n"), 0o644)))
	for i := range 30 {
		month := fmt.Sprintf("%d-%02d", 2024+i/12, 1+i%12)
		noError(t, errors.Join(r.AddReceipt(month, []byte("a")), r.AddReceipt(month, []byte("b"))))
	}
	if data := read(t, filepath.Join(old, "2026-06.jsonl")); data != "a\nb\n" {
		t.Errorf("%q", data)
	}
	months, err := os.ReadDir(old)
	if err != nil || len(months) != 24 || months[0].Name() != "2024-07.jsonl" {
		t.Errorf("kept are %v, %v", months, err)
	}
}
