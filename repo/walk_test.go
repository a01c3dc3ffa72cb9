package repo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/repo"
)

// A walker is a memory that one person works on, with a clock of its own.
type walker struct {
	*testing.T
	path string
	now  time.Time
}

// newClones returns two clones of a memory with one lesson.
func newClones(t *testing.T) (a, b *walker) {
	dir := t.TempDir()
	a = &walker{t, filepath.Join(dir, "a"), t0}
	r, err := repo.Create(t.Context(), a.path, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	git(t, a.path, "config", "user.name", "a")
	git(t, a.path, "config", "user.email", "a@example.com")
	a.learn("Shared")
	b = &walker{t, filepath.Join(dir, "b"), t0.Add(time.Hour)}
	git(t, dir, "clone", "-q", a.path, b.path)
	git(t, b.path, "config", "user.name", "b")
	git(t, b.path, "config", "user.email", "b@example.com")
	git(t, a.path, "remote", "add", "origin", b.path)
	b.learn("Shared too") // so that mem knows what it looked at
	return a, b
}

func (c *walker) settle(f func(*repo.Memory) (repo.Message, error)) repo.Commit {
	c.Helper()
	c.now = c.now.Add(time.Minute)
	r, err := repo.Open(c.path, repo.Options{})
	if err != nil {
		c.Fatal(err)
	}
	defer r.Close()
	commit, err := r.Settle(c.Context(), c.now, f)
	if err != nil {
		c.Fatal(err)
	}
	return commit
}

func (c *walker) learn(texts ...string) {
	c.Helper()
	for _, text := range texts {
		c.settle(func(m *repo.Memory) (repo.Message, error) {
			m.Learn(index.Reflection{Fixes: []index.Lesson{{Text: text}}})
			return repo.Message{Subject: "learn: " + text}, nil
		})
	}
}

// look lets mem look at what git did, and returns the lessons with their hits.
func (c *walker) look() string {
	c.Helper()
	var list []string
	c.settle(func(m *repo.Memory) (repo.Message, error) {
		for _, it := range m.Index.Items {
			if it.Status == index.Active {
				list = append(list, fmt.Sprintf("%s %d", it.Text, it.Hits))
			}
		}
		return repo.Message{}, nil
	})
	if out := git(c.T, c.path, "status", "--porcelain"); out != "" {
		c.Errorf("%s is not clean: %s", c.path, out)
	}
	return strings.Join(list, ", ")
}

// do runs git, which may stop at a conflict.
func (c *walker) do(args ...string) {
	c.Helper()
	_, _ = exec.Command("git", append([]string{"-C", c.path}, args...)...).CombinedOutput()
}

func (c *walker) want(want string) {
	c.Helper()
	if got := c.look(); got != want {
		c.Errorf("%s has %q, want %q", filepath.Base(c.path), got, want)
	}
}

// Without a driver a record may stand twice in the text that a person, or git, commits:
// one lesson, which counts what both of them count, the same on every clone.
func TestWalkOfARecordThatStandsTwice(t *testing.T) {
	a, b := newClones(t)
	a.learn("Twice")
	text := read(t, filepath.Join(a.path, "core/index.json"))
	record := text[strings.Index(text, "    {\n      \"key\": \"twice\""):strings.Index(text, "\n  ]")]
	id := regexp.MustCompile(`"r-[0-9a-f]+"`)
	write(t, a.path, "core/index.json", strings.Replace(text, record, record+",\n"+id.ReplaceAllString(record, `"r-000000000001"`), 1))
	git(t, a.path, "commit", "-qam", "both")
	if n := strings.Count(read(t, filepath.Join(a.path, "core/index.json")), `"key": "twice"`); n != 2 {
		t.Fatalf("the record stands there %d times", n)
	}
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "theirs", a.path, "main")
	a.want("Shared 1, Twice 2")
	b.want("Shared 1, Twice 2, Shared too 1")
	b.learn("Twice")
	git(t, a.path, "pull", "-q", "--no-rebase", "-X", "theirs", "origin", "main")
	a.want("Shared 1, Twice 3, Shared too 1")
	if x, y := read(t, filepath.Join(a.path, "core/index.json")), read(t, filepath.Join(b.path, "core/index.json")); x != y || strings.Count(x, `"key": "twice"`) != 1 {
		t.Errorf("one is\n%s\nand the other is\n%s", x, y)
	}
}

// git reads its index before it locks it: a commit made at the same moment as one of
// mem's is made of the index as it was, and leaves out what mem wrote. That lies in the
// work tree still, and counts, also for a clone that saw the commit before mem did.
func TestCommitOfAnOldGitIndex(t *testing.T) {
	for _, isShared := range []bool{false, true} {
		a, b := newClones(t)
		git(t, a.path, "pull", "-q", "--no-rebase", "origin", "main")
		gitIndex := filepath.Join(a.path, ".git", "index")
		old, err := os.ReadFile(gitIndex)
		if err != nil {
			t.Fatal(err)
		}
		a.learn("Kept")
		a.settle(func(m *repo.Memory) (repo.Message, error) {
			m.Index.Items[0].Change(func(it *index.Item) { it.Status = index.Retired })
			return repo.Message{Subject: "retire"}, m.WriteFile("learnings/general/kept.md", []byte("Kept\n"))
		})
		if err := errors.Join(os.WriteFile(gitIndex, old, 0o600), os.WriteFile(filepath.Join(a.path, "own.md"), []byte("a person's\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		git(t, a.path, "add", "own.md")
		git(t, a.path, "commit", "-q", "-m", "by hand")
		if isShared {
			git(t, b.path, "pull", "-q", "--no-rebase", a.path, "main")
			b.want("Shared 1, Shared too 1")
		}
		a.want("Kept 1, Shared too 1")
		if got := git(t, a.path, "show", "HEAD:learnings/general/kept.md"); got != "Kept\n" {
			t.Errorf("the captured learning is %q", got)
		}
		git(t, b.path, "pull", "-q", "--no-rebase", a.path, "main")
		b.want("Kept 1, Shared too 1")
	}
}

// A reset to what git made is a reset to what mem makes of that: the revert is an undo,
// and the views are those of the index.
func TestWalkAfterAReset(t *testing.T) {
	a, b := newClones(t)
	a.learn("Wrong")
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "theirs", a.path, "main")
	b.want("Shared 1, Wrong 1, Shared too 1")
	git(t, a.path, "revert", "--no-edit", "HEAD")
	git(t, a.path, "checkout", "HEAD~1", "--", "core/CORE.md")
	git(t, a.path, "commit", "-q", "--amend", "--no-edit")
	a.want("Shared 1")
	undone := read(t, filepath.Join(a.path, "core/index.json"))
	a.learn("More")
	git(t, a.path, "reset", "-q", "--hard", "HEAD~2")
	a.want("Shared 1")
	if got := read(t, filepath.Join(a.path, "core/index.json")); got != undone || !strings.Contains(got, `"undone"`) {
		t.Errorf("it was\n%s\nand is\n%s", undone, got)
	}
	if view := read(t, filepath.Join(a.path, "core/CORE.md")); strings.Contains(view, "Wrong") {
		t.Errorf("the view says:\n%s", view)
	}
	git(t, a.path, "pull", "-q", "--no-rebase", "-X", "ours", b.path, "main")
	a.want("Shared 1, Shared too 1")
}

// What is reverted in a fresh clone, before any command of mem, is an undo too.
func TestWalkOfAFreshClone(t *testing.T) {
	a, _ := newClones(t)
	a.learn("Wrong")
	b := &walker{t, filepath.Join(t.TempDir(), "b"), t0.Add(time.Hour)}
	git(t, a.path, "clone", "-q", a.path, b.path)
	git(t, b.path, "revert", "--no-edit", "HEAD")
	b.want("Shared 1")
	a.learn("More")
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "ours", a.path, "main")
	b.want("Shared 1, More 1")
}

// What git's merge of two texts looks like counts for nothing: a merge is what both
// sides had.
func TestWalkOfAMergedText(t *testing.T) {
	a, b := newClones(t)
	a.learn("Shared")
	git(t, a.path, "pull", "-q", "--no-rebase", "-s", "ours", b.path, "main")
	text := read(t, filepath.Join(a.path, "core/index.json"))
	write(t, a.path, "core/index.json", strings.Replace(text, `"hits": 2`, `"hits": 7`, 1))
	git(t, a.path, "commit", "-qa", "--amend", "--no-edit")
	a.want("Shared 2, Shared too 1")
}

// A lesson that was made part of another, and learned by itself elsewhere, has its words
// again once it is parted from that: some commit has them.
func TestWalkOfAPartedLesson(t *testing.T) {
	a, b := newClones(t)
	a.learn("Mine")
	b.learn("One", "Two")
	c := &walker{t, filepath.Join(t.TempDir(), "c"), t0.Add(2 * time.Hour)}
	git(t, b.path, "clone", "-q", b.path, c.path)
	c.learn("Two")
	b.settle(func(m *repo.Memory) (repo.Message, error) {
		n := len(m.Index.Items)
		m.Index.RewordRecords(map[string]string{m.Index.Items[n-2].ID: "Both", m.Index.Items[n-1].ID: "Both"}, m.Now())
		return repo.Message{Subject: "redistill"}, nil
	})
	git(t, a.path, "pull", "-q", "--no-rebase", "-X", "theirs", b.path, "main")
	merged := strings.TrimSpace(git(t, a.path, "rev-parse", "HEAD"))
	a.want("Shared 1, Mine 1, Shared too 1, Both 2")
	git(t, a.path, "revert", "--no-edit", "-m", "1", "-X", "theirs", merged)
	a.want("Shared 1, Mine 1")
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "ours", c.path, "main")
	b.want("Shared 1, Shared too 1, Both 3")
	git(t, a.path, "pull", "-q", "--no-rebase", "-X", "ours", b.path, "main")
	a.want("Shared 1, Mine 1, Two 1")
}

// A revert that mem looked at before is one also where another clone merged it before that,
// and this one takes that merge instead of what mem made of the revert.
func TestWalkOfAMergedRevert(t *testing.T) {
	a, b := newClones(t)
	a.learn("Wrong")
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "theirs", a.path, "main")
	b.want("Shared 1, Wrong 1, Shared too 1")
	b.learn("More")
	git(t, a.path, "revert", "--no-edit", "HEAD")
	git(t, b.path, "pull", "-q", "--no-rebase", "-X", "ours", a.path, "main")
	b.want("Shared 1, Shared too 1, More 1")
	git(t, b.path, "reset", "-q", "--soft", "HEAD~1") // as a driver merges
	git(t, b.path, "commit", "-q", "--amend", "--no-edit")
	a.want("Shared 1")
	git(t, a.path, "pull", "-q", "--rebase", "-X", "ours", b.path, "main")
	a.want("Shared 1, Shared too 1, More 1")
}
