package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mem/curate/evidence"
	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// What the LEARNINGS.md of the sweeps holds, and what is left of it.
const (
	provenBlock = "Call `fooBar` before anything else"
	openBlock   = "Call `bazQux` after everything else"
	sweepFile   = "# Learned\n\n---\n" + provenBlock + "\n---\n" + openBlock + "\n"
	sweepLeft   = "# Learned\n\n---\n" + openBlock + "\n"
)

// many is so many files with one text.
func many(n int, name, text string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf(name, i)] = text
	}
	return files
}

// project makes a project with a memory of one other lesson, code that proves a block, and the LEARNINGS.md with it.
func project(t testing.TB, dir string) {
	t.Helper()
	files := many(6, "f%d.go", "fooBar()")
	files["LEARNINGS.md"] = sweepFile
	envtest.NoError(t, os.MkdirAll(dir, 0o700))
	for name, text := range files {
		envtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	root, err := repo.Create(t.Context(), filepath.Join(dir, ".mem"), repo.Options{})
	envtest.NoError(t, err)
	_, err = root.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "Something else"}}})
		return repo.Message{Subject: "chore(memory): task"}, nil
	})
	envtest.NoError(t, errors.Join(err, root.Close()))
}

// A proving is a way to prove the lessons of a project.
type proving func(ctx context.Context, p *evidence.Proof, root *repo.Root) (evidence.Report, error)

func settle(ctx context.Context, p *evidence.Proof, root *repo.Root) (evidence.Report, error) {
	return p.CommitAndCut(ctx, root, t0)
}

// prove does what mem prove does, with a fault in all that it changes.
func prove(ctx context.Context, dir string, fault disk.Fault, how proving) (d evidence.Report, err error) {
	root, err := repo.Open(filepath.Join(dir, ".mem"), repo.Options{Fault: fault})
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	learnings, err := evidence.ReadLearnings(filepath.Join(dir, "LEARNINGS.md"), disk.Files{Fault: fault})
	if err != nil {
		return d, err
	}
	m, err := root.View(t0)
	if err != nil {
		return d, err
	}
	p := &evidence.Proof{Learnings: learnings}
	code := evidence.Code{Dir: dir, Files: slices.Sorted(maps.Keys(many(6, "f%d.go", "")))}
	if p.Survey, err = evidence.Search(ctx, code, evidence.LessonsToProve(m.Index, learnings.Blocks)); err != nil {
		return d, err
	}
	return how(ctx, p, root)
}

// kept says what is wrong with what a fault left: a block is in the file or in
// the last commit, and the file is either the one or the other.
func kept(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "LEARNINGS.md"))
	if err != nil {
		return err
	}
	if s := string(data); s != sweepFile && s != sweepLeft {
		return fmt.Errorf("LEARNINGS.md holds %q", s)
	}
	if strings.Contains(string(data), provenBlock) {
		return nil
	}
	show, err := exec.Command("git", "-C", filepath.Join(dir, ".mem"), "show", "HEAD:"+repo.IndexPath, "HEAD:"+evidence.ListPath).Output()
	if err != nil || strings.Count(string(show), provenBlock) != 2 {
		return fmt.Errorf("the block is gone from LEARNINGS.md and not committed: %w", err)
	}
	return nil
}

// done says what is wrong after a run that nothing stopped.
func done(dir string) error {
	if err := kept(dir); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "LEARNINGS.md"))
	if err != nil || string(data) != sweepLeft {
		return fmt.Errorf("LEARNINGS.md holds %q: %w", data, err)
	}
	root, err := repo.Open(filepath.Join(dir, ".mem"), repo.Options{})
	if err != nil {
		return err
	}
	m, err := root.View(t0)
	if err := errors.Join(err, root.Close()); err != nil {
		return err
	}
	taken := m.Index.ByID(index.BaseID(index.KeyOf("Call `fooBar` before anything else")))
	if n := len(m.Index.Items); n != 2 || taken < 0 || m.Index.Items[taken].Hits != 1 || m.Index.Items[taken].Confidence != "high" {
		return fmt.Errorf("the memory has %d lessons: %+v", n, m.Index.Items)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mem-*")); len(left) > 0 {
		return fmt.Errorf("left behind: %q", left)
	}
	return nil
}

// sweep stops a run at each of its changes and returns what was found wrong, and how many changes there are.
func sweep(t *testing.T, how proving, err error, power bool) (problems []error, points int) {
	base := t.TempDir()
	template := filepath.Join(base, "template")
	project(t, template)
	step := 1
	if power {
		step = envtest.Step(2)
	} else if err != nil {
		step = envtest.Step(5)
	}
	for n := 1; ; n += step {
		dir := filepath.Join(base, fmt.Sprint(n))
		envtest.NoError(t, os.CopyFS(dir, os.DirFS(template)))
		plan := &disktest.Plan{At: n, Err: err}
		if power {
			var err error
			plan.Disk, err = disktest.Follow(dir)
			envtest.NoError(t, err)
		}
		_, said := prove(t.Context(), dir, plan.Fault, how)
		if plan.Seen() < n {
			if bad := done(dir); bad != nil || said != nil {
				problems = append(problems, fmt.Errorf("without a fault: %w; %w", said, bad))
			}
			return problems, plan.Seen()
		}
		left := []string{dir}
		if power {
			left = nil
			for i := range 2 { // two of them at each change, in turn
				cut := fmt.Sprint(dir, "-", i)
				envtest.NoError(t, plan.Disk.Cut(cut, disktest.Losses[(n+i)%len(disktest.Losses)]))
				left = append(left, cut)
			}
		}
		for _, at := range left {
			bad := kept(at)
			if bad == nil {
				_, err := prove(t.Context(), at, nil, settle)
				bad = errors.Join(err, done(at))
			}
			if bad != nil {
				problems = append(problems, fmt.Errorf("change %d (the run said: %v): %w", n, said, bad))
			}
			os.RemoveAll(at)
		}
		os.RemoveAll(dir)
	}
}

// TestE7Sweep stops the promotion of a block at each change to the disk: the
// block is never in neither place, and the next run finishes the work.
func TestE7Sweep(t *testing.T) {
	for _, m := range []struct {
		name  string
		err   error
		power bool
	}{{"kill", nil, false}, {"ENOSPC", syscall.ENOSPC, false}, {"EIO", syscall.EIO, false}, {"power cut", nil, true}} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			problems, points := sweep(t, settle, m.err, m.power)
			for _, p := range problems {
				t.Error(p)
			}
			if t.Logf("%d changes", points); points < 30 {
				t.Errorf("only %d changes were seen", points)
			}
		})
	}
}

// TestSweepSeesWrongOrder shows that the sweep can fail: a run that cuts first and commits then is caught.
func TestSweepSeesWrongOrder(t *testing.T) {
	problems, _ := sweep(t, func(ctx context.Context, p *evidence.Proof, root *repo.Root) (evidence.Report, error) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(root.Path()), "LEARNINGS.md"), []byte(sweepLeft), 0o600); err != nil {
			return evidence.Report{}, err
		}
		return p.CommitAndCut(ctx, root, t0)
	}, nil, false)
	envtest.FailIf(t, len(problems) == 0, "the sweep found nothing wrong with a run that is")
}

// TestE7AppendMeanwhile appends to the file at the worst moments: nothing of it
// is lost, and the block goes all the same, or, if it never ends, the next time.
func TestE7AppendMeanwhile(t *testing.T) {
	appended := func(t *testing.T, times int) (string, evidence.Report, error) {
		dir := t.TempDir()
		project(t, dir)
		file := filepath.Join(dir, "LEARNINGS.md")
		left := times
		d, err := prove(t.Context(), dir, func(op disk.Op) error {
			if op.Kind != "rename" || op.To != "LEARNINGS.md" || left == 0 {
				return nil
			}
			left--
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(f, "---\nappended %d, an agent's\n", left)
			return errors.Join(err, f.Close())
		}, settle)
		data, _ := os.ReadFile(file)
		return string(data), d, err
	}
	text, d, err := appended(t, 2)
	if want := sweepLeft + "---\nappended 1, an agent's\n---\nappended 0, an agent's\n"; text != want || err != nil || d.Cut != 1 {
		t.Errorf("the file holds %q, %d cut, %v; want %q", text, d.Cut, err, want)
	}
	text, d, err = appended(t, 100)
	if !errors.Is(err, evidence.ErrNotCut) || !errors.Is(err, disk.ErrChanged) || !d.Proven || !strings.HasPrefix(text, sweepFile) || strings.Count(text, "appended") != 5 {
		t.Errorf("the file holds %q, %+v, %v", text, d, err)
	}
}

// TestE8NeverDuring: while the memory cannot be changed nothing is, the LEARNINGS.md least of all.
func TestE8NeverDuring(t *testing.T) {
	dir := t.TempDir()
	project(t, dir)
	merging := filepath.Join(dir, ".mem", ".git", "MERGE_HEAD")
	envtest.NoError(t, os.WriteFile(merging, []byte(strings.Repeat("0", 40)+"\n"), 0o600))
	_, err := prove(t.Context(), dir, nil, settle)
	envtest.Wraps(t, repo.ErrBusy, err, "the error")
	data, err := os.ReadFile(filepath.Join(dir, "LEARNINGS.md"))
	envtest.FailIf(t, err != nil || string(data) != sweepFile, "LEARNINGS.md holds %q, %v", data, err)
	envtest.NoError(t, os.Remove(merging))
	d, err := prove(t.Context(), dir, nil, settle)
	envtest.FailIf(t, err != nil || !slices.Equal(d.Removed, []string{provenBlock}), "afterwards: %+v, %v", d, err)
	if d, err := prove(t.Context(), dir, nil, settle); err != nil || d.Commit != "" || d.Proven || d.Cut != 0 {
		t.Errorf("a run that changes nothing commits: %+v, %v", d, err)
	}
}

// TestJoinedByKey: what came into the memory between the look and the commit is neither judged nor lost.
func TestJoinedByKey(t *testing.T) {
	dir := t.TempDir()
	project(t, dir)
	_, err := prove(t.Context(), dir, nil, func(ctx context.Context, p *evidence.Proof, root *repo.Root) (evidence.Report, error) {
		_, err := root.Settle(ctx, t0, func(m *repo.Memory) (repo.Message, error) {
			m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "Mind `fooBar`"}, {Text: provenBlock}}})
			return repo.Message{Subject: "chore(memory): task"}, nil
		})
		d, again := p.CommitAndCut(ctx, root, t0)
		if it := d.Promoted; len(it) != 1 || it[0].Text != provenBlock || len(d.Removed) != 1 {
			t.Errorf("promoted: %+v, removed %q", it, d.Removed)
		}
		return d, errors.Join(err, again)
	})
	envtest.FailIf(t, err != nil, "%v", err)
}
