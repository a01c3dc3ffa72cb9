//go:build unix

package purge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
	"mem/workspace"
)

const canary = "Kumquat-Zebra"

var gitPath, _ = exec.LookPath("git") // before a test puts another one in its place

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// A memory is a root with the canary wherever a person and mem may put it.
type memory struct {
	t    *testing.T
	root string
}

func newMemory(t *testing.T) memory {
	if gitPath == "" {
		t.Skip("git is not here")
	}
	t.Setenv("HOME", t.TempDir())
	patience = time.Millisecond
	m := memory{t, filepath.Join(t.TempDir(), "m")}
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
	for ref, to := range map[string]string{"refs/heads/alias": "side", "refs/remotes/hub/HEAD": "main", "refs/remotes/hub/main": "main"} {
		m.git("symbolic-ref", ref, "refs/heads/"+to)
	}
	m.git("commit", "-q", "--allow-empty", "-m", "This is about "+tip)
	m.settle("more", index.Lesson{Text: "Read the log"})
	m.write("todo.md", "ask about "+strings.ToLower(canary)+"\n")
	return m
}

func (m memory) settle(subject string, lessons ...index.Lesson) {
	m.t.Helper()
	r, err := repo.Create(m.t.Context(), m.root, repo.Options{Environ: os.Environ()})
	if err != nil {
		m.t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Settle(m.t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: lessons})
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
	cmd := exec.Command(gitPath, append([]string{"-C", m.root}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// purge takes the canary out.
func (m memory) purge(fault func(disk.Op) error) (res Result, err error) {
	world := workspace.World{
		Environ: append(os.Environ(), "MEM_TRUST="+m.root), Dir: m.root, Clock: func() time.Time { return t0 }, Fault: fault,
		Note: func(string, ...any) {},
	}
	w, err := workspace.New(world, workspace.Options{Root: m.root, Now: t0})
	if err != nil {
		return res, err
	}
	words, err := readPattern(strings.NewReader(canary))
	if err == nil {
		res, err = Finish(m.t.Context(), w, words)
	}
	return res, err
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
	envtest.Same(m.t, 9, strings.Count(log, "\n"), log)
	_, about, _ := strings.Cut(m.git("log", "--format=%s", "--grep", "This is about"), "about ")
	envtest.Same(m.t, "a note about "+index.Gap+"\n", m.git("log", "-1", "--format=%s", strings.TrimSpace(about)), "a message that names a commit now names")
	if stashes := m.git("stash", "list"); strings.Count(stashes, "\n") != 2 || m.git("show", "stash@{1}:mine.md") != "0 "+index.Gap+"\n" {
		m.t.Errorf("stashes: %s", stashes)
	}
	if tag := m.git("tag", "-n"); !strings.Contains(tag, "with "+index.Gap) {
		m.t.Errorf("tags: %s", tag)
	}
	if refs := m.git("for-each-ref", "--format=%(refname)"); refs != "refs/heads/alias\nrefs/heads/main\nrefs/heads/side\nrefs/stash\nrefs/tags/v1\n" {
		m.t.Errorf("refs: %s", refs)
	}
	ix, err := os.ReadFile(filepath.Join(m.root, repo.IndexPath))
	if err != nil || !strings.Contains(string(ix), "Run make first") || !strings.Contains(string(ix), "Keep silent about "+index.Gap) {
		m.t.Errorf("the index is %s, %v", ix, err)
	}
	if status := m.git("status", "--porcelain"); status != "?? todo.md\n" {
		m.t.Errorf("status: %s", status)
	}
	m.settle("after it", nil...)
}

func TestRun(t *testing.T) {
	m := newMemory(t)
	res, err := m.purge(nil)
	envtest.StopIf(t, err != nil || res.Commits == 0, "%v %v", res, err)
	m.check()
}

// The person is not root, who may write to what git has made read-only.
func TestRunAsPerson(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestRun is that")
	}
	const other = 65534
	own, bin := filepath.Join(t.TempDir(), "own"), filepath.Join(t.TempDir(), "test")
	self, err := os.Executable()
	if err == nil {
		var program []byte
		if program, err = os.ReadFile(self); err == nil { // the other may not look into the folder where it is
			err = os.WriteFile(bin, program, 0o700)
		}
	}
	envtest.NoError(t, errors.Join(err, os.Mkdir(own, 0o700), os.Chown(own, other, other), os.Chown(bin, other, other)))
	for dir := own; strings.HasPrefix(dir, os.TempDir()); dir = filepath.Dir(dir) { // the other may pass there
		if info, err := os.Stat(dir); err == nil {
			_ = os.Chmod(dir, info.Mode()|0o011)
		}
	}
	cmd := exec.Command(bin, "-test.run=^TestRun$")
	cmd.Dir, cmd.Env = own, append(os.Environ(), "TMPDIR="+own, "HOME="+own)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
	if out, err := cmd.CombinedOutput(); errors.Is(err, fs.ErrPermission) {
		t.Skip("the folder of temporary files is root's alone")
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// wrapper is a git that notes how it was called, and dies at a call: before it did anything, or after it
// with a lock left.
const wrapper = `#!/bin/sh
until mkdir %[1]s/lock 2>/dev/null; do :; done
n=$(($(cat %[1]s/n)-1))
echo $n > %[1]s/n
echo "$@" >> %[1]s/calls
rmdir %[1]s/lock
[ $n -eq 0 ] && [ -e %[1]s/after ] && { %[2]s "$@"; : > "$2/.git/packed-refs.lock"; }
[ $n -eq 0 ] && exit 137
exec %[2]s "$@"
`

// A breaker breaks purges off.
type breaker struct {
	*testing.T
	bin      string // of the wrapper
	template memory
	places   int
}

// run purges a copy of the template, which breaks off at a place; then again, to the end. It reports whether it broke off.
// loss is of a power cut; nil for a death.
func (b *breaker) run(byGit bool, n int, plan *disktest.Plan, loss *disktest.Loss) bool {
	b.Helper()
	m := memory{b.T, filepath.Join(b.TempDir(), "m")}
	envtest.NoError(b, os.CopyFS(m.root, os.DirFS(b.template.root)))
	b.dieAt(0)
	if byGit {
		b.dieAt(n)
	} else if plan.At = n; loss != nil {
		var err error
		plan.Disk, err = disktest.Follow(m.root)
		envtest.NoError(b, err)
		plan.Disk.IsShared, plan.Disk.IsGit = true, true
	}
	_, err := m.purge(plan.Fault)
	b.dieAt(0)
	if err == nil {
		m.check()
		return false
	}
	if b.places++; loss != nil {
		cut := m.root + "-cut"
		envtest.NoError(b, plan.Disk.Cut(cut, loss))
		m.root = cut
	}
	_, err = m.purge(nil)
	envtest.StopIf(b, err != nil, "broken off at %d (git %v, %v), and again: %v", n, byGit, loss, err)
	if m.check(); b.Failed() {
		b.Fatalf("broken off at %d (git %v, %v)", n, byGit, loss)
	}
	return true
}

func (b *breaker) dieAt(n int) {
	b.Helper()
	envtest.NoError(b, os.WriteFile(filepath.Join(b.bin, "n"), []byte(fmt.Sprint(n)), 0o600))
}

// Wherever a purge breaks off, in its own writes or at a call of git, by a death or a power cut, nothing else
// writes to the memory, and the purge that goes on ends as if nothing had happened. Each call of git flushes.
func TestRunBrokenOff(t *testing.T) {
	b := &breaker{T: t, bin: t.TempDir(), template: newMemory(t)}
	envtest.NoError(t, os.WriteFile(filepath.Join(b.bin, "git"), fmt.Appendf(nil, wrapper, b.bin, gitPath), 0o700))
	t.Setenv("PATH", b.bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for n := 1; b.run(true, n, new(disktest.Plan), nil); n += envtest.Step(9) {
		after := filepath.Join(b.bin, "after")
		if err := os.Remove(after); err != nil { // the next one dies the other way
			err = os.WriteFile(after, nil, 0o600)
			envtest.NoError(t, err)
		}
	}
	losses := append([]*disktest.Loss{nil}, disktest.Losses...)
	for n := 1; b.run(false, n, new(disktest.Plan), losses[n/envtest.Step(29)%len(losses)]); n += envtest.Step(29) {
	}
	t.Logf("broken off at %d places", b.places)
	calls, err := os.ReadFile(filepath.Join(b.bin, "calls"))
	envtest.FailIf(t, err != nil || b.places < 12, "%v %v", b.places, err)
	for call := range strings.Lines(string(calls)) {
		envtest.StopIf(t, !strings.Contains(call, " -c core.fsync=all -c core.fsyncMethod=fsync "),
			"git %s does not flush", call)
	}
}
