package repo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// TestSweepOfMove interrupts the move of a memory at each of its changes, by each fault: it lies in one of the two places,
// whole, and where the move says that it is.
func TestSweepOfMove(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				top := filepath.Join(t.TempDir(), "top")
				from, to := filepath.Join(top, "tree", ".mem"), filepath.Join(top, "app.git", ".mem")
				r, err := repo.Create(t.Context(), from, repo.Options{})
				noError(t, err)
				settle(t, r, learn("Use the cache"))
				noError(t, r.Close())
				noError(t, os.MkdirAll(filepath.Dir(to), 0o700))
				plan := &disktest.Plan{At: n, Err: m.err, Forever: m.forever}
				if m.power {
					if plan.Disk, err = disktest.Follow(top); err != nil {
						t.Fatal(err)
					}
				}
				said := repo.Move(t.Context(), from, to, repo.Options{Fault: func(op disk.Op) error {
					if strings.HasPrefix(op.Path, "tree") || strings.HasPrefix(op.Path, "app.git") { // of the move, as seen from the folder around
						return plan.Fault(op)
					}
					return nil
				}})
				for name, top := range m.left(t, plan, top) {
					if bad := checkMoved(top, said == nil); bad != nil {
						t.Errorf("change %d, %s: %v (the move said: %v)", n, name, bad, said)
					}
				}
				if plan.Seen() < n {
					if said != nil || n < 4 {
						t.Errorf("without a fault, after %d changes: %v", n-1, said)
					}
					return
				}
			}
		})
	}
}

// checkMoved says what is wrong with a memory that was moved, or not.
func checkMoved(top string, isMoved bool) error {
	from, to := filepath.Join(top, "tree", ".mem"), filepath.Join(top, "app.git", ".mem")
	_, errFrom := os.Stat(from)
	_, errTo := os.Stat(to)
	switch {
	case errFrom == nil && errTo == nil, errFrom != nil && errTo != nil:
		return fmt.Errorf("it is in both places or in none: %w, %w", errFrom, errTo)
	case isMoved && errTo != nil:
		return errTo
	case errTo == nil:
		from = to
	}
	r, err := repo.Open(from, repo.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	if m, err := r.View(t0); err != nil || len(m.Index.Items) != 1 {
		return fmt.Errorf("it is not whole: %w", err)
	}
	return clean(from)
}
