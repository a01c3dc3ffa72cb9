//go:build unix

package purge_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
	"mem/repo/purge"
)

const canary = "Kumquat-Zebra"

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// A memory is a root with the canary wherever a person and mem may put it.
type memory struct {
	t    *testing.T
	root string
}

func newMemory(t *testing.T) memory {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	m := memory{t, filepath.Join(scratch(t), "m")}
	m.settle("learn", index.Lesson{Text: "Run make first"}, index.Lesson{Text: "Keep silent about " + canary})
	m.git("config", "user.name", "ada")
	m.git("config", "user.email", "ada@x")
	m.git("tag", "-a", "v1", "-m", "with "+canary)
	for i := range 2 {
		m.write("mine.md", fmt.Sprintf("%d %s\n", i, canary))
		m.git("add", "mine.md")
		m.git("stash", "-q")
	}
	m.git("checkout", "-q", "-b", "side")
	m.write("mine.md", "a note\n")
	m.git("add", "mine.md")
	m.git("commit", "-qm", "a note about "+canary)
	tip := strings.TrimSpace(m.git("rev-parse", "HEAD"))
	m.git("checkout", "-q", "main")
	m.git("merge", "-q", "--no-ff", "--no-edit", "side")
	m.git("commit", "-q", "--allow-empty", "-m", "This is about "+tip)
	m.settle("more", index.Lesson{Text: "Read the log"})
	m.write("todo.md", "ask about "+strings.ToLower(canary)+"\n")
	return m
}

// scratch returns an empty folder, in memory if the system has one there.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (m memory) settle(subject string, lessons ...index.Lesson) {
	m.t.Helper()
	r, err := repo.Create(m.t.Context(), m.root, repo.Options{Home: os.Getenv("HOME")})
	if err != nil {
		m.t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Settle(m.t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(index.Reflection{Fixes: lessons})
		return repo.Message{Subject: subject}, nil
	}); err != nil {
		m.t.Fatal(err)
	}
}

func (m memory) write(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.root, name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m memory) git(args ...string) string {
	m.t.Helper()
	cmd := exec.Command(realGit(m.t), append([]string{"-C", m.root}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

var gitPath string

func realGit(t *testing.T) string {
	t.Helper()
	if gitPath == "" {
		path, err := exec.LookPath("git")
		if err != nil {
			t.Skip("git is not here")
		}
		gitPath = path
	}
	return gitPath
}

func (m memory) purger(fault func(disk.Op) error) purge.Purger {
	return purge.Purger{Folder: m.root, Environ: os.Environ(), Files: disk.Files{Fault: fault}, Now: t0}
}

// check looks for the canary everywhere, and for what must have stayed.
func (m memory) check() {
	m.t.Helper()
	m.git("fsck", "--full", "--strict")
	objects := m.git("cat-file", "--batch-all-objects", "--batch")
	files, err := exec.Command("grep", "-rli", canary, m.root).Output()
	if strings.Contains(strings.ToLower(objects), strings.ToLower(canary)) || err == nil {
		m.t.Errorf("the canary is in an object, or in %s", files)
	}
	log := m.git("log", "--format=%s")
	if got := strings.Count(log, "\n"); got != 6 {
		m.t.Errorf("%d commits, want 6:\n%s", got, log)
	}
	_, about, _ := strings.Cut(m.git("log", "--format=%s", "--grep", "This is about"), "about ")
	if said := m.git("log", "-1", "--format=%s", strings.TrimSpace(about)); said != "a note about "+purge.Mark+"\n" {
		m.t.Errorf("a message that names a commit now names %q", said)
	}
	if stashes := m.git("stash", "list"); strings.Count(stashes, "\n") != 2 || m.git("show", "stash@{1}:mine.md") != "0 "+purge.Mark+"\n" {
		m.t.Errorf("stashes: %s", stashes)
	}
	if tag := m.git("tag", "-n"); !strings.Contains(tag, "with "+purge.Mark) {
		m.t.Errorf("tags: %s", tag)
	}
	if refs := m.git("for-each-ref", "--format=%(refname)"); refs != "refs/heads/main\nrefs/heads/side\nrefs/stash\nrefs/tags/v1\n" {
		m.t.Errorf("refs: %s", refs)
	}
	index, err := os.ReadFile(filepath.Join(m.root, repo.IndexPath))
	if err != nil || !strings.Contains(string(index), "Run make first") || !strings.Contains(string(index), "Keep silent about "+purge.Mark) {
		m.t.Errorf("the index is %s, %v", index, err)
	}
	if status := m.git("status", "--porcelain"); status != "?? todo.md\n" {
		m.t.Errorf("status: %s", status)
	}
	m.settle("after it", nil...)
}

func TestRun(t *testing.T) {
	m := newMemory(t)
	res, err := m.purger(nil).Run(t.Context(), purge.Words{Texts: []string{canary}})
	if err != nil || res.Commits == 0 {
		t.Fatal(res, err)
	}
	m.check()
}

// Wherever a purge breaks off, in its own writes or at a call of git, nothing else writes to the
// memory, and the purge that goes on ends as if nothing had happened.
func TestRunBrokenOff(t *testing.T) {
	template := newMemory(t)
	bin := t.TempDir()
	const counter = `#!/bin/sh
until mkdir %[1]s/lock 2>/dev/null; do :; done
n=$(($(cat %[1]s/n)-1))
echo $n > %[1]s/n
rmdir %[1]s/lock
[ $n -eq 0 ] && exit 137
exec %[2]s "$@"
`
	script := fmt.Sprintf(counter, bin, realGit(t))
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	words := purge.Words{Texts: []string{canary}}
	broken, step := 0, 3
	if os.Getenv("MEM_EVERY") != "" { // place, which takes a minute
		step = 1
	}
	for _, byGit := range []bool{true, false} {
		for n := 1; ; n += step {
			m := memory{t, filepath.Join(scratch(t), "m")}
			if err := os.CopyFS(m.root, os.DirFS(template.root)); err != nil {
				t.Fatal(err)
			}
			plan := disktest.Plan{At: n} // the process dies there
			count, fault := "0", plan.Fault
			if byGit {
				count, fault = fmt.Sprint(n), nil
			}
			if err := os.WriteFile(filepath.Join(bin, "n"), []byte(count), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := m.purger(fault).Run(t.Context(), words)
			if err == nil {
				if m.check(); n < 10 {
					t.Errorf("only %d places to break off", n)
				}
				break
			}
			broken++
			if err := os.WriteFile(filepath.Join(bin, "n"), []byte("0"), 0o600); err != nil {
				t.Fatal(err)
			}
			again, found, err := m.purger(nil).ReadNote()
			if err != nil {
				t.Fatalf("%d: %v", n, err)
			}
			if !found {
				again = words
			}
			if _, err := m.purger(nil).Run(t.Context(), again); err != nil {
				t.Fatalf("broken off at %d (git %v), and again: %v", n, byGit, err)
			}
			if m.check(); t.Failed() {
				t.Fatalf("broken off at %d (git %v)", n, byGit)
			}
		}
	}
	t.Logf("broken off at %d places", broken)
}
