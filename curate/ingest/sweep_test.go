package ingest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mem/curate/ingest"
	"mem/envtest"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// inSilo marks the changes of a folder of Claude Code.
const inSilo = "silo:"

// points runs the world that a copy is of, and returns the numbers of the changes to stop at, which of them are of a silo,
// and how many there are. CI stops at every change of a silo and at some of the memory's, which has sweeps of its own.
func points(t *testing.T, p *place) (at []int, ofSilo map[int]bool, all int) {
	t.Helper()
	ofSilo = map[int]bool{}
	err := p.run(t, func(op disk.Op) error {
		all++
		ofSilo[all] = strings.HasPrefix(op.Path, inSilo)
		if envtest.IsWhole() || ofSilo[all] || all%8 == 0 {
			at = append(at, all)
		}
		return nil
	})
	envtest.NoError(t, err)
	return at, ofSilo, all
}

// template makes the world that the sweeps begin with: one feedback approved,
// one that waits, and nothing taken over yet.
func template(t *testing.T) string {
	w := newWorld(t)
	w.check(t)
	w.approve(t, "feedback-commit-style")
	return w.dir
}

// A place is a copy of the template.
type place struct{ world }

func copyOf(t *testing.T, template string, n int) *place {
	t.Helper()
	p := &place{world: world{dir: filepath.Join(template, "..", fmt.Sprintf("%s-%d", filepath.Base(template), n))}}
	copyTree(t, template, p.dir)
	return p
}

func (p *place) run(t *testing.T, fault disk.Fault) (err error) {
	root, err := repo.Open(filepath.Join(p.dir, "root"), repo.Options{Fault: fault})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	opts := p.options()
	opts.MinAge = 0
	if fault != nil {
		opts.Fault = func(op disk.Op) error { op.Path = inSilo + op.Path; return fault(op) }
	}
	_, err = ingest.Run(t.Context(), root, t0, opts)
	return err
}

// left is all that counts of what a run left: the entries of the last commit, the number of commits, and the silos.
func (p *place) left(t *testing.T) map[string]string {
	t.Helper()
	root, err := repo.Open(filepath.Join(p.dir, "root"), repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	entries, commits := head(t, root)
	all := map[string]string{"commits": fmt.Sprint(commits)}
	for name, text := range entries {
		all["memories/"+name] = strings.ReplaceAll(text, p.dir, "")
		envtest.Same(t, text, p.read(t, "root/memories/"+name), name)
	}
	for name, text := range tree(t, filepath.Join(p.dir, "home")) {
		all["home/"+name] = text
	}
	return all
}

// nowhere returns the bodies that are neither in the silos nor in the last
// commit, line ends aside: two that differ in nothing else are one.
func (p *place) nowhere(t *testing.T, bodies []string) (lost []string) {
	t.Helper()
	root, err := repo.Open(filepath.Join(p.dir, "root"), repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	entries, _ := head(t, root)
	var texts []string
	for _, text := range entries {
		texts = append(texts, text)
	}
	for _, text := range tree(t, filepath.Join(p.dir, "home")) {
		texts = append(texts, text)
	}
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	all := unix(strings.Join(texts, "\x00"))
	for _, body := range bodies {
		if !strings.Contains(all, unix(body)) {
			lost = append(lost, body)
		}
	}
	return lost
}

// bodies are what the files of the fixtures say.
func bodies(t *testing.T, dir string) (list []string) {
	for name, text := range tree(t, filepath.Join(dir, "home")) {
		if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "MEMORY.md") {
			list = append(list, text[strings.LastIndex(text, "---")+3:])
		}
	}
	return list
}

// paths of different copies differ, and so do the sums that name files after
// them; the template is moved to one name for each run.
func (p *place) as(t *testing.T, name string) *place {
	t.Helper()
	at := filepath.Join(filepath.Dir(p.dir), name)
	envtest.NoError(t, os.Rename(p.dir, at))
	p.dir = at
	return p
}

func (p *place) drop(t *testing.T) {
	t.Helper()
	envtest.NoError(t, os.RemoveAll(p.dir))
}

// S6: killed at any change, and the recovery killed again, the next run ends
// with the same bytes as one that was never interrupted.
func TestS6KilledAnywhere(t *testing.T) {
	from := template(t)
	bodies := bodies(t, from)
	name := filepath.Base(from) + "-run"
	sound := copyOf(t, from, 0).as(t, name)
	at, _, all := points(t, sound)
	want := sound.left(t)
	sound.drop(t)
	t.Logf("%d changes", all)
	tried := 0
	for _, n := range at {
		step := envtest.Step(67)
		for again := n % step; again <= all; again += step { // 0: the recovery is not killed
			p := copyOf(t, from, n).as(t, name)
			plan := &disktest.Plan{At: n}
			err := p.run(t, plan.Fault)
			envtest.FailIf(t, err == nil && plan.Seen() >= n, "killed at %d and nothing was said", n)
			lost := p.nowhere(t, bodies)
			envtest.FailIf(t, len(lost) > 0, "killed at %d: %q are lost", n, lost)
			if again > 0 {
				plan := &disktest.Plan{At: again}
				_ = p.run(t, plan.Fault)
				lost := p.nowhere(t, bodies)
				envtest.FailIf(t, len(lost) > 0, "killed at %d and %d: %q are lost", n, again, lost)
			}
			err = p.run(t, nil)
			envtest.FailIf(t, err != nil, "killed at %d and %d: the next run: %v", n, again, err)
			envtest.Same(t, want, p.left(t), n, again)
			p.drop(t)
			tried++
		}
	}
	t.Logf("%d runs", tried)
}

// S6: a full or a broken disk stops before anything is lost, says so, and the next run goes on.
func TestS6FailingAnywhere(t *testing.T) {
	from := template(t)
	bodies := bodies(t, from)
	name := filepath.Base(from) + "-run"
	sound := copyOf(t, from, 0).as(t, name)
	at, ofSilo, _ := points(t, sound)
	want := sound.left(t)
	sound.drop(t)
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
		for i, n := range at {
			if !envtest.IsWhole() && i%2 == 0 && fault == syscall.EIO {
				continue
			}
			p := copyOf(t, from, n).as(t, name)
			plan := &disktest.Plan{At: n, Err: fault, Forever: n%2 == 0}
			err := p.run(t, plan.Fault)
			envtest.FailIf(t, err == nil && (ofSilo[n] || plan.Forever), "%v at %d was not told of", fault, n)
			lost := p.nowhere(t, bodies)
			envtest.FailIf(t, len(lost) > 0, "%v at %d: %q are lost", fault, n, lost)
			err = p.run(t, nil)
			envtest.FailIf(t, err != nil, "%v at %d: the next run: %v", fault, n, err)
			envtest.Same(t, want, p.left(t), fault, n)
			p.drop(t)
		}
	}
}

// What Claude Code does between any two changes is not lost: neither what it
// writes into a memory, nor what it adds to the list.
func TestWritersMeanwhile(t *testing.T) {
	from := template(t)
	const fresh = "Fresh words that no one has seen."
	edits := map[string]func(t *testing.T, p *place) error{
		"appends to the list": func(t *testing.T, p *place) error {
			f, err := os.OpenFile(filepath.Join(p.dir, tideline+"MEMORY.md"), os.O_WRONLY|os.O_APPEND, 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteString("\n- [New](new.md) — " + fresh + "\n")
			return errors.Join(err, f.Close())
		},
		"rewrites the list": func(t *testing.T, p *place) error {
			return rewrite(p.dir, tideline+"MEMORY.md", "- [Goal](project_goal.md)\n- "+fresh+"\n")
		},
		"edits a memory": func(t *testing.T, p *place) error {
			return appendTo(p.dir, tideline+"project_goal.md", fresh+"\n")
		},
		"rewrites a memory": func(t *testing.T, p *place) error {
			return rewrite(p.dir, tideline+"project_goal.md", entry("goal", "project", fresh))
		},
		"removes a memory": func(t *testing.T, p *place) error {
			return errors.Join(os.RemoveAll(filepath.Join(p.dir, tideline+"project_goal.md")), rewrite(p.dir, tideline+"MEMORY.md", fresh))
		},
	}
	probe := copyOf(t, from, 0)
	at, _, _ := points(t, probe)
	probe.drop(t)
	for what, edit := range edits {
		t.Run(what, func(t *testing.T) {
			for _, n := range at {
				p := copyOf(t, from, n)
				seen, written := 0, false
				err := p.run(t, func(disk.Op) error {
					if seen++; seen == n {
						err := edit(t, p)
						written = err == nil
						envtest.FailIf(t, err != nil && !errors.Is(err, os.ErrNotExist), "%v", err)
					}
					return nil
				})
				envtest.FailIf(t, err != nil, "change %d: %v", n, err)
				for range 2 { // as it is left, and after one more run
					lost := p.nowhere(t, []string{fresh})
					envtest.FailIf(t, written && len(lost) > 0, "change %d: what was written is lost", n)
					err := p.run(t, nil)
					envtest.FailIf(t, err != nil, "change %d: the next run: %v", n, err)
				}
				for _, name := range []string{"user_ada.md", "user_taste.md", "reference_gauges.md", "commit-style.md"} {
					envtest.FailIf(t, p.exists(tideline+name), "change %d: %s is still there", n, name)
				}
				p.drop(t)
			}
		})
	}
}

// rewrite replaces a file as Claude Code does.
func rewrite(dir, name, text string) error {
	at := filepath.Join(dir, filepath.FromSlash(name))
	return errors.Join(os.WriteFile(at+".tmp", []byte(text), 0o600), os.Rename(at+".tmp", at))
}

func appendTo(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(name)), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Two runs at once wait for each other, and end as one does.
func TestTwoAtOnce(t *testing.T) {
	from := template(t)
	name := filepath.Base(from) + "-run"
	sound := copyOf(t, from, 0).as(t, name)
	envtest.NoError(t, sound.run(t, nil))
	want := sound.left(t)
	sound.drop(t)
	p := copyOf(t, from, 1).as(t, name)
	defer p.drop(t)
	errs := make(chan error)
	for range 3 {
		go func() { errs <- p.run(t, nil) }()
	}
	for range 3 {
		envtest.Wraps(t, nil, <-errs)
	}
	envtest.Same(t, want, p.left(t))
}
