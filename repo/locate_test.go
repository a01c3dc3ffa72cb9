package repo_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/project"
	"mem/repo"
	"mem/repo/disk/disktest"

	"mem/envtest"
)

// newProject makes a repository with one commit.
func newProject(t *testing.T, dir string) {
	t.Helper()
	envtest.NoError(t, os.MkdirAll(dir, 0o700))
	git(t, dir, "init", "-q", "-b", "main")
	envtest.Write(t, "a\n", dir, "a.txt")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "start")
}

// TestLocate finds the memory of a project, whose layouts git knows many of,
// and hides it from the project once it is made.
func TestLocate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, top string) // top is empty
		from    string                         // below top
		want    string                         // root, below top
	}{
		{"project", newProject, ".", ".mem"},
		{"folder of a project", func(t *testing.T, top string) {
			newProject(t, top)
			envtest.Write(t, "f\n", top, "d/e/f.txt")
		}, "d/e", ".mem"},
		{"linked work tree", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, filepath.Join(top, "main"), "worktree", "add", "-q", filepath.Join(top, "linked"))
		}, "linked", "main/.mem"},
		{"work tree that git pruned", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, filepath.Join(top, "main"), "worktree", "add", "-q", filepath.Join(top, "linked"))
			envtest.NoError(t, os.RemoveAll(filepath.Join(top, "main/.git/worktrees")))
		}, "linked", "main/.mem"},
		{"work tree linked to a bare repository", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, top, "clone", "-q", "--bare", "main", "bare.git")
			git(t, filepath.Join(top, "bare.git"), "worktree", "add", "-q", filepath.Join(top, "linked"))
		}, "linked", "bare.git/.mem"},
		{"submodule", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "part"))
			newProject(t, filepath.Join(top, "whole"))
			git(t, filepath.Join(top, "whole"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", filepath.Join(top, "part"), "part")
		}, "whole/part", "whole/.mem@part"},
		{"git folder elsewhere", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, filepath.Join(top, "main"), "init", "-q", "--separate-git-dir", filepath.Join(top, "elsewhere"))
		}, "main", "elsewhere/.mem"},
		{"bare repository in a folder of its own", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, top, "clone", "-q", "--bare", "main", "app/.bare")
			envtest.Write(t, "gitdir: ./.bare\n", top, "app/.git")
			git(t, filepath.Join(top, "app"), "worktree", "add", "-q", "linked")
		}, "app/linked", "app/.mem"},
		{"repository in a linked work tree", func(t *testing.T, top string) {
			newProject(t, filepath.Join(top, "main"))
			git(t, filepath.Join(top, "main"), "worktree", "add", "-q", filepath.Join(top, "linked"))
			newProject(t, filepath.Join(top, "linked/own+/deep"))
		}, "linked/own+/deep", "main/.mem@own+++deep"},
		{"no repository", func(t *testing.T, top string) { envtest.Write(t, "a\n", top, "d/a.txt") }, "d", "d/.mem"},
		{"no repository, a memory above", func(t *testing.T, top string) {
			envtest.Write(t, "x\n", top, ".mem/core/CORE.md")
			envtest.Write(t, "a\n", top, "d/a.txt")
		}, "d", ".mem"},
		{"left by pi-self-learning", func(t *testing.T, top string) {
			newProject(t, top)
			envtest.Write(t, "# no newline at the end\n.pi", top, ".git/info/exclude")
			envtest.Write(t, `{"version":1,"items":[]}`, top, ".pi/self-learning-memory/core/index.json")
		}, ".", ".pi/self-learning-memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			envtest.NoError(t, err)
			tt.prepare(t, top)
			from := filepath.Join(top, filepath.FromSlash(tt.from))
			at, err := project.LocateRoot(from, project.Person{Home: filepath.Dir(top)})
			envtest.NoError(t, err)
			got, _ := filepath.Rel(top, at.Root)
			envtest.StopIf(t, filepath.ToSlash(got) != tt.want, "Locate(%s) = %s, want %s", tt.from, got, tt.want)
			hidden(t, from, at.Root)
		})
	}
}

// hidden makes the root, twice, and checks that the project does not see it
// and that the root is found from inside it too.
func hidden(t *testing.T, from, root string) {
	t.Helper()
	for range 2 {
		r, err := repo.Create(t.Context(), root, repo.Options{})
		envtest.NoError(t, err)
		settle(t, r, learn("Use the cache"))
		envtest.NoError(t, r.Close())
	}
	envtest.Wraps(t, nil, clean(root))
	at, err := project.LocateRoot(filepath.Join(root, "core"), project.Person{})
	envtest.FailIf(t, err != nil || at.Root != root, "from inside: Locate = %+v, %v, want %s", at, err, root)
	if exec.Command("git", "-C", from, "rev-parse").Run() != nil {
		return // no project
	}
	around := filepath.Dir(root)
	if git1(t, around, "rev-parse", "--is-inside-work-tree") != "true" {
		return // inside of a git folder, where git does not look
	}
	status := git(t, around, "status", "--porcelain")
	envtest.FailIf(t, strings.Contains(status, "mem"), "the project sees the memory:\n%s", status)
	again := git(t, around, "add", "-A", "-n")
	envtest.FailIf(t, strings.Contains(again, "mem"), "the project would take the memory in:\n%s", again)
	exclude := envtest.Read(t, git1(t, around, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude"))
	envtest.Same(t, 1, strings.Count(exclude, "/"+filepath.Base(root)+"/\n"),
		"names of the memory in info/exclude", exclude)
}

// TestExcludeIsTheProjects checks that info/exclude keeps its mode, also behind a link,
// and that anything but a regular file is refused before a memory is made.
func TestExcludeIsTheProjects(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare string // of the file, in its folder
		mode    fs.FileMode
	}{
		"mode":         {"chmod 664 exclude", 0o664},
		"narrow":       {"chmod 640 exclude", 0o640},
		"link":         {"mv exclude ../mine; chmod 646 ../mine; ln -s ../mine exclude", 0o646},
		"missing":      {"rm exclude", 0o644},
		"no folder":    {"rm -r ../info", 0o644},
		"leads astray": {"rm exclude; ln -s ../nowhere exclude", 0},
		"pipe":         {"rm exclude; mkfifo exclude", 0},
		"folder":       {"rm exclude; mkdir exclude", 0},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			newProject(t, top)
			sh := exec.Command("sh", "-c", tt.prepare)
			sh.Dir = filepath.Join(top, ".git", "info")
			if out, err := sh.CombinedOutput(); err != nil {
				t.Skipf("%v: %s", err, out)
			}
			root := filepath.Join(top, ".mem")
			r, err := repo.Create(t.Context(), root, repo.Options{})
			if tt.mode == 0 {
				if _, there := os.Lstat(root); !errors.Is(err, repo.ErrExclude) || there == nil {
					t.Errorf("Create = %v, and left a memory: %v", err, there == nil)
				}
				return
			}
			envtest.NoError(t, err)
			defer r.Close()
			file := filepath.Join(top, ".git", "info", "exclude")
			if info, err := os.Stat(file); err != nil || info.Mode() != tt.mode {
				t.Errorf("info/exclude is %v, %v; want %v", info.Mode(), err, tt.mode)
			}
			info, err := os.Lstat(file)
			envtest.FailIf(t, name == "link" && (err != nil || info.Mode()&fs.ModeSymlink == 0), "the link is gone: %v", err)
			status := git(t, top, "status", "--porcelain")
			envtest.FailIf(t, strings.Contains(status, ".mem"), "the project sees the memory:\n%s", status)
		})
	}
}

func git1(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(git(t, dir, args...))
}

// TestCreateAt makes roots in places that are not plain.
func TestCreateAt(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b", "c")
	r, err := repo.Create(t.Context(), deep, repo.Options{})
	envtest.NoError(t, err)
	envtest.NoError(t, r.Close())
	for name, path := range map[string]string{"file": filepath.Join(top, "file"), "full": filepath.Join(top, "full"), "project": filepath.Join(top, "project")} {
		envtest.Write(t, "x", top, "file")
		envtest.Write(t, "x", top, "full/notes.txt")
		envtest.Write(t, "ref: refs/heads/main\n", top, "project/.git/HEAD")
		envtest.Write(t, "package main\n", top, "project/main.go")
		_, err := repo.Create(t.Context(), path, repo.Options{})
		envtest.FailIf(t, err == nil, "%s: Create made a memory of it", name)
		_, err = os.Stat(filepath.Join(path, "core"))
		envtest.FailIf(t, err == nil, "%s: Create left a folder", name)
	}
}

// TestClonedRoot settles in a clone of a root, which has none of mem's own
// files, and in one whose folders were replaced while it was open.
func TestClonedRoot(t *testing.T) {
	top := t.TempDir()
	root, copied := filepath.Join(top, "root"), filepath.Join(top, "copied")
	prepared(t, root)
	git(t, top, "clone", "-q", root, copied)
	r, err := repo.Open(copied, repo.Options{})
	envtest.NoError(t, err)
	defer r.Close()
	settle(t, r, counted("c"))
	_, err = r.View(t0)
	envtest.NoError(t, err)
	git(t, copied, "checkout", "-q", "-b", "empty")
	git(t, copied, "rm", "-rq", "core", "daily")
	git(t, copied, "commit", "-qm", "empty")
	git(t, copied, "checkout", "-q", "main")
	settle(t, r, counted("d"))
	_, err = check(copied, []string{"a", "b", "c", "d"}, nil)
	envtest.FailIf(t, err != nil, "%v", err)
}

// TestInterruptedThenOtherBranch kills a command, removes git's lock as people
// do, moves to another branch, runs a command there, and comes back.
func TestInterruptedThenOtherBranch(t *testing.T) {
	sc := scenarios[slices.IndexFunc(scenarios, func(sc scenario) bool { return sc.name == "settle" })]
	base := t.TempDir()
	template := sc.template(t, base)
	for n := 1; n < 130; n += 3 {
		dir := filepath.Join(base, fmt.Sprint(n))
		envtest.NoError(t, clone(template, dir))
		plan := &disktest.Plan{At: n}
		must := sc.acknowledged(sc.run(t.Context(), dir, repo.Options{Fault: plan.Fault}))
		_ = os.Remove(filepath.Join(dir, ".git", "index.lock"))
		git(t, dir, "symbolic-ref", "HEAD", "refs/heads/other")
		git(t, dir, "update-ref", "refs/heads/other", "refs/heads/main")
		envtest.Wraps(t, repo.ErrBusy, count(t.Context(), dir, repo.Options{}, "elsewhere"), n)
		git(t, dir, "symbolic-ref", "HEAD", "refs/heads/main")
		_, err := check(dir, must, sc.attempts)
		envtest.FailIf(t, err != nil, "killed at %d: %v", n, err)
	}
}
