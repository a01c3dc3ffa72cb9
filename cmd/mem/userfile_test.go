//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mem/envtest"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// A userChange is a command that changes files outside a memory.
type userChange struct {
	name  string
	files map[string]string // what there is before, by path; "-> x" is a link to x
	modes map[string]fs.FileMode
	first []string // a command that runs before, without faults
	args  []string
	root  string // of the disk that a power cut is simulated on; "" for none
	naive bool   // instead of the command, a writer that changes the file in place
}

const someSettings = "{\r\n  // mine\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"beep\"}]}]}\r\n}\r\n"

var userChanges = []userChange{
	{name: "install", files: map[string]string{"c/settings.json": someSettings}, modes: map[string]fs.FileMode{"c/settings.json": 0o640},
		args: []string{"hook", "install", "claude", "--global", "--yes"}, root: "c"},
	{name: "install, new file", files: map[string]string{"c/CLAUDE.md": "x"}, args: []string{"hook", "install", "claude", "--global", "--yes"}, root: "c"},
	{name: "install, link", files: map[string]string{"dot/claude.json": someSettings, "c/settings.json": "-> ../dot/claude.json"},
		args: []string{"hook", "install", "claude", "--global", "--yes"}, root: "dot"},
	{name: "install, two files", files: map[string]string{"x/config.toml": "model = \"gpt\"\n", "x/hooks.json": someSettings},
		args: []string{"hook", "install", "codex", "--global", "--yes"}, root: "x"},
	{name: "uninstall", files: map[string]string{"c/settings.json": someSettings}, modes: map[string]fs.FileMode{"c/settings.json": 0o600},
		first: []string{"hook", "install", "claude", "--global", "--yes"}, args: []string{"hook", "uninstall", "claude", "--global", "--yes"}, root: "c"},
	{name: "uninstall, own file", files: map[string]string{"c/CLAUDE.md": "x"},
		first: []string{"hook", "install", "claude", "--global", "--yes"}, args: []string{"hook", "uninstall", "claude", "--global", "--yes"}, root: "c"},
	{name: "report", files: map[string]string{"page/mem.html": "an old page"}, modes: map[string]fs.FileMode{"page/mem.html": 0o644},
		first: []string{"init", "--yes"}, args: []string{"report", "-o", "../page/mem.html"}, root: "page"},
	{name: "naive", files: map[string]string{"c/settings.json": someSettings}, root: "c", naive: true},
}

// lay makes the files of a scenario in dir, and the memory for it.
func (u userChange) lay(t *testing.T, dir string) {
	t.Helper()
	put := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			err = errors.Join(err, os.Symlink(to, path))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644))
		}
		if mode, ok := u.modes[name]; ok {
			err = errors.Join(err, os.Chmod(path, mode))
		}
		envtest.NoError(t, err)
	}
	for name, text := range u.files {
		put(name, text)
	}
	put("p/.mem/core/index.json", `{"version": 2, "items": [{"key": "run the tests", "text": "Run the tests", "kind": "learning", "hits": 1, "score": 1,
		"firstSeen": "2026-01-01T10:00:00.000Z", "lastSeen": "2026-01-01T10:00:00.000Z", "id": "m-00000001"}]}`)
	if u.first != nil {
		code, said := u.run(t, dir, nil, u.first)
		envtest.StopIf(t, code != 0, "%v", said)
	}
}

// run runs a command in this process and returns its code and what it said.
func (u userChange) run(t *testing.T, dir string, fault disk.Fault, args []string) (code int, said string) {
	if u.naive {
		d, err := disk.Files{Fault: fault}.Open(filepath.Join(dir, "c"))
		envtest.NoError(t, err)
		defer d.Close()
		if err := d.WriteLoose("settings.json", []byte("{}")); err != nil {
			return 1, err.Error()
		}
		return 0, ""
	}
	var out bytes.Buffer
	env := Env{In: strings.NewReader(""), Out: &out, Err: &out, Files: disk.Files{Fault: fault},
		World: newWorld(filepath.Join(dir, "p"), "HOME="+dir, "CLAUDE_CONFIG_DIR="+filepath.Join(dir, "c"), "CODEX_HOME="+filepath.Join(dir, "x"), "MEM_ROOT="+filepath.Join(dir, "p", ".mem"))}
	return run(t.Context(), env, args), out.String()
}

// state is every file outside the memory: its mode and content, or where it
// leads. left are the names of mem's own that must not be left.
func state(t *testing.T, dir string) (files map[string]string, left []string) {
	t.Helper()
	files = map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".mem" || e.Name() == ".local"): // and what mem itself keeps for the account
			return filepath.SkipDir
		case e.IsDir():
			return nil
		case strings.HasPrefix(e.Name(), ".mem-"):
			left = append(left, path)
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if to, err := os.Readlink(path); err == nil {
			files[rel] = "-> " + to
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files[rel] = fmt.Sprintf("%o %s", info.Mode().Perm(), data)
		return err
	})
	envtest.NoError(t, err)
	return files, left
}

var userFaults = []struct {
	name    string
	err     error
	forever bool
	cut     bool
}{
	{name: "kill"}, {name: "power cut", cut: true},
	{name: "ENOSPC", err: syscall.ENOSPC}, {name: "ENOSPC from there on", err: syscall.ENOSPC, forever: true},
	{name: "EIO", err: syscall.EIO}, {name: "EIO from there on", err: syscall.EIO, forever: true},
}

// TestSweepOfUserFiles stops, fails and cuts the power at each change of files
// that are a person's own: each is as it was or as it was meant to be, with its
// mode and its link, and the next run finishes and leaves nothing else behind.
func TestSweepOfUserFiles(t *testing.T) {
	for _, u := range userChanges {
		for _, f := range userFaults {
			if f.cut && u.root == "" {
				continue
			}
			t.Run(u.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				whole := t.TempDir()
				u.lay(t, whole)
				before, _ := state(t, whole)
				code, said := u.run(t, whole, nil, u.args)
				envtest.StopIf(t, code != 0, "%v", said)
				after, left := state(t, whole)
				envtest.StopIf(t, maps.Equal(before, after) || len(left) > 0, "nothing is changed, or %q is left", left)
				var problems []string
				n := 1
				for ; ; n++ {
					dir := t.TempDir()
					u.lay(t, dir)
					plan := &disktest.Plan{At: n, Err: f.err, Forever: f.forever}
					if f.cut {
						var err error
						plan.Disk, err = disktest.Follow(filepath.Join(dir, u.root))
						envtest.NoError(t, err)
					}
					code, said := u.run(t, dir, plan.Fault, u.args)
					over := plan.Seen() < n // and said that it is done
					if f.cut {
						keep := disktest.Losses[n%len(disktest.Losses)]
						if over {
							keep = disktest.None
						}
						cutPower(t, plan.Disk, filepath.Join(dir, u.root), keep)
					}
					for _, p := range u.wrong(t, dir, before, after, code) {
						problems = append(problems, fmt.Sprintf("change %d: %s (it said %q)", n, p, said))
					}
					if over {
						break
					}
				}
				envtest.FailIf(t, n < 3 && !u.naive, "only %d changes", n-1)
				envtest.Same(t, len(problems) > 0, u.naive, n-1, "changes, found", strings.Join(problems, "\n"))
			})
		}
	}
}

// cutPower replaces a folder by what the disk kept of it.
func cutPower(t *testing.T, d *disktest.Disk, dir string, keep *disktest.Loss) {
	modes := map[string]fs.FileMode{}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, errInfo := e.Info(); errInfo == nil {
			modes[e.Name()] = info.Mode().Perm()
		}
	}
	err = errors.Join(err, d.Cut(dir+" cut", keep), os.RemoveAll(dir), os.Rename(dir+" cut", dir))
	for name, mode := range modes { // the disk knows none
		if errMode := os.Chmod(filepath.Join(dir, name), mode); !errors.Is(errMode, fs.ErrNotExist) {
			err = errors.Join(err, errMode)
		}
	}
	envtest.NoError(t, err)
}

// wrong says what is wrong after a fault, and after the next run.
func (u userChange) wrong(t *testing.T, dir string, before, after map[string]string, code int) (problems []string) {
	got, _ := state(t, dir)
	all := map[string]bool{}
	for _, m := range []map[string]string{before, after, got} {
		for name := range m {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		is, there := got[name]
		old, was := before[name]
		to, will := after[name]
		if isNew := there == will && is == to; !isNew && (code == 0 || there != was || is != old) {
			problems = append(problems, fmt.Sprintf("%s (there: %t) is %q after exit code %d", name, there, is, code))
		}
	}
	if u.naive {
		return problems
	}
	again, said := u.run(t, dir, nil, u.args)
	if again != 0 {
		problems = append(problems, fmt.Sprintf("the next run says %d %s", again, said))
	}
	got, left := state(t, dir)
	if !maps.Equal(got, after) || len(left) > 0 {
		problems = append(problems, fmt.Sprintf("after the next run there is %q, and %q", got, left))
	}
	return problems
}
