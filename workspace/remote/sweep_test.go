package remote_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/workspace"
	"mem/workspace/remote"
)

var every = flag.Bool("every", false, "sweep over every change of a sync")

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// A net is some memories and the repository that they share, always in the same place.
type net struct {
	*testing.T
	folder, template string
}

func (n net) world(plan *disktest.Plan) workspace.World {
	return workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Join(n.folder, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"},
		Dir:     n.folder, Clock: func() time.Time { return noon }, Fault: plan.Fault, Note: func(string, ...any) {},
	}
}

func (n net) git(args ...string) string {
	n.Helper()
	out, err := exec.Command("git", append([]string{"-C", filepath.Join(n.folder, "hub.git")}, args...)...).CombinedOutput()
	if err != nil {
		n.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// sync is mem sync of one memory.
func (n net) sync(name string, plan *disktest.Plan, opts remote.Options) error {
	w, err := workspace.New(n.world(plan), workspace.Options{Root: filepath.Join(n.folder, name), Now: noon})
	if err != nil {
		return err
	}
	opts.Remote, opts.RequirePerson = filepath.Join(n.folder, "hub.git"), func() error { return nil }
	_, err = remote.Sync(n.Context(), w, opts)
	return errors.Join(err, w.CloseRoots())
}

// learn notes something in one memory.
func (n net) learn(name, text string) {
	n.Helper()
	w, err := workspace.New(n.world(new(disktest.Plan)), workspace.Options{Root: filepath.Join(n.folder, name), Now: noon})
	if err == nil {
		_, err = w.CreateRoot(n.Context())
	}
	if err == nil {
		_, err = w.Change(n.Context(), false, func(m *repo.Memory) (repo.Message, error) {
			m.Learn(index.Reflection{ID: "r-" + name, Fixes: []index.Lesson{{Text: text}}})
			return repo.Message{Subject: "learn"}, nil
		})
	}
	if err = errors.Join(err, w.CloseRoots()); err != nil {
		n.Fatal(err)
	}
}

// texts are the lessons of a memory, and how often each was seen.
func (n net) texts(root string) map[string]int {
	n.Helper()
	texts := map[string]int{}
	w, err := workspace.New(n.world(new(disktest.Plan)), workspace.Options{Root: root, Now: noon})
	if err != nil {
		n.Fatal(err)
	}
	m, err := w.ViewRoot()
	if err = errors.Join(err, w.CloseRoots()); err != nil {
		n.Fatal(err)
	}
	for _, it := range m.Index.Items {
		texts[it.Text] = it.Hits
	}
	return texts
}

// TestSweepOfSync interrupts a sync that moves what is private, and one that folds, at its
// changes of the disk: the next one does the rest, nothing counts twice or is lost, and the
// remote never sees what is private.
func TestSweepOfSync(t *testing.T) {
	base, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		base = t.TempDir()
	}
	defer os.RemoveAll(base)
	for _, op := range []struct {
		name string
		opts remote.Options
	}{{"move", remote.Options{Move: true}}, {"fold", remote.Options{Fold: true, Own: true}}} {
		n := net{t, filepath.Join(base, op.name, "run"), filepath.Join(base, op.name, "template")}
		if err := os.MkdirAll(filepath.Join(n.folder, "hub.git"), 0o700); err != nil {
			t.Fatal(err)
		}
		n.git("init", "-q", "--bare", "-b", "main")
		n.learn("a", "Use pnpm")
		if op.opts.Move {
			n.learn("a", "I prefer tabs")
		} else {
			n.learn("b", "Read the log")
			err = errors.Join(n.sync("a", new(disktest.Plan), remote.Options{Own: true}), n.sync("b", new(disktest.Plan), remote.Options{Own: true, HandIn: true}))
		}
		if err := errors.Join(err, os.Rename(n.folder, n.template)); err != nil {
			t.Fatal(err)
		}
		for i, fault := range []disktest.Plan{{}, {Err: syscall.ENOSPC}, {Err: syscall.EIO, Forever: true}} {
			step := 23
			if *every {
				step = 1
			}
			for at := 1 + 7*i; ; at += step {
				if err := errors.Join(os.RemoveAll(n.folder), os.CopyFS(n.folder, os.DirFS(n.template))); err != nil {
					t.Fatal(err)
				}
				plan := fault
				plan.At = at
				said := n.sync("a", &plan, op.opts)
				if plan.Seen() < at {
					t.Logf("%s: %d changes: %v", op.name, plan.Seen(), said)
					break
				}
				if bad := errors.Join(n.sync("a", new(disktest.Plan), op.opts), n.check(op.opts)); bad != nil {
					t.Errorf("%s, fault %d, change %d: %v (it said: %v)", op.name, i, at, bad, said)
				}
			}
		}
	}
}

// check says what is wrong after all is done.
func (n net) check(opts remote.Options) error {
	n.git("fsck", "--strict")
	here := n.texts(filepath.Join(n.folder, "a"))
	if opts.Fold {
		if left := n.git("for-each-ref", "refs/mem/in"); here["Read the log"] != 1 || here["Use pnpm"] != 1 || left != "" {
			return fmt.Errorf("folded to %v, left: %s", here, left)
		}
		return nil
	}
	own := n.texts(filepath.Join(n.folder, "home", ".mem"))
	if sent := n.git("log", "--all", "-p"); strings.Contains(sent, "tabs") || !strings.Contains(sent, "Use pnpm") {
		return fmt.Errorf("sent: %s", sent)
	}
	if here["Use pnpm"] != 1 || len(here) != 1 || own["I prefer tabs"] != 1 || len(own) != 1 {
		return fmt.Errorf("here %v, own %v", here, own)
	}
	return nil
}
