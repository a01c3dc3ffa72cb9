package oracle

import (
	"strings"
	"sync"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo"
)

// keepIn keeps a budget in a memory, as commands do.
func keepIn(b *Budget, root *repo.Root) {
	b.KeepIn(func() ([]byte, error) { return root.ReadNote(repo.NoteCount) },
		func(f func([]byte) []byte) error { return root.AmendNote(repo.NoteCount, f) })
}

// TestBudget counts by the day and survives what it finds.
func TestBudget(t *testing.T) {
	dir := t.TempDir() + "/m"
	root, err := repo.Create(t.Context(), dir, repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	day := time.Date(2026, 2, 3, 23, 59, 0, 0, time.UTC)
	b := NewBudget(0, 1000, day)
	keepIn(b, root)
	_ = b.add(0, 400)
	envtest.NoError(t, b.takeCall())
	_ = b.add(0, 700)
	err = b.takeCall()
	envtest.FailIf(t, err == nil || !strings.Contains(err.Error(), "about 1100 of 1000 tokens today"), "takeCall = %v", err)
	next := NewBudget(0, 1000, day.Add(time.Minute))
	keepIn(next, root)
	if err := next.takeCall(); err != nil || next.SpentToday().Calls != 1 || next.SpentToday().Tokens != 0 {
		t.Errorf("the next day: %v, %+v", err, next.SpentToday())
	}
	for _, bad := range []string{"", "null", "[1]", `{"day":7}`, strings.Repeat("x", 1000)} {
		envtest.NoError(t, root.KeepNote(repo.NoteCount, []byte(bad)))
		if err := next.takeCall(); err != nil || next.SpentToday().Calls != 1 {
			t.Errorf("after %.10q: %v, %+v", bad, err, next.SpentToday())
		}
	}
}

// Many at once lose nothing of the count.
func TestBudgetsAtOnce(t *testing.T) {
	dir := t.TempDir() + "/m"
	root, err := repo.Create(t.Context(), dir, repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			own, err := repo.Open(dir, repo.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			b := NewBudget(100, 0, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC))
			keepIn(b, own)
			for range 5 {
				envtest.Wraps(t, nil, b.takeCall())
			}
		})
	}
	wg.Wait()
	b := NewBudget(100, 0, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC))
	keepIn(b, root)
	c := b.SpentToday()
	envtest.FailIf(t, c.Calls != 20, "%+v", c)
}
