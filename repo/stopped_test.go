package repo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// trySettle is one command that writes, while git may wait for the person.
func (c *walker) trySettle(opts repo.Options) error {
	r, err := repo.Open(c.path, opts)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.Settle(c.Context(), c.now, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	return err
}

// goOn ends what git is in the middle of, which has no conflict left.
func (c *walker) goOn(what string) {
	c.Helper()
	git(c.T, c.path, "-c", "core.editor=true", what, "--continue")
}

// stops are what git stops at, without the driver that would have merged the files.
var stops = map[string]struct {
	do        func(a, b *walker) // until git stops on a
	goOn      string             // which part of git then goes on; "" for none
	want, day string
}{
	"a merge": {func(a, b *walker) {
		a.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
	}, "merge", "Shared 2, Shared too 1, one 1, two 1", "r-1 r-2"},
	"a fact taken for another one, renamed": {func(a, b *walker) { // as git does with two of nearly the same bytes of which one is gone
		a.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		facts := strings.Fields(git(a.T, a.path, "diff", "--name-only", "HEAD...MERGE_HEAD", "--", "core/log"))
		name, other := facts[0], strings.Fields(git(a.T, a.path, "ls-files", "core/log"))[0]
		git(a.T, a.path, "update-index", "--force-remove", name)
		stages := fmt.Sprintf("100644 %s 1\t%s\n100644 %s 3\t%[2]s\n", strings.TrimSpace(git(a.T, a.path, "rev-parse", "HEAD:"+other)), name, strings.TrimSpace(git(a.T, a.path, "rev-parse", "MERGE_HEAD:"+name)))
		cmd := exec.Command("git", "-C", a.path, "update-index", "--index-info")
		cmd.Stdin = strings.NewReader(stages)
		out, err := cmd.CombinedOutput()
		envtest.StopIf(a, err != nil, "%v: %s", err, out)
	}, "merge", "Shared 2, Shared too 1, one 1, two 1", "r-1 r-2"},
	"a rebase": {func(a, b *walker) {
		a.do("pull", "-q", "--rebase", "origin", "main")
	}, "rebase", "Shared 2, Shared too 1, one 1, two 1", "r-1 r-2"},
	"a cherry-pick": {func(a, b *walker) {
		git(a.T, a.path, "fetch", "-q", "origin")
		a.do("cherry-pick", "origin/main~1")
	}, "cherry-pick", "Shared 1, Shared too 1, one 1, two 1", "r-1 r-2"},
	"a revert that removes the day": {func(a, b *walker) {
		a.reflect("r-3", "three")
		a.do("revert", "--no-edit", "HEAD~1")
	}, "revert", "Shared 1, Shared too 1, three 1", "r-3"},
	"a revert of all that a day has": {func(a, b *walker) {
		envtest.Write(a.T, read(a.T, filepath.Join(a.path, firstDay))+"\n", a.path, firstDay)
		git(a.T, a.path, "commit", "-qam", "by hand")
		a.do("revert", "--no-edit", "HEAD~1")
	}, "revert", "Shared 1, Shared too 1", ""},
	"a stash": {func(a, b *walker) {
		text := read(a.T, filepath.Join(a.path, "core/index.json"))
		at := strings.Index(text, `"text": "one"`)
		envtest.Write(a.T, text[:at]+strings.Replace(text[at:], `"id"`, `"status": "retired",`+"\n      "+`"id"`, 1), a.path, "core/index.json")
		git(a.T, a.path, "stash", "-q")
		a.reflect("r-3", "one")
		a.do("stash", "pop", "-q")
	}, "", "Shared 1, Shared too 1", "r-1 r-3"},
}

// newStop makes two clones of which one is stopped.
func newStop(t *testing.T, do func(a, b *walker)) *walker {
	a, b := newClones(t)
	git(t, a.path, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
	a.look()
	a.reflect("r-1", "one")
	b.reflect("r-2", "two")
	b.learn("Shared")
	do(a, b)
	envtest.StopIf(t, unmerged(a) == "", "git did not stop")
	return a
}

func unmerged(c *walker) string { return git(c.T, c.path, "diff", "--name-only", "--diff-filter=U") }

// TestStoppedOperation: where git stops, the next command that writes settles mem's
// files from git's stages, and the person only goes on.
func TestStoppedOperation(t *testing.T) {
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			a := newStop(t, stop.do)
			var said []string
			err := a.trySettle(repo.Options{Warn: func(s string) { said = append(said, s) }})
			if stop.goOn != "" != errors.Is(err, repo.ErrBusy) || err != nil && !strings.Contains(err.Error(), "git "+stop.goOn+" --continue") {
				t.Errorf("the command said %v", err)
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, "settled the conflicts in ") || !strings.Contains(all, "none is left") {
				t.Errorf("warned of %q", all)
			}
			envtest.Same(t, "", unmerged(a), "conflicts in")
			if stop.goOn != "" {
				envtest.Same(t, "", git(t, a.path, "diff", "--name-only"), "git's index and the work tree differ in")
				a.goOn(stop.goOn)
			}
			a.want(stop.want)
			a.tells(stop.day)
		})
	}
}

// A file of the person is left as it is, what a person made of another is kept, and an index that cannot be read
// is in no one's way.
func TestStoppedOperationLeavesThePersons(t *testing.T) {
	a := newStop(t, func(a, b *walker) {
		envtest.Write(t, "<<<<<<< ours\n{}\n", b.path, "core/index.json")
		envtest.Write(t, "theirs\n", b.path, "notes.txt")
		git(t, b.path, "add", "-A")
		git(t, b.path, "commit", "-qm", "as it is")
		envtest.Write(t, "mine\n", a.path, "notes.txt")
		git(t, a.path, "add", "-A")
		git(t, a.path, "commit", "-qm", "notes")
		a.do("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
		envtest.Write(t, "by hand\n", a.path, firstDay)
	})
	before := read(t, filepath.Join(a.path, "notes.txt"))
	var said string
	envtest.Wraps(t, repo.ErrBusy, a.trySettle(repo.Options{Warn: func(s string) { said += s + "\n" }}))
	if got := unmerged(a); got != "notes.txt\n" || read(t, filepath.Join(a.path, "notes.txt")) != before {
		t.Errorf("conflicts are left in %q", got)
	}
	if !strings.Contains(said, "core/index.json") || strings.Contains(said, "notes.txt") || strings.Contains(said, "none is left") {
		t.Errorf("warned of %q", said)
	}
	kept, _ := filepath.Glob(filepath.Join(a.path, ".git/mem/rescue/*-2026-02-03.md"))
	envtest.FailIf(t, len(kept) != 1 || read(t, kept[0]) != "by hand\n", "kept %q", kept)
}

// TestStoppedOperationFaults stops that command at each of its changes to the disk: the
// next one settles the same, and nothing is lost.
func TestStoppedOperationFaults(t *testing.T) {
	template := filepath.Join(t.TempDir(), "template")
	stop := newStop(t, stops["a merge"].do)
	envtest.NoError(t, os.CopyFS(template, os.DirFS(stop.path)))
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			base, step := filepath.Join(filepath.Dir(template), m.name), envtest.Step(9)
			for n := 1 + len(m.name)%step; ; n += step {
				dir := filepath.Join(base, fmt.Sprint(n))
				envtest.NoError(t, clone(template, dir))
				plan := &disktest.Plan{At: n, Err: m.err, Forever: m.forever}
				if m.power {
					var err error
					plan.Disk, err = disktest.Follow(dir)
					envtest.NoError(t, err)
				}
				a := &walker{t, dir, stop.now}
				said := a.trySettle(repo.Options{Fault: plan.Fault})
				if plan.Seen() < n {
					envtest.FailIf(t, !errors.Is(said, repo.ErrBusy) || n < 20, "after %d changes: %v", n-1, said)
					return
				}
				for _, dir := range m.left(t, plan, dir) {
					a.path = dir
					if err := a.trySettle(repo.Options{}); !errors.Is(err, repo.ErrBusy) || unmerged(a) != "" || t.Failed() {
						t.Fatalf("change %d: %v, then %v; conflicts in %q", n, said, err, unmerged(a))
					}
					a.goOn("merge")
					a.want(stops["a merge"].want)
					a.tells(stops["a merge"].day)
				}
			}
		})
	}
}
