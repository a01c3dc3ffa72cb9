package repo_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/union"
)

// reflect counts lessons and writes an entry, and how far a session was read, as a
// reflection does.
func (c *walker) reflect(id string, texts ...string) {
	c.Helper()
	c.settle(func(m *repo.Memory) (repo.Message, error) {
		var fixes []index.Lesson
		for _, text := range texts {
			fixes = append(fixes, index.Lesson{Text: text})
		}
		m.Learn(index.Reflection{ID: id, Fixes: fixes})
		day := render.DailyPath(m.Now())
		old, err := m.ReadFile(day)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repo.Message{}, err
		}
		said := `{"version":1,"traces":{"pi:s":{"last":"` + id + `","at":"` + m.Now().Format("2006-01-02T15:04:05Z") + `","events":1,"read":"2026-02-03T04:05:06Z"}},"reflections":["` + id + `"]}` + "\n"
		err = errors.Join(m.WriteFile(day, render.Daily(old, render.Entry{ID: id, At: m.Now(), Label: "task", Fixes: texts})), m.WriteFile(repo.TracesPath, []byte(said)))
		return repo.Message{Subject: "reflect: " + id}, err
	})
}

const firstDay = "daily/2026-02-03.md"

// tells wants the journal of the first day to tell of these reflections, as HEAD and the
// work tree have it.
func (c *walker) tells(want string) {
	c.Helper()
	c.look()
	var ids []string
	data, err := os.ReadFile(filepath.Join(c.path, firstDay))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Fatal(err)
	}
	if want == "" && !union.IsBlank(data) {
		c.Errorf("%s has a day of nothing:\n%s", filepath.Base(c.path), data)
	}
	for _, e := range render.ParseDaily(data, t0) {
		ids = append(ids, e.ID)
	}
	if got := strings.Join(ids, " "); got != want {
		c.Errorf("%s tells of %q, want %q:\n%s", filepath.Base(c.path), got, want, data)
	}
	if len(data) > 0 && (strings.Contains(string(data), "<<<<") || git(c.T, c.path, "show", "HEAD:"+firstDay) != string(data)) {
		c.Errorf("the day is not what HEAD has:\n%s", data)
	}
}

// TestWalkOfTheJournal: entries follow the sightings, whatever git did to the files.
// No clone here has the driver.
func TestWalkOfTheJournal(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(a, b *walker)
		a, b string
	}{
		"a merge that keeps ours": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-s", "ours", "origin", "main")
		}, "r-1 r-2", "r-1 r-2"},
		"a merge that keeps theirs": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", "origin", "main")
			a.do("checkout", "-q", "FETCH_HEAD", "--", firstDay)
			a.do("commit", "-q", "--amend", "--no-edit")
		}, "r-1 r-2", "r-1 r-2"},
		"markers that were committed": {func(a, b *walker) {
			a.reflect("r-1", "one")
			b.reflect("r-2", "two")
			a.do("pull", "-q", "--no-rebase", "origin", "main")
			a.do("commit", "-qam", "as it is")
		}, "r-1 r-2", "r-1 r-2"},
		"a revert of the latest": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "two")
			git(t, a.path, "revert", "--no-edit", "HEAD")
		}, "r-1", "r-1"},
		"a revert of that": {func(a, b *walker) {
			a.reflect("r-1", "one")
			git(t, a.path, "revert", "--no-edit", "HEAD")
			a.tells("")
			git(t, a.path, "revert", "--no-edit", "HEAD~1")
		}, "r-1", "r-1"},
		"a revert of the first of a day, and the day goes with it": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "two")
			a.do("revert", "--no-edit", "HEAD~1")
			a.do("rm", "-q", firstDay)
			a.do("checkout", "-q", "HEAD", "--", "core", "long-term-memory.md")
			text := read(t, filepath.Join(a.path, "core/index.json")) // as a person resolves it, by hand
			from, to := strings.Index(text, `"text": "one"`), strings.Index(text, `"text": "two"`)
			from, to = strings.LastIndex(text[:from], "    {"), strings.LastIndex(text[:to], "    {")
			write(t, a.path, "core/index.json", text[:from]+text[to:])
			a.do("add", "-A")
			git(t, a.path, "-c", "core.editor=true", "revert", "--continue")
		}, "r-2", "r-2"},
		"a lesson that was taken out by hand": {func(a, b *walker) {
			a.reflect("r-1", "one")
			write(t, a.path, "core/index.json", git(t, a.path, "show", "HEAD~1:core/index.json")+"\n")
			git(t, a.path, "commit", "-qam", "not that")
		}, "", ""},
		"an entry that was taken out by hand": {func(a, b *walker) {
			a.reflect("r-1", "one")
			a.reflect("r-2", "two")
			b.do("pull", "-q", "--no-rebase", "--no-edit", "-s", "ours", a.path, "main")
			b.tells("r-1 r-2")
			text := read(t, filepath.Join(a.path, firstDay))
			write(t, a.path, firstDay, "# 2026-02-03\n"+text[strings.LastIndex(text, "\n## ")-1:])
			git(t, a.path, "commit", "-qam", "nothing to tell")
		}, "r-2", "r-2"},
		"an entry that came back without its sighting": {func(a, b *walker) {
			a.reflect("r-1", "one")
			git(t, a.path, "revert", "--no-edit", "HEAD")
			a.tells("")
			git(t, a.path, "checkout", "-q", "HEAD~2", "--", firstDay)
			git(t, a.path, "commit", "-qm", "again")
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newClones(t)
			a.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
			a.look()
			test.do(a, b)
			a.tells(test.a)
			b.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", a.path, "main")
			b.tells(test.b)
			a.do("pull", "-q", "--no-rebase", "--no-edit", "-X", "theirs", "origin", "main")
			a.tells(test.b)
			for _, file := range []string{"core/index.json", "core/CORE.md"} {
				if x, y := read(t, filepath.Join(a.path, file)), read(t, filepath.Join(b.path, file)); x != y {
					t.Errorf("%s differs:\n%s\n%s", file, x, y)
				}
			}
		})
	}
}

// TestWalkKeepsWhatWasRead: a plain revert takes back what was learned, not that it was
// read: the next hook of the session would bring it back.
func TestWalkKeepsWhatWasRead(t *testing.T) {
	a, _ := newClones(t)
	a.reflect("r-1", "one")
	git(t, a.path, "revert", "--no-edit", "HEAD") // which made the file
	a.want("Shared 1")
	if said := read(t, filepath.Join(a.path, repo.TracesPath)); !strings.Contains(said, "r-1") {
		t.Errorf("the walk left %s", said)
	}
	a.reflect("r-1", "one")
	a.reflect("r-2", "two")
	git(t, a.path, "revert", "--no-edit", "HEAD")
	if said := read(t, filepath.Join(a.path, repo.TracesPath)); strings.Contains(said, "r-2") {
		t.Fatalf("git left %s", said)
	}
	a.want("Shared 1, one 1")
	if said := read(t, filepath.Join(a.path, repo.TracesPath)); !strings.Contains(said, `"last": "r-2"`) || !strings.Contains(said, `"r-1",`) {
		t.Errorf("the walk left %s", said)
	}
	commits := git(t, a.path, "rev-parse", "HEAD")
	a.look()
	if now := git(t, a.path, "rev-parse", "HEAD"); now != commits {
		t.Error("it was settled again")
	}
}
