package repo_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/repo/gitstore"
)

// A scenario is an operation that a sweep interrupts at each of its changes.
type scenario struct {
	name    string
	prepare func(t *testing.T, dir string) // makes the root as it is before
	run     func(ctx context.Context, dir string, opts repo.Options) error
	// Ids of reflections: those in the root before, and those that run
	// attempts. An error of run acknowledges none of the latter.
	before, attempts []string
	gone             []string               // that count no longer once run is acknowledged, and stay read
	early            func(dir string) error // checks what the next command leaves, and tidies up
	edited           bool                   // a person did, and mem takes it in
	byGit            bool                   // git changes files, too
	step             int                    // of a sweep that does not stop everywhere; 0 means 1
}

// keys seals as the key of the person does whose memories these are.
type keys struct{}

func (keys) Seal(line string) ([]byte, error) {
	return fmt.Appendf(nil, "%s\n%x\n", line, sha256.Sum256([]byte("key"+line))), nil
}

func (k keys) Unseal(note []byte) (string, error) {
	line, _, _ := strings.Cut(string(note), "\n")
	if is, _ := k.Seal(line); !bytes.Equal(is, note) {
		line = ""
	}
	return line, nil
}

// quick are options for a command that flushes nothing.
func quick() repo.Options { return repo.Options{Fault: new(disktest.Plan).Fault, Keys: keys{}} }

// counted is a callback that counts a reflection once, however often it is tried.
func counted(id string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		known, err := m.ReadFile(repo.TracesPath)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		if strings.Contains(string(known), facts.SightingID(id)) {
			return repo.Message{}, nil
		}
		m.Learn(facts.Fact{ID: id, Label: "task", Trace: "pi:" + id, Mark: &facts.Mark{Last: id, At: t0, Events: 1, Read: t0}, Fixes: []index.Lesson{{Text: "Lesson of " + id}}})
		return repo.Message{
			Subject: "chore(memory): task", Body: []string{"+ Lesson of " + id},
			Trailers: []repo.Trailer{{Key: "Mem-Reflection", Value: facts.SightingID(id)}},
		}, nil
	}
}

// count opens the root, creating it if need be, and counts reflections.
func count(ctx context.Context, dir string, opts repo.Options, ids ...string) (err error) {
	opts.Keys = keys{}
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
	envtest.NoError(t, count(t.Context(), dir, repo.Options{}, "a", "b"))
}

func counts(ids ...string) func(context.Context, string, repo.Options) error {
	return func(ctx context.Context, dir string, opts repo.Options) error { return count(ctx, dir, opts, ids...) }
}

// drain counts what waits in the queue.
func drain(ctx context.Context, dir string, opts repo.Options) (err error) {
	opts.Keys = keys{}
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
// an index of this format, in a repository. member is one more of its records, with the reflection.
func commitOlder(format, member string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		var items, ids []string
		day := "# 2026-02-03\n"
		for _, id := range []string{"a", "b"} {
			r := facts.SightingID(id)
			more := strings.ReplaceAll(member, "ID", r)
			items = append(items, fmt.Sprintf(`{"key":"lesson of %s","text":"Lesson of %[1]s","kind":"learning","hits":1,"score":1,"firstSeen":"2026-02-03T01:00:00.000Z","lastSeen":"2026-02-03T01:00:00.000Z"%s}`, id, more))
			ids = append(ids, `"`+r+`"`)
			day += "\n## 01:00 UTC — Task\n<!-- mem:" + r + " pi:" + id + " -->\n\n### How it was fixed\n\n- Lesson of " + id + "\n"
		}
		envtest.Write(t, `{"version":`+format+`,"updatedAt":"2026-02-03T01:00:00.000Z","items":[`+strings.Join(items, ",")+`]}`, dir, repo.IndexPath)
		envtest.Write(t, `{"version":1,"traces":{},"reflections":[`+strings.Join(ids, ",")+`]}`, dir, repo.TracesPath)
		envtest.Write(t, day, dir, firstDay)
		git(t, dir, "init", "-q", "-b", "main")
		git(t, dir, "config", "user.name", "a")
		git(t, dir, "config", "user.email", "a@example.com")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", "old", "-m", "Mem-Reflection: "+facts.SightingID("a")+"\nMem-Reflection: "+facts.SightingID("b"))
	}
}

// fetched makes a root of which another clone has one more reflection, c, which a ref has here; and the branch has d,
// unless it is only to go forward.
func fetched(forward bool) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		prepared(t, dir)
		other := filepath.Join(t.TempDir(), "o")
		git(t, dir, "clone", "-q", dir, other)
		envtest.NoError(t, count(t.Context(), other, repo.Options{}, "c"))
		git(t, dir, "fetch", "-q", other, "main:refs/remotes/o/main")
		if !forward {
			envtest.NoError(t, count(t.Context(), dir, repo.Options{}, "d"))
		}
	}
}

// pulled makes a root of which git has brought one of three reflections.
func pulled(t *testing.T, dir string) {
	t.Helper()
	fetched(true)(t, dir)
	git(t, dir, "merge", "-q", "--ff-only", "o/main")
}

// join makes what was fetched part of the branch, as mem sync does.
func join(ctx context.Context, dir string, opts repo.Options) (err error) {
	said, err := plainGit(dir, "rev-parse", "refs/remotes/o/main")
	base, err2 := plainGit(dir, "merge-base", "refs/heads/main", "refs/remotes/o/main")
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	g := repo.Merge{From: "o"}
	g.Base, _ = gitstore.ParseHash(strings.TrimSpace(base))
	g.Theirs, _ = gitstore.ParseHash(strings.TrimSpace(said))
	opts.Keys = keys{}
	return within(dir, opts, func(r *repo.Root) error {
		_, err := r.Merge(ctx, t0, g)
		return err
	})
}

// within opens a root for f.
func within(dir string, opts repo.Options, f func(*repo.Root) error) error {
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	return errors.Join(f(r), r.Close())
}

// acceptAll lets the person say yes to all that waits.
func acceptAll(r *repo.Root) error {
	m, err := r.View(t0)
	if err != nil {
		return err
	}
	return r.Accept(context.Background(), m.Waiting(), nil)
}

// waits says what is wrong with a root in which c, if it is there, waits for the person.
func waits(dir string) error {
	read, err := os.ReadFile(filepath.Join(dir, repo.TracesPath))
	return errors.Join(err, isHeld(dir, strings.Contains(string(read), facts.SightingID("c"))))
}

func isHeld(dir string, isHeld bool) error {
	return within(dir, quick(), func(r *repo.Root) error {
		m, err := r.View(t0)
		if err != nil {
			return err
		}
		day, err := m.ReadFile(firstDay)
		lesson, entry := strings.Contains(fmt.Sprint(m.Index.Items), "Lesson of c"), strings.Contains(string(day), "Lesson of c")
		if isHeld && (lesson || entry) || lesson != entry || !strings.Contains(string(day), "Lesson of b") {
			err = errors.Join(err, fmt.Errorf("lesson shown: %t, the journal is %q", lesson, day))
		}
		// A crash may have kept x from what the person knows: better asked once too often.
		if w := m.Waiting(); isHeld && (w == nil || !strings.Contains(fmt.Sprint(w.Texts), "Lesson of c")) {
			err = errors.Join(err, fmt.Errorf("waiting is %+v", w))
		}
		return err
	})
}

// isConverted says what is wrong with a root that was to be converted.
func isConverted(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, repo.IndexPath))
	if err == nil && !strings.Contains(string(data), `"version": 4`) {
		err = errors.New("it is not of version 4")
	}
	return err
}

// settledOnce says what is wrong with a root in which git did something that one command was to settle.
func settledOnce(dir string) error {
	log, err := plainGit(dir, "log", "--format=%s")
	if n := strings.Count(log, "settle: "); err == nil && n != 1 {
		err = fmt.Errorf("settled %d times in\n%s", n, log)
	}
	return err
}

var many = strings.Fields("c d e f g h i j k l m n") // whose objects become a pack

var scenarios = []scenario{
	{name: "version 1", prepare: commitOlder("1", ""), run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, early: isConverted, step: 13},
	{name: "version 2", prepare: commitOlder("2", `,"pinned":true,"sources":[{"at":"2026-02-03T01:00:00.000Z"}]`), run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, early: isConverted, step: 13},
	{name: "version 3", prepare: commitOlder("3", `,"sources":[{"at":"2026-02-03T01:00:00.000Z","id":"ID"}],"n":1`), run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, early: isConverted, step: 7},
	{
		name: "revert", run: counts("x"), before: []string{"a", "b"}, gone: []string{"c"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			envtest.NoError(t, count(t.Context(), dir, repo.Options{}, "c"))
			git(t, dir, "revert", "--no-edit", "HEAD")
		},
		early: settledOnce,
	},
	{
		name: "merge by git", run: counts("x"), before: []string{"a", "b", "c", "d"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			fetched(false)(t, dir)
			git(t, dir, "merge", "-q", "--no-edit", "o/main")
			envtest.NoError(t, within(dir, quick(), acceptAll))
		},
		early: settledOnce,
	},
	{
		name: "repack", before: []string{"a", "b", "c", "d", "e"}, byGit: true, step: 2,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			return within(dir, opts, func(r *repo.Root) error { return r.Pack(ctx, t0) })
		},
		prepare: func(t *testing.T, dir string) { // packs that all become one with what is loose
			prepared(t, dir)
			for _, id := range []string{"c", "d", "e"} {
				git(t, dir, "repack", "-dq")
				envtest.NoError(t, count(t.Context(), dir, repo.Options{}, id))
			}
			envtest.Write(t, "50 0\n", dir, ".git/mem/loose")
		},
	},
	{
		name: "drivers", before: []string{"a", "b"}, attempts: []string{"x"}, run: counts("x"), step: 13,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			git(t, dir, "config", "merge.mem.driver", "an older mem")
			envtest.Write(t, "", dir, ".git/info/attributes")
		},
		early: func(dir string) error {
			driver, err := plainGit(dir, "config", "merge.mem.driver")
			is, err2 := plainGit(dir, "check-attr", "merge", "core/CORE.md", repo.IndexPath)
			if driver != "true\n" || is != "core/CORE.md: merge: mem\ncore/index.json: merge: mem-index\n" {
				return fmt.Errorf("git has %q and %q: %w", is, driver, errors.Join(err, err2))
			}
			return nil
		},
	},
	{name: "sync", before: []string{"a", "b", "d"}, attempts: []string{"c"}, early: waits, step: 3, prepare: fetched(false), run: join},
	{name: "sync, forward", before: []string{"a", "b"}, attempts: []string{"c"}, early: waits, step: 3, prepare: fetched(true), run: join},
	{
		name: "what git brought", before: []string{"a", "b", "c"}, attempts: []string{"x"}, early: waits, step: 7, prepare: pulled, run: counts("x"),
	},
	{
		name: "what git brought is accepted", before: []string{"a", "b", "c"}, attempts: []string{"x"}, step: 13,
		prepare: func(t *testing.T, dir string) {
			pulled(t, dir)
			envtest.NoError(t, errors.Join(count(t.Context(), dir, repo.Options{}, "a"), waits(dir)))
		},
		run: func(ctx context.Context, dir string, opts repo.Options) (err error) {
			opts.Keys = keys{}
			if err := within(dir, opts, acceptAll); err != nil {
				return err
			}
			return errors.Join(isHeld(dir, false), count(ctx, dir, opts, "x"))
		},
	},
	{
		name: "undo", before: []string{"a"}, gone: []string{"b"}, attempts: []string{"x"}, step: 7, prepare: prepared,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			opts.Keys = keys{}
			err := within(dir, opts, func(r *repo.Root) error {
				_, err := r.Settle(ctx, t0, func(m *repo.Memory) (repo.Message, error) {
					return repo.Message{Subject: "undo"}, m.Decide(facts.Fact{Undo: []string{facts.SightingID("b")}})
				})
				return err
			})
			return errors.Join(err, count(ctx, dir, opts, "x"))
		},
	},
	{name: "create", prepare: func(*testing.T, string) {}, run: counts("x"), attempts: []string{"x"}, step: 7},
	{
		name: "many at once", prepare: prepared, before: []string{"a", "b"}, attempts: many, step: 2,
		run: func(ctx context.Context, dir string, opts repo.Options) error {
			opts.Keys = keys{}
			return within(dir, opts, func(r *repo.Root) error {
				_, err := r.Settle(ctx, t0, func(m *repo.Memory) (repo.Message, error) {
					for _, id := range many[1:] {
						m.Then(t0, counted(id))
					}
					return counted(many[0])(m)
				})
				return err
			})
		},
	},
	{name: "settle", prepare: prepared, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, step: 2},
	{
		name: "hand edits", edited: true, run: counts("x"), before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			data := read(t, filepath.Join(dir, repo.IndexPath))
			envtest.Write(t, strings.Replace(data, `"kind": "learning"`, `"kind": "learning", "domain": "x"`, 1), dir, repo.IndexPath)
			envtest.Write(t, "mine\n", dir, repo.ReadmePath)
		},
		early: func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, repo.IndexPath))
			if err == nil && !strings.Contains(string(data), `"domain": "x"`) {
				err = fmt.Errorf("the edit is lost in %s", data)
			}
			return err
		},
	},
	{
		name: "month and a file removed by hand", edited: true, before: []string{"a", "b"}, attempts: []string{"x"}, step: 7,
		prepare: func(t *testing.T, dir string) {
			prepared(t, dir)
			settleIn(t, dir, func(m *repo.Memory) (repo.Message, error) {
				return repo.Message{Subject: "add"}, m.WriteFile("learnings/go/one.md", []byte("one\n"))
			})
			envtest.NoError(t, os.Remove(filepath.Join(dir, "learnings/go/one.md")))
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
			envtest.Write(t, `{"version":1,"updatedAt":"2026-01-02T00:00:00.000Z","items":[{"key":"old one","text":"Old one","kind":"learning","hits":3,"score":4.5,"firstSeen":"2026-01-01T00:00:00.000Z","lastSeen":"2026-01-02T00:00:00.000Z"}]}`, dir, repo.IndexPath)
			envtest.Write(t, "# Core\n", dir, "core/CORE.md")
			envtest.Write(t, "# 2026-01-02\n\nA note.\n", dir, "daily/2026-01-02.md")
		},
	},
}

func settleIn(t *testing.T, dir string, f func(*repo.Memory) (repo.Message, error)) {
	t.Helper()
	r, err := repo.Open(dir, repo.Options{})
	envtest.NoError(t, err)
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

// template prepares the root that each point of a sweep gets a copy of.
func (sc scenario) template(t *testing.T, base string) string {
	t.Helper()
	dir := filepath.Join(base, "template")
	envtest.NoError(t, os.Mkdir(dir, 0o700))
	sc.prepare(t, dir)
	if len(sc.before) > 0 && !sc.byGit { // one pack is faster to copy than many objects
		git(t, dir, "repack", "-adq")
	}
	return dir
}
