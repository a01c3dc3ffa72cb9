package remote_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/workspace"
	"mem/workspace/purging"
	"mem/workspace/remote"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var every = flag.Int("every", 89, "sweep over every `N`th change of what git carries")

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// A net is some memories and the repository that they share, always in the same place.
type net struct {
	*testing.T
	folder, template string
}

// counts is what the stand-in for git reads at which of the next calls it dies.
func (n net) counts() string { return filepath.Join(filepath.Dir(n.folder), "git") }

func (n net) world(plan *disktest.Plan) workspace.World {
	return workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Join(n.folder, "home"), "PATH=" + os.Getenv("PATH"), "MEM_TEST_GIT=" + n.counts()},
		Dir:     n.folder, Clock: func() time.Time { return noon }, Fault: plan.Fault, Note: func(string, ...any) {},
	}
}

// in opens a memory, and calls f with it.
func (n net) in(name string, plan *disktest.Plan, f func(w *workspace.Workspace) error) error {
	w, err := workspace.New(n.world(plan), workspace.Options{Root: filepath.Join(n.folder, name), Now: noon})
	if err != nil {
		return err
	}
	return errors.Join(f(w), w.CloseRoots())
}

func (n net) git(folder string, args ...string) string {
	n.Helper()
	return envtest.Git(n, filepath.Join(n.folder, folder), args...)
}

// sync is mem sync of one memory.
func (n net) sync(name string, plan *disktest.Plan, opts remote.Options) error {
	return n.in(name, plan, func(w *workspace.Workspace) error {
		opts.Remote, opts.RequirePerson = filepath.Join(n.folder, "hub.git"), func() error { return nil }
		_, err := remote.Sync(n.Context(), w, opts)
		return err
	})
}

// syncAll is mem sync of one memory after the other, all of the person's own.
func (n net) syncAll(names ...string) error {
	for _, name := range names {
		if err := n.sync(name, new(disktest.Plan), remote.Options{Own: true}); err != nil {
			return fmt.Errorf("sync %s: %w", name, err)
		}
	}
	return nil
}

// purge is mem purge --push of the canary.
func (n net) purge(name string, plan *disktest.Plan, opts purging.Options) error {
	return n.in(name, plan, func(w *workspace.Workspace) error {
		root, err := w.CreateRoot(n.Context())
		if err != nil {
			return err
		}
		m, err := root.View(noon)
		if err != nil {
			return err
		}
		for _, it := range m.Index.Items {
			if it.Text == canary && !opts.Resume {
				opts.Item = it.ID
			}
		}
		opts.Yes, opts.Push = true, true
		_, err = remote.Purge(n.Context(), w, root, opts)
		return err
	})
}

// learn notes something in one memory.
func (n net) learn(name string, texts ...string) {
	n.Helper()
	for _, text := range texts {
		if err := n.in(name, new(disktest.Plan), func(w *workspace.Workspace) error {
			if _, err := w.CreateRoot(n.Context()); err != nil {
				return err
			}
			_, err := w.Change(n.Context(), false, func(m *repo.Memory) (repo.Message, error) {
				m.Learn(facts.Fact{ID: "r-" + name + text, Fixes: []index.Lesson{{Text: text}}})
				return repo.Message{Subject: "learn"}, nil
			})
			return err
		}); err != nil {
			n.Fatal(err)
		}
	}
}

// texts are the lessons of a memory, and how often each was seen.
func (n net) texts(name string) (texts map[string]int, err error) {
	texts = map[string]int{}
	return texts, n.in(name, new(disktest.Plan), func(w *workspace.Workspace) error {
		m, err := w.ViewRoot()
		if err == nil && m.Waiting() != nil { // a disk that failed may ask once more
			root, errOpen := w.OpenRoot()
			if err = errOpen; err == nil {
				err = root.Accept(n.Context(), m.Waiting(), nil)
			}
			if err == nil {
				m, err = root.View(noon)
			}
		}
		if err == nil {
			for _, it := range m.Index.Items {
				texts[it.Text] = it.Hits
			}
		}
		return err
	})
}

// checkHas says whether a memory has these lessons, once each, and no others.
func (n net) checkHas(name string, want ...string) error {
	has, err := n.texts(name)
	if err != nil {
		return err
	}
	if got := slices.Sorted(maps.Keys(has)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("%s has %q, want %q", name, got, want)
	}
	for text, hits := range has {
		if hits != 1 {
			return fmt.Errorf("%s counts %q %d times", name, text, hits)
		}
	}
	return nil
}

const canary = "Keep silent about Kumquat-Zebra"

// checkPurged looks for the canary in all that a memory holds, and in what the hub sends.
func (n net) checkPurged(name string) error {
	objects := n.git(name, "cat-file", "--batch-all-objects", "--batch")
	files, err := exec.Command("grep", "-rli", "kumquat", filepath.Join(n.folder, name)).Output()
	if strings.Contains(strings.ToLower(objects), "kumquat") || err == nil {
		return fmt.Errorf("%s has the canary, in an object or in %s", name, files)
	}
	if sent := n.git("hub.git", "log", "--all", "-p"); strings.Contains(strings.ToLower(sent), "kumquat") {
		return errors.New("the hub has the canary")
	}
	return nil
}

// An operation is a command that is interrupted, and what a person runs after that.
type operation struct {
	name    string
	prepare func(n net) error
	run     func(n net, plan *disktest.Plan) error
	again   func(n net) error
	check   func(n net) error
}

// meet has two memories exchange what they know.
func meet(n net) error {
	n.learn("a", "Use pnpm", canary)
	n.learn("b", "Read the log")
	return n.syncAll("a", "b", "a")
}

var own = remote.Options{Own: true}

func syncA(n net, plan *disktest.Plan) error { return n.sync("a", plan, own) }

var operations = []operation{
	{
		name: "sync",
		prepare: func(n net) error {
			err := meet(n)
			n.learn("a", "Name the port")
			n.learn("b", "Wait for the lock")
			return errors.Join(err, n.syncAll("b"))
		},
		run: syncA, again: func(n net) error { return n.syncAll("a", "b") },
		check: func(n net) error {
			all := []string{"Use pnpm", canary, "Read the log", "Name the port", "Wait for the lock"}
			return errors.Join(n.checkHas("a", all...), n.checkHas("b", all...), n.checkSame("a", "b"))
		},
	},
	{
		name: "purge",
		prepare: func(n net) error {
			err := meet(n)
			n.learn("b", "Name the port")
			return errors.Join(err, n.syncAll("b"))
		},
		run: func(n net, plan *disktest.Plan) error { return n.purge("a", plan, purging.Options{}) },
		again: func(n net) error {
			isBroken := false
			err := n.in("a", new(disktest.Plan), func(w *workspace.Workspace) (err error) {
				_, isBroken, err = purging.NewPurger(w).ReadNote()
				return err
			})
			return errors.Join(err, n.purge("a", new(disktest.Plan), purging.Options{Resume: isBroken}))
		},
		check: func(n net) error {
			return errors.Join(n.checkPurged("a"), n.checkHas("a", "Use pnpm", "Read the log", "Name the port"))
		},
	},
	{
		name: "adopt",
		prepare: func(n net) error {
			err := errors.Join(meet(n), n.purge("b", new(disktest.Plan), purging.Options{}))
			n.learn("a", "Name the port")
			return err
		},
		run: syncA, again: func(n net) error { return n.syncAll("a") },
		check: func(n net) error {
			return errors.Join(n.checkPurged("a"), n.syncAll("b"), n.checkHas("b", "Use pnpm", "Read the log", "Name the port"), n.checkSame("a", "b"))
		},
	},
}

// checkSame says whether two memories have the same index.
func (n net) checkSame(one, other string) error {
	a, err := os.ReadFile(filepath.Join(n.folder, one, repo.IndexPath))
	b, err2 := os.ReadFile(filepath.Join(n.folder, other, repo.IndexPath))
	if err = errors.Join(err, err2); err == nil && !bytes.Equal(a, b) {
		err = fmt.Errorf("%s has\n%s%s has\n%s", one, a, other, b)
	}
	return err
}

// A mode is a way in which an operation is interrupted: at a change of the disk, or at a call of git.
type mode struct {
	name       string
	plan       disktest.Plan
	power, git bool
}

var modes = []mode{
	{name: "kill"}, {name: "power cut", power: true}, {name: "git dies", git: true},
	{name: "ENOSPC once", plan: disktest.Plan{Err: syscall.ENOSPC}}, {name: "EIO from there on", plan: disktest.Plan{Err: syscall.EIO, Forever: true}},
}

// counter is a git that dies at a call.
const counter = `#!/bin/sh
if [ "$MEM_TEST_GIT" ]; then
	until mkdir "$MEM_TEST_GIT.lock" 2>/dev/null; do :; done
	n=$(($(cat "$MEM_TEST_GIT")-1))
	echo $n > "$MEM_TEST_GIT"
	rmdir "$MEM_TEST_GIT.lock"
	[ $n -eq 0 ] && exit 137
fi
exec %s "$@"
`

// putGit puts that git in front of the real one.
func putGit(t *testing.T, folder string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err = errors.Join(err, os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "git"), fmt.Appendf(nil, counter, git), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestSweepOfSync interrupts what exchanges, moves and purges at its changes of the disk and
// at its calls of git. The next command does the rest: nothing counts twice, is lost, stays where it
// was purged, or goes where it must not.
func TestSweepOfSync(t *testing.T) {
	base := t.TempDir()
	putGit(t, filepath.Join(base, "bin"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(base, strings.ReplaceAll(op.name, " ", "-"))
			n := net{t, filepath.Join(folder, "run"), filepath.Join(folder, "template")}
			if err := os.MkdirAll(filepath.Join(n.folder, "hub.git"), 0o700); err != nil {
				t.Fatal(err)
			}
			n.dieAt(0)
			n.git("hub.git", "init", "-q", "--bare", "-b", "main")
			if err := errors.Join(op.prepare(n), os.Rename(n.folder, n.template)); err != nil {
				t.Fatal(err)
			}
			for i, m := range modes {
				step := *every
				if m.git {
					step = max(1, step/4)
				}
				if m.power && op.name == "sync" { // finds what git fetched and mem did not flush
					step = max(1, step/5)
				}
				for at := 1 + 7*i%step; n.sweep(op, m, at); at += step {
				}
			}
		})
	}
}

// dieAt says at which of the next calls git dies; 0 for none.
func (n net) dieAt(at int) {
	n.Helper()
	if err := os.WriteFile(n.counts(), fmt.Append(nil, at), 0o600); err != nil {
		n.Fatal(err)
	}
}

// sweep interrupts an operation at one place, and reports whether it has that many.
func (n net) sweep(op operation, m mode, at int) bool {
	if err := errors.Join(os.RemoveAll(n.folder), os.CopyFS(n.folder, os.DirFS(n.template))); err != nil {
		n.Fatal(err)
	}
	plan, memory := m.plan, filepath.Join(n.folder, "a")
	if plan.At = at; m.git {
		plan.At = 0
		n.dieAt(at)
	}
	if m.power {
		var err error
		if plan.Disk, err = disktest.Follow(memory); err != nil {
			n.Fatal(err)
		}
		plan.Disk.IsShared, plan.Disk.IsGit = true, true
	}
	said := op.run(n, &plan)
	calls, err := os.ReadFile(n.counts())
	if err != nil {
		n.Fatal(err)
	}
	n.dieAt(0)
	loss := disktest.Losses[at%len(disktest.Losses)]
	if m.power {
		cut := memory + " cut"
		if err := errors.Join(plan.Disk.Cut(cut, loss), os.RemoveAll(memory), os.Rename(cut, memory)); err != nil {
			n.Fatal(err)
		}
	}
	bad := op.again(n)
	if bad == nil {
		n.git("hub.git", "fsck", "--strict")
		bad = op.check(n)
	}
	if bad != nil {
		n.Errorf("%s at %d (%s): %v (it said: %v)", m.name, at, loss.Name, bad, said)
	}
	if isOver := plan.Seen() < at; !m.git && isOver || m.git && !strings.HasPrefix(string(calls), "-") && calls[0] != '0' {
		n.Logf("%s: %d places: %v", m.name, at-1, said)
		return false
	}
	return true
}
