package repo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
	"mem/repo/gitstore/object"
	"mem/repo/incoming"
	"mem/repo/union"
)

// A scenario is an operation that a sweep interrupts at each of its changes.
type scenario struct {
	name    string
	prepare func(t *testing.T, dir string) // makes the root as it is before
	run     func(ctx context.Context, dir string, opts repo.Options) error
	// Ids of reflections: those in the root before, and those that run
	// attempts. An error of run acknowledges none of the latter.
	before, attempts []string
	early            func(dir string) error // checks what the next command leaves, and tidies up
	tidies           bool                   // early alone takes away what a kill leaves in git's own files
	edited           bool                   // a person did, and mem takes it in
	step             int                    // of a sweep that does not stop everywhere; 0 means 1
}

// counted is a callback that counts a reflection once, however often it is
// tried.
func counted(id string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		known, err := m.ReadFile(repo.TracesPath)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		if slices.Contains(strings.Fields(string(known)), id) {
			return repo.Message{}, nil
		}
		m.Learn(index.Reflection{Fixes: []index.Lesson{{Text: "Lesson of " + id}}})
		day := "daily/" + m.Now().Format("2006-01-02") + ".md"
		old, err := m.ReadFile(day)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		if err := m.WriteFile(day, fmt.Appendf(slices.Clip(old), "- reflection %s\n", id)); err != nil {
			return repo.Message{}, err
		}
		return repo.Message{
			Subject: "chore(memory): task", Body: []string{"+ Lesson of " + id},
			Trailers: []repo.Trailer{{Key: "Mem-Reflection", Value: id}},
		}, m.WriteFile(repo.TracesPath, fmt.Appendf(slices.Clip(known), "%s\n", id))
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
	jobs, err := r.ListJobs()
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if _, err := r.Settle(ctx, t0, counted(string(j.Data))); err != nil {
			return err
		}
		if err := r.RemoveJob(j.Name); err != nil {
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
		if _, err := r.AddJob(t0, []byte(id)); err != nil {
			return err
		}
	}
	return nil
}

// commitOlder makes a root with the two reflections a and b as an older program left it:
// an index of this format, in a repository.
func commitOlder(format, member string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		var items []string
		for _, id := range []string{"a", "b"} {
			items = append(items, fmt.Sprintf(`{"key":"lesson of %s","text":"Lesson of %[1]s","kind":"learning","hits":1,"score":1,"firstSeen":"2026-02-03T01:00:00.000Z","lastSeen":"2026-02-03T01:00:00.000Z"%s}`, id, member))
		}
		write(t, dir, repo.IndexPath, `{"version":`+format+`,"updatedAt":"2026-02-03T01:00:00.000Z","items":[`+strings.Join(items, ",")+`]}`)
		write(t, dir, repo.TracesPath, "a\nb\n")
		write(t, dir, "daily/2026-02-03.md", "- reflection a\n- reflection b\n")
		git(t, dir, "init", "-q", "-b", "main")
		git(t, dir, "config", "user.name", "a")
		git(t, dir, "config", "user.email", "a@example.com")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", "old", "-m", "Mem-Reflection: a\nMem-Reflection: b")
	}
}

// pulled makes a root of which git has brought one of three reflections.
func pulled(t *testing.T, dir string) {
	t.Helper()
	prepared(t, dir)
	other := t.TempDir()
	git(t, other, "clone", "-q", dir, "o")
	if err := count(t.Context(), filepath.Join(other, "o"), repo.Options{}, "c"); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "pull", "-q", "--ff-only", filepath.Join(other, "o"))
}

// fetched is a root in which a ref has c, which the branch has not, and the branch a note,
// unless it is only to go forward.
func fetched(forward bool) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		pulled(t, dir)
		git(t, dir, "update-ref", "refs/remotes/o/main", "HEAD")
		git(t, dir, "reset", "-q", "--hard", "HEAD^")
		if !forward {
			write(t, dir, "note.md", "a note")
			git(t, dir, "add", "note.md")
			git(t, dir, "commit", "-qm", "note")
		}
	}
}

// join makes what was fetched part of the branch, and looks at it, as mem sync does.
func join(ctx context.Context, dir string, opts repo.Options) (err error) {
	said, err := plainGit(dir, "rev-parse", "refs/heads/main", "refs/remotes/o/main")
	base, err2 := plainGit(dir, "merge-base", "refs/heads/main", "refs/remotes/o/main")
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	var tips [3]object.Hash
	for i, id := range strings.Fields(base + said) {
		tips[i], _ = object.ParseHash(id)
	}
	b, err := incoming.Open(disk.Files{Fault: opts.Fault}, dir, func(string) {})
	if err != nil {
		return err
	}
	err = b.Join(ctx, incoming.Merge{Base: tips[0], Ours: tips[1], Theirs: tips[2], From: "o", Now: t0})
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	opts.HoldForeign = true
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	_, err = r.Settle(ctx, t0, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	return errors.Join(err, r.Close())
}

// readForeign returns a root as sessions see it, and what is shown of c: its lesson, its
// entry in the journal.
func readForeign(dir string) (m *repo.Memory, lesson, entry bool, err error) {
	r, err := repo.Open(dir, repo.Options{Fault: new(disktest.Plan).Fault, HoldForeign: true})
	if err != nil {
		return nil, false, false, err
	}
	defer r.Close()
	if m, err = r.View(t0); err != nil {
		return nil, false, false, err
	}
	lesson = slices.ContainsFunc(m.Index.Items, func(it index.Item) bool { return it.Text == "Lesson of c" && it.IsShown() })
	day, err := m.ReadFile("daily/2026-02-03.md")
	return m, lesson, strings.Contains(string(day), "reflection c"), err
}

// isAcceptedWhole says what is wrong with a root in which c is to wait for the person
// whole, or not at all once x was counted.
func isAcceptedWhole(dir string) error {
	_, lesson, entry, err := readForeign(dir)
	known, err2 := os.ReadFile(filepath.Join(dir, repo.TracesPath))
	if lesson != entry || !lesson && strings.Contains(string(known), "x\n") {
		err = fmt.Errorf("lesson shown: %t, journal shown: %t, after %q: %w", lesson, entry, known, err)
	}
	return errors.Join(err, err2)
}

// waits says what is wrong with a root in which c is to wait for the person, in
// .git/mem/vouched and nowhere else.
func waits(dir string) error {
	m, lesson, entry, err := readForeign(dir)
	if err != nil {
		return err
	}
	day, err := m.ReadFile("daily/2026-02-03.md")
	if lesson || entry || !strings.Contains(string(day), "reflection b") {
		err = fmt.Errorf("lesson shown: %t, the journal is %q: %w", lesson, day, err)
	}
	for _, it := range m.Index.Items {
		// A full disk may have kept the commit of x out of git's log: better asked once too often.
		if !slices.Contains([]string{"Lesson of c", "Lesson of x"}, it.Text) && !it.IsShown() {
			err = errors.Join(err, fmt.Errorf("%q is %q", it.Text, it.Status))
		}
	}
	data, err2 := m.ReadCommitted(repo.IndexPath)
	if err2 == nil && strings.Contains(string(data), `"status"`) {
		err2 = errors.New("the status of a lesson was committed")
	}
	return errors.Join(err, err2)
}

// isConverted says what is wrong with a root that was to be converted.
func isConverted(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, repo.IndexPath))
	if err == nil && !strings.Contains(string(data), `"version": 3`) {
		err = errors.New("it is not of version 3")
	}
	return err
}

// fillPack makes a commit that adds to the history of a file.
func fillPack(t *testing.T, dir string, i int) {
	t.Helper()
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		text := strings.Repeat(fmt.Sprintln("day", i), 50)
		return repo.Message{Subject: "chore(memory): day"}, m.WriteFile("daily/2026-01-01.md", []byte(text))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// list returns the files that a pattern below a folder matches.
func list(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var scenarios = []scenario{
	{name: "version 1", prepare: commitOlder("1", ""), run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, early: isConverted, step: 13},
	{name: "version 2", prepare: commitOlder("2", `,"pinned":true,"sources":[{"at":"2026-02-03T01:00:00.000Z"}]`), run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, early: isConverted, step: 13},
	{
		name: "walk", run: counts("x"), before: []string{"a", "b", "c"}, attempts: []string{"x"}, step: 13,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			if err := count(t.Context(), dir, repo.Options{}, "c"); err != nil {
				t.Fatal(err)
			}
			git(t, dir, "revert", "--no-edit", "HEAD")
			git(t, dir, "revert", "--no-edit", "HEAD")
		},
		early: func(dir string) error {
			log, err := plainGit(dir, "log", "--format=%s")
			if n := strings.Count(log, "settle: "); err == nil && n != 1 {
				err = fmt.Errorf("%d commits of the walk in %s", n, log)
			}
			return err
		},
	},
	{
		name: "full pack", before: []string{"a", "b"}, attempts: []string{"x", "y"}, run: counts("x", "y"), step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			for i := 0; len(list(t, dir, ".git/objects/pack/*.pack")) == 1; i++ { // until a commit began another
				fillPack(t, dir, i)
			}
			for i := range 23 { // until the next one does
				fillPack(t, dir, 100+i)
			}
			if n := len(list(t, dir, ".git/objects/pack/*.pack")); n != 2 {
				t.Fatalf("%d packs", n)
			}
		},
		early: func(dir string) error {
			packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.keep"))
			if err == nil && len(packs) != 1 {
				err = fmt.Errorf("%d packs of mem's own", len(packs))
			}
			return err
		},
	},
	{
		name: "merge driver", tidies: true, before: []string{"a", "b"}, attempts: []string{"x"}, step: 13, prepare: prepared,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			opts.Binary = "/opt/it's mem"
			return count(ctx, dir, opts, "x")
		},
		early: func(dir string) error {
			opts := repo.Options{Binary: "/opt/it's mem", Fault: new(disktest.Plan).Fault}
			if err := count(context.Background(), dir, opts, "early"); err != nil {
				return err
			}
			driver, err := plainGit(dir, "config", "merge.mem.driver")
			for _, pattern := range union.Patterns {
				is, err2 := plainGit(dir, "check-attr", "merge", strings.Replace(pattern, "*", "x", 1))
				if err = errors.Join(err, err2); !strings.HasSuffix(is, ": mem\n") || !strings.HasPrefix(driver, `'/opt/it'\''s mem' merge-driver`) {
					return fmt.Errorf("git has %q and %q: %w", is, driver, err)
				}
			}
			return err
		},
	},
	{name: "sync", before: []string{"a", "b"}, attempts: []string{"c"}, early: waits, step: 3, prepare: fetched(false), run: join},
	{name: "sync, forward", before: []string{"a", "b"}, attempts: []string{"c"}, early: waits, step: 3, prepare: fetched(true), run: join},
	{
		name: "what git brought", before: []string{"a", "b", "c"}, attempts: []string{"x"}, early: waits, step: 13, prepare: pulled,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			opts.HoldForeign = true
			return count(ctx, dir, opts, "x")
		},
	},
	{
		name: "what git brought is accepted", before: []string{"a", "b", "c"}, attempts: []string{"x"}, early: isAcceptedWhole, step: 13,
		prepare: func(t *testing.T, dir string) {
			pulled(t, dir)
			if err := errors.Join(count(t.Context(), dir, repo.Options{HoldForeign: true}, "a"), waits(dir)); err != nil {
				t.Fatal(err)
			}
		},
		run: func(ctx context.Context, dir string, opts repo.Options) (err error) {
			opts.HoldForeign = true
			r, err := repo.Open(dir, opts)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close()) }()
			_, err = r.Settle(ctx, t0, func(m *repo.Memory) (repo.Message, error) {
				m.Foreign().Accept(nil, map[string]string{"origin": "../other"})
				return repo.Message{}, nil
			})
			if err != nil {
				return err
			}
			return count(ctx, dir, opts, "x")
		},
	},
	{name: "create", prepare: func(*testing.T, string) {}, run: counts("x"), attempts: []string{"x"}, step: 7},
	{name: "settle", prepare: prepared, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}},
	{
		name: "hand edits", edited: true, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			data := read(t, filepath.Join(dir, repo.IndexPath))
			write(t, dir, repo.IndexPath, strings.Replace(data, `"domain": ""`, `"domain": "x"`, 1)+"\n")
			write(t, dir, repo.ReadmePath, "mine\n")
		},
	},
	{
		name: "month and a file removed by hand", edited: true, before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			settleIn(t, dir, func(m *repo.Memory) (repo.Message, error) {
				return repo.Message{Subject: "add"}, m.WriteFile("learnings/go/one.md", []byte("one\n"))
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
				if err := m.WriteFile("monthly/2026-02.md", []byte("# February\n")); err != nil {
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
