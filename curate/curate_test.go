package curate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mem/curate"
	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// A bench is a memory that patterns are looked for in.
type bench struct {
	*repo.Root
	t *testing.T
	d *curate.Detector

	now time.Time // when the next command runs
}

// newBench makes a memory. With auto, matters of form need no person.
func newBench(t *testing.T, auto bool) *bench {
	t.Helper()
	d := &curate.Detector{}
	if auto {
		d.AutoApply = func(string) bool { return true }
	}
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{Learned: d.AfterLearning, Views: curate.RenderViews})
	envtest.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return &bench{r, t, d, t0}
}

func (b *bench) settle(f func(*repo.Memory) (repo.Message, error)) repo.Commit {
	b.t.Helper()
	c, err := b.Settle(b.t.Context(), b.now, f)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// learn captures a text with tags between spaces, by default of coding.
func (b *bench) learn(text, tags string) (curate.Noted, repo.Commit) {
	b.t.Helper()
	return b.capture(curate.Capture{Text: text, Domain: "coding", Tags: strings.Fields(tags)})
}

func (b *bench) capture(c curate.Capture) (n curate.Noted, commit repo.Commit) {
	b.t.Helper()
	c, err := c.ScrubText()
	if err != nil {
		b.t.Fatal(err)
	}
	commit = b.settle(func(m *repo.Memory) (msg repo.Message, err error) {
		n, msg, err = c.LearnIn(m)
		return msg, err
	})
	return n, commit
}

// reflect counts lessons as a session brings them.
func (b *bench) reflect(session string, lessons ...index.Lesson) repo.Commit {
	b.t.Helper()
	return b.settle(func(m *repo.Memory) (repo.Message, error) {
		for i := range lessons {
			lessons[i].Source.Session = session
		}
		m.Learn(facts.Fact{Fixes: lessons})
		return repo.Message{Subject: "chore(memory): 2026-02-03 task"}, nil
	})
}

// scan looks at everything until there is nothing left to do, and returns the subjects of the commits.
func (b *bench) scan() (subjects []string) {
	b.t.Helper()
	for range 10 {
		before := strings.TrimSpace(b.git("rev-list", "--all", "--count"))
		c := b.settle(b.d.ScanAll)
		if c.Subject == "" || c.Subject == "edit: hand edits" {
			return subjects
		}
		n, _ := strconv.Atoi(before)
		all := strings.Split(strings.TrimSpace(b.git("log", "--reverse", "--format=%s")), "\n")
		subjects = append(subjects, slices.DeleteFunc(all[n:], func(subject string) bool {
			return strings.HasPrefix(subject, "edit: ") || strings.HasPrefix(subject, "settle: ") // what a person changed
		})...)
	}
	b.t.Fatal("the scans do not end")
	return nil
}

func (b *bench) view() *repo.Memory {
	b.t.Helper()
	m, err := b.View(t0)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// pending lists what waits, as id, title and sources.
func (b *bench) pending() (list []string) {
	b.t.Helper()
	all, _, err := curate.Queues{curate.RuleQueue{}}.ListPending(b.view())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range all {
		list = append(list, fmt.Sprintf("%s %s: %d", p.ID, p.Title, len(p.From)))
	}
	return list
}

func (b *bench) approve(id string, d curate.Decision) repo.Commit {
	b.t.Helper()
	return b.settle(func(m *repo.Memory) (repo.Message, error) {
		d.ID, d.Verb = id, curate.Approve
		return curate.Queues{curate.RuleQueue{}}.Decide(m, d)
	})
}

func (b *bench) reject(id, reason string) repo.Commit {
	b.t.Helper()
	return b.settle(func(m *repo.Memory) (repo.Message, error) {
		return curate.Queues{curate.RuleQueue{}}.Decide(m, curate.Decision{ID: id, Verb: curate.Reject, Reason: reason})
	})
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Path(), name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) place(name, text string) {
	b.t.Helper()
	at := filepath.Join(b.Path(), name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	return envtest.Git(b.t, b.Path(), args...)
}

// clean checks that nothing is left uncommitted.
func (b *bench) clean() {
	b.t.Helper()
	envtest.Same(b.t, "", b.git("status", "--porcelain"), "git status")
}
