package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A settingsFile is one as people have it: what is in it, and how it lies there.
type settingsFile struct {
	path, target string // target is where the link leads, or path
	data         []byte // nil if there is none
	mode         fs.FileMode
	refused      string // why it is to be left alone; "" if it is not
}

// settings are files as people have them; nil is none. That any other comes out the
// same is held by the laws of package install.
var settings = [][]byte{
	nil, []byte(""), []byte("\n"), []byte("{}\n"), []byte("// nothing\n"), []byte("{\n  \"hooks\": {}\n}\n"), []byte("\xef\xbb\xbf{\"a\": 1}"),
	[]byte("{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  }\n}\n"),
	[]byte("{\r\n    \"env\": {\"A\": \"1\"}, // it's \"so\", {x]\r\n    \"list\": [1e3, null,],\r\n}\r\n"),
	[]byte("{\n\t\"hooks\": {\n\t\t\"SessionStart\": [], /* , \" } */\n\t\t\"PreToolUse\": [{\"matcher\": \"Bash|*\", \"hooks\": []}]\n\t}\n}"),
}

// drawFile makes a settings file in dir.
func drawFile(t *rapid.T, dir string) settingsFile {
	f := settingsFile{path: filepath.Join(dir, "settings.json"), mode: rapid.SampledFrom([]fs.FileMode{0o600, 0o644, 0o664}).Draw(t, "mode")}
	f.data = rapid.SampledFrom(settings).Draw(t, "settings")
	if rapid.IntRange(0, 9).Draw(t, "content") == 9 {
		broken := rapid.SampledFrom([]string{"[]", "{", `{"hooks": []}`, `{"a":1} x`, `{"a":1,"a":2}`, "\xff\xfe{\x00}\x00"})
		f.data, f.refused = []byte(broken.Draw(t, "broken")), "it"
	}
	f.target = f.path
	if f.data == nil {
		return f
	}
	kind := rapid.IntRange(0, 11).Draw(t, "kind")
	if kind < 4 && runtime.GOOS != "windows" {
		f.target = filepath.Join(dir, "dotfiles", "claude.json")
		check(t, os.MkdirAll(filepath.Dir(f.target), 0o700))
		check(t, os.Symlink(filepath.Join("dotfiles", "claude.json"), f.path))
	}
	if kind == 4 {
		f.mode, f.refused = 0o444, "it is read-only"
	}
	check(t, os.WriteFile(f.target, f.data, f.mode))
	check(t, os.Chmod(f.target, f.mode))
	if kind == 5 && runtime.GOOS != "windows" {
		check(t, os.Remove(f.target))
		check(t, os.Symlink("nowhere", f.path))
		f.refused = "it is a link that leads nowhere"
	}
	return f
}

func check(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// same fails unless the file is as it was drawn.
func (f settingsFile) same(t *rapid.T, when string) {
	if f.refused == "it is a link that leads nowhere" {
		if to, err := os.Readlink(f.path); err != nil || to != "nowhere" {
			t.Fatalf("%s: the link leads to %q, %v", when, to, err)
		}
		return
	}
	data, err := os.ReadFile(f.path)
	if f.data == nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: there is a file, %v:\n%s", when, err, data)
		}
		return
	}
	if err != nil || !bytes.Equal(data, f.data) {
		t.Fatalf("%s: %v\n%q\nwant\n%q", when, err, data, f.data)
	}
	info, err := os.Stat(f.target)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != f.mode {
		t.Fatalf("%s: the mode is %v, %v, want %v", when, info.Mode(), err, f.mode)
	}
	if info, err := os.Lstat(f.path); err != nil || (info.Mode()&fs.ModeSymlink != 0) != (f.target != f.path) {
		t.Fatalf("%s: a link is none any more, or the other way round", when)
	}
}

// Whatever settings people have, installing and uninstalling leaves the same
// bytes, mode and links, or the file is left alone with a reason; twice is as
// once, and nothing else is left in the folder.
func TestInstallAnySettings(t *testing.T) {
	refused, variants := 0, 0
	for _, name := range []string{"claude", "codex"} { // rapid tries a hundred of each
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				variants++
				if installAny(t, name) {
					refused++
				}
			})
		})
	}
	t.Logf("%d variants, %d of them refused", variants, refused)
}

func installAny(t *rapid.T, name string) (refused bool) {
	dir, err := os.MkdirTemp("", "mem-settings-")
	check(t, err)
	defer os.RemoveAll(dir)
	f := drawFile(t, dir)
	if name == "codex" {
		check(t, rename(f.path, filepath.Join(dir, "hooks.json")))
		if f.path == f.target {
			f.target = filepath.Join(dir, "hooks.json")
		}
		f.path = filepath.Join(dir, "hooks.json")
	}
	mem := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		env := Env{Out: &out, Err: &errs, World: newWorld(dir, "HOME="+dir, "CLAUDE_CONFIG_DIR="+dir, "CODEX_HOME="+dir)}
		code := run(t.Context(), env, append([]string{"hook"}, args...))
		return code, out.String(), errs.String()
	}
	switch code, out, errs := mem("install", name, "--global", "--yes"); {
	case code == 6 && f.refused != "" && strings.Contains(errs, "the file is left alone: "+f.refused):
		if out != "" {
			t.Fatalf("refused, and printed %q", out)
		}
		f.same(t, "refused")
		return true
	case code != 0 || f.refused != "" || !strings.Contains(out, "installed in "):
		t.Fatalf("install: %d %s%s, want a refusal because %q", code, out, errs, f.refused)
	}
	if code, out, _ := mem("install", name, "--global", "--yes"); code != 0 || out != fmt.Sprintf("everything is in the settings of %s already\n", name) {
		t.Fatalf("install again: %d %s", code, out)
	}
	if code, out, errs := mem("uninstall", name, "--global", "--yes"); code != 0 {
		t.Fatalf("uninstall: %d %s%s", code, out, errs)
	}
	f.same(t, "uninstalled")
	left, err := filepath.Glob(filepath.Join(dir, ".mem*"))
	if err != nil || len(left) > 0 {
		t.Fatalf("left behind: %q, %v", left, err)
	}
	return false
}

// rename is os.Rename for a file that need not be there.
func rename(from, to string) error {
	if err := os.Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
