package repo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// A mode is a way in which changes go wrong.
type mode struct {
	name    string
	err     error
	forever bool
	power   bool // cut, with one of disktest.Losses at each change, in turn
}

var modes = []mode{
	{name: "kill"},
	{name: "power cut", power: true},
	{name: "ENOSPC once", err: syscall.ENOSPC},
	{name: "ENOSPC from there on", err: syscall.ENOSPC, forever: true},
	{name: "EIO once", err: syscall.EIO},
	{name: "EIO from there on", err: syscall.EIO, forever: true},
	{name: "EPERM once", err: syscall.EPERM},
}

// sweep interrupts the scenario at each of its changes and returns what was
// found wrong, and how many changes there are.
func (sc scenario) sweep(t *testing.T, m mode) (problems []error, points int) {
	base := t.TempDir()
	template := sc.template(t, base)
	step := 4 * max(1, sc.step)
	if m.err != nil {
		step *= 2
	}
	step = envtest.Step(step)
	for n := 1 + len(sc.name+m.name)%step; ; n += step {
		dir := filepath.Join(base, fmt.Sprint(n))
		envtest.NoError(t, clone(template, dir))
		plan := &disktest.Plan{At: n, Err: m.err, Forever: m.forever}
		if m.power {
			var err error
			plan.Disk, err = disktest.Follow(dir)
			envtest.NoError(t, err)
			plan.Disk.IsShared, plan.Disk.IsGit = sc.byGit, sc.byGit
		}
		err := sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault})
		if plan.Seen() < n {
			if err != nil {
				problems = append(problems, fmt.Errorf("without a fault: %w", err))
			}
			for name, dir := range m.left(t, plan, dir) { // once the command has said that it is done
				if bad := errors.Join(isLogged(dir), sc.check(dir, sc.acknowledged(nil))); bad != nil {
					problems = append(problems, fmt.Errorf("at the end, %s: %w", name, bad))
				}
			}
			return problems, n - 1
		}
		for name, dir := range m.left(t, plan, dir) {
			if bad := sc.check(dir, sc.acknowledged(err)); bad != nil {
				problems = append(problems, fmt.Errorf("change %d, %s: %w (the command said: %v)", n, name, bad, err))
			}
			envtest.NoError(t, os.RemoveAll(dir))
		}
		envtest.NoError(t, os.RemoveAll(dir))
	}
}

// check is check for a root in which the scenario was interrupted.
func (sc scenario) check(dir string, must []string) error {
	if sc.early != nil {
		if err := errors.Join(nextCommand(dir, quick(), "early"), sc.early(dir)); err != nil {
			return err
		}
		must = append(slices.Clip(must), "early")
	}
	s, err := check(dir, must, sc.attempts)
	return errors.Join(err, sc.checkEdits(s), sc.checkGone(s, must))
}

// checkGone says whether what was taken back counts, or is not read any more.
func (sc scenario) checkGone(s state, must []string) error {
	for _, id := range sc.gone {
		if n, err := s.times(id); err != nil || n > 0 && slices.Contains(must, sc.attempts[0]) || !strings.Contains(s.traces, facts.SightingID(id)) {
			return fmt.Errorf("%s counts %d times, and is read in %s: %w", id, n, s.traces, err)
		}
	}
	return nil
}

// isLogged says what is wrong with git's log of a branch to which mem committed last.
func isLogged(dir string) error {
	r, err := repo.Open(dir, repo.Options{Fault: new(disktest.Plan).Fault})
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := r.View(t0)
	if err != nil {
		return err
	}
	log, err := os.ReadFile(filepath.Join(dir, ".git/logs/refs/heads/main"))
	if newest := strings.Split("\n"+strings.TrimSuffix(string(log), "\n"), "\n"); err != nil || !strings.Contains(newest[len(newest)-1], " "+m.Tip()+" ") {
		return fmt.Errorf("git's log of the branch lacks %s:\n%s%v", m.Tip(), log, err)
	}
	return nil
}

// checkEdits says whether what mem wrote was taken for what a person did.
func (sc scenario) checkEdits(s state) error {
	if !sc.edited && strings.Contains("\n"+s.history, "\nedit: ") {
		return fmt.Errorf("mem's own files count as edited by hand:\n%s", s.history)
	}
	return nil
}

// acknowledged lists the reflections that must be there after run returned err.
func (sc scenario) acknowledged(err error) []string {
	if err != nil {
		return sc.before
	}
	return slices.Concat(sc.before, sc.attempts)
}

// left returns the folders that the fault may have left, by a name for each.
func (m mode) left(t *testing.T, plan *disktest.Plan, dir string) map[string]string {
	if !m.power {
		return map[string]string{m.name: dir}
	}
	dirs := map[string]string{}
	losses := disktest.Losses
	if n := len(losses); !envtest.IsWhole() && plan.Seen() >= plan.At { // one of them at each point, in turn; all at the end
		losses = losses[(plan.At/3+plan.At/3/n)%n:][:1]
	}
	for _, loss := range losses {
		dirs[loss.Name] = dir + " " + loss.Name
		envtest.NoError(t, plan.Disk.Cut(dirs[loss.Name], loss))
	}
	return dirs
}

func TestSweep(t *testing.T) {
	for i, sc := range scenarios {
		for k, m := range modes {
			if sc.step > 3 && m.err != nil && (i+k)%2 == 0 && !envtest.IsWhole() {
				continue // its neighbour in the list has the modes that it has not
			}
			t.Run(sc.name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				problems, points := sc.sweep(t, m)
				for _, p := range problems {
					t.Error(p)
				}
				t.Logf("%d changes", points)
			})
		}
	}
}

// TestSweepOfRecovery kills an operation and then the one that recovers from
// it, at points spread over both, and cuts the power at the second point too.
func TestSweepOfRecovery(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			template := sc.template(t, base)
			pairs := 5
			if envtest.IsWhole() {
				pairs = 2000
			}
			random := rand.New(rand.NewPCG(1, uint64(len(sc.name))))
			for i := range pairs {
				dir := filepath.Join(base, fmt.Sprint(i))
				envtest.NoError(t, clone(template, dir))
				first, second := 1+random.IntN(120), 1+random.IntN(120)
				err := sc.twice(t, dir, first, second, disktest.Losses[i%len(disktest.Losses)])
				envtest.FailIf(t, err != nil, "killed at %d, recovery killed at %d: %v", first, second, err)
			}
		})
	}
}

// twice runs the operation until its first kill, then what comes after until the second one, and checks what is left.
func (sc scenario) twice(t *testing.T, dir string, first, second int, loss *disktest.Loss) error {
	followed, err := disktest.Follow(dir)
	envtest.NoError(t, err)
	followed.IsShared, followed.IsGit = sc.byGit, sc.byGit
	plan := &disktest.Plan{At: first, Disk: followed}
	must := sc.acknowledged(sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault}))
	plan = &disktest.Plan{At: second, Disk: followed}
	if err := nextCommand(dir, repo.Options{Fault: plan.Fault}, "second"); err == nil {
		must = append(slices.Clip(must), "second")
	}
	cut := dir + " cut"
	envtest.NoError(t, followed.Cut(cut, loss))
	may := append(slices.Clip(sc.attempts), "second")
	for name, dir := range map[string]string{"power cut": cut, "killed": dir} {
		s, err := check(dir, must, may)
		if err = errors.Join(err, sc.checkEdits(s)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return errors.Join(os.RemoveAll(cut), os.RemoveAll(dir))
}

// TestSweepSeenByReader stops an operation at each of its changes and looks at the root without changing it: a reader
// sees the last commit, whole, even where the work tree could not follow it, and takes nothing for an edit.
func TestSweepSeenByReader(t *testing.T) {
	for _, sc := range scenarios {
		if sc.name != "create" && sc.name != "settle" {
			continue // a person changed something, or files that a reader is not asked for
		}
		for _, m := range []mode{{name: "kill"}, {name: "ENOSPC from there on", err: syscall.ENOSPC, forever: true}} {
			t.Run(sc.name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				base := t.TempDir()
				template := sc.template(t, base)
				for n := 1; ; n += envtest.Step(3) {
					dir := filepath.Join(base, fmt.Sprint(n))
					envtest.NoError(t, clone(template, dir))
					plan := &disktest.Plan{At: n, Err: m.err, Forever: m.forever}
					err := sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault})
					if plan.Seen() < n {
						break
					}
					bad := sc.seen(dir, sc.acknowledged(err))
					envtest.FailIf(t, bad != nil, "change %d: %v (the command said: %v)", n, bad, err)
					envtest.NoError(t, os.RemoveAll(dir))
				}
			})
		}
	}
}

// seen says what is wrong with what a reader sees.
func (sc scenario) seen(dir string, must []string) (err error) {
	r, err := repo.Open(dir, repo.Options{})
	if errors.Is(err, repo.ErrNoRoot) && len(must) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	m, err := r.View(t0)
	if err != nil {
		return err
	}
	if edits, _, err := r.ListEdits(); err != nil || len(edits) > 0 {
		return errors.Join(err, fmt.Errorf("%q count as edited by hand", edits))
	}
	hits := map[string]int{}
	for _, it := range m.Index.Items {
		hits[it.Key] = it.Hits
	}
	day, err := m.ReadFile(firstDay)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, id := range slices.Concat(sc.before, sc.attempts) {
		n := hits[index.KeyOf("Lesson of "+id)]
		if k := strings.Count(string(day), "<!-- mem:"+facts.SightingID(id)+" "); n > 1 || k != n || n == 0 && slices.Contains(must, id) {
			return fmt.Errorf("reflection %s has %d hits and %d entries in the journal; acknowledged are %q", id, n, k, must)
		}
	}
	return nil
}

// TestSweepOfHeldFiles interrupts a reflection beside files with a secret that a person
// edited, staged and put there: they stay as they are, and no commit gets them.
func TestSweepOfHeldFiles(t *testing.T) {
	token := "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	files := []string{repo.ReadmePath, "rules/staged.md", "notes.txt"}
	sc := scenario{
		name: "held files", run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			for _, name := range files {
				envtest.Write(t, "mine "+token+"\n", dir, name)
			}
			git(t, dir, "add", files[1])
		},
	}
	sc.early = func(dir string) error {
		for _, name := range files {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "mine "+token+"\n" {
				return fmt.Errorf("%s holds %q, %w", name, got, err)
			}
		}
		status, err := plainGit(dir, "status", "--porcelain")
		if want := " M README.md\nA  rules/staged.md\n?? notes.txt\n"; err != nil || status != want {
			return fmt.Errorf("git status is %q, %w", status, err)
		}
		log, err := plainGit(dir, "log", "-p", "--all", "--reflog")
		if err != nil || strings.Contains(log, token) {
			return fmt.Errorf("a commit has the secret, %w", err)
		}
		_, err = plainGit(dir, "reset", "-q", "--hard") // for what check looks at
		return errors.Join(err, os.Remove(filepath.Join(dir, "notes.txt")))
	}
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			problems, points := sc.sweep(t, m)
			for _, p := range problems {
				t.Error(p)
			}
			t.Logf("%d changes", points)
		})
	}
}

// TestSweepSeesNaiveWriter shows that the sweeps can fail: a writer that
// replaces files in place, as most programs do, is caught in every mode.
func TestSweepSeesNaiveWriter(t *testing.T) {
	naive := scenario{name: "naive", before: []string{"a", "b"}, attempts: []string{"x"}}
	var tip string
	files := map[string][]byte{}
	naive.prepare = func(t *testing.T, dir string) {
		prepared(t, dir)
		envtest.NoError(t, count(t.Context(), dir, repo.Options{}, "x"))
		tip = git(t, dir, "rev-parse", "HEAD")
		for _, name := range strings.Fields(git(t, dir, "diff", "--name-only", "HEAD~")) {
			files[name] = []byte(read(t, filepath.Join(dir, name)))
		}
		git(t, dir, "reset", "-q", "--hard", "HEAD~") // the objects of x stay
	}
	naive.run = func(_ context.Context, dir string, opts repo.Options) error {
		d, err := disk.Files{Fault: opts.Fault}.Open(dir)
		if err != nil {
			return err
		}
		defer d.Close()
		for name, data := range files {
			if err := d.WriteLoose(name, data); err != nil {
				return err
			}
		}
		if err := d.WriteLoose(".git/refs/heads/main", []byte(tip)); err != nil {
			return err
		}
		cmd := exec.Command("git", "-C", dir, "read-tree", "HEAD")
		return cmd.Run()
	}
	for _, m := range modes {
		problems, points := naive.sweep(t, m)
		t.Logf("%s: %d of %d points are bad", m.name, len(problems), points)
		envtest.FailIf(t, len(problems) == 0, "%s: the sweep found nothing wrong with a writer that is", m.name)
	}
}
