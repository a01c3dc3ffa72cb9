package repo_test

import (
	"context"
	"errors"
	"flag"
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

	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// every makes the sweeps stop at each single change; without it the longer
// ones leave some out, so that all of them end within a minute.
var every = flag.Bool("every", false, "sweep over every change of every operation")

// A scenario is an operation that a sweep interrupts at each of its changes.
type scenario struct {
	name    string
	prepare func(t *testing.T, dir string) // makes the root as it is before
	run     func(ctx context.Context, dir string, opts repo.Options) error
	// Ids of reflections: those in the root before, and those that run
	// attempts. An error of run acknowledges none of the latter.
	before, attempts []string
	step             int // of a sweep that does not stop everywhere; 0 means 1
}

// counted is a callback that counts a reflection once, however often it is
// tried.
func counted(id string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		known, err := m.Read(repo.TracesPath)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		if slices.Contains(strings.Fields(string(known)), id) {
			return repo.Message{}, nil
		}
		m.Learn(index.Reflection{Fixes: []index.Lesson{{Text: "Lesson of " + id}}})
		day := "daily/" + m.Now().Format("2006-01-02") + ".md"
		old, err := m.Read(day)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		if err := m.Write(day, fmt.Appendf(slices.Clip(old), "- reflection %s\n", id)); err != nil {
			return repo.Message{}, err
		}
		return repo.Message{
			Subject: "chore(memory): task", Body: []string{"+ Lesson of " + id},
			Trailers: []repo.Trailer{{Key: "Mem-Reflection", Value: id}},
		}, m.Write(repo.TracesPath, fmt.Appendf(slices.Clip(known), "%s\n", id))
	}
}

// count opens the root, creating it if need be, and counts reflections.
func count(ctx context.Context, dir string, opts repo.Options, ids ...string) (err error) {
	r, err := repo.Open(dir, opts)
	if errors.Is(err, repo.ErrNoRoot) {
		r, err = repo.Create(ctx, dir, opts)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, id := range ids {
		if _, err := r.Settle(ctx, t0, counted(id)); err != nil {
			return err
		}
	}
	return nil
}

// prepared makes a root with two reflections in it.
func prepared(t *testing.T, dir string) {
	t.Helper()
	if err := count(t.Context(), dir, repo.Options{}, "a", "b"); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func counts(ids ...string) func(context.Context, string, repo.Options) error {
	return func(ctx context.Context, dir string, opts repo.Options) error { return count(ctx, dir, opts, ids...) }
}

// drain counts what waits in the queue.
func drain(ctx context.Context, dir string, opts repo.Options) (err error) {
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	jobs, err := r.Queue()
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if _, err := r.Settle(ctx, t0, counted(string(j.Data))); err != nil {
			return err
		}
		if err := r.Done(j); err != nil {
			return err
		}
	}
	return nil
}

// enqueue queues reflections.
func enqueue(ctx context.Context, dir string, opts repo.Options, ids ...string) (err error) {
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, id := range ids {
		if _, err := r.Enqueue(t0, []byte(id)); err != nil {
			return err
		}
	}
	return nil
}

var scenarios = []scenario{
	{name: "create", prepare: func(*testing.T, string) {}, run: counts("x"), attempts: []string{"x"}, step: 7},
	{name: "settle", prepare: prepared, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}},
	{
		name: "hand edits", run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			data := read(t, filepath.Join(dir, repo.IndexPath))
			write(t, dir, repo.IndexPath, strings.Replace(data, `"domain": ""`, `"domain": "x"`, 1)+"\n")
			write(t, dir, repo.ReadmePath, "mine\n")
		},
	},
	{
		name: "month and a file removed by hand", before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			settleIn(t, dir, func(m *repo.Memory) (repo.Message, error) {
				return repo.Message{Subject: "add"}, m.Write("learnings/go/one.md", []byte("one\n"))
			})
			if err := os.Remove(filepath.Join(dir, "learnings/go/one.md")); err != nil {
				t.Fatal(err)
			}
		},
		run: func(ctx context.Context, dir string, opts repo.Options) (err error) {
			r, err := repo.Open(dir, opts)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close()) }()
			_, err = r.Settle(ctx, t0, func(m *repo.Memory) (repo.Message, error) {
				if err := m.Write("monthly/2026-02.md", []byte("# February\n")); err != nil {
					return repo.Message{}, err
				}
				return counted("x")(m)
			})
			return err
		},
	},
	{
		name: "queue and drain", before: []string{"a", "b"}, attempts: []string{"x", "y"}, step: 7, prepare: prepared,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			if err := enqueue(ctx, dir, opts, "x", "y"); err != nil {
				return err
			}
			return drain(ctx, dir, opts)
		},
	},
	{
		name: "adopt", run: counts("x"), attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			write(t, dir, repo.IndexPath, `{"version":1,"updatedAt":"2026-01-02T00:00:00.000Z","items":[{"key":"old one","text":"Old one","kind":"learning","hits":3,"score":4.5,"firstSeen":"2026-01-01T00:00:00.000Z","lastSeen":"2026-01-02T00:00:00.000Z"}]}`)
			write(t, dir, "core/CORE.md", "# Core\n")
			write(t, dir, "daily/2026-01-02.md", "# 2026-01-02\n")
		},
	},
}

func settleIn(t *testing.T, dir string, f func(*repo.Memory) (repo.Message, error)) {
	t.Helper()
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	settle(t, r, f)
}

// clone copies a root. Files of the work tree stay the same files, so that
// git's index still proves them unchanged; mem only ever replaces them.
func clone(from, to string) error {
	return filepath.WalkDir(from, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case !strings.HasPrefix(rel, ".git"+string(filepath.Separator)):
			return os.Link(at, target)
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}

// A mode is a way in which changes go wrong.
type mode struct {
	name    string
	err     error
	forever bool
	keep    map[string]func(int) bool // of a power cut, what it may keep
}

var modes = []mode{
	{name: "kill"},
	{name: "power cut", keep: map[string]func(int) bool{
		"none kept": disktest.None, "all kept": disktest.All, "even kept": disktest.Even, "odd kept": disktest.Odd,
	}},
	{name: "ENOSPC once", err: syscall.ENOSPC},
	{name: "ENOSPC from there on", err: syscall.ENOSPC, forever: true},
	{name: "EIO once", err: syscall.EIO},
	{name: "EIO from there on", err: syscall.EIO, forever: true},
	{name: "EPERM once", err: syscall.EPERM},
}

// sweep interrupts the scenario at each of its changes and returns what was
// found wrong, and how many changes there are.
func (sc scenario) sweep(t *testing.T, m mode) (problems []error, points int) {
	base := scratch(t)
	template := sc.template(t, base)
	step := max(1, sc.step)
	if *every {
		step = 1
	}
	for n := 1 + len(sc.name+m.name)%step; ; n += step {
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := clone(template, dir); err != nil {
			t.Fatal(err)
		}
		plan := &disktest.Plan{At: n, Err: m.err, Forever: m.forever}
		if m.keep != nil {
			var err error
			if plan.Disk, err = disktest.Follow(dir); err != nil {
				t.Fatal(err)
			}
		}
		err := sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault})
		if plan.Seen() < n {
			if err != nil {
				problems = append(problems, fmt.Errorf("without a fault: %w", err))
			}
			return problems, n - 1
		}
		for name, dir := range m.left(t, plan, dir) {
			if bad := check(dir, sc.acknowledged(err), sc.attempts); bad != nil {
				problems = append(problems, fmt.Errorf("change %d, %s: %w (the command said: %v)", n, name, bad, err))
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// acknowledged lists the reflections that must be there after run returned err.
func (sc scenario) acknowledged(err error) []string {
	if err != nil {
		return sc.before
	}
	return slices.Concat(sc.before, sc.attempts)
}

// scratch returns an empty folder, in memory if the system has one there:
// what lasts is for the test to say, not for the disk.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// template prepares the root that each point of a sweep gets a copy of.
func (sc scenario) template(t *testing.T, base string) string {
	t.Helper()
	dir := filepath.Join(base, "template")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sc.prepare(t, dir)
	if len(sc.before) > 0 { // one pack is faster to copy than many objects
		git(t, dir, "repack", "-adq")
	}
	return dir
}

// left returns the folders that the fault may have left, by a name for each.
func (m mode) left(t *testing.T, plan *disktest.Plan, dir string) map[string]string {
	if m.keep == nil {
		return map[string]string{m.name: dir}
	}
	dirs := map[string]string{}
	for name, keep := range m.keep {
		dirs[name] = dir + " " + name
		if err := plan.Disk.Cut(dirs[name], keep); err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

func TestSweep(t *testing.T) {
	for _, sc := range scenarios {
		for _, m := range modes {
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
			base := scratch(t)
			template := sc.template(t, base)
			pairs := 40
			if *every {
				pairs = 2000
			}
			random := rand.New(rand.NewPCG(1, uint64(len(sc.name))))
			for i := range pairs {
				dir := filepath.Join(base, fmt.Sprint(i))
				if err := clone(template, dir); err != nil {
					t.Fatal(err)
				}
				first, second := 1+random.IntN(120), 1+random.IntN(120)
				keep := [](func(int) bool){disktest.None, disktest.All, disktest.Even, disktest.Odd}[i%4]
				if err := sc.twice(t, dir, first, second, keep); err != nil {
					t.Errorf("killed at %d, recovery killed at %d: %v", first, second, err)
				}
			}
		})
	}
}

// twice runs the operation until its first kill, then what comes after until
// the second one, and checks what is left.
func (sc scenario) twice(t *testing.T, dir string, first, second int, keep func(int) bool) error {
	followed, err := disktest.Follow(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan := &disktest.Plan{At: first, Disk: followed}
	must := sc.acknowledged(sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault}))
	plan = &disktest.Plan{At: second, Disk: followed}
	if err := nextCommand(dir, repo.Options{Fault: plan.Fault}, "second"); err == nil {
		must = append(slices.Clip(must), "second")
	}
	cut := dir + " cut"
	if err := followed.Cut(cut, keep); err != nil {
		t.Fatal(err)
	}
	may := append(slices.Clip(sc.attempts), "second")
	if err := check(cut, must, may); err != nil {
		return fmt.Errorf("power cut: %w", err)
	}
	return errors.Join(check(dir, must, may), os.RemoveAll(cut), os.RemoveAll(dir))
}

// TestSweepSeesNaiveWriter shows that the sweeps can fail: a writer that
// replaces files in place, as most programs do, is caught in every mode.
func TestSweepSeesNaiveWriter(t *testing.T) {
	naive := scenario{name: "naive", before: []string{"a", "b"}, attempts: []string{"x"}}
	var tip string
	files := map[string][]byte{}
	naive.prepare = func(t *testing.T, dir string) {
		prepared(t, dir)
		if err := count(t.Context(), dir, repo.Options{}, "x"); err != nil {
			t.Fatal(err)
		}
		tip = git(t, dir, "rev-parse", "HEAD")
		for _, name := range strings.Fields(git(t, dir, "diff", "--name-only", "HEAD~")) {
			files[name] = []byte(read(t, filepath.Join(dir, name)))
		}
		git(t, dir, "reset", "-q", "--hard", "HEAD~") // the objects of x stay
	}
	naive.run = func(_ context.Context, dir string, opts repo.Options) error {
		d, err := disk.OpenFaulty(dir, opts.Fault)
		if err != nil {
			return err
		}
		defer d.Close()
		for name, data := range files {
			if err := d.Overwrite(name, data); err != nil {
				return err
			}
		}
		if err := d.Overwrite(".git/refs/heads/main", []byte(tip)); err != nil {
			return err
		}
		cmd := exec.Command("git", "-C", dir, "read-tree", "HEAD")
		return cmd.Run()
	}
	for _, m := range modes {
		problems, points := naive.sweep(t, m)
		t.Logf("%s: %d of %d points are bad", m.name, len(problems), points)
		if len(problems) == 0 {
			t.Errorf("%s: the sweep found nothing wrong with a writer that is", m.name)
		}
	}
}
