package curate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mem/curate"
	"mem/curate/proposal"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// An operation is done once, however often it is tried.
type operation struct {
	name   string
	before func(*bench)
	do     func(*repo.Memory) (repo.Message, error)
}

// once makes an operation of a capture, which would otherwise count again.
func once(text, tags string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		for _, it := range m.Index.Items {
			if it.Text == text {
				return repo.Message{}, nil
			}
		}
		_, msg, err := curate.Capture{Text: text, Domain: "coding", Tags: strings.Fields(tags)}.LearnIn(m)
		return msg, err
	}
}

// decided makes an operation of a decision.
func decided(do func(m *repo.Memory) (repo.Message, error)) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		msg, err := do(m)
		if errors.Is(err, proposal.ErrDecided) {
			return repo.Message{}, nil
		}
		return msg, err
	}
}

var operations = []operation{
	{"learn", func(b *bench) { b.learn("One", "errors go") }, once("Two", "errors go")},
	{"learn, and there is a pattern", func(b *bench) { b.learn("One", "errors go"); b.learn("Two", "errors go") }, once("Three", "errors go")},
	{"learn, and there is a rule", func(b *bench) { b.learn("One", "import-order go"); b.learn("Two", "import-order go") }, once("Three", "import-order go")},
	{"approve", three, decided(func(m *repo.Memory) (repo.Message, error) {
		return proposal.Queues{curate.RuleQueue{}}.Decide(m, proposal.Decision{ID: "pattern-001", Verb: proposal.Approve, Title: "Errors"})
	})},
	{"approve after an edit by hand", func(b *bench) {
		three(b)
		path := "learnings/coding/2026-02-03-wrap-errors.md"
		b.place(path, b.read(path)+"\r\nBy hand.\r\n")
		b.place("CHANGELOG.md", "Mine")
	}, decided(func(m *repo.Memory) (repo.Message, error) {
		return proposal.Queues{curate.RuleQueue{}}.Decide(m, proposal.Decision{ID: "pattern-001", Verb: proposal.Approve})
	})},
	{"approve, and the rules that are there get files", func(b *bench) {
		three(b)
		b.place("rules/coding.md", "# Coding\n\nWords.\n\n### Mine\n\nBy hand.\n")
	}, decided(func(m *repo.Memory) (repo.Message, error) {
		return proposal.Queues{curate.RuleQueue{}}.Decide(m, proposal.Decision{ID: "pattern-001", Verb: proposal.Approve, Title: "Errors"})
	})},
	{"reject", three, decided(func(m *repo.Memory) (repo.Message, error) {
		return proposal.Queues{curate.RuleQueue{}}.Decide(m, proposal.Decision{ID: "pattern-001", Verb: proposal.Reject, Reason: "no"})
	})},
}

// run tries the operation on the memory in dir.
func (o operation) run(ctx context.Context, dir string, opts repo.Options) (err error) {
	d := &curate.Detector{AutoApply: func(string) bool { return true }}
	opts.Learned, opts.Views = d.AfterLearning, curate.RenderViews
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	_, err = r.Settle(ctx, t0, o.do)
	return err
}

// tip is the name of the last commit, and with it of all that is in the history.
func (b *bench) tip() string {
	b.t.Helper()
	return strings.TrimSpace(b.read(".git/refs/heads/main"))
}

// state is all that a memory holds: the commits, and the files.
func (b *bench) state() string {
	b.t.Helper()
	var s strings.Builder
	s.WriteString(b.tip() + "\n")
	err := filepath.WalkDir(b.Path(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(b.Path(), path)
		s.WriteString(rel + "\n" + string(data) + "\n")
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s.String()
}

// TestSweep stops each operation at each of its changes, and what comes after
// it at some of its own: in the end the memory is, byte for byte, what it is
// without any of that, and before that it is either as before or as after.
func TestSweep(t *testing.T) {
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			template := newBench(t, true)
			o.before(template)
			prepared := func() *bench {
				dir := filepath.Join(t.TempDir(), ".mem")
				if err := os.CopyFS(dir, os.DirFS(template.Path())); err != nil {
					t.Fatal(err)
				}
				r, err := repo.Open(dir, repo.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { r.Close() })
				return &bench{r, t, template.d, t0}
			}
			b := prepared()
			before := b.tip()
			plan := &disktest.Plan{}
			if err := o.run(t.Context(), b.Path(), repo.Options{Fault: plan.Fault}); err != nil {
				t.Fatal(err)
			}
			want, points := b.state(), plan.Seen()
			after := strings.Fields(b.git("log", "--format=%H"))
			if before == after[0] || points < 20 {
				t.Fatalf("%d changes of nothing", points)
			}
			step := 4 // a commit makes many similar changes: a file for each object
			if os.Getenv("MEM_EVERY") != "" {
				step = 1
			}
			for n := 1; n <= points; n += step {
				b := prepared()
				plan := &disktest.Plan{At: n}
				if n%3 == 0 {
					plan.Err, plan.Forever = syscall.ENOSPC, true
				}
				err := o.run(t.Context(), b.Path(), repo.Options{Fault: plan.Fault})
				if tip := b.tip(); !slices.Contains([]string{before, after[0], after[1]}, tip) || err == nil && tip != after[0] {
					t.Errorf("change %d: the tip is neither as before nor as after (%v)", n, err)
				}
				_ = o.run(t.Context(), b.Path(), repo.Options{Fault: (&disktest.Plan{At: 1 + n*7%points}).Fault})
				if err := o.run(t.Context(), b.Path(), repo.Options{}); err != nil {
					t.Errorf("change %d: %v", n, err)
				}
				if got := b.state(); got != want {
					same(t, "state", want, got)
					t.Fatalf("change %d", n)
				}
				if n%10 == 0 { // git agrees; asking it each time would take most of the time
					b.clean()
				}
			}
			t.Logf("%d changes", points)
		})
	}
}
