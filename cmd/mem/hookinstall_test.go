package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
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

// broken are files that are no settings.
var broken = [][]byte{
	[]byte("[]"), []byte("{"), []byte(`{"hooks": []}`), []byte(`{"a":1} x`), []byte(`{"a":1,"a":2}`), []byte("\xff\xfe{\x00}\x00"),
}

// placeFile makes a settings file, which lies there in one of four ways.
func placeFile(t *testing.T, path, way string, data []byte, mode fs.FileMode) settingsFile {
	f := settingsFile{path: path, target: path, data: data, mode: mode}
	if data == nil {
		return f
	}
	if way == "link" {
		f.target = filepath.Join(filepath.Dir(path), "dotfiles", "claude.json")
		envtest.NoError(t, os.Mkdir(filepath.Dir(f.target), 0o700))
		envtest.NoError(t, os.Symlink(filepath.Join("dotfiles", "claude.json"), path))
	}
	if way == "read-only" {
		f.mode, f.refused = 0o444, "it is read-only"
	}
	if way == "astray" {
		f.refused = "it is a link that leads nowhere"
		envtest.NoError(t, os.Symlink("nowhere", path))
		return f
	}
	envtest.NoError(t, errors.Join(os.WriteFile(f.target, data, f.mode), os.Chmod(f.target, f.mode)))
	return f
}

// same fails unless the file is as it was drawn.
func (f settingsFile) same(t *testing.T, when string) {
	if f.refused == "it is a link that leads nowhere" {
		to, err := os.Readlink(f.path)
		envtest.StopIf(t, err != nil || to != "nowhere", "%s: the link leads to %q, %v", when, to, err)
		return
	}
	data, err := os.ReadFile(f.path)
	if f.data == nil {
		envtest.StopIf(t, !errors.Is(err, fs.ErrNotExist), "%s: there is a file, %v:\n%s", when, err, data)
		return
	}
	envtest.StopIf(t, err != nil || !bytes.Equal(data, f.data), "%s: %v\n%q\nwant\n%q", when, err, data, f.data)
	info, err := os.Stat(f.target)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != f.mode {
		t.Fatalf("%s: the mode is %v, %v, want %v", when, info.Mode(), err, f.mode)
	}
	if info, err := os.Lstat(f.path); err != nil || (info.Mode()&fs.ModeSymlink != 0) != (f.target != f.path) {
		t.Fatalf("%s: a link is none any more, or the other way round", when)
	}
}

// Whatever settings people have, installing and uninstalling leaves the same bytes, mode and links, or the file is left
// alone with a reason; twice is as once, and nothing else is left in the folder.
func TestInstallAnySettings(t *testing.T) {
	ways := []string{"plain", "link", "read-only", "astray"}
	if runtime.GOOS == "windows" {
		ways = []string{"plain", "read-only"}
	}
	for name, file := range map[string]string{"claude": "settings.json", "codex": "hooks.json"} {
		for i, data := range slices.Concat(settings, broken) {
			for _, way := range ways {
				t.Run(fmt.Sprint(name, " ", way, " ", i), func(t *testing.T) {
					f := placeFile(t, filepath.Join(t.TempDir(), file), way, data, []fs.FileMode{0o600, 0o644, 0o664}[i%3])
					if f.refused == "" && i >= len(settings) {
						f.refused = "it"
					}
					installAny(t, name, f)
				})
			}
		}
	}
}

func installAny(t *testing.T, name string, f settingsFile) {
	dir := filepath.Dir(f.path)
	mem := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		env := Env{Out: &out, Err: &errs, World: newWorld(dir, "HOME="+dir, "CLAUDE_CONFIG_DIR="+dir, "CODEX_HOME="+dir)}
		code := run(t.Context(), env, append([]string{"hook"}, args...))
		return code, out.String(), errs.String()
	}
	switch code, out, errs := mem("install", name, "--global", "--yes"); {
	case code == 6 && f.refused != "" && strings.Contains(errs, "the file is left alone: "+f.refused):
		envtest.StopIf(t, out != "", "refused, and printed %q", out)
		f.same(t, "refused")
		return
	case code != 0 || f.refused != "" || !strings.Contains(out, "installed in "):
		t.Fatalf("install: %d %s%s, want a refusal because %q", code, out, errs, f.refused)
	}
	if code, out, _ := mem("install", name, "--global", "--yes"); code != 0 || out != fmt.Sprintf("everything is in the settings of %s already\n", name) {
		t.Fatalf("install again: %d %s", code, out)
	}
	code, out, errs := mem("uninstall", name, "--global", "--yes")
	envtest.StopIf(t, code != 0, "uninstall: %d %s%s", code, out, errs)
	f.same(t, "uninstalled")
	left, err := filepath.Glob(filepath.Join(dir, ".mem*"))
	envtest.StopIf(t, err != nil || len(left) > 0, "left behind: %q, %v", left, err)
}
