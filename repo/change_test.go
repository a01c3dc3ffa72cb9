package repo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/repo"

	"mem/envtest"
)

// key is a text that must not be kept.
const key = "AKIA" + "Z7XKQ2MPL5RWT3BN"

// commitAsPerson commits a file with git, as a person does who keeps a secret in it.
func commitAsPerson(t *testing.T, root, path string) {
	t.Helper()
	git(t, root, "add", path)
	git(t, root, "commit", "-q", "-m", "mine")
}

// A change in the middle of a file, or its move, scrubs the lines that are new
// and leaves those that a person committed as they are.
func TestWriteLeavesOldLines(t *testing.T) {
	const theirs = "\ufeff# Mine\r\n\r\nmy key is " + key + "\r\n"
	for name, test := range map[string]struct{ old, data, want string }{
		"added":                      {theirs, theirs + "new " + key + "\n", theirs + "new [redacted:aws-access-key]\n"},
		"added to an open line":      {theirs + "x", theirs + "x" + "\ny", theirs + "x\ny"},
		"in the middle":              {theirs + "old\r\n" + theirs, theirs + "new\u200b " + key + "\r\n" + theirs, theirs + "new [redacted:aws-access-key]\r\n" + theirs},
		"taken out":                  {theirs + "old\r\n" + theirs, theirs + theirs, theirs + theirs},
		"a secret that begins alike": {"key " + key[:8] + "\nend\n", "key " + key + "\nend\n", "key [redacted:aws-access-key]\nend\n"},
		"a secret that ends alike":   {"start\n" + key[8:] + " is it\n", "start\n" + key + " is it\n", "start\n[redacted:aws-access-key] is it\n"},
		"emptied":                    {"x\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, repo.Options{})
			envtest.Write(t, test.old, r.Path(), "rules/a.md")
			commitAsPerson(t, r.Path(), "rules/a.md")
			settle(t, r, func(m *repo.Memory) (repo.Message, error) {
				return repo.Message{Subject: "change"}, m.WriteFile("rules/a.md", []byte(test.data))
			})
			envtest.Same(t, test.want, read(t, filepath.Join(r.Path(), "rules/a.md")))
		})
	}
}

func TestMove(t *testing.T) {
	const theirs = "mine\r\n" + key + "\r\nend\r\n"
	testMove(t, true, theirs, "new [redacted:aws-access-key]\n"+theirs)
	testMove(t, false, theirs, "new [redacted:aws-access-key]\nmine\n[redacted:aws-access-key]\nend\n")
}

func testMove(t *testing.T, committed bool, theirs, want string) {
	t.Helper()
	r := create(t, repo.Options{Warn: func(string) {}})
	envtest.Write(t, theirs, r.Path(), "learnings/coding/a.md")
	if committed {
		commitAsPerson(t, r.Path(), "learnings/coding/a.md")
	}
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		err := m.MoveFile("learnings/coding/none.md", "learnings/archived/none.md", nil)
		envtest.FailIf(t, !os.IsNotExist(err) && err == nil, "what is not there was moved")
		return repo.Message{Subject: "archive"}, m.MoveFile("learnings/coding/a.md", "learnings/archived/a.md", []byte("new "+key+"\n"+theirs))
	})
	envtest.Same(t, want, read(t, filepath.Join(r.Path(), "learnings/archived/a.md")))
	_, err := os.Lstat(filepath.Join(r.Path(), "learnings/coding/a.md"))
	envtest.FailIf(t, !os.IsNotExist(err), "it is still there: %v", err)
	sound(t, r.Path())
}

// What follows from lessons is in the commit that counts them, no matter who counts
// them, and in the plan of it; a callback that counts none is left alone.
func TestLearned(t *testing.T) {
	calls := 0
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{
		Learned: func(m *repo.Memory, changes []index.Change, msg *repo.Message) error {
			calls++
			msg.Body = append(msg.Body, "and more")
			return m.WriteFile("patterns/one.md", []byte(m.Index.Items[changes[0].Pos].Text+"\n"))
		},
	})
	envtest.NoError(t, err)
	defer r.Close()
	m, err := r.View(t0)
	envtest.NoError(t, err)
	plan, err := m.Preview(learn("One"))
	envtest.FailIf(t, err != nil || !strings.Contains(strings.Join(plan.Files, " "), "patterns/one.md"),
		"plan %q, %v", plan.Files, err)
	settle(t, r, learn("One"))
	envtest.Same(t, "One\n", git(t, r.Path(), "show", "HEAD:patterns/one.md"), "the commit holds")
	got := git(t, r.Path(), "log", "-1", "--format=%b")
	envtest.FailIf(t, !strings.Contains(got, "and more"), "the commit says %q", got)
	calls = 0
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "other"}, m.WriteFile("notes.md", []byte("x\n"))
	})
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		_, err := learn("Two")(m)
		return repo.Message{}, err
	})
	envtest.Same(t, 0, calls, "called")
}

// Each of the commits that are made together has an index of its own; one that says nothing is none.
func TestTogether(t *testing.T) {
	for last, want := range map[string][]string{"": {"0", "1", "2"}, "Three": {"0", "1", "2", "3"}} {
		r := create(t, repo.Options{})
		settle(t, r, func(m *repo.Memory) (repo.Message, error) {
			m.Then(t0.Add(time.Hour), func(m *repo.Memory) (repo.Message, error) {
				if last == "" {
					return repo.Message{}, nil
				}
				return learn(last)(m)
			})
			m.Then(t0, learn("Two"))
			return learn("One")(m)
		})
		var got []string // lessons in the index of each commit, the oldest first
		for commit := range strings.FieldsSeq(git(t, r.Path(), "rev-list", "--reverse", "HEAD")) {
			got = append(got, fmt.Sprint(strings.Count(git(t, r.Path(), "show", commit+":"+repo.IndexPath), `"key"`)))
		}
		envtest.FailIf(t, !slices.Equal(got, want),
			"%q: %q lessons in the index of each commit, want %q", last, got, want)
		sound(t, r.Path())
		envtest.NoError(t, r.Close())
	}
}
