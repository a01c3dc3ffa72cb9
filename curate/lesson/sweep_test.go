package lesson_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mem/curate/lesson"
	"mem/curate/proposal"
	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// settle opens the root and runs one callback.
func settle(t *testing.T, dir string, fault func(*disktest.Plan), f func(*repo.Memory) (repo.Message, error)) (seen int, err error) {
	var plan disktest.Plan
	if fault != nil {
		fault(&plan)
	}
	r, err := repo.Open(dir, repo.Options{Fault: plan.Fault})
	if errors.Is(err, repo.ErrNoRoot) {
		r, err = repo.Create(t.Context(), dir, repo.Options{Fault: plan.Fault})
	}
	if err != nil {
		return plan.Seen(), err
	}
	_, err = r.Settle(t.Context(), now, f)
	return plan.Seen(), errors.Join(err, r.Close())
}

// decide tells two lessons apart and retires one of them, in one commit: the
// index, the views and a file change together.
func decide(m *repo.Memory) (repo.Message, error) {
	_, err := queue.Reject(m, pairToTell, proposal.Decision{})
	if errors.Is(err, proposal.ErrDecided) {
		err = nil
	}
	if err != nil {
		return repo.Message{}, err
	}
	_, msg, err := lesson.Change{Verb: lesson.Retire, IDs: []string{"m-00000001"}}.Apply(m)
	return msg, err
}

const pairToTell = "pair-57cf231a"

// TestSweep stops or fails a decision at each of its changes to the disk: it
// happened as a whole or not at all, what was acknowledged happened, and the
// next command finds a clean root.
func TestSweep(t *testing.T) {
	base, err := os.MkdirTemp(inMemory(t), "sweep-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	template := filepath.Join(base, "template")
	if _, err := settle(t, template, nil, func(m *repo.Memory) (repo.Message, error) {
		m.Index.Items = memory(
			index.Item{ID: "m-00000001", Text: "Run the tests before pushing"},
			index.Item{ID: "m-00000002", Text: "Always run tests before you push"},
		).Index.Items
		return repo.Message{Subject: "learn"}, nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, fault := range map[string]disktest.Plan{
		"kill": {}, "ENOSPC once": {Err: syscall.ENOSPC}, "EIO from there on": {Err: syscall.EIO, Forever: true},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				dir := filepath.Join(base, fmt.Sprintf("%s %d", name, n))
				if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
					t.Fatal(err)
				}
				seen, err := settle(t, dir, func(p *disktest.Plan) { *p = fault; p.At = n }, decide)
				if problem := consistent(t, dir, err == nil); problem != nil {
					t.Errorf("change %d (the command said %v): %v", n, err, problem)
				}
				if seen < n {
					if err != nil || n < 20 {
						t.Errorf("without a fault, after %d changes: %v", seen, err)
					}
					return
				}
			}
		})
	}
}

// consistent says what is wrong with the root after one more command.
func consistent(t *testing.T, dir string, acknowledged bool) error {
	var retired, apart bool
	if _, err := settle(t, dir, nil, func(m *repo.Memory) (repo.Message, error) {
		retired = m.Index.Items[0].Status == index.Retired
		_, err := queue.Reject(m, pairToTell, proposal.Decision{})
		apart = errors.Is(err, proposal.ErrDecided)
		return repo.Message{}, nil
	}); err != nil {
		return err
	}
	if retired != apart || acknowledged && !retired {
		return fmt.Errorf("retired %v, told apart %v, acknowledged %v", retired, apart, acknowledged)
	}
	out, err := exec.Command("git", "-C", dir, "status", "--porcelain").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "" {
		return fmt.Errorf("git status: %v %s", err, out)
	}
	return nil
}

// inMemory is a folder on a file system in memory, if there is one.
func inMemory(t *testing.T) string {
	if _, err := os.Stat("/dev/shm"); err == nil {
		return "/dev/shm"
	}
	return t.TempDir()
}

// TestOddFile: what stands in the place of the file that tells pairs apart is
// left alone and named; the rest of the queue goes on.
func TestOddFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"folder":      func(path string) error { return os.MkdirAll(path, 0o700) },
		"link":        func(path string) error { return os.Symlink("../core/index.json", path) },
		"broken link": func(path string) error { return os.Symlink("nowhere", path) },
		"loop":        func(path string) error { return os.Symlink("distinct.md", path) },
		"no text":     func(path string) error { return os.WriteFile(path, []byte("- pair-\xff"), 0o600) },
		"folder above": func(path string) error {
			return errors.Join(os.Remove(filepath.Dir(path)), os.Symlink("core", filepath.Dir(path)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "m")
			list := memory(
				index.Item{ID: "m-00000001", Text: "Run the tests before pushing"},
				index.Item{ID: "m-00000002", Text: "Always run tests before you push"},
				index.Item{ID: "m-00000003", Text: "Believe the page", Status: index.Quarantined},
			).Index.Items
			if _, err := settle(t, dir, nil, func(m *repo.Memory) (repo.Message, error) {
				m.Index.Items = list
				return repo.Message{Subject: "learn"}, nil
			}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(lesson.DistinctPath))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if _, err := settle(t, dir, nil, func(m *repo.Memory) (repo.Message, error) {
				list, problems, err := queue.ListPending(m)
				if err != nil {
					return repo.Message{}, err
				}
				if len(problems) == 0 && name != "folder above" || len(list) == 0 || list[0].ID != "m-00000003" {
					t.Errorf("pending %v, problems %v", names(list), problems)
				}
				return repo.Message{}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
}
