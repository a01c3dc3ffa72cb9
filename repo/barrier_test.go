package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mem/envtest"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// TestFlushRounds counts how often a commit waits for the disk, and takes each of these barriers out in turn: the sweep
// of power cuts must see that each is needed, or it proves nothing of those that are there.
func TestFlushRounds(t *testing.T) {
	const want = 3
	base := t.TempDir()
	sc := scenario{name: "settle", prepare: prepared, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}}
	template := sc.template(t, base)
	dir := filepath.Join(base, "whole")
	envtest.NoError(t, clone(template, dir))
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
		envtest.NoError(t, clone(template, dir))
		followed, err := disktest.Follow(dir)
		envtest.NoError(t, err)
		plan := &disktest.Plan{At: n, Disk: followed, Without: round}
		said := sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault})
		if plan.Rounds() < round {
			return nil
		}
		for _, loss := range disktest.Losses {
			cut := dir + " cut"
			envtest.NoError(t, followed.Cut(cut, loss))
			var bad error
			if n > changes { // the command has said that it is done
				bad = isLogged(cut)
			}
			bad = errors.Join(bad, sc.check(cut, sc.acknowledged(said)))
			if bad != nil {
				return fmt.Errorf("change %d, %s: %w (the command said: %v)", n, loss.Name, bad, said)
			}
			envtest.NoError(t, os.RemoveAll(cut))
		}
		envtest.NoError(t, os.RemoveAll(dir))
	}
	return nil
}

// TestMoveTakenBack: of a commit whose move of the branch a power cut took back, although
// files followed it, nothing is taken for an edit. What a person took back stays so.
func TestMoveTakenBack(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(t *testing.T, dir, old string)
		kept bool
	}{
		"files and git's log last": {func(t *testing.T, dir, old string) { envtest.Write(t, old+"\n", dir, ".git/refs/heads/main") }, true},
		"one file lasts": {func(t *testing.T, dir, old string) {
			envtest.Write(t, old+"\n", dir, ".git/refs/heads/main")
			git(t, dir, "checkout", "-q", old, "--", repo.IndexPath, repo.TracesPath)
			log := strings.SplitAfter(read(t, filepath.Join(dir, ".git/logs/refs/heads/main")), "\n")
			envtest.Write(t, strings.Join(log[:len(log)-2], ""), dir, ".git/logs/refs/heads/main")
		}, true},
		"a person reset the branch": {func(t *testing.T, dir, _ string) { git(t, dir, "reset", "-q", "HEAD^") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			prepared(t, dir)
			old := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
			stuck := disktest.Plan{}
			fault := func(op disk.Op) error {
				if op.Kind == "remove" && op.Path == ".git/mem/journal" {
					return syscall.ENOSPC
				}
				return stuck.Fault(op)
			}
			envtest.NoError(t, count(t.Context(), dir, repo.Options{Fault: fault}, "x"))
			tip := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
			test.do(t, dir, old)
			envtest.NoError(t, nextCommand(dir, repo.Options{}, "next"))
			log := git(t, dir, "log", "--format=%H %s")
			if kept := strings.Contains(log, tip); kept != test.kept || test.kept && strings.Contains(log, "edit: ") {
				t.Errorf("the commit %s is kept: %t, want %t:\n%s", tip, kept, test.kept, log)
			}
		})
	}
}

// TestFoldersFlushed: a commit flushes the folders that it changes with those above them, of which
// a process that died, or another program, may have made one.
func TestFoldersFlushed(t *testing.T) {
	dir := t.TempDir()
	prepared(t, dir)
	flushed := map[string]bool{}
	r, err := repo.Open(dir, repo.Options{Fault: func(op disk.Op) error {
		flushed[op.Path] = flushed[op.Path] || op.Kind == "syncdir"
		return nil
	}})
	envtest.NoError(t, err)
	defer r.Close()
	_, err = r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "tone"}, m.WriteFile("context/voice/tone.md", []byte("calm\n"))
	})
	envtest.NoError(t, err)
	for _, folder := range []string{".git/objects", ".git/refs/heads", "context", "context/voice", "."} {
		envtest.FailIf(t, !flushed[folder], "%s is not flushed", folder)
	}
}
