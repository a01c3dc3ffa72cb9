package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mem/repo"
	"mem/repo/disk/disktest"
)

// TestFlushRounds counts how often a commit waits for the disk, and takes each of these
// barriers out in turn: the sweep of power cuts must see that each is needed, or it proves
// nothing of those that are there.
func TestFlushRounds(t *testing.T) {
	const want = 8
	base := scratch(t)
	sc := scenario{name: "settle", prepare: prepared, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}}
	template := sc.template(t, base)
	dir := filepath.Join(base, "whole")
	if err := clone(template, dir); err != nil {
		t.Fatal(err)
	}
	whole := new(disktest.Plan)
	if err := sc.run(t.Context(), dir, repo.Options{Fault: whole.Fault}); err != nil || whole.Rounds() != want {
		t.Errorf("%d rounds of flushes, want %d; %v", whole.Rounds(), want, err)
	}
	for round := range whole.Rounds() {
		t.Run(fmt.Sprint("without ", round+1), func(t *testing.T) {
			t.Parallel()
			if found := sc.sweepWithout(t, template, round+1, whole.Seen()); found == nil {
				t.Error("the sweep found nothing wrong")
			} else {
				t.Log(found)
			}
		})
	}
}

// sweepWithout cuts the power at each change of a run in which one round of flushes did not
// happen, and returns the first thing that was wrong with what was left.
func (sc scenario) sweepWithout(t *testing.T, template string, round, changes int) error {
	for n := changes + 1; n > 0; n-- {
		dir := fmt.Sprint(template, " ", round, " ", n)
		if err := clone(template, dir); err != nil {
			t.Fatal(err)
		}
		followed, err := disktest.Follow(dir)
		if err != nil {
			t.Fatal(err)
		}
		plan := &disktest.Plan{At: n, Disk: followed, Without: round}
		said := sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault})
		if plan.Rounds() < round {
			return nil
		}
		for _, loss := range disktest.Losses {
			cut := dir + " cut"
			if err := followed.Cut(cut, loss); err != nil {
				t.Fatal(err)
			}
			var bad error
			if n > changes { // the command has said that it is done
				bad = isLogged(cut)
			}
			bad = errors.Join(bad, sc.check(cut, sc.acknowledged(said)))
			if bad != nil {
				return fmt.Errorf("change %d, %s: %w (the command said: %v)", n, loss.Name, bad, said)
			}
			if err := os.RemoveAll(cut); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}
