package ingest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mem/curate"
	"mem/curate/ingest"
	"mem/envtest"
	"mem/repo"
)

var (
	t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	// written is when the files of the fixtures are taken to be written.
	written = time.Date(2026, 1, 25, 0, 0, 0, 0, time.UTC)
)

// A world is a memory and the silos of a person.
type world struct {
	dir  string // with home/ and root/
	root *repo.Root
}

const (
	tideline = "home/.claude/projects/-home-ada-tideline/memory/"
	kite     = "home/.claude/projects/-home-ada-kite-3/memory/"
)

// newWorld copies the fixtures.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := emptyWorld(t)
	copyTree(t, "../../fixtures/silos/projects", filepath.Join(w.dir, "home/.claude/projects"))
	return w
}

func emptyWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	envtest.NoError(t, os.MkdirAll(filepath.Join(w.dir, "home/.claude/projects"), 0o700))
	root, err := repo.Create(t.Context(), filepath.Join(w.dir, "root"), repo.Options{})
	envtest.NoError(t, err)
	w.root = root
	t.Cleanup(func() {
		envtest.Wraps(t, nil, w.root.Close())
	})
	return w
}

// copyTree copies plain files and folders. The copies were written at one time, or when the originals were.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	keepTimes := !strings.Contains(filepath.ToSlash(from), "fixtures")
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		when := written
		if strings.Contains(path, "kite") {
			when = written.Add(-time.Hour)
		}
		if keepTimes {
			when = info.ModTime()
		}
		return errors.Join(os.WriteFile(at, data, info.Mode().Perm()|0o600), os.Chtimes(at, when, when))
	})
	envtest.NoError(t, err)
}

func (w *world) options() ingest.Options {
	home := filepath.Join(w.dir, "home")
	return ingest.Options{
		Places: ingest.Places{Home: home, Claude: filepath.Join(home, ".claude")}, Moment: t0, MinAge: time.Minute, Apply: true,
	}
}

func (w *world) check(t *testing.T) *ingest.Result {
	t.Helper()
	opts := w.options()
	opts.Apply = false
	res, err := ingest.Run(t.Context(), w.root, t0, opts)
	envtest.NoError(t, err)
	return res
}

func (w *world) apply(t *testing.T) *ingest.Result {
	t.Helper()
	res, err := ingest.Run(t.Context(), w.root, t0, w.options())
	envtest.NoError(t, err)
	return res
}

// decide lets a person decide at the queue.
func (w *world) decide(t *testing.T, f func(*repo.Memory) (repo.Message, error)) repo.Commit {
	t.Helper()
	c, err := w.root.Settle(t.Context(), t0, f)
	envtest.NoError(t, err)
	return c
}

func (w *world) approve(t *testing.T, id string) {
	t.Helper()
	w.decide(t, func(m *repo.Memory) (repo.Message, error) {
		return curate.Queues{ingest.Queue{}}.Decide(m, curate.Decision{ID: id, Verb: curate.Approve})
	})
}

func (w *world) view(t *testing.T) *repo.Memory {
	t.Helper()
	m, err := w.root.View(t0)
	envtest.NoError(t, err)
	return m
}

func (w *world) pending(t *testing.T) []curate.Proposal {
	t.Helper()
	list, problems, err := curate.Queues{ingest.Queue{}}.ListPending(w.view(t))
	envtest.StopIf(t, err != nil || len(problems) > 0, "%v %v", err, problems)
	return list
}

// digits keep files apart that would have one name.
var digits = regexp.MustCompile(`-[0-9a-f]{6}\.md$`)

// states are the items by the path of their files, below the silos.
func (w *world) states(res *ingest.Result) map[string]string {
	m := map[string]string{}
	for _, it := range res.Items {
		rel, err := filepath.Rel(filepath.Join(w.dir, "home/.claude/projects"), it.Path)
		if err != nil {
			rel = it.Path
		}
		text := string(it.State)
		if it.State == ingest.Left {
			text += ": " + it.Why
		} else if it.Home != "" {
			text += " " + digits.ReplaceAllString(it.Home, "-X.md")
		}
		if it.Change != "" {
			text += " " + string(it.Change)
		}
		m[filepath.ToSlash(rel)] = text
	}
	return m
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	at := filepath.Join(w.dir, filepath.FromSlash(name))
	envtest.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
	envtest.NoError(t, errors.Join(os.WriteFile(at, []byte(text), 0o600), os.Chtimes(at, written, written)))
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	return envtest.Read(t, w.dir, filepath.FromSlash(name))
}

func (w *world) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(name)))
	return err == nil
}

// tree is every file below a folder with what it holds.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	envtest.NoError(t, err)
	return files
}

// head is every file that the last commit of a memory holds below memories/, and the number of commits.
func head(t *testing.T, root *repo.Root) (files map[string]string, commits int) {
	t.Helper()
	m, err := root.View(t0)
	envtest.NoError(t, err)
	files = map[string]string{}
	for _, kind := range []string{"feedback", "user", "project", "reference"} {
		names, err := m.ListTexts("memories/" + kind)
		envtest.NoError(t, err)
		for _, name := range names {
			data, err := m.ReadCommitted("memories/" + kind + "/" + name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			envtest.NoError(t, err)
			files[kind+"/"+name] = string(data)
		}
	}
	envtest.NoError(t, root.WalkHistory(func(repo.Revision) bool { commits++; return true }))
	return files, commits
}

// entry is a file of a folder of Claude Code.
func entry(name, kind, body string) string {
	return "---\nname: " + name + "\ndescription: about " + name + "\ntype: " + kind + "\n---\n\n" + body + "\n"
}
