package repo_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
	"mem/repo"
)

// TestMaintenance does at random what keeps a repository small, by git and by mem, and lets writers commit between: git
// never complains, mem raises no false alarm, and nothing is lost.
func TestMaintenance(t *testing.T) {
	steps := 24
	if envtest.IsWhole() {
		steps = 2000
	}
	dir, rnd := filepath.Join(t.TempDir(), ".mem"), rand.New(rand.NewPCG(1, 2))
	envtest.NoError(t, writer(t.Context(), dir, "first", 1))
	care := strings.Split(`gc --quiet
gc --quiet --prune=now
prune
prune-packed
pack-refs --all
repack -dq
repack -adq --write-bitmap-index
repack -dq --geometric=2 --write-midx
multi-pack-index write
multi-pack-index write --bitmap
multi-pack-index expire
multi-pack-index repack
commit-graph write --reachable
commit-graph write --reachable --split --changed-paths
maintenance run --quiet --task=gc --task=commit-graph --task=loose-objects --task=incremental-repack --task=pack-refs
maintenance run --quiet --task=loose-objects --task=incremental-repack
reflog expire --expire=now --all`, "\n")
	count := 1
	for step := range steps {
		done := "8 writers"
		switch n := rnd.IntN(len(care) * 3 / 2); {
		case n < len(care):
			done = care[n]
			_, _ = plainGit(dir, strings.Fields(done)...) // one of lists of packs may find none
		case n == len(care):
			done = "mem's own"
			envtest.NoError(t, pack(t, dir))
		default:
			writers(t, dir, 8, 1)
			count += 8
			envtest.NoError(t, readAll(dir))
		}
		if envtest.IsWhole() && step%10 > 0 {
			continue
		}
		out, err := plainGit(dir, "fsck", "--strict", "--no-dangling", "--no-progress")
		envtest.StopIf(t, err != nil || strings.TrimSpace(out) != "", "step %d, %s: %v\n%s", step, done, err, out)
	}
	if got := counters(t, dir); got[len(got)-1] != count {
		t.Errorf("%d hits, %d were acknowledged", got[len(got)-1], count)
	}
	t.Logf("%d steps, %d commits", steps, count)
}

// pack is what the worker does after many commits.
func pack(t *testing.T, dir string) error {
	r, err := repo.Open(dir, repo.Options{Warn: func(said string) { t.Error(said) }})
	if err != nil {
		return err
	}
	envtest.Write(t, "100 100\n", dir, ".git/mem/loose") // it is due
	err = r.Pack(t.Context(), t0)
	envtest.Same(t, "", repo.ReadValue[repo.Packing](r, repo.NotePacked).Failed)
	return errors.Join(err, r.Close())
}
