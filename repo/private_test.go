package repo_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"mem/repo"
	"mem/repo/private"
)

// Of notes that several processes add to at once, none is lost.
func TestAmend(t *testing.T) {
	path := filepath.Join(scratch(t), "root")
	r, err := repo.Create(t.Context(), path, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
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
					err = own.AmendNote(private.NoteShown, func(old []byte) []byte { return append(old, 'x') })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if data, err := r.ReadNote(private.NoteShown); err != nil || !bytes.Equal(data, bytes.Repeat([]byte("x"), 20)) {
		t.Errorf("%q, %v; want 20 times x", data, err)
	}
}
