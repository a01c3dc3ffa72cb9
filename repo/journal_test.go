package repo_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/facts"
	"mem/index"
	"mem/render"
	"mem/repo"

	"mem/envtest"
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
	envtest.NoError(t, err)
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

func (c *walker) settle(f func(*repo.Memory) (repo.Message, error)) {
	c.Helper()
	c.now = c.now.Add(time.Minute)
	envtest.NoError(c, within(c.path, repo.Options{}, func(r *repo.Root) error {
		_, err := r.Settle(c.Context(), c.now, f)
		return err
	}))
}

func (c *walker) learn(text string) {
	c.Helper()
	c.settle(func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text}}})
		return repo.Message{Subject: "learn: " + text}, nil
	})
}

// reflect counts a lesson, tells of it in the journal, and says how far a session was read.
func (c *walker) reflect(id, text string) {
	c.Helper()
	c.settle(func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{ID: id, Label: "task", Trace: "pi:s", Mark: &facts.Mark{Last: id, At: m.Now(), Events: 1, Read: m.Now()}, Fixes: []index.Lesson{{Text: text}}})
		return repo.Message{Subject: "reflect: " + id}, nil
	})
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
	err := clean(c.path)
	envtest.FailIf(c, err != nil, "%s: %v", c.path, err)
	err = isFold(c.path, []byte(read(c.T, filepath.Join(c.path, repo.IndexPath))))
	envtest.FailIf(c, err != nil, "%v", err)
	return strings.Join(list, ", ")
}

// do runs git as on a machine without mem's drivers, where it may stop at a conflict.
func (c *walker) do(args ...string) {
	c.Helper()
	_ = os.Remove(filepath.Join(c.path, ".git/info/attributes"))
	_, _ = exec.Command("git", append([]string{"-C", c.path}, args...)...).CombinedOutput()
}

func (c *walker) want(want string) {
	c.Helper()
	envtest.Same(c, want, c.look(), filepath.Base(c.path), "has")
}

const firstDay = "daily/2026-02-03.md"

// tells wants the journal of the first day to tell of these reflections, as HEAD and the work tree have it.
func (c *walker) tells(want string) {
	c.Helper()
	c.look()
	var ids []string
	data, err := os.ReadFile(filepath.Join(c.path, firstDay))
	envtest.StopIf(c, err != nil && !errors.Is(err, fs.ErrNotExist), "%v", err)
	for _, e := range render.ParseDaily(data, t0) {
		ids = append(ids, e.ID)
	}
	if got := strings.Join(ids, " "); got != want || strings.Contains(string(data), "<<<<") {
		c.Errorf("%s tells of %q, want %q:\n%s", filepath.Base(c.path), got, want, data)
	}
}

// note writes a note into the journal by hand.
func note(c *walker) {
	c.Helper()
	envtest.Write(c.T, read(c.T, filepath.Join(c.path, firstDay))+"\n## Mine\n\nA note.\n", c.path, firstDay)
}

// TestJournal: entries follow the facts, whatever git did to the files, and what a person
// wrote there stays. No clone here has the drivers.
func TestJournal(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(a, b *walker)
		want string
		says string
	}{
		"a merge that keeps ours": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
		}, "r-1 r-2", ""},
		"a merge that keeps theirs": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", "origin", "main")
			a.do("checkout", "-q", "FETCH_HEAD", "--", firstDay)
			a.do("commit", "-q", "--amend", "--no-edit")
		}, "r-1 r-2", ""},
		"markers that were committed": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "origin", "main")
			a.do("commit", "-qam", "as it is")
		}, "r-1 r-2", ""},
		"a revert of the latest": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "two")
			a.do("revert", "--no-edit", "HEAD")
		}, "r-1", ""},
		"a revert of that": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.do("revert", "--no-edit", "HEAD")
			a.tells("")
			git(a.T, a.path, "revert", "--no-edit", "HEAD~1")
		}, "r-1", ""},
		"an entry that was taken out by hand": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "two")
			text := read(a.T, filepath.Join(a.path, firstDay))
			envtest.Write(a.T, "# 2026-02-03\n"+text[strings.LastIndex(text, "\n## ")-1:], a.path, firstDay)
			git(a.T, a.path, "commit", "-qam", "nothing to tell")
		}, "r-2", ""},
		"an entry that git put into another once more": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "one")
			text := read(a.T, filepath.Join(a.path, firstDay))
			first, _, _ := strings.Cut(text[strings.Index(text, "## "):], "\n\n")
			envtest.Write(a.T, strings.Replace(text, "mem:r-2 pi:s -->\n", "mem:r-2 pi:s -->\n"+first+"\n", 1), a.path, firstDay)
			git(a.T, a.path, "commit", "-qam", "squashed")
		}, "r-1 r-2", "mem:r-2 pi:s -->\n\n### How it was fixed\n\n- one\n"},
		"a note in the work tree": {func(a, b *walker) {
			a.reflect("r-1", "one")
			note(a)
			a.reflect("r-2", "two")
		}, "r-1 r-2", "one\n\n## Mine\n\nA note.\n\n## "},
		"a note that git merged before mem saw it": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			note(b)
			git(b.T, b.path, "commit", "-qam", "mine")
			git(a.T, a.path, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main") // with the drivers
		}, "r-1 r-2", "## Mine\n\nA note.\n"},
		"a note that git rebased before mem saw it": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			note(a)
			git(a.T, a.path, "commit", "-qam", "mine")
			git(a.T, a.path, "pull", "-q", "--rebase", "origin", "main")
		}, "r-1 r-2", "## Mine\n\nA note.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newClones(t)
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
			a.look()
			test.do(a, b)
			a.tells(test.want)
			text, _ := os.ReadFile(filepath.Join(a.path, firstDay))
			envtest.FailIf(t, !strings.Contains(string(text), test.says), "the day says\n%s", text)
			b.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", a.path, "main")
			b.tells(test.want)
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", "origin", "main")
			a.tells(test.want)
			for _, file := range []string{"core/index.json", "core/CORE.md", firstDay} {
				x, err := os.ReadFile(filepath.Join(a.path, file))
				y, err2 := os.ReadFile(filepath.Join(b.path, file))
				if string(x) != string(y) || fmt.Sprint(err) != strings.ReplaceAll(fmt.Sprint(err2), b.path, a.path) {
					t.Errorf("%s differs:\n%s\n%s", file, x, y)
				}
			}
		})
	}
}

// TestRevertKeepsWhatWasRead: a plain revert takes back what was learned, not that it was
// read: the next hook of the session would bring it back.
func TestRevertKeepsWhatWasRead(t *testing.T) {
	a, _ := newClones(t)
	for _, id := range []string{"r-1", "r-2"} {
		a.reflect(id, "one")
		git(t, a.path, "revert", "--no-edit", "HEAD")
		said, _ := os.ReadFile(filepath.Join(a.path, repo.TracesPath))
		envtest.StopIf(t, strings.Contains(string(said), `"`+id+`"`), "git left %s", said)
		a.want("Shared 1")
		if said := read(t, filepath.Join(a.path, repo.TracesPath)); !strings.Contains(said, `"last": "`+id+`"`) || !strings.Contains(said, `"r-1"`) {
			t.Errorf("settled to %s", said)
		}
	}
	commits := git(t, a.path, "rev-parse", "HEAD")
	a.look()
	envtest.Same(t, commits, git(t, a.path, "rev-parse", "HEAD"), "it was settled again")
}

// git reads its index before it locks it: a commit made at the same moment as one of mem's is made of the index as it
// was, and leaves out what mem wrote. That lies in the work tree still, and counts.
func TestCommitOfAnOldGitIndex(t *testing.T) {
	a, b := newClones(t)
	a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
	gitIndex := filepath.Join(a.path, ".git", "index")
	old := read(t, gitIndex)
	a.learn("Kept")
	a.settle(func(m *repo.Memory) (repo.Message, error) {
		m.Index.Items[0].Change(func(it *index.Item) { it.Status = index.Retired })
		return repo.Message{Subject: "retire"}, m.WriteFile("learnings/general/kept.md", []byte("Kept\n"))
	})
	envtest.Write(t, old, a.path, ".git/index")
	envtest.Write(t, "a person's\n", a.path, "own.md")
	git(t, a.path, "add", "own.md")
	git(t, a.path, "commit", "-q", "-m", "by hand")
	a.want("Shared too 1, Kept 1")
	envtest.Same(t, "Kept\n", git(t, a.path, "show", "HEAD:learnings/general/kept.md"), "the captured learning is")
	b.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", a.path, "main")
	b.want("Shared too 1, Kept 1")
}

// What a commit takes out of a day is a person's, unless it is one of mem's that git copied.
func TestEntryTakenOut(t *testing.T) {
	for message, want := range map[string]string{"by hand": "r-1", "settle: x\n\nMem-Settles: x\nMem-Version: devel": "r-1 r-2"} {
		a, _ := newClones(t)
		a.reflect("r-1", "one")
		one := read(t, filepath.Join(a.path, firstDay))
		a.reflect("r-2", "two")
		envtest.Write(t, one, a.path, firstDay)
		git(t, a.path, "commit", "-qam", message)
		a.tells(want)
		a.want("Shared 1, one 1, two 1")
	}
}

// A rebase may take one side's index: what the facts beside it say is not by hand, also where they were taken back.
func TestFactsBesideAnotherIndex(t *testing.T) {
	a, b := newClones(t)
	a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
	a.look()
	old := read(t, filepath.Join(a.path, repo.IndexPath))
	a.propose("---\nid: pattern-001\nkey: coding/kind\n---\n\nA rule.\n")
	b.do("pull", "-q", "--no-rebase", "--no-edit", a.path, "main")
	b.look()
	envtest.Write(t, old, b.path, repo.IndexPath)
	git(t, b.path, "commit", "-qam", "settle: x\n\nMem-Version: devel")
	git(t, a.path, "revert", "--no-edit", "HEAD")
	a.look()
	a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
	a.want("Shared 1, Shared too 1")
	envtest.Same(t, "", git(t, a.path, "ls-files", "patterns"), "there is")
}

// propose makes a proposal.
func (c *walker) propose(text string) {
	c.Helper()
	c.settle(func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "propose"}, m.WriteFile("patterns/pattern-001.md", []byte(text))
	})
}

// A fact may come from anybody: what it says names no file but those of days, months and proposals.
func TestFactsNameNoFile(t *testing.T) {
	a, b := newClones(t)
	a.propose("---\nid: pattern-001\nkey: coding/kind\n---\n\nA rule.\n")
	a.propose("---\nkey: coding/kind\n---\n\nA better rule.\n") // which keeps its number
	was := read(t, filepath.Join(a.path, ".git/config"))
	f := facts.Fact{Kind: facts.Edit}
	for _, name := range []string{".git/config", "README.md", "../out", "core/log/x", "core/index.json", "a/b", "x/../../y", "patterns/pattern-a/../../.git/config.md", "patterns/pattern-a/../b.md", "patterns/pattern-\x00.md", "patterns/pattern-" + strings.Repeat("long", 99) + ".md"} {
		f.Notes = append(f.Notes, facts.Note{Day: "proposal", Entry: name, Text: "Odd.\n"}, facts.Note{Day: name, Entry: "t-1", Text: "Odd."})
	}
	b.settle(func(m *repo.Memory) (repo.Message, error) {
		m.Learn(f)
		return repo.Message{Subject: "odd"}, nil
	})
	a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
	a.want("Shared 1, Shared too 1")
	for name := range strings.FieldsSeq(git(t, a.path, "grep", "-l", "^Odd", "HEAD")) {
		ok, _ := path.Match("HEAD:patterns/pattern-???.md", name)
		envtest.FailIf(t, !ok, "a fact was written to %s", name)
	}
	envtest.Same(t, was, read(t, filepath.Join(a.path, ".git/config")), "git's settings are")
	text := read(t, filepath.Join(a.path, "patterns/pattern-001.md"))
	envtest.FailIf(t, !strings.Contains(text, "A better rule."), "the first proposal is %q", text)
}

// TestFoldLog: what is kept of a log is what all of its facts give, whatever git did to them, and only new ones are read.
func TestFoldLog(t *testing.T) {
	a, b := newClones(t)
	fits := true
	fold := func(want int) {
		t.Helper()
		var ids map[string]int
		all, calls := map[string]int{}, 0
		add := func(v map[string]int, f facts.Fact) { v[f.ID], calls = len(v), calls+1 }
		b.settle(func(m *repo.Memory) (_ repo.Message, err error) {
			log, errRead := m.ReadLog()
			ids, err = repo.FoldLog(m, repo.NoteShown, func(map[string]int) bool { return fits }, add)
			for _, f := range log.Facts() {
				all[f.ID] = len(all)
			}
			return repo.Message{}, errors.Join(err, errRead)
		})
		envtest.Same(t, all, ids)
		envtest.Same(t, want, calls, "facts were read")
	}
	for i := range 15 {
		b.learn(fmt.Sprint("Lesson ", i))
	}
	fold(17)
	fold(0)
	b.learn("One more")
	fold(1)
	fits = false
	fold(18)
	fits = true
	a.learn("Between")
	b.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", a.path, "main")
	b.look()
	fold(19)
	fold(0)
	b.do("reset", "-q", "--hard", "HEAD~2")
	fold(18)
}
