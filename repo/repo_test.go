package repo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

var git = envtest.Git

// create makes a root in a fresh folder, which warns of nothing unless opts expect it.
func create(t *testing.T, opts repo.Options) *repo.Root {
	t.Helper()
	if opts.Warn == nil {
		opts.Warn = func(s string) { t.Errorf("unexpected warning: %s", s) }
	}
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), opts)
	envtest.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// learn is a callback that counts one fix.
func learn(text string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text}}})
		return repo.Message{Subject: "chore(memory): " + m.Now().Format(time.DateOnly) + " task", Body: []string{"+ " + text}}, nil
	}
}

func settle(t *testing.T, r *repo.Root, f func(*repo.Memory) (repo.Message, error)) repo.Commit {
	t.Helper()
	c, err := r.Settle(t.Context(), t0, f)
	envtest.NoError(t, err)
	return c
}

// sound checks that git finds nothing to complain about in a root.
func sound(t *testing.T, root string) {
	t.Helper()
	git(t, root, "fsck", "--strict", "--no-dangling")
	envtest.Same(t, "", git(t, root, "status", "--porcelain"), "git status is not clean")
}

var read = envtest.Read

func TestSettle(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Use the cache"))
	settle(t, r, learn("use  the cache"))
	got, want := git(t, r.Path(), "log", "--format=%s"), "chore(memory): 2026-02-03 task\nchore(memory): 2026-02-03 task\nchore(memory): initialize memory repository\n"
	envtest.FailIf(t, got != want, "history:\n%s\nwant:\n%s", got, want)
	ix, _, err := index.Load([]byte(read(t, filepath.Join(r.Path(), repo.IndexPath))), t0)
	envtest.NoError(t, err)
	envtest.FailIf(t, len(ix.Items) != 1 || ix.Items[0].Hits != 2, "items = %+v, want one with two hits", ix.Items)
	sound(t, r.Path())
}

func TestNothingToCommit(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Use the cache"))
	before := git(t, r.Path(), "rev-parse", "HEAD")
	c := settle(t, r, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	envtest.FailIf(t, c.ID != "" || git(t, r.Path(), "rev-parse", "HEAD") != before, "Settle = %+v, want no commit", c)
	sound(t, r.Path())
}

func TestHandEdits(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Use the cache"))
	path := filepath.Join(r.Path(), repo.IndexPath)
	edited := strings.ReplaceAll(read(t, path), "Use the cache", "Use the build cache")
	envtest.NoError(t, os.WriteFile(path, []byte(edited), 0o600))
	settle(t, r, learn("Another one"))
	want := "chore(memory): 2026-02-03 task\nsettle: " + git(t, r.Path(), "rev-parse", "--short=12", "HEAD~2") + "edit: hand edits\n"
	envtest.Same(t, want, git(t, r.Path(), "log", "-3", "--format=%s"), "history")
	envtest.Same(t, edited, git(t, r.Path(), "show", "HEAD~2:"+repo.IndexPath), "the edit was not committed as it was")
	for _, texts := range [][2]string{{"build cache", "disk cache"}, {"disk cache", "build cache"}} { // the same once more
		envtest.Write(t, strings.ReplaceAll(read(t, path), texts[0], texts[1]), r.Path(), repo.IndexPath)
		settle(t, r, learn("Another one"))
		text := read(t, path)
		envtest.FailIf(t, !strings.Contains(text, "Use the "+texts[1]), "the edit is lost in %s", text)
	}
	sound(t, r.Path())
}

// TestLogStaysReadable: a fact that could not be read again is refused, and what a person put into the folder of the
// log does not move those after it to the front where the clock is behind.
func TestLogStaysReadable(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Use the cache"))
	_, err := r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "From afar", Source: index.Source{At: t0.AddDate(10_000, 0, 0)}}}})
		return repo.Message{Subject: "x"}, nil
	})
	envtest.Wraps(t, facts.ErrUnreadable, err, "a fact of the year 12026")
	envtest.Write(t, "x\n", r.Path(), facts.Folder+"/mine/note.md")
	git(t, r.Path(), "add", "-A")
	git(t, r.Path(), "commit", "-qm", "mine")
	_, err = r.Settle(t.Context(), t0.AddDate(-1, 0, 0), learn("Read the log"))
	envtest.NoError(t, err)
	if log, err := r.ReadLog(0); err != nil || len(log.Facts()) != 2 || log.Facts()[1].Fixes[0].Text != "Read the log" {
		t.Errorf("the log is %+v, %v", log, err)
	}
	sound(t, r.Path())
}

func TestStagedStaysStaged(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Use the cache"))
	envtest.NoError(t, os.WriteFile(filepath.Join(r.Path(), "notes.txt"), []byte("mine\n"), 0o600))
	git(t, r.Path(), "add", "notes.txt")
	settle(t, r, learn("Another one"))
	envtest.Same(t, "A  notes.txt\n", git(t, r.Path(), "status", "--porcelain"), "status")
	got := git(t, r.Path(), "ls-tree", "--name-only", "HEAD")
	envtest.FailIf(t, strings.Contains(got, "notes.txt"), "a staged file was committed")
}

func TestSecondScan(t *testing.T) {
	secret := "AKIA" + "QWERTYUIOPASDFGH"
	r := create(t, repo.Options{})
	settle(t, r, learn("Do not paste "+secret+" anywhere"))
	tagged := []string{secret, "kept"}
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "Tagged", Tags: tagged}}})
		if it := m.Index.Items[1]; len(it.Tags) != 1 || it.Tags[0] != "kept" || tagged[0] != secret {
			t.Errorf("tags = %q, given %q", it.Tags, tagged)
		}
		return repo.Message{Subject: "x"}, nil
	})
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "x"}, m.WriteFile("daily/2026-02-03.md", []byte("# day\n"+secret+"\n"))
	})
	out := git(t, r.Path(), "log", "-p", "--all")
	envtest.FailIf(t, strings.Contains(out, secret), "a secret reached the history")
	data := read(t, filepath.Join(r.Path(), "daily/2026-02-03.md"))
	envtest.FailIf(t, !bytes.HasPrefix([]byte(data), []byte("# day\n[redacted:")), "journal = %q", data)
}

// A rule that a person writes is taken in like any other edit; what lies elsewhere, or is no plain text, is left alone.
func TestNewFilesOfAPerson(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("Read the log"))
	for name, text := range map[string]string{
		"rules/team.md": "### Ask\n", "context/voice/style.md": "Short.\n", "rules/notes.txt": "x", "own.md": "x", "rules/deep/x.md": "x",
	} {
		envtest.Write(t, text, r.Path(), name)
	}
	if err := os.Symlink("team.md", filepath.Join(r.Path(), "rules/link.md")); err != nil {
		t.Skip(err)
	}
	envtest.NoError(t, os.Mkdir(filepath.Join(r.Path(), "rules/folder.md"), 0o700))
	settle(t, r, learn("Run the tests"))
	envtest.Same(t, "context/voice/style.md\nrules/team.md\n",
		git(t, r.Path(), "show", "--format=", "--name-only", "HEAD~1"), "edits")
	envtest.Same(t, "chore(memory): 2026-02-03 task\nedit: hand edits\n", git(t, r.Path(), "log", "--format=%s", "-2"),
		"log")
	envtest.Same(t, "?? own.md\n?? rules/deep/x.md\n?? rules/link.md\n?? rules/notes.txt\n",
		git(t, r.Path(), "status", "--porcelain", "-uall"), "status")
	r = create(t, repo.Options{})
	envtest.NoError(t, os.Symlink(t.TempDir(), filepath.Join(r.Path(), "context")))
	settle(t, r, learn("Read the log"))
	envtest.Same(t, "", git(t, r.Path(), "log", "--format=", "--name-only", "--", "context"), "taken in through a link")
}
