//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/repo"
)

// TestPullKilled: a git pull that is killed with all that it started, before and after
// each call of the driver, loses nothing. With MEM_HISTORIES, as
// make check has it, it is also killed at moments of all kinds.
func TestPullKilled(t *testing.T) {
	folder := inMemory(t)
	if folder == "" {
		folder = t.TempDir()
	}
	w := newHistory(t, 0, 0, 2, folder)
	a, b := w.clones[0], w.clones[1]
	for _, c := range []*clone{a, b, a, b} {
		w.learn(c)
	}
	template := a.dir + ".before"
	if err := os.CopyFS(template, os.DirFS(a.dir)); err != nil {
		t.Fatal(err)
	}
	calls := w.pullKilled(a, b, template, 0, time.Hour)
	for at := range 2 * calls {
		w.pullKilled(a, b, template, at+1, time.Hour)
	}
	if calls < 3 {
		t.Errorf("the driver was called %d times", calls)
	}
	if os.Getenv("MEM_HISTORIES") != "" {
		for ms := range 60 {
			w.pullKilled(a, b, template, 0, time.Duration(ms)*time.Millisecond)
		}
	}
}

// pullKilled pulls in a clone, with everything killed before and after the calls of the
// driver, counted together from 1, and after a time. Then a person ends what was begun,
// pulls again, and mem must know it all. It returns how often the driver was called.
func (w *history) pullKilled(c, o *clone, template string, at int, after time.Duration) (calls int) {
	w.Helper()
	if err := errors.Join(os.RemoveAll(c.dir), os.CopyFS(c.dir, os.DirFS(template))); err != nil {
		w.Fatal(err)
	}
	count := filepath.Join(w.folder, "calls")
	if err := os.WriteFile(count, nil, 0o600); err != nil {
		w.Fatal(err)
	}
	before := w.head(c)
	driver := w.must(c, "config", "merge.mem.driver")
	point := fmt.Sprintf(`echo >>%s; [ $(wc -l <%[1]s) = %d ] && kill -9 0; `, count, at)
	cmd := exec.CommandContext(w.ctx, "git", "-c", "merge.mem.driver="+point+driver+" && { "+point+"true; }", "pull", "-q", "--no-rebase", "--no-edit", o.dir, "main")
	cmd.Dir, cmd.SysProcAttr = c.dir, &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = []string{"HOME=" + filepath.Join(w.folder, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true", "GOCOVERDIR=" + w.folder}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	timer.Stop()
	if err == nil && at > 0 {
		w.Errorf("point %d: nothing was killed", at)
	}
	said, err := os.ReadFile(count)
	if err != nil {
		w.Fatal(err)
	}
	locks, _ := filepath.Glob(filepath.Join(c.dir, ".git", "*.lock"))
	more, _ := filepath.Glob(filepath.Join(c.dir, ".git", "refs", "*", "*.lock"))
	for _, lock := range append(locks, more...) { // as git says to
		if err := os.Remove(lock); err != nil {
			w.Fatal(err)
		}
	}
	nothing := func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil }
	if w.truth[w.head(c)] == nil { // it was done
		w.truth[w.head(c)] = w.known(o).join(w.truth[before])
	}
	if err := w.settle(c, w.tick(c), nil, nothing); errors.Is(err, repo.ErrBusy) {
		w.must(c, "merge", "--abort")
	} else if err != nil {
		w.wrong(c, fmt.Sprintf("point %d: %v", at, err), "")
	}
	if !w.pullFrom(c, o, false) {
		w.wrong(c, fmt.Sprintf("point %d: the next pull", at), "")
	}
	w.look(c, fmt.Sprintf("point %d", at))
	return strings.Count(string(said), "\n") / 2
}
